import { MenuFoldOutlined, MenuUnfoldOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import type { Operation } from '../../lib/api-client.ts'
import { formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { may, useMay } from '../../lib/permissions.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { useSession } from '../../lib/session.ts'
import { LazySelect } from '../lazy-select/lazy-select.tsx'
import { type Crumb, PageHeader } from '../page-header.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../states.tsx'
import { TabBar, type TabItem } from '../tab-bar.tsx'
import { BatchBar } from './batch-bar.tsx'
import { DataTable } from './data-table.tsx'
import { FilterBar, FilterChips } from './filter-bar.tsx'
import css from './list-page.module.css'
import { ListTools } from './list-tools.tsx'
import type { BatchAction, FetchPage, ListColumn, ListFilter, RowAction } from './list-types.ts'
import { scheduleAddress } from './schedule-address.ts'
import type { ExportFormat } from './server-export.ts'
import { useDefaultView } from './use-default-view.ts'
import { useKeptScroll } from './use-kept-scroll.ts'
import { useListKeys } from './use-list-keys.ts'
import { PAGE_SIZES, shownColumns, useListPreferences } from './use-list-preferences.ts'
import { useListQuery } from './use-list-query.ts'
import type { ListState } from './use-list-state.ts'
import { useNarrow } from './use-narrow.ts'

const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }))

export interface ListPageProps<T> {
  /** Name of the list: key of what one person chose for it. */
  id: string
  /** The operation that it is read with; who may not call it is told what is missing. */
  operation: Operation
  /** Which of several lists of the operation. */
  about?: string
  fetchPage: FetchPage<T>
  rowKey: (row: T) => string
  /** Address of a row's detail; opened by Enter. */
  rowHref?: ((row: T) => string) | undefined
  columns: readonly ListColumn<T>[]
  filters: readonly ListFilter[]
  state: ListState
  searchPlaceholder: string
  title: string
  crumbs?: Crumb[]
  description?: ReactNode
  actions?: ReactNode
  /** Cards between the head and the list; the page then grows beyond the window rather than squeeze the rows. */
  summary?: ReactNode
  tabs?: { items: TabItem[]; active: string; onChange: (key: string) => void }
  /** A panel at the left, such as a group tree; can be folded away. */
  aside?: ReactNode
  asideLabel?: string
  /** What stands among the filters while the panel is folded away: the same as one choice. */
  asideChoice?: ReactNode
  rowActions?: ((row: T) => RowAction[]) | undefined
  actionsWidth?: number
  batchActions?: readonly BatchAction<T>[]
  /** Whether everything that matches may be chosen, beyond the page. */
  selectAll?: boolean
  /** Drawn instead of a row where the person prefers cards. */
  renderCard?: (row: T, selection: { selected: boolean; toggle: (on: boolean) => void }) => ReactNode
  initialLayout?: 'table' | 'cards'
  /** Narrowest card, pixels; 280 when absent. */
  cardWidth?: number
  empty: { title: ReactNode; description?: ReactNode; action?: ReactNode; docHref?: string }
  /** File name of the export, without date and ending; null where nothing may be exported. */
  exportName: string | null
  /**
   * Address of the server's own export (`GET {exportPath}?format=csv|xlsx&…` with the list's search, order and filters).
   * Without it the browser collects the pages and writes CSV.
   */
  exportPath?: string
  /** What the filters are called at the server, where that differs. */
  exportFilters?: (filters: Record<string, string>) => Record<string, string>
  /** Milliseconds after which the page is read anew by itself, told from its rows; false: not now. No line is drawn then. */
  refreshMs?: (rows: readonly T[]) => number | false
}

/**
 * Every list of the console: filters in the address, server paging by cursor, a table that keeps its place while data
 * changes, selection with batch actions, keyboard, and all the states a list can be in.
 */
