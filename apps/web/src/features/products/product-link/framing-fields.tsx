import type { Framing } from '@thingwright/contracts/links.contract'
import { Segmented, Skeleton, Switch } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import { OptionalNumber } from '../payload-format/fields.tsx'
import { FramingPicture } from './framing-picture.tsx'
import { BytesInput, LinkField, LinkSection } from './link-fields.tsx'
import css from './product-link.module.css'
import type { LinkDraft } from './use-link-draft.ts'

const KINDS = ['none', 'json', 'fixed', 'delimiter', 'length', 'script'] as const

const CodeEditor = lazy(async () => ({ default: (await import('../../../ui/code-editor/code-editor.tsx')).CodeEditor }))

const SCRIPT = `// bytes: what has arrived. Return the length of the first whole frame,
// 0 to wait for more, or a negative number to drop so many bytes.
function frame(bytes) {
  if (bytes[0] !== 0x68) return -1
  if (bytes.length < 2) return 0
  return 2 + bytes[1]
}
`

const START: Readonly<Record<(typeof KINDS)[number], Framing>> = {
  none: { kind: 'none' },
  json: { kind: 'json' },
  fixed: { kind: 'fixed', length: 16 },
  delimiter: { kind: 'delimiter', delimiter: { encoding: 'text', value: '\\r\\n' } },
  length: { kind: 'length', offset: 2, bytes: 1, endian: 'big', adjustment: 0 },
  script: { kind: 'script', source: SCRIPT },
}

/** How the stream is cut into frames, with a picture of what the settings mean. */
export function FramingFields({ draft, disabled }: { draft: LinkDraft; disabled: boolean }) {
  const { t } = useTranslation('product-link')
  const { framing, idleGapMs, maxFrameBytes } = draft.settings
  const change = (next: Framing) => draft.change({ framing: next })
  return (
    <LinkSection title={t('framing.title')} hint={t('framing.hint')}>
      <Segmented
        value={framing.kind}
        disabled={disabled}
        options={KINDS.map(kind => ({ value: kind, label: t(`framing.kind.${kind}`) }))}
        onChange={kind => change(START[kind as (typeof KINDS)[number]])}
      />
      <p className={css.explain}>
        {framing.kind === 'none'
          ? t(idleGapMs === null ? 'framing.text.none' : 'framing.text.gap', { ms: idleGapMs })
          : t(`framing.text.${framing.kind}`)}
      </p>
      <FramingPicture framing={framing} />
      {framing.kind === 'script' && (
        <div className={css.code}>
          <Suspense fallback={<Skeleton active />}>
            <CodeEditor
              label={t('framing.script')}
              value={framing.source}
              readOnly={disabled}
              onChange={source => change({ ...framing, source })}
            />
          </Suspense>
          {draft.problems['framing.source'] && (
            <p className={css.problem} role="alert">
              {draft.problems['framing.source']}
            </p>
          )}
        </div>
      )}
      <div className={css.grid}>
        {framing.kind === 'fixed' && (
          <LinkField label={t('framing.fixedLength')} problem={draft.problems['framing.length']}>
            <InputNumber
              aria-label={t('framing.fixedLength')}
              min={1}
              max={8192}
              precision={0}
              disabled={disabled}
              value={framing.length}
              onChange={length => length && change({ ...framing, length })}
            />
          </LinkField>
        )}
        {framing.kind === 'delimiter' && (
          <>
            <LinkField
              label={t('framing.delimiter')}
              help={t('escapes')}
              problem={draft.problems['framing.delimiter.value']}
            >
              <BytesInput
                label={t('framing.delimiter')}
                value={framing.delimiter}
                disabled={disabled}
                wrong={draft.problems['framing.delimiter.value'] !== undefined}
                onChange={delimiter => change({ ...framing, delimiter })}
              />
            </LinkField>
            <LinkField label={t('framing.keep')} help={t('framing.keepHelp')}>
              <Switch
                aria-label={t('framing.keep')}
                style={{ alignSelf: 'flex-start' }}
                checked={framing.keep === true}
                disabled={disabled}
                onChange={keep => change({ ...framing, keep })}
              />
            </LinkField>
          </>
        )}
        {framing.kind === 'length' && (
          <>
            <LinkField
              label={t('framing.offset')}
              help={t('framing.offsetHelp')}
              problem={draft.problems['framing.offset']}
            >
              <InputNumber
                aria-label={t('framing.offset')}
                min={0}
                max={1024}
                precision={0}
                disabled={disabled}
                value={framing.offset}
                onChange={offset => offset !== null && change({ ...framing, offset })}
              />
            </LinkField>
            <LinkField label={t('framing.bytes')}>
              <Segmented
                value={framing.bytes}
                disabled={disabled}
                options={[1, 2, 3, 4]}
                onChange={bytes => change({ ...framing, bytes: Number(bytes) })}
              />
            </LinkField>
            <LinkField label={t('framing.endian')}>
              <Segmented
                value={framing.endian}
                disabled={disabled || framing.bytes === 1}
                options={(['big', 'little'] as const).map(each => ({
                  value: each,
                  label: t(`framing.endians.${each}`),
                }))}
                onChange={endian => change({ ...framing, endian: endian as 'big' | 'little' })}
              />
            </LinkField>
            <LinkField label={t('framing.adjustment')} help={t('framing.adjustmentHelp')}>
              <InputNumber
                aria-label={t('framing.adjustment')}
                min={-1024}
                max={1024}
                precision={0}
                disabled={disabled}
                value={framing.adjustment}
                onChange={adjustment => adjustment !== null && change({ ...framing, adjustment })}
              />
            </LinkField>
          </>
        )}
        <LinkField label={t('framing.idleGap')} help={t('framing.idleGapHelp')}>
          <OptionalNumber
            label={t('framing.idleGap')}
            integer
            min={5}
            max={10_000}
            placeholder={t('framing.noGap')}
            value={idleGapMs ?? undefined}
            disabled={disabled}
            onChange={ms => draft.change({ idleGapMs: ms ?? null })}
          />
        </LinkField>
        <LinkField label={t('framing.max')} help={t('framing.maxHelp')}>
          <InputNumber
            aria-label={t('framing.max')}
            min={16}
            max={8192}
            precision={0}
            disabled={disabled}
            value={maxFrameBytes}
            onChange={max => max && draft.change({ maxFrameBytes: max })}
          />
        </LinkField>
      </div>
    </LinkSection>
  )
}
