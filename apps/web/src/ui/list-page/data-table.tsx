import { type CSSProperties, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../lib/i18n.ts'
import { draggedWidth, fitting, leastWidth, withWidths } from './column-width.ts'
import css from './data-table.module.css'
import { type Density, type ListColumn, ROW_HEIGHT, type RowAction } from './list-types.ts'
import { RowActions } from './row-actions.tsx'
import { nextSort } from './url-state.ts'

const CHECK_WIDTH = 40

export interface Selection<T> {
  selected: ReadonlyMap<string, T>
  toggle(rows: readonly T[], on: boolean): void
}

export interface DataTableProps<T> {
  columns: readonly ListColumn<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  density?: Density
  sort?: string
  onSort?: (sort: string) => void
  /** Chosen widths by column; with `onWidth` the edges in the head can be dragged. */
  widths?: Readonly<Record<string, number>>
  onWidth?: (key: string, width: number) => void
  selection?: Selection<T>
  actions?: ((row: T) => RowAction[]) | undefined
  actionsWidth?: number
  /** The row that the keyboard stands on. */
  activeKey?: string | null
  onActive?: (key: string) => void
  /** Rows of the first load that stand for data to come. */
  skeleton?: number
  /** Told which columns there is no room for; without it a line under the table names them. */
  onLeft?: (keys: readonly string[]) => void
  /** Name of the table for those who cannot see it. */
  label: string
}

/** A table with a sticky head, fixed column widths (nothing jumps when data changes) and rows of one height. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, rowKey, density = 'normal', selection, actions, activeKey, skeleton = 0 } = props
  const wanted = useMemo(() => withWidths(props.columns, props.widths ?? {}), [props.columns, props.widths])
  const { t } = useTranslation('list-page')
  const [ref, { room, overflowing, under, scrolled }] = useRoom()
  // English words are longer.
  const actionsWidth = props.actionsWidth ?? (locale() === 'en' ? 176 : 140)
  const beside = (selection ? CHECK_WIDTH : 0) + (actions ? actionsWidth : 0)
  const columns = room === null ? wanted : fitting(wanted, room - beside)
  const left = wanted.filter(column => !columns.includes(column))
  const leftKeys = left.map(({ key }) => key).join()
  const { onLeft } = props
  useEffect(() => onLeft?.(leftKeys === '' ? [] : leftKeys.split(',')), [onLeft, leftKeys])
  const flexible = columns.filter(column => column.width === undefined)
  const minWidth = columns.reduce((sum, column) => sum + leastWidth(column), beside)
  return (
    <>
      <table
        ref={ref}
        className={[
          css.table,
          density === 'dense' && css.dense,
          overflowing && css.overflowing,
          under && css.under,
          scrolled && css.scrolled,
        ]
          .filter(Boolean)
          .join(' ')}
        style={{ minWidth, '--row': `${ROW_HEIGHT[density]}px` } as CSSProperties}
        aria-label={props.label}
        aria-busy={skeleton > 0}
      >
        <colgroup>
          {selection && <col style={{ width: CHECK_WIDTH }} />}
          {columns.map(column => (
            <col key={column.key} style={column.width === undefined ? undefined : { width: column.width }} />
          ))}
          {flexible.length === 0 && !actions && <col />}
          {actions && <col style={{ width: actionsWidth }} />}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th className={css.check} scope="col">
                <HeadCheck rows={rows} rowKey={rowKey} selection={selection} label={t('selectPage')} />
              </th>
            )}
            {columns.map((column, at) => (
              <HeadCell
                key={column.key}
                column={column}
                first={at === 0}
                sort={props.sort}
                onSort={props.onSort}
                onWidth={props.onWidth}
              />
            ))}
            {flexible.length === 0 && !actions && <td className={css.spare} />}
            {actions && (
              <th className={css.actions} scope="col">
                {t('actions')}
              </th>
            )}
          </tr>
        </thead>
        <tbody onPointerOver={tellWhole}>
          {rows.map(row => {
            const key = rowKey(row)
            return (
              <Row
                key={key}
                id={key}
                row={row as unknown}
                columns={columns as readonly ListColumn<unknown>[]}
                spare={flexible.length === 0 && !actions}
                selected={selection ? selection.selected.has(key) : null}
                active={activeKey === key}
                onSelect={selection?.toggle as Selection<unknown>['toggle'] | undefined}
                onActive={props.onActive}
                actions={actions as ((row: unknown) => RowAction[]) | undefined}
                selectLabel={t('select')}
              />
            )
          })}
          {Array.from({ length: skeleton }, (_, index) => (
            <tr key={`bone${index}`} className={css.row}>
              {selection && <td className={css.check} />}
              {columns.map((column, at) => (
                <td key={column.key} className={cellClass(column, at === 0)}>
                  <span className={css.bone} style={{ width: `${45 + ((index * 7 + at * 13) % 40)}%` }} />
                </td>
              ))}
              {flexible.length === 0 && !actions && <td />}
              {actions && <td className={css.actions} />}
            </tr>
          ))}
        </tbody>
      </table>
      {left.length > 0 && !onLeft && (
        <p className={css.left}>
          {t('leftOut', { names: left.map(({ title }) => title).join(t('leftOutSeparator')) })}
        </p>
      )}
    </>
  )
}

/** Numbers stand at the right; the first column is the one that stays in sight. */
const cellClass = ({ align }: { align?: 'right' | 'left' }, first: boolean) =>
  [align === 'right' && css.right, first && css.first].filter(Boolean).join(' ') || undefined

function HeadCell<T>({
  column,
  first,
  sort = '',
  onSort,
  onWidth,
}: {
  column: ListColumn<T>
  first: boolean
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
  onWidth: ((key: string, width: number) => void) | undefined
}) {
  const edge = onWidth && <Edge title={column.title} onWidth={width => onWidth(column.key, width)} />
  const { sortKey } = column
  const direction = sortKey === undefined ? null : sort === sortKey ? 'up' : sort === `-${sortKey}` ? 'down' : null
  const className = cellClass(column, first)
  if (sortKey === undefined || !onSort)
    return (
      <th scope="col" className={className} title={column.title}>
        {column.title}
        {edge}
      </th>
    )
  return (
    <th
      scope="col"
      className={className}
      aria-sort={direction === null ? 'none' : direction === 'up' ? 'ascending' : 'descending'}
    >
      <button type="button" className={css.sort} onClick={() => onSort(nextSort(sort, sortKey))}>
        {column.title}
        <svg className={css.arrows} width="8" height="12" viewBox="0 0 8 12" fill="currentColor" aria-hidden="true">
          <path className={direction === 'up' ? css.on : undefined} fill="currentColor" d="M4 0 7.5 4.5h-7z" />
          <path className={direction === 'down' ? css.on : undefined} fill="currentColor" d="M4 12 .5 7.5h7z" />
        </svg>
      </button>
      {edge}
    </th>
  )
}

/** The edge between two columns: dragging it sets the width, following the pointer. */
function Edge({ title, onWidth }: { title: string; onWidth: (width: number) => void }) {
  const { t } = useTranslation('list-page')
  const drag = useRef<{ from: number; start: number } | null>(null)
  const end = () => {
    drag.current = null
  }
  return (
    <span
      className={css.edge}
      title={t('resize', { name: title })}
      aria-hidden="true"
      onPointerDown={(event: PointerEvent<HTMLSpanElement>) => {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { from: event.clientX, start: event.currentTarget.parentElement!.offsetWidth }
      }}
      onPointerMove={event => {
        if (drag.current) onWidth(draggedWidth(drag.current.start, drag.current.from, event.clientX))
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  )
}

function HeadCheck<T>({
  rows,
  rowKey,
  selection,
  label,
}: {
  rows: readonly T[]
  rowKey: (row: T) => string
  selection: Selection<T>
  label: string
}) {
  const chosen = rows.filter(row => selection.selected.has(rowKey(row))).length
  const all = rows.length > 0 && chosen === rows.length
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={all}
      disabled={rows.length === 0}
      ref={box => {
        if (box) box.indeterminate = chosen > 0 && !all
      }}
      onChange={() => selection.toggle(rows, !all)}
    />
  )
}

const Row = memo(function Row({
  id,
  row,
  columns,
  spare,
  selected,
  active,
  onSelect,
  onActive,
  actions,
  selectLabel,
}: {
  id: string
  row: unknown
  columns: readonly ListColumn<unknown>[]
  spare: boolean
  selected: boolean | null
  active: boolean
  onSelect: Selection<unknown>['toggle'] | undefined
  onActive: ((key: string) => void) | undefined
  actions: ((row: unknown) => RowAction[]) | undefined
  selectLabel: string
}) {
  const line = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (active) line.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <tr
      ref={line}
      data-row={id}
      className={`${css.row} ${selected ? css.selected : ''} ${active ? css.active : ''}`}
      onPointerDown={onActive && (() => onActive(id))}
    >
      {selected !== null && (
        <td className={css.check}>
          <input
            type="checkbox"
            aria-label={selectLabel}
            checked={selected}
            onChange={() => onSelect?.([row], !selected)}
          />
        </td>
      )}
      {columns.map((column, at) => {
        const shown = column.render(row)
        // A text may be cut by the width of its column: the whole of it is told on hover.
        return (
          <td
            key={column.key}
            className={cellClass(column, at === 0)}
            title={typeof shown === 'string' ? shown : undefined}
          >
            {shown}
          </td>
        )
      })}
      {spare && <td />}
      {actions && (
        <td className={css.actions}>
          <RowActions actions={actions(row)} />
        </td>
      )}
    </tr>
  )
})

/** A cell whose text does not fit says the whole of it on hover, unless something in it does already. */
function tellWhole(event: PointerEvent<HTMLElement>): void {
  const cell = (event.target as HTMLElement).closest('td')
  if (!cell || cell.querySelector('[title]') || cell.querySelector('button, input')) return
  const cut = [cell, ...cell.querySelectorAll<HTMLElement>('*')].some(part => part.scrollWidth > part.clientWidth + 1)
  if (cut) cell.title = cell.textContent ?? ''
  else cell.removeAttribute('title')
}

interface Room {
  room: number | null
  overflowing: boolean
  /** Something of it lies under the actions. */
  under: boolean
  /** Something of it lies under the first column. */
  scrolled: boolean
}

/** How wide the box is that the table scrolls in, null before it is known, and whether the table is wider. */
function useRoom(): [(table: HTMLTableElement | null) => void, Room] {
  const [room, setRoom] = useState<number | null>(null)
  const [overflowing, setOverflowing] = useState(false)
  const [lies, setLies] = useState({ under: false, scrolled: false })
  const [table, setTable] = useState<HTMLTableElement | null>(null)
  useEffect(() => {
    const box = table?.parentElement
    if (!box || !table) return
    const look = () => {
      const under = box.scrollLeft + box.clientWidth < table.offsetWidth - 1
      const scrolled = box.scrollLeft > 0
      setLies(now => (now.under === under && now.scrolled === scrolled ? now : { under, scrolled }))
    }
    const observer = new ResizeObserver(entries => {
      const sized = entries.find(entry => entry.target === box)
      if (sized) setRoom(sized.contentRect.width)
      setOverflowing(table.offsetWidth > box.clientWidth)
      look()
    })
    observer.observe(box)
    observer.observe(table)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [table])
  return [setTable, { room, overflowing, ...lies }]
}