export function ListPage<T>(props: ListPageProps<T>) {
  const { state, columns, filters, rowKey, rowHref, batchActions = [] } = props
  const { t } = useTranslation('list-page')
  const navigate = useNavigate()
  const entry = `${useLocation().key} ${props.id}`
  const allowed = useMay(props.operation)
  const rights = useSession(s => s.me?.permissions)
  const [preferences, change] = useListPreferences(props.id)
  useDefaultView(props.id, state, change)
  const list = useListQuery(
    { operation: props.operation, about: props.about },
    props.fetchPage,
    state,
    preferences.limit,
    props.refreshMs,
    allowed,
    entry,
  )
  const { query, rows } = list
  const setWidth = useCallback(
    (key: string, width: number) => change(now => ({ widths: { ...now.widths, [key]: width } })),
    [change],
  )
  const search = useRef<HTMLInputElement>(null)
  const scroll = useRef<HTMLDivElement>(null)
  useKeptScroll(scroll, entry, rows.length > 0 && !query.isPlaceholderData)
  const [exporting, setExporting] = useState(false)
  const [active, setActive] = useState<string | null>(null)
  const narrow = useNarrow()
  const [unfolded, setUnfolded] = useState(false)
  const [left, setLeft] = useState<readonly string[]>([])
  const asked = `${props.operation}/${props.about ?? ''}?${state.query}`
  const [chosen, setChosen] = useState<{ asked: string; rows: ReadonlyMap<string, T> }>({ asked, rows: new Map() })
  const selected: ReadonlyMap<string, unknown> = chosen.asked === asked ? chosen.rows : NOTHING
  const [everything, setEverything] = useState<string | null>(null)
  const all = everything === asked && selected.size > 0
  const layout = props.renderCard ? (preferences.layout ?? props.initialLayout ?? 'table') : null
  const shown = useMemo(() => shownColumns(columns, preferences.columns), [columns, preferences.columns])
  const actions = batchActions.filter(action => action.of === undefined || may(rights, action.of))
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey])

  const selection = useMemo(
    () => ({
      selected: selected as ReadonlyMap<string, T>,
      toggle: (some: readonly T[], on: boolean) =>
        setChosen(before => {
          setEverything(null)
          const next = new Map(before.asked === asked ? before.rows : [])
          for (const row of some) {
            if (on) next.set(rowKey(row), row)
            else next.delete(rowKey(row))
          }
          return { asked, rows: next }
        }),
    }),
    [selected, asked, rowKey],
  )
  // Rows that are gone (deleted, moved elsewhere) are no longer chosen.
  const before = useRef<{ page: string; keys: readonly string[] }>({ page: '', keys: [] })
  const pageName = `${asked}#${list.page}`
  useEffect(() => {
    if (query.isPlaceholderData) return
    const gone = before.current.page === pageName ? before.current.keys.filter(key => !keys.includes(key)) : []
    before.current = { page: pageName, keys }
    if (gone.length > 0)
      setChosen(now => ({ ...now, rows: new Map([...now.rows].filter(([key]) => !gone.includes(key))) }))
  }, [keys, pageName, query.isPlaceholderData])
  useListKeys({
    keys,
    active,
    setActive,
    onOpen: key => {
      const row = rows.find(each => rowKey(each) === key)
      if (row !== undefined && rowHref) void navigate(rowHref(row))
    },
    onToggle: key => {
      const row = rows.find(each => rowKey(each) === key)
      if (row !== undefined && actions.length > 0) selection.toggle([row], !selected.has(key))
    },
    focusSearch: () => {
      search.current?.focus()
      search.current?.select()
    },
  })

  const { attempt } = useWork()
  const { exportName, exportPath } = props
  const exported = (format: ExportFormat | null) => {
    if (format === null || exportPath === undefined) return setExporting(true)
    notify.info(t('exportStarted'))
    void attempt(async () => {
      const { serverExport } = await import('./server-export.ts')
      const filters = props.exportFilters?.(list.input.filters) ?? list.input.filters
      await serverExport(exportPath, format, { ...list.input, filters }, exportName ?? props.id)
    })
  }

  const mayReport = useMay('reports.create')
  const scheduled =
    mayReport && exportPath !== undefined
      ? scheduleAddress(
          exportPath,
          { ...list.input, filters: props.exportFilters?.(list.input.filters) ?? list.input.filters },
          props.title,
        )
      : null

  const header = (
    <PageHeader
      title={props.title}
      crumbs={props.crumbs ?? []}
      description={props.description}
      actions={props.actions}
    />
  )
  if (!allowed || (query.error instanceof ApiError && query.error.status === 403))
    return (
      <>
        {header}
        <NoPermissionState of={props.operation} />
      </>
    )

  const narrowed = state.q !== '' || Object.keys(state.filters).length > 0
  const total =
    list.total !== null
      ? t('total', { count: list.total, text: formatNumber(list.total) })
      : query.isPending
        ? t('counting')
        : ''
  const first = query.isPending
  const fetching = query.isFetching && (props.refreshMs?.(rows) ? query.isPlaceholderData : true)
  const failed = query.isError && query.data === undefined
  const rowsTakeFocus = props.rowActions !== undefined || rowHref !== undefined || actions.length > 0
  // A narrow window has the choice instead, and the panel for who asks for it.
  const folded = narrow ? !unfolded : preferences.asideFolded === true

  return (
    <div className={`${css.page} ${props.summary ? css.summed : ''}`}>
      {header}
      {props.summary}
      <div className={css.body}>
        {props.aside && !folded && <aside className={css.aside}>{props.aside}</aside>}
        <section className={css.card} aria-label={props.title}>
          {props.tabs && (
            <TabBar
              label={props.title}
              active={props.tabs.active}
              onChange={props.tabs.onChange}
              items={props.tabs.items}
            />
          )}
          <FilterBar
            state={state}
            filters={filters}
            searchPlaceholder={props.searchPlaceholder}
            searchRef={search}
            before={folded ? props.asideChoice : undefined}
          />
          <div className={css.chipLine}>
            {props.aside && (
              <button
                type="button"
                className={css.fold}
                aria-label={folded ? t('unfold', { name: props.asideLabel }) : t('fold', { name: props.asideLabel })}
                title={folded ? t('unfold', { name: props.asideLabel }) : t('fold', { name: props.asideLabel })}
                aria-expanded={!folded}
                onClick={() => (narrow ? setUnfolded(folded) : change({ asideFolded: !folded }))}
              >
                {folded ? <MenuUnfoldOutlined aria-hidden /> : <MenuFoldOutlined aria-hidden />}
              </button>
            )}
            <FilterChips state={state} filters={filters} total={total} />
            <div className={css.tools}>
              <ListTools
                list={props.id}
                columns={columns}
                left={left}
                preferences={preferences}
                change={change}
                query={state.query}
                onApplyView={state.apply}
                layout={layout}
                onRefresh={() => void query.refetch()}
                formats={props.exportPath === undefined ? null : FORMATS}
                refreshing={fetching}
                onExport={props.exportName === null ? null : exported}
                onSchedule={scheduled === null ? null : () => void navigate(scheduled)}
              />
            </div>
          </div>
          {failed ? (
            <div className={css.state}>
              <ErrorState error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : !first && rows.length === 0 ? (
            <div className={css.state}>
              {narrowed ? <EmptyState onClear={state.clear} /> : <EmptyState {...props.empty} />}
            </div>
          ) : (
            <div
              ref={scroll}
              className={css.scroll}
              data-testid="list"
              {...(rowsTakeFocus ? {} : { ...SCROLLS, 'aria-label': props.title })}
            >
              {fetching && !first && <div className={css.progress} role="progressbar" aria-label={t('loading')} />}
              {layout === 'cards' ? (
                <div
                  className={css.cards}
                  {...(props.cardWidth === undefined
                    ? {}
                    : { style: { gridTemplateColumns: `repeat(auto-fill, minmax(${props.cardWidth}px, 1fr))` } })}
                >
                  {first
                    ? Array.from({ length: 8 }, (_, index) => <div key={index} className={css.cardSkeleton} />)
                    : rows.map(row => (
                        <div key={rowKey(row)}>
                          {props.renderCard?.(row, {
                            selected: selection.selected.has(rowKey(row)),
                            toggle: on => selection.toggle([row], on),
                          })}
                        </div>
                      ))}
                </div>
              ) : (
                <DataTable
                  label={props.title}
                  columns={shown}
                  rows={rows}
                  rowKey={rowKey}
                  density={preferences.density}
                  sort={state.sort}
                  onSort={state.setSort}
                  widths={preferences.widths}
                  onWidth={setWidth}
                  onLeft={setLeft}
                  actions={props.rowActions}
                  {...(props.actionsWidth === undefined ? {} : { actionsWidth: props.actionsWidth })}
                  {...(actions.length > 0 ? { selection } : {})}
                  activeKey={active}
                  onActive={setActive}
                  skeleton={first ? Math.min(preferences.limit, 20) : 0}
                />
              )}
            </div>
          )}
          {selected.size > 0 && actions.length > 0 ? (
            <BatchBar
              count={all ? (list.total ?? selected.size) : selected.size}
              everything={
                props.selectAll && !all && list.total !== null && list.total > selected.size
                  ? {
                      label: t('selectEverything', { text: formatNumber(list.total) }),
                      onClick: () => setEverything(asked),
                    }
                  : null
              }
              actions={actions.map(action => ({
                key: action.key,
                label: action.label,
                danger: action.danger === true,
                onClick: () => {
                  const current = new Map(rows.map(row => [rowKey(row), row]))
                  action.onClick(
                    [...selected].map(([key, row]) => current.get(key) ?? (row as T)),
                    ...(all ? [{ q: state.q, filters: list.input.filters, count: list.total ?? selected.size }] : []),
                  )
                },
              }))}
              pages={
                list.page > 1 || list.hasNext
                  ? { previous: list.page > 1 ? list.previous : null, next: list.hasNext ? list.next : null }
                  : null
              }
              onCancel={() => setChosen({ asked, rows: new Map() })}
            />
          ) : (
            <div className={css.foot}>
              <span className={css.keys} aria-hidden="true">
                <kbd>J</kbd> <kbd>K</kbd> {t('keyMove')} · <kbd>Enter</kbd> {t('keyOpen')}
                {actions.length > 0 && (
                  <>
                    {' · '}
                    <kbd>X</kbd> {t('keySelect')}
                  </>
                )}
                {' · '}
                <kbd>/</kbd> {t('search')}
              </span>
              <span className={css.footSpace} />
              <LazySelect
                value={String(preferences.limit)}
                aria-label={t('pageSize')}
                options={PAGE_SIZES.map(size => ({ value: String(size), label: t('perPage', { size }) }))}
                onChange={limit => change({ limit: Number(limit) })}
                popupMatchSelectWidth={false}
              />
              <Button disabled={list.page === 1} onClick={list.previous}>
                {t('previous')}
              </Button>
              <span aria-live="polite">{t('page', { page: list.page })}</span>
              <Button disabled={!list.hasNext} onClick={list.next}>
                {t('next')}
              </Button>
            </div>
          )}
        </section>
      </div>
      {exporting && props.exportName !== null && (
        <Suspense>
          <ExportDialog
            fileName={`${props.exportName}-${new Date().toISOString().slice(0, 10)}.csv`}
            fetchPage={props.fetchPage as FetchPage<unknown>}
            input={list.input}
            columns={shown as ListColumn<unknown>[]}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

const FORMATS = ['xlsx', 'csv'] as const

/** A list without anything to press in its rows is scrolled by keyboard as a whole. */
const SCROLLS = { role: 'region', tabIndex: 0 } as const

const NOTHING: ReadonlyMap<string, unknown> = new Map()
