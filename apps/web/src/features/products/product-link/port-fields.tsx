import { Alert, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { OptionalNumber } from '../payload-format/fields.tsx'
import { LinkField, LinkSection } from './link-fields.tsx'
import css from './product-link.module.css'
import type { LinkDraft, LinkView } from './use-link-draft.ts'

/** The installation's port for all products, or one of the product's own. */
export function PortFields({
  view,
  draft,
  disabled,
  udp,
}: {
  view: LinkView
  draft: LinkDraft
  disabled: boolean
  udp: boolean
}) {
  const { t } = useTranslation('product-link')
  const { port } = draft.settings
  const own = port.mode === 'own'
  const { state, number, error } = view.port
  return (
    <LinkSection title={t('port.title')} hint={t('port.hint')}>
      <Segmented
        value={port.mode}
        disabled={disabled}
        options={(['shared', 'own'] as const).map(mode => ({ value: mode, label: t(`port.mode.${mode}`) }))}
        onChange={mode => draft.change({ port: { mode: mode as 'shared' | 'own' } })}
      />
      <p className={css.explain}>{t(`port.text.${port.mode}`)}</p>
      {own && (
        <div className={css.grid}>
          <LinkField
            label={t('port.number')}
            help={t('port.numberHelp', view.ownPorts)}
            problem={draft.problems['port.number']}
          >
            <OptionalNumber
              label={t('port.number')}
              integer
              min={1}
              max={65_535}
              placeholder={number === null ? t('port.next') : String(number)}
              value={port.number ?? undefined}
              disabled={disabled}
              onChange={next =>
                draft.change({ port: { mode: 'own', ...(next === undefined ? {} : { number: next }) } })
              }
            />
          </LinkField>
          {number !== null && (
            <LinkField label={t('port.state')}>
              <span className={css.portState}>
                <StatusTag kind={state === 'open' ? 'success' : state === 'failed' ? 'error' : 'neutral'}>
                  {t(`port.states.${state}`)}
                </StatusTag>
                <code>{`${udp ? 'udp' : 'tcp'}:${number}`}</code>
              </span>
            </LinkField>
          )}
        </div>
      )}
      {own && state === 'failed' && (
        <Alert
          type="error"
          showIcon
          title={t('port.failed', { port: number })}
          description={t('port.failedText', { error })}
        />
      )}
    </LinkSection>
  )
}
