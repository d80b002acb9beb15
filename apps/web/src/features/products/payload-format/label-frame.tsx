import { DeleteOutlined } from '@ant-design/icons'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Button, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { CodeInput, IdentifierSelect, OptionalNumber, WordSelect } from './fields.tsx'
import css from './format.module.css'
import {
  CHECKSUMS,
  FIELD_ENDIANS,
  FIELD_ROLES,
  FIELD_TYPES,
  type LabelField,
  type LabelFrame,
  TYPE_BYTES,
} from './format-draft.ts'
import { scaleColumns } from './json-mapping.tsx'
import { RowsEditor, withoutGaps } from './rows-editor.tsx'

const NO_ENDIAN = new Set<LabelField['type']>([
  'ascii',
  'ascii_hex',
  'int8',
  'uint8',
  'bit',
  'string',
  'hex',
  'nmea',
  'time_text',
  'time_bcd',
])

/** One kind of frame: how it is known, what stands in it, what proves it whole. */
export function LabelFrameEditor({
  at,
  frame,
  model,
  disabled,
  problems,
  onChange,
  onRemove,
}: {
  at: number
  frame: LabelFrame
  model: ThingModel
  disabled: boolean
  problems: Readonly<Record<string, string>>
  onChange: (frame: LabelFrame) => void
  onRemove: (() => void) | undefined
}) {
  const { t } = useTranslation('payload-format')
  const put = (part: { [K in keyof LabelFrame]?: LabelFrame[K] | undefined }) => {
    const next = withoutGaps({ ...frame, ...part }) as LabelFrame
    for (const key of ['name', 'head', 'tail', 'separator', 'event'] as const) if (next[key] === '') delete next[key]
    onChange(next)
  }
  const text = frame.separator !== undefined
  const wrong = new Map(
    frame.fields.flatMap((_, i) => {
      const lines = Object.entries(problems).filter(([path]) => path.startsWith(`frames.${at}.fields.${i}`))
      return lines.length ? [[i, lines.map(([, message]) => message).join(' ')] as const] : []
    }),
  )
  const other = Object.entries(problems).filter(
    ([path]) => path.startsWith(`frames.${at}.`) && !path.startsWith(`frames.${at}.fields.`),
  )
  const { checksum } = frame
  const condition = frame.when?.[0]
  return (
    <section className={css.frame} aria-label={frame.name || `${t('label.frame')} ${at + 1}`}>
      <div className={css.frameHead}>
        <Input
          aria-label={t('label.frameName')}
          style={{ width: 240 }}
          value={frame.name ?? ''}
          maxLength={64}
          disabled={disabled}
          placeholder={`${t('label.frame')} ${at + 1}`}
          onChange={event => put({ name: event.target.value })}
        />
        <span className={css.grow} />
        {onRemove && !disabled && (
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('label.removeFrame', { at: at + 1 })}
            onClick={onRemove}
          />
        )}
      </div>
      <div className={css.conditions}>
        {(['head', 'tail', 'separator'] as const).map(name => (
          <div key={name}>
            <span>{t(`label.${name}`)}</span>
            <CodeInput
              label={`${t(`label.${name}`)} ${at + 1}`}
              value={frame[name] ?? ''}
              placeholder={name === 'head' ? '68' : name === 'tail' ? '16' : t('label.noSeparator')}
              disabled={disabled}
              onChange={value => put({ [name]: value })}
            />
          </div>
        ))}
        <div>
          <span>{t('label.length')}</span>
          <OptionalNumber
            label={`${t('label.length')} ${at + 1}`}
            value={frame.length}
            placeholder={t('label.anyLength')}
            integer
            min={1}
            max={8192}
            disabled={disabled}
            onChange={length => put({ length })}
          />
        </div>
        <div>
          <span>{t('label.whenAt')}</span>
          <OptionalNumber
            label={`${t('label.whenAt')} ${at + 1}`}
            value={condition?.at}
            placeholder={t('label.always')}
            integer
            disabled={disabled}
            onChange={where =>
              put({ when: where === undefined ? undefined : [{ at: where, hex: condition?.hex ?? '' }] })
            }
          />
        </div>
        {condition && (
          <div>
            <span>{t('label.whenHex')}</span>
            <CodeInput
              label={`${t('label.whenHex')} ${at + 1}`}
              value={condition.hex}
              placeholder="01"
              disabled={disabled}
              onChange={hex => put({ when: [{ at: condition.at, hex }] })}
            />
          </div>
        )}
        <div style={{ width: 200 }}>
          <span>{t('label.means')}</span>
          <Select
            aria-label={`${t('label.means')} ${at + 1}`}
            disabled={disabled}
            popupMatchSelectWidth={false}
            value={
              frame.command ? `${frame.command.kind}/${frame.command.identifier ?? ''}` : `event/${frame.event ?? ''}`
            }
            options={[
              { value: 'event/', label: t('label.asProperties') },
              ...model.events.map(event => ({
                value: `event/${event.identifier}`,
                label: `${t('label.asEvent')} ${event.name}`,
              })),
              { value: 'property_set/', label: t('label.asSet') },
              ...model.services.map(service => ({
                value: `service/${service.identifier}`,
                label: `${t('label.asService')} ${service.name}`,
              })),
            ]}
            onChange={(value: string) => {
              const [kind, identifier] = value.split('/')
              if (kind === 'event') put({ event: identifier, command: undefined })
              else
                put({
                  event: undefined,
                  command: {
                    kind: kind as 'property_set' | 'service',
                    ...(identifier ? { identifier } : {}),
                  },
                })
            }}
          />
        </div>
      </div>
      {other.map(([path, message]) => (
        <p key={path} className={css.problem} role="alert">
          {message}
        </p>
      ))}
      <RowsEditor<LabelField>
        label={t('label.fields')}
        rows={frame.fields}
        max={200}
        disabled={disabled}
        problems={wrong}
        emptyText={t('label.noFields')}
        addText={t('label.addField')}
        make={rows => nextField(rows, text)}
        onChange={fields => put({ fields })}
        columns={[
          {
            key: 'identifier',
            title: t('property'),
            cell: (row, set, i) =>
              (row.role ?? 'value') === 'value' ? (
                frame.event || frame.command?.kind === 'service' ? (
                  <CodeInput
                    label={`${t('property')} ${i + 1}`}
                    value={row.identifier ?? ''}
                    disabled={disabled}
                    onChange={identifier => set({ identifier })}
                  />
                ) : (
                  <IdentifierSelect
                    label={`${t('property')} ${i + 1}`}
                    model={model}
                    value={row.identifier}
                    disabled={disabled}
                    onChange={identifier => set({ identifier })}
                  />
                )
              ) : (
                <span className={css.quiet}>{t(`role.${row.role}`)}</span>
              ),
          },
          {
            key: 'role',
            title: t('label.role'),
            width: 116,
            cell: (row, set, i) => (
              <WordSelect
                label={`${t('label.role')} ${i + 1}`}
                words={FIELD_ROLES}
                group="role"
                value={(row.role ?? 'value') as (typeof FIELD_ROLES)[number]}
                disabled={disabled}
                onChange={role => set({ role } as Partial<LabelField>)}
              />
            ),
          },
          {
            key: 'type',
            title: t('label.type'),
            width: 164,
            cell: (row, set, i) => (
              <WordSelect
                label={`${t('label.type')} ${i + 1}`}
                words={FIELD_TYPES}
                group="fieldType"
                value={row.type}
                disabled={disabled}
                onChange={type => set({ type })}
              />
            ),
          },
          {
            key: 'place',
            title: text ? t('label.piece') : t('label.at'),
            width: 80,
            cell: (row, set, i) =>
              text ? (
                <OptionalNumber
                  label={`${t('label.piece')} ${i + 1}`}
                  value={row.index}
                  integer
                  min={0}
                  max={255}
                  disabled={disabled}
                  onChange={index => set({ index } as Partial<LabelField>)}
                />
              ) : (
                <OptionalNumber
                  label={`${t('label.at')} ${i + 1}`}
                  value={row.at}
                  integer
                  min={-8192}
                  max={8191}
                  disabled={disabled}
                  onChange={where => set({ at: where } as Partial<LabelField>)}
                />
              ),
          },
          {
            key: 'length',
            title: t('label.bytes'),
            width: 80,
            cell: (row, set, i) =>
              row.type === 'bit' || row.type === 'bits' ? (
                <OptionalNumber
                  label={`${t('label.bit')} ${i + 1}`}
                  value={row.bit}
                  placeholder={t('label.bit')}
                  integer
                  min={0}
                  max={63}
                  disabled={disabled}
                  onChange={bit => set({ bit } as Partial<LabelField>)}
                />
              ) : (
                <OptionalNumber
                  label={`${t('label.bytes')} ${i + 1}`}
                  value={TYPE_BYTES[row.type] ?? row.length}
                  placeholder={t('label.toEnd')}
                  integer
                  min={0}
                  max={8192}
                  disabled={disabled || TYPE_BYTES[row.type] !== undefined}
                  onChange={length => set({ length } as Partial<LabelField>)}
                />
              ),
          },
          {
            key: 'endian',
            title: t('label.endian'),
            width: 116,
            cell: (row, set, i) =>
              row.type === 'bits' ? (
                <OptionalNumber
                  label={`${t('label.bitCount')} ${i + 1}`}
                  value={row.bits}
                  placeholder={t('label.bitCount')}
                  integer
                  min={1}
                  max={53}
                  disabled={disabled}
                  onChange={bits => set({ bits } as Partial<LabelField>)}
                />
              ) : NO_ENDIAN.has(row.type) ? (
                <span className={css.quiet}>–</span>
              ) : (
                <WordSelect
                  label={`${t('label.endian')} ${i + 1}`}
                  words={FIELD_ENDIANS}
                  group="endian"
                  value={row.endian ?? 'big'}
                  disabled={disabled}
                  onChange={endian => set({ endian })}
                />
              ),
          },
          ...scaleColumns<LabelField>(t, disabled),
        ]}
      />
      <div className={css.conditions}>
        <div style={{ width: 180 }}>
          <span>{t('label.checksum')}</span>
          <Select
            aria-label={`${t('label.checksum')} ${at + 1}`}
            disabled={disabled}
            value={checksum?.kind ?? ''}
            options={[
              { value: '', label: t('label.noChecksum') },
              ...CHECKSUMS.map(kind => ({ value: kind, label: t(`checksum.${kind}`) })),
            ]}
            onChange={(kind: '' | (typeof CHECKSUMS)[number]) =>
              put({ checksum: kind === '' ? undefined : { at: kind.startsWith('crc16') ? -2 : -1, ...checksum, kind } })
            }
          />
        </div>
        {checksum &&
          (['at', 'from', 'to'] as const).map(name => (
            <div key={name}>
              <span>{t(`label.sum.${name}`)}</span>
              <OptionalNumber
                label={`${t(`label.sum.${name}`)} ${at + 1}`}
                value={checksum[name]}
                placeholder={name === 'from' ? '0' : t('label.sum.before')}
                integer
                disabled={disabled}
                onChange={value =>
                  put({
                    checksum: withoutGaps({
                      ...checksum,
                      [name]: name === 'at' ? (value ?? -1) : value,
                    }) as typeof checksum,
                  })
                }
              />
            </div>
          ))}
      </div>
    </section>
  )
}

/** The place behind the last field. */
function nextField(rows: readonly LabelField[], text: boolean): LabelField {
  const last = rows.at(-1)
  if (text) return { type: 'ascii', identifier: '', index: (last?.index ?? -1) + 1 }
  const end = last ? (last.at ?? 0) + (TYPE_BYTES[last.type] ?? last.length ?? 1) : 0
  return { type: last?.type ?? 'uint16', identifier: '', at: end, ...(last?.endian ? { endian: last.endian } : {}) }
}
