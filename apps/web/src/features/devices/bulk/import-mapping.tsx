import type { DeviceImportFile, ImportTable } from '@thingwright/contracts/device-imports.contract'
import { IMPORT_FIELDS } from '@thingwright/contracts/device-imports.words'
import { Alert, Checkbox, Radio, Select } from 'antd'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useProductCatalogue } from '../hooks.ts'
import css from './bulk.module.css'
import { ImportUpload } from './import-upload.tsx'

const PREVIEWED = 8

export interface Mapping {
  table: number
  columns: (string | null)[]
  productId: string | null
  existing: 'update' | 'skip'
  createGroups: boolean
  history: { fileId: string; table: number; columns: (string | null)[] } | null
}

/** What each column is, with the first lines below it; what happens to numbers that are there; values of the past. */
export function ImportMapping({
  file,
  productId,
  mapping,
  onChange,
  onHeadRow,
}: {
  file: DeviceImportFile
  productId: string | null
  mapping: Mapping | null
  onChange: (mapping: Mapping) => void
  /** Reads the file with its titles in another row. */
  onHeadRow?: (headRow: number) => Promise<void>
}) {
  const { t } = useTranslation('bulk')
  const id = useId()
  const mayGroup = useMay('groups.create')
  const { choices, setQ, loading } = useProductCatalogue()
  const [values, setValues] = useState<DeviceImportFile | null>(null)
  useEffect(() => {
    if (!mapping) onChange(firstMapping(file, productId))
  }, [mapping, file, productId, onChange])
  if (!mapping) return null
  const set = (change: Partial<Mapping>) => onChange({ ...mapping, ...change })
  const table = file.tables[mapping.table]!
  const historyFile = values ?? file
  const historyTable = mapping.history ? historyFile.tables[mapping.history.table] : undefined
  return (
    <div className={css.stack}>
      <p className={css.line}>
        {t('fileFacts', { name: file.name, rows: formatNumber(table.rows), encoding: file.encoding.toUpperCase() })}
      </p>
      {file.tables.length > 1 && (
        <Select
          aria-label={t('sheet')}
          style={{ width: 240 }}
          value={mapping.table}
          options={file.tables.map(({ sheet }, at) => ({ value: at, label: sheet || `${at + 1}` }))}
          onChange={at => set({ table: at, columns: file.tables[at]!.columns.map(({ field }) => field) })}
        />
      )}
      {onHeadRow && table.top.length > 1 && (
        <div>
          <label className={css.label} htmlFor={`${id}-head`}>
            {t('headRow')}
          </label>
          <Select
            id={`${id}-head`}
            style={{ width: 480, maxWidth: '100%' }}
            value={table.headRow}
            options={table.top.map(({ number, cells }) => ({
              value: number,
              label: `${number} · ${cells.filter(Boolean).join(' | ').slice(0, 60)}`,
            }))}
            onChange={row => void onHeadRow(row)}
          />
        </div>
      )}
      <Preview
        table={table}
        columns={mapping.columns}
        options={IMPORT_FIELDS.map(field => ({ value: field, label: t(`field.${field}`) }))}
        onChange={columns => set({ columns })}
      />
      {!mapping.columns.includes('deviceNo') && <Alert type="warning" showIcon title={t('needsNumber')} />}
      <div>
        <label className={css.label} htmlFor={id}>
          {t('productFor')}
        </label>
        <Select
          id={id}
          allowClear
          style={{ width: 320 }}
          value={mapping.productId}
          options={choices}
          loading={loading}
          showSearch={{ filterOption: false, onSearch: setQ }}
          placeholder={t('productFromColumn')}
          onChange={next => set({ productId: next ?? null })}
        />
      </div>
      <Radio.Group
        value={mapping.existing}
        options={(['update', 'skip'] as const).map(value => ({ value, label: t(`existing.${value}`) }))}
        onChange={event => set({ existing: event.target.value as Mapping['existing'] })}
      />
      {mayGroup && (
        <Checkbox checked={mapping.createGroups} onChange={event => set({ createGroups: event.target.checked })}>
          {t('createGroups')}
        </Checkbox>
      )}
      <Checkbox
        checked={mapping.history !== null}
        onChange={event =>
          set({ history: event.target.checked ? (historyOf(file) ?? { fileId: '', table: 0, columns: [] }) : null })
        }
      >
        {t('withHistory')}
      </Checkbox>
      {mapping.history && !historyTable?.history && !mapping.history.fileId && (
        <ImportUpload
          label={t('chooseValues')}
          onFile={taken => {
            setValues(taken)
            set({ history: historyOf(taken) ?? { fileId: taken.id, table: 0, columns: wide(taken.tables[0]!) } })
          }}
        />
      )}
      {mapping.history?.fileId && historyTable && (
        <Preview
          table={historyTable}
          columns={mapping.history.columns}
          options={[
            { value: 'deviceNo', label: t('field.deviceNo') },
            { value: 'time', label: t('time') },
            ...historyTable.columns.map(({ title }) => ({ value: `property:${title}`, label: title })),
          ]}
          onChange={columns => mapping.history && set({ history: { ...mapping.history, columns } })}
        />
      )}
    </div>
  )
}

function Preview({
  table,
  columns,
  options,
  onChange,
}: {
  table: ImportTable
  columns: readonly (string | null)[]
  options: readonly { value: string; label: string }[]
  onChange: (columns: (string | null)[]) => void
}) {
  const { t } = useTranslation('bulk')
  return (
    <div className={css.preview}>
      <table>
        <thead>
          <tr>
            {table.columns.map(({ title }, at) => (
              <th key={`${at}-${title}`} scope="col">
                <Select
                  size="small"
                  allowClear
                  variant="filled"
                  style={{ width: '100%' }}
                  popupMatchSelectWidth={false}
                  aria-label={t('columnIs', { title })}
                  placeholder={t('leftOut')}
                  value={columns[at] ?? null}
                  options={options.map(option => ({
                    ...option,
                    disabled: columns.includes(option.value) && columns[at] !== option.value,
                  }))}
                  onChange={next => onChange(columns.map((each, n) => (n === at ? (next ?? null) : each)))}
                />
                <span title={title}>{title || '–'}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.sample.slice(0, PREVIEWED).map((row, line) => (
            <tr key={line}>
              {table.columns.map(({ title }, at) => (
                <td key={`${at}-${title}`} title={row[at] ?? ''} dir="auto">
                  {row[at] ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function firstMapping(file: DeviceImportFile, productId: string | null): Mapping {
  const table = Math.max(
    0,
    file.tables.findIndex(({ history }) => !history),
  )
  return {
    table,
    columns: file.tables[table]!.columns.map(({ field }) => field),
    productId,
    existing: 'update',
    createGroups: false,
    history: historyOf(file),
  }
}

/** A table of values in the file, with its columns as they are named. */
function historyOf(file: DeviceImportFile): Mapping['history'] {
  const table = file.tables.findIndex(({ history }) => history)
  return table < 0 ? null : { fileId: file.id, table, columns: wide(file.tables[table]!) }
}

/** The word for time in both languages (U+65F6 U+95F4), with "stamp" behind it or not. */
const TIME = /^(\u65f6\u95f4(\u6233)?|time|timestamp|ts|date)$/i

/** Number, time, and a property for every other column. */
function wide({ columns }: ImportTable): (string | null)[] {
  return columns.map(({ title, field }) =>
    field === 'deviceNo' ? 'deviceNo' : TIME.test(title.trim()) ? 'time' : field === null ? `property:${title}` : null,
  )
}
