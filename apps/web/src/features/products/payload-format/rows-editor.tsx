import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import css from './format.module.css'

export interface RowColumn<T> {
  key: string
  title: ReactNode
  /** CSS width; the first without one takes the rest, and at least {@link REST_WIDTH}. */
  width?: number
  cell: (row: T, put: (part: Partial<T>) => void, at: number) => ReactNode
}

const REST_WIDTH = 176
const ACTIONS_WIDTH = 104

/** Lines that are edited in place: added at the end, moved, removed. */
export function RowsEditor<T extends object>({
  label,
  rows,
  columns,
  make,
  max,
  disabled = false,
  problems,
  emptyText,
  addText,
  onChange,
}: {
  label: string
  rows: readonly T[]
  columns: readonly RowColumn<T>[]
  make: (rows: readonly T[]) => T
  max: number
  disabled?: boolean
  /** What is wrong with a line, by its index. */
  problems?: ReadonlyMap<number, string>
  emptyText: ReactNode
  addText: ReactNode
  onChange: (rows: T[]) => void
}) {
  const { t } = useTranslation('payload-format')
  const replace = (at: number, part: Partial<T>) =>
    onChange(rows.map((row, i) => (i === at ? withoutGaps({ ...row, ...part }) : row)))
  const move = (from: number, to: number) => {
    const next = [...rows]
    const [row] = next.splice(from, 1)
    if (row === undefined) return
    next.splice(to, 0, row)
    onChange(next)
  }
  const minWidth = columns.reduce((sum, { width = REST_WIDTH }) => sum + width, disabled ? 0 : ACTIONS_WIDTH)
  return (
    <div className={css.rows}>
      {rows.length === 0 ? (
        <p className={css.empty}>{emptyText}</p>
      ) : (
        <div className={css.scroll}>
          <table className={css.table} style={{ minWidth }} aria-label={label}>
            <thead>
              <tr>
                {columns.map(column => (
                  <th key={column.key} scope="col" style={column.width ? { width: column.width } : undefined}>
                    {column.title}
                  </th>
                ))}
                {!disabled && (
                  <th scope="col" style={{ width: ACTIONS_WIDTH }}>
                    <span className={css.hidden}>{t('actions')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // Lines have no identity but their place.
                <tr key={at} className={problems?.has(at) ? css.wrong : undefined}>
                  {columns.map((column, i) => (
                    <td key={column.key}>
                      {column.cell(row, part => replace(at, part), at)}
                      {i === 0 && problems?.has(at) && (
                        <p className={css.problem} role="alert">
                          {problems.get(at)}
                        </p>
                      )}
                    </td>
                  ))}
                  {!disabled && (
                    <td className={css.rowActions}>
                      <Button
                        type="text"
                        icon={<ArrowUpOutlined aria-hidden />}
                        aria-label={t('moveUp', { at: at + 1 })}
                        disabled={at === 0}
                        onClick={() => move(at, at - 1)}
                      />
                      <Button
                        type="text"
                        icon={<ArrowDownOutlined aria-hidden />}
                        aria-label={t('moveDown', { at: at + 1 })}
                        disabled={at === rows.length - 1}
                        onClick={() => move(at, at + 1)}
                      />
                      <Button
                        type="text"
                        icon={<DeleteOutlined aria-hidden />}
                        aria-label={t('removeRow', { at: at + 1 })}
                        onClick={() => onChange(rows.filter((_, i) => i !== at))}
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!disabled && (
        <Button
          type="dashed"
          icon={<PlusOutlined aria-hidden />}
          disabled={rows.length >= max}
          onClick={() => onChange([...rows, make(rows)])}
        >
          {addText}
        </Button>
      )}
    </div>
  )
}

/** A field that was emptied is not there: the server takes no null. */
export function withoutGaps<T extends object>(row: T): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined && value !== null)) as T
}
