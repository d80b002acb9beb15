import type { RegisterPacket } from '@thingwright/contracts/links.contract'
import { REGISTER_KINDS } from '@thingwright/contracts/links.words'
import { Alert, Checkbox, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { CodeInput, OptionalNumber } from '../payload-format/fields.tsx'
import { LinkField, LinkSection } from './link-fields.tsx'
import css from './product-link.module.css'
import type { LinkDraft } from './use-link-draft.ts'

const ENDS = ['auto', 'line', 'gap', 'length'] as const

/** The first packet of a connection: who connects. */
export function RegisterFields({
  draft,
  productKey,
  disabled,
}: {
  draft: LinkDraft
  productKey: string
  disabled: boolean
}) {
  const { t } = useTranslation('product-link')
  const { register, port } = draft.settings
  const change = (part: Partial<RegisterPacket>) => draft.change({ register: { ...register, ...part } })
  const end = register.end ?? 'auto'
  return (
    <LinkSection title={t('register.title')} hint={t('register.hint')}>
      <Segmented
        value={register.kind}
        disabled={disabled}
        options={REGISTER_KINDS.map(kind => ({ value: kind, label: t(`register.kind.${kind}`) }))}
        onChange={kind => draft.change({ register: keepOf(register, kind as RegisterPacket['kind']) })}
      />
      <p className={css.explain}>
        {t(`register.text.${register.kind}`)}
        {register.kind === 'line' && <code dir="ltr">{`${productKey}/{deviceNo}/{deviceSecret}\\r\\n`}</code>}
      </p>
      {register.kind !== 'line' && port.mode === 'shared' && (
        <Alert type="warning" showIcon title={t('register.bare')} description={t('register.bareText')} />
      )}
      {register.kind !== 'line' && (
        <div className={css.grid}>
          {register.kind === 'regex' && (
            <LinkField
              label={t('register.pattern')}
              help={t('register.patternHelp')}
              problem={draft.problems['register.pattern']}
            >
              <CodeInput
                label={t('register.pattern')}
                value={register.pattern ?? ''}
                placeholder="IMEI:(\d{15})"
                maxLength={256}
                disabled={disabled}
                wrong={draft.problems['register.pattern'] !== undefined}
                onChange={pattern => change({ pattern })}
              />
            </LinkField>
          )}
          {register.kind === 'json' && (
            <LinkField label={t('register.path')} problem={draft.problems['register.path']}>
              <CodeInput
                label={t('register.path')}
                value={register.path ?? ''}
                placeholder="$.dev.sn"
                maxLength={128}
                disabled={disabled}
                wrong={draft.problems['register.path'] !== undefined}
                onChange={path => change({ path })}
              />
            </LinkField>
          )}
          <LinkField label={t('register.end')} help={t(`register.endHelp.${end}`)}>
            <Segmented
              value={end}
              disabled={disabled}
              options={ENDS.map(each => ({ value: each, label: t(`register.ends.${each}`) }))}
              onChange={next => {
                const { end: _, length, ...rest } = register
                draft.change({
                  register: {
                    ...rest,
                    ...(next === 'auto' ? {} : { end: next as 'line' | 'gap' | 'length' }),
                    ...(next === 'length' ? { length: length ?? 16 } : {}),
                  },
                })
              }}
            />
          </LinkField>
          {register.end === 'length' && (
            <LinkField label={t('register.length')} problem={draft.problems['register.length']}>
              <OptionalNumber
                label={t('register.length')}
                integer
                min={1}
                max={256}
                value={register.length}
                disabled={disabled}
                onChange={length => change(length === undefined ? {} : { length })}
              />
            </LinkField>
          )}
        </div>
      )}
      <Checkbox
        checked={register.everyFrame === true}
        disabled={disabled}
        onChange={event => {
          const { everyFrame: _, ...rest } = register
          draft.change({ register: event.target.checked ? { ...rest, everyFrame: true } : rest })
        }}
      >
        {t('register.everyFrame')}
      </Checkbox>
    </LinkSection>
  )
}

/** What another kind uses of the settings too. */
function keepOf(register: RegisterPacket, kind: RegisterPacket['kind']): RegisterPacket {
  const { end, length, everyFrame } = register
  if (kind === 'line') return { kind, ...(everyFrame ? { everyFrame } : {}) }
  return {
    kind,
    ...(everyFrame ? { everyFrame } : {}),
    ...(end ? { end } : {}),
    ...(length === undefined ? {} : { length }),
    ...(kind === 'regex' ? { pattern: register.pattern ?? 'IMEI:(\\d{15})' } : {}),
    ...(kind === 'json' ? { path: register.path ?? '$.sn' } : {}),
  }
}
