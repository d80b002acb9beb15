import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons'
import { Button, Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import css from './list-page.module.css'
import type { ListColumn } from './list-types.ts'
import { shownColumns } from './use-list-preferences.ts'

/** Which columns are shown, and in which order. */
export function ColumnChooser<T>({
  columns,
  chosen,
  left,
  onChange,
  resettable,
}: {
  columns: readonly ListColumn<T>[]
  chosen: readonly string[] | null
  /** Keys of those that the window has no room for. */
  left: readonly string[]
  onChange: (chosen: string[] | null) => void
  /** Something differs from what was designed. */
  resettable: boolean
}) {
  const { t } = useTranslation('list-page')
  const shown = shownColumns(columns, chosen)
  const keys = shown.map(({ key }) => key)
  const hidden = columns.filter(({ key }) => !keys.includes(key))
  const move = (at: number, by: number) => {
    const next = [...keys]
    const [key] = next.splice(at, 1)
    next.splice(at + by, 0, key!)
    onChange(next)
  }
  return (
    <div>
      <ul className={css.columnList}>
        {shown.map((column, at) => (
          <li key={column.key}>
            <Checkbox
              className={css.columnName ?? ''}
              checked
              disabled={column.required === true || shown.length === 1}
              onChange={() => onChange(keys.filter(key => key !== column.key))}
            >
              {column.title}
            </Checkbox>
            {left.includes(column.key) && <span className={css.noRoom}>{t('noRoom')}</span>}
            <Button
              type="text"
              size="small"
              icon={<ArrowUpOutlined aria-hidden />}
              aria-label={t('moveUp', { name: column.title })}
              disabled={at === 0}
              onClick={() => move(at, -1)}
            />
            <Button
              type="text"
              size="small"
              icon={<ArrowDownOutlined aria-hidden />}
              aria-label={t('moveDown', { name: column.title })}
              disabled={at === shown.length - 1}
              onClick={() => move(at, 1)}
            />
          </li>
        ))}
        {hidden.map(column => (
          <li key={column.key}>
            <Checkbox className={css.columnName ?? ''} checked={false} onChange={() => onChange([...keys, column.key])}>
              {column.title}
            </Checkbox>
          </li>
        ))}
      </ul>
      <div className={css.popFoot}>
        <Button type="link" size="small" disabled={!resettable} onClick={() => onChange(null)}>
          {t('columnsReset')}
        </Button>
      </div>
    </div>
  )
}
