import { MenuFoldOutlined, MenuUnfoldOutlined } from '@ant-design/icons'
import { Button, type InputRef, Select } from 'antd'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import { formatNumber } from '../../lib/format.ts'
import { holds, type Permission, usePermission } from '../../lib/permissions.ts'
import { useSession } from '../../lib/session.ts'
import { type Crumb, PageHeader } from '../page-header.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../states.tsx'
import { TabBar, type TabItem } from '../tab-bar.tsx'
import { DataTable } from './data-table.tsx'
import { FilterBar, FilterChips } from './filter-bar.tsx'
import css from './list-page.module.css'
import { ListTools } from './list-tools.tsx'
import type { BatchAction, FetchPage, ListColumn, ListFilter, RowAction } from './list-types.ts'
import { useListKeys } from './use-list-keys.ts'
import { PAGE_SIZES, shownColumns, useListPreferences } from './use-list-preferences.ts'
import { useListQuery } from './use-list-query.ts'
import type { ListState } from './use-list-state.ts'

const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }))

export interface ListPageProps<T> {
  /** Name of the list: key of what one person chose for it. */
  id: string
  /** First part of the query key; see `listKey`. */
  queryName: readonly unknown[]
  fetchPage: FetchPage<T>
  rowKey: (row: T) => string
  /** Address of a row's detail; opened by Enter. */
  rowHref?: ((row: T) => string) | undefined
  columns: readonly ListColumn<T>[]
  filters: readonly ListFilter[]
  state: ListState
  /** The right without which the page says what is missing. */
  permission: Permission
  searchPlaceholder: string
  title: string
  crumbs?: Crumb[]
  description?: ReactNode
  actions?: ReactNode
  tabs?: { items: TabItem[]; active: string; onChange: (key: string) => void }
  /** A panel at the left, such as a group tree; can be folded away. */
  aside?: ReactNode
  asideLabel?: string
  rowActions?: ((row: T) => RowAction[]) | undefined
  actionsWidth?: number
  batchActions?: readonly BatchAction<T>[]
  /** Drawn instead of a row where the person prefers cards. */
  renderCard?: (row: T) => ReactNode
  initialLayout?: 'table' | 'cards'
  empty: { title: ReactNode; description?: ReactNode; action?: ReactNode; docHref?: string }
  /** File name of the export, without date and ending; null where nothing may be exported. */
  exportName: string | null
}

/**
 * Every list of the console: filters in the address, server paging by cursor, a table that keeps its place while data
 * changes, selection with batch actions, keyboard, and all the states a list can be in.
 */
export function ListPage<T>(props: ListPageProps<T>) {
  const { state, columns, filters, rowKey, rowHref, batchActions = [] } = props
  const { t } = useTranslation('list-page')
  const navigate = useNavigate()
  const allowed = usePermission(props.permission)
  const rights = useSession(s => s.me?.permissions)
  const [preferences, change] = useListPreferences(props.id)
  const list = useListQuery(props.queryName, props.fetchPage, state, preferences.limit)
  const { query, rows } = list
  const search = useRef<InputRef>(null)
  const [exporting, setExporting] = useState(false)
  const [active, setActive] = useState<string | null>(null)
  const asked = `${props.queryName.join('/')}?${state.query}`
  const [chosen, setChosen] = useState<{ asked: string; rows: ReadonlyMap<string, T> }>({ asked, rows: new Map() })
  const selected: ReadonlyMap<string, unknown> = chosen.asked === asked ? chosen.rows : NOTHING
  const layout = props.renderCard ? (preferences.layout ?? props.initialLayout ?? 'table') : null
  const shown = useMemo(() => shownColumns(columns, preferences.columns), [columns, preferences.columns])
  const actions = batchActions.filter(action => action.permission === undefined || holds(rights, action.permission))
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey])

  const selection = useMemo(
    () => ({
      selected: selected as ReadonlyMap<string, T>,
      toggle: (some: readonly T[], on: boolean) =>
        setChosen(before => {
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
      if (row !== undefined && rowHref) navigate(rowHref(row))
    },
    onToggle: key => {
      const row = rows.find(each => rowKey(each) === key)
      if (row !== undefined && actions.length > 0) selection.toggle([row], !selected.has(key))
    },
    focusSearch: () => search.current?.focus({ cursor: 'all' }),
  })

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
        <NoPermissionState permission={props.permission} />
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
  const failed = query.isError && query.data === undefined
  const folded = preferences.asideFolded ?? window.innerWidth < ASIDE_FROM

  return (
    <div className={css.page}>
      {header}
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
            tools={
              <ListTools
                columns={columns}
                preferences={preferences}
                change={change}
                query={state.query}
                onApplyView={state.apply}
                layout={layout}
                onRefresh={() => void query.refetch()}
                refreshing={query.isFetching}
                onExport={props.exportName === null ? null : () => setExporting(true)}
              />
            }
          />
          <div className={css.chipLine}>
            {props.aside && (
              <Button
                type="text"
                size="small"
                className={css.tool ?? ''}
                icon={folded ? <MenuUnfoldOutlined aria-hidden /> : <MenuFoldOutlined aria-hidden />}
                aria-label={folded ? t('unfold', { name: props.asideLabel }) : t('fold', { name: props.asideLabel })}
                title={folded ? t('unfold', { name: props.asideLabel }) : t('fold', { name: props.asideLabel })}
                aria-expanded={!folded}
                onClick={() => change({ asideFolded: !folded })}
              />
            )}
            <FilterChips state={state} filters={filters} total={total} />
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
            <div className={css.scroll} data-testid="list">
              {query.isFetching && !first && (
                <div className={css.progress} role="progressbar" aria-label={t('loading')} />
              )}
              {layout === 'cards' ? (
                <div className={css.cards}>
                  {first
                    ? Array.from({ length: 8 }, (_, index) => <div key={index} className={css.cardSkeleton} />)
                    : rows.map(row => <div key={rowKey(row)}>{props.renderCard?.(row)}</div>)}
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
            <Select
              value={preferences.limit}
              aria-label={t('pageSize')}
              options={PAGE_SIZES.map(size => ({ value: size, label: t('perPage', { size }) }))}
              onChange={(limit: number) => change({ limit })}
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
          {selected.size > 0 && actions.length > 0 && (
            <div className={css.selection} role="toolbar" aria-label={t('selected', { count: selected.size })}>
              <strong aria-live="polite">{t('selected', { count: selected.size })}</strong>
              <span className={css.selectionActions}>
                {actions.map(action => (
                  <Button
                    key={action.key}
                    danger={action.danger === true}
                    onClick={() => {
                      const current = new Map(rows.map(row => [rowKey(row), row]))
                      action.onClick([...selected].map(([key, row]) => current.get(key) ?? (row as T)))
                    }}
                  >
                    {action.label}
                  </Button>
                ))}
              </span>
              <Button type="text" onClick={() => setChosen({ asked, rows: new Map() })}>
                {t('unselect')}
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

/** Narrower windows begin with the panel at the left folded away. */
const ASIDE_FROM = 1400

const NOTHING: ReadonlyMap<string, unknown> = new Map()
