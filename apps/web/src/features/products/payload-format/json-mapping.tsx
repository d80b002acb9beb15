import { UNMAPPED } from '@thingwright/contracts/formats.words'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Radio, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { CodeInput, IdentifierSelect, OptionalNumber, WordSelect } from './fields.tsx'
import css from './format.module.css'
import { type FormatBody, JSON_TYPES, type JsonValue, TIME_UNITS } from './format-draft.ts'
import { RowsEditor } from './rows-editor.tsx'

/** Foreign JSON: a path for each property, the time, rows, and the number of a sub-device. */
export function JsonMapping({
  format,
  model,
  disabled,
  problems,
  onChange,
}: {
  format: FormatBody
  model: ThingModel
  disabled: boolean
  problems: ReadonlyMap<number, string>
  onChange: (format: FormatBody) => void
}) {
  const { t } = useTranslation('payload-format')
  const mapped = format.values !== undefined
  const put = (part: Partial<FormatBody>) => {
    const next: FormatBody = { ...format, ...part }
    for (const key of ['rows', 'device'] as const) if (next[key] === '') delete next[key]
    if (next.time?.path === '') delete next.time
    onChange(next)
  }
  return (
    <>
      <Radio.Group
        disabled={disabled}
        value={mapped ? 'mapping' : 'standard'}
        options={[
          { value: 'standard', label: t('json.standard') },
          { value: 'mapping', label: t('json.mapping') },
        ]}
        onChange={event => onChange(event.target.value === 'mapping' ? { kind: 'json', values: [] } : { kind: 'json' })}
      />
      <p className={css.lead}>{t(mapped ? 'json.mappingText' : 'json.standardText')}</p>
      {mapped && (
        <>
          <RowsEditor<JsonValue>
            label={t('json.mapping')}
            rows={format.values ?? []}
            max={500}
            disabled={disabled}
            problems={problems}
            emptyText={t('json.empty')}
            addText={t('json.add')}
            make={() => ({ path: '', identifier: '' })}
            onChange={values => put({ values })}
            columns={[
              {
                key: 'path',
                title: t('json.path'),
                cell: (row, set, at) => (
                  <CodeInput
                    label={`${t('json.path')} ${at + 1}`}
                    value={row.path}
                    placeholder="data.temp"
                    disabled={disabled}
                    onChange={path => set({ path })}
                  />
                ),
              },
              {
                key: 'identifier',
                title: t('property'),
                width: 240,
                cell: (row, set, at) => (
                  <IdentifierSelect
                    label={`${t('property')} ${at + 1}`}
                    model={model}
                    value={row.identifier}
                    disabled={disabled}
                    onChange={identifier => set({ identifier })}
                  />
                ),
              },
              {
                key: 'type',
                title: t('json.type'),
                width: 136,
                cell: (row, set, at) => (
                  <WordSelect
                    label={`${t('json.type')} ${at + 1}`}
                    words={JSON_TYPES}
                    group="jsonType"
                    value={row.type ?? 'auto'}
                    disabled={disabled}
                    onChange={type => set({ type: type === 'auto' ? undefined : type } as Partial<JsonValue>)}
                  />
                ),
              },
              ...scaleColumns<JsonValue>(t, disabled),
            ]}
          />
          <div className={css.grid}>
            <div>
              <span>{t('json.rows')}</span>
              <CodeInput
                label={t('json.rows')}
                value={format.rows ?? ''}
                placeholder="$.readings"
                disabled={disabled}
                onChange={rows => put({ rows })}
              />
              <small>{t('json.rowsHelp')}</small>
            </div>
            <div>
              <span>{t('json.time')}</span>
              <span className={css.pair}>
                <CodeInput
                  label={t('json.time')}
                  value={format.time?.path ?? ''}
                  placeholder="time"
                  disabled={disabled}
                  onChange={path => put({ time: { ...format.time, path } })}
                />
                <Select
                  aria-label={t('json.timeUnit')}
                  style={{ width: 132 }}
                  value={format.time?.unit ?? 'auto'}
                  disabled={disabled || !format.time}
                  options={TIME_UNITS.map(unit => ({ value: unit, label: t(`timeUnit.${unit}`) }))}
                  onChange={unit => format.time && put({ time: { path: format.time.path, unit } })}
                />
              </span>
              <small>{t('json.timeHelp')}</small>
            </div>
            <div>
              <span>{t('json.device')}</span>
              <CodeInput
                label={t('json.device')}
                value={format.device ?? ''}
                placeholder="sn"
                disabled={disabled}
                onChange={device => put({ device })}
              />
              <small>{t('json.deviceHelp')}</small>
            </div>
            <div>
              <span>{t('json.unmapped')}</span>
              <WordSelect
                label={t('json.unmapped')}
                words={UNMAPPED}
                group="unmapped"
                value={format.unmapped ?? 'ignore'}
                disabled={disabled}
                onChange={unmapped => put({ unmapped })}
              />
              <small>{t('json.unmappedHelp')}</small>
            </div>
          </div>
        </>
      )}
    </>
  )
}

/** Factor and offset: value = raw × factor + offset. */
export function scaleColumns<T extends { scale?: number; offset?: number }>(
  t: (key: string) => string,
  disabled: boolean,
) {
  return [
    {
      key: 'scale',
      title: t('scale'),
      width: 88,
      cell: (row: T, set: (part: Partial<T>) => void, at: number) => (
        <OptionalNumber
          label={`${t('scale')} ${at + 1}`}
          value={row.scale}
          placeholder="1"
          disabled={disabled}
          onChange={scale => set({ scale } as Partial<T>)}
        />
      ),
    },
    {
      key: 'offset',
      title: t('offset'),
      width: 88,
      cell: (row: T, set: (part: Partial<T>) => void, at: number) => (
        <OptionalNumber
          label={`${t('offset')} ${at + 1}`}
          value={row.offset}
          placeholder="0"
          disabled={disabled}
          onChange={offset => set({ offset } as Partial<T>)}
        />
      ),
    },
  ]
}
