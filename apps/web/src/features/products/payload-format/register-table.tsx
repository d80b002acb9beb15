import type { ThingModel } from '@thingwright/thing-model/model'
import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { IdentifierSelect, OptionalNumber, WordSelect } from './fields.tsx'
import css from './format.module.css'
import { BYTE_ORDERS, type FormatBody, type ModbusRegister, REGISTER_TYPES, WRITES } from './format-draft.ts'
import { scaleColumns } from './json-mapping.tsx'
import { RowsEditor } from './rows-editor.tsx'

const FUNCTIONS = [1, 2, 3, 4] as const
const ONE_REGISTER = new Set(['bool', 'int16', 'uint16', 'bits16', 'bcd16'])
/** Registers that a value takes. */
const WIDTH: Record<string, number> = { int32: 2, uint32: 2, float32: 2, bcd32: 2, float64: 4, int64: 4, uint64: 4 }

/** Which register is which property. */
export function RegisterTable({
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
  const writable = new Set(model.properties.filter(each => each.access !== 'r').map(each => each.identifier))
  return (
    <>
      <p className={css.lead}>{t('modbus.text')}</p>
      <RowsEditor<ModbusRegister>
        label={t('kind.modbus')}
        rows={format.registers ?? []}
        max={500}
        disabled={disabled}
        problems={problems}
        emptyText={t('modbus.empty')}
        addText={t('modbus.add')}
        make={nextRegister}
        onChange={registers => onChange({ kind: 'modbus', registers })}
        columns={[
          {
            key: 'identifier',
            title: t('property'),
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
            key: 'function',
            title: t('modbus.function'),
            width: 148,
            cell: (row, set, at) => (
              <Select
                aria-label={`${t('modbus.function')} ${at + 1}`}
                className={css.wide ?? ''}
                value={row.function}
                disabled={disabled}
                popupMatchSelectWidth={false}
                options={FUNCTIONS.map(code => ({ value: code, label: t(`modbus.functions.${code}`) }))}
                onChange={code =>
                  set({
                    function: code,
                    dataType: code <= 2 ? 'bool' : row.dataType === 'bool' ? 'uint16' : row.dataType,
                  })
                }
              />
            ),
          },
          {
            key: 'address',
            title: t('modbus.address'),
            width: 88,
            cell: (row, set, at) => (
              <OptionalNumber
                label={`${t('modbus.address')} ${at + 1}`}
                value={row.address}
                integer
                min={0}
                max={65535}
                disabled={disabled}
                onChange={address => set({ address: address ?? 0 })}
              />
            ),
          },
          {
            key: 'dataType',
            title: t('modbus.dataType'),
            width: 156,
            cell: (row, set, at) => (
              <WordSelect
                label={`${t('modbus.dataType')} ${at + 1}`}
                words={row.function <= 2 ? (['bool'] as const) : REGISTER_TYPES.filter(type => type !== 'bool')}
                group="registerType"
                value={row.dataType}
                disabled={disabled}
                onChange={dataType => set({ dataType, ...(dataType === 'bits16' ? {} : { bit: undefined as never }) })}
              />
            ),
          },
          {
            key: 'byteOrder',
            title: t('modbus.byteOrder'),
            width: 104,
            cell: (row, set, at) =>
              row.dataType === 'bits16' ? (
                <OptionalNumber
                  label={`${t('modbus.bit')} ${at + 1}`}
                  value={row.bit}
                  placeholder={t('modbus.bit')}
                  integer
                  min={0}
                  max={15}
                  disabled={disabled}
                  onChange={bit => set({ bit } as Partial<ModbusRegister>)}
                />
              ) : (
                <Select
                  aria-label={`${t('modbus.byteOrder')} ${at + 1}`}
                  className={css.wide ?? ''}
                  value={row.byteOrder ?? 'ABCD'}
                  disabled={disabled || row.dataType === 'bool'}
                  options={BYTE_ORDERS.filter(
                    order => !ONE_REGISTER.has(row.dataType) || order === 'ABCD' || order === 'BADC',
                  ).map(order => ({ value: order, label: ONE_REGISTER.has(row.dataType) ? order.slice(0, 2) : order }))}
                  onChange={byteOrder => set({ byteOrder })}
                />
              ),
          },
          ...scaleColumns<ModbusRegister>(t, disabled),
          {
            key: 'slave',
            title: t('modbus.slave'),
            width: 72,
            cell: (row, set, at) => (
              <OptionalNumber
                label={`${t('modbus.slave')} ${at + 1}`}
                value={row.slave}
                placeholder={t('modbus.own')}
                integer
                min={0}
                max={247}
                disabled={disabled}
                onChange={slave => set({ slave } as Partial<ModbusRegister>)}
              />
            ),
          },
          {
            key: 'write',
            title: t('modbus.write'),
            width: 128,
            cell: (row, set, at) =>
              row.function === 1 || row.function === 3 ? (
                <WordSelect
                  label={`${t('modbus.write')} ${at + 1}`}
                  words={WRITES}
                  group="write"
                  value={row.write ?? (writable.has(row.identifier) ? 'auto' : 'none')}
                  disabled={disabled}
                  onChange={write => set({ write })}
                />
              ) : (
                <span className={css.quiet}>{t('modbus.readOnly')}</span>
              ),
          },
        ]}
      />
    </>
  )
}

/** The register behind the last one, read the same way. */
function nextRegister(rows: readonly ModbusRegister[]): ModbusRegister {
  const last = rows.at(-1)
  if (!last) return { identifier: '', function: 3, address: 0, dataType: 'uint16' }
  const { identifier: _, bit: __, ...like } = last
  return { ...like, identifier: '', address: Math.min(65535, last.address + (WIDTH[last.dataType] ?? 1)) }
}
