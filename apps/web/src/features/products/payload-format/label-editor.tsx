import type { ThingModel } from '@thingwright/thing-model/model'
import { Button, Input, Radio, Segmented, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CodeInput, IdentifierSelect } from './fields.tsx'
import css from './format.module.css'
import { bytesOf, dataFieldsOf, type FormatBody, type LabelFrame, TYPE_BYTES } from './format-draft.ts'
import { FrameBytes } from './frame-bytes.tsx'
import { LabelFrameEditor } from './label-frame.tsx'

/** The protocol label: in its short grammar, or frame by frame with fields marked in a sample. */
export function LabelEditor({
  productId,
  format,
  model,
  disabled,
  problems,
  onChange,
}: {
  productId: string
  format: FormatBody
  model: ThingModel
  disabled: boolean
  problems: Readonly<Record<string, string>>
  onChange: (format: FormatBody) => void
}) {
  const { t } = useTranslation('payload-format')
  const short = format.frames === undefined
  const [sample, setSample] = useState({ payload: '', encoding: 'text' as 'text' | 'hex' })
  const [marked, setMarked] = useState<{ at: number; length: number } | null>(null)
  const [target, setTarget] = useState(0)
  const bytes = sample.payload === '' ? null : bytesOf(sample.payload, sample.encoding)
  const asked = useDeferredValue(JSON.stringify({ format, ...sample }))
  const { format: tried, ...payload } = JSON.parse(asked) as { format: FormatBody; payload: string }
  const trial = useRead(
    'formats.tryFormat',
    { params: { id: productId }, body: { ...payload, format: tried, draft: true } },
    { enabled: bytes !== null, keep: true, staleTime: 60_000 },
  )
  const frames = format.frames ?? []
  const putFrame = (at: number, frame: LabelFrame | null) =>
    onChange({ ...format, frames: frames.flatMap((old, i) => (i === at ? (frame ? [frame] : []) : [old])) })
  const count = dataFieldsOf(format.label ?? '')
  return (
    <>
      <Radio.Group
        disabled={disabled}
        value={short ? 'short' : 'frames'}
        options={[
          { value: 'short', label: t('label.short') },
          { value: 'frames', label: t('label.frames') },
        ]}
        onChange={event =>
          onChange(
            event.target.value === 'short'
              ? { kind: 'label', label: '[H:#],[D?],[S:,],[D?],[T:#]', fields: [] }
              : { kind: 'label', frames: [{ fields: [] }] },
          )
        }
      />
      <p className={css.lead}>{t(short ? 'label.shortText' : 'label.framesText')}</p>
      <div className={css.bar}>
        <Segmented
          value={sample.encoding}
          options={[
            { value: 'text', label: t('text') },
            { value: 'hex', label: 'HEX' },
          ]}
          onChange={encoding => setSample({ ...sample, encoding: encoding as 'text' | 'hex' })}
        />
        <Input
          className={`${css.mono} ${css.grow}`}
          aria-label={t('sampleFrame')}
          value={sample.payload}
          placeholder={sample.encoding === 'text' ? '#21.5,48#' : '68 01 00 D7 00 30 16'}
          spellCheck={false}
          {...(sample.payload !== '' && bytes === null ? { status: 'error' as const } : {})}
          onChange={event => setSample({ ...sample, payload: event.target.value })}
        />
      </div>
      {bytes && (
        <>
          <FrameBytes
            key={`${sample.payload}/${sample.encoding}`}
            bytes={bytes}
            fields={trial.data?.fields ?? []}
            {...(short || disabled ? {} : { onSelect: setMarked })}
          />
          <p className={css.quiet} aria-live="polite">
            {trial.isError
              ? errorFacts(trial.error).message
              : trial.data?.ok === false
                ? `${t(`reason.${trial.data.reason}`, { defaultValue: trial.data.reason ?? '' })} ${trial.data.path ?? ''} ${
                    typeof trial.data.detail === 'string' ? trial.data.detail : ''
                  }`
                : short
                  ? ''
                  : t('label.markHint')}
          </p>
          {marked && !short && !disabled && frames.length > 0 && (
            <div className={css.bar}>
              <span>{t('label.marked', { at: marked.at, count: marked.length })}</span>
              {frames.length > 1 && (
                <Select
                  aria-label={t('label.frame')}
                  value={Math.min(target, frames.length - 1)}
                  popupMatchSelectWidth={false}
                  options={frames.map((frame, at) => ({
                    value: at,
                    label: frame.name || `${t('label.frame')} ${at + 1}`,
                  }))}
                  onChange={setTarget}
                />
              )}
              <Button
                type="primary"
                onClick={() => {
                  const at = Math.min(target, frames.length - 1)
                  const frame = frames[at]
                  if (frame) putFrame(at, { ...frame, fields: [...frame.fields, fieldAt(marked)] })
                  setMarked(null)
                }}
              >
                {t('label.addField')}
              </Button>
            </div>
          )}
        </>
      )}
      {short ? (
        <>
          <div className={css.field}>
            <span>{t('label.grammar')}</span>
            <CodeInput
              label={t('label.grammar')}
              value={format.label ?? ''}
              maxLength={1000}
              wrong={problems.label !== undefined}
              disabled={disabled}
              onChange={label => onChange({ ...format, label })}
            />
            {problems.label && (
              <p className={css.problem} role="alert">
                {problems.label}
              </p>
            )}
            <small>{t('label.grammarHelp')}</small>
          </div>
          {count > 0 && (
            <>
              <h3 className={css.sub}>{t('label.order')}</h3>
              <div className={css.grid}>
                {Array.from({ length: Math.min(count, 200) }, (_, at) => (
                  // Data fields have no identity but their place.
                  <div key={at}>
                    <span>{t('label.data', { at: at + 1 })}</span>
                    <IdentifierSelect
                      label={t('label.data', { at: at + 1 })}
                      model={model}
                      value={format.fields?.[at]}
                      disabled={disabled}
                      onChange={identifier => {
                        const fields = Array.from({ length: count }, (__, i) => format.fields?.[i] ?? '')
                        fields[at] = identifier
                        onChange({ ...format, fields })
                      }}
                    />
                  </div>
                ))}
              </div>
            </>
          )}
        </>
      ) : (
        <>
          {frames.map((frame, at) => (
            <LabelFrameEditor
              // Frames have no identity but their place.
              key={at}
              at={at}
              frame={frame}
              model={model}
              disabled={disabled}
              problems={problems}
              onChange={next => putFrame(at, next)}
              onRemove={frames.length > 1 ? () => putFrame(at, null) : undefined}
            />
          ))}
          {!disabled && (
            <Button
              type="dashed"
              disabled={frames.length >= 32}
              onClick={() => onChange({ ...format, frames: [...frames, { fields: [] }] })}
            >
              {t('label.addFrame')}
            </Button>
          )}
        </>
      )}
    </>
  )
}

/** A field over the marked bytes: the whole number of that many bytes, else bytes as hex text. */
function fieldAt({ at, length }: { at: number; length: number }): LabelFrame['fields'][number] {
  const type = (['uint8', 'uint16', 'uint24', 'uint32', 'uint64'] as const).find(name => TYPE_BYTES[name] === length)
  return type ? { type, at, identifier: '' } : { type: 'hex', at, length, identifier: '' }
}
