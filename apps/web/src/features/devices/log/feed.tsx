import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from '../devices.module.css'

/** What a feed needs of its query. */
export interface FeedQuery {
  isError: boolean
  isPending: boolean
  data: unknown
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  refetch: () => Promise<unknown>
  fetchNextPage: () => Promise<unknown>
}

/** A list of what happened, newest first, that goes further back on demand. */
export function Feed<T>({
  title,
  hint,
  tools,
  filters,
  query,
  rows,
  columns,
  rowKey,
  actions,
  empty,
}: {
  title: string
  hint?: ReactNode
  tools?: ReactNode
  /** A row of its own over the table. */
  filters?: ReactNode
  query: FeedQuery
  rows: readonly T[]
  columns: readonly ListColumn<T>[]
  rowKey: (row: T) => string
  actions?: (row: T) => RowAction[]
  empty: { title: string; description?: string }
}) {
  const { t } = useTranslation('devices')
  return (
    <Panel title={title} hint={hint} actions={tools} flush>
      {filters && <div className={css.filterRow}>{filters}</div>}
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.isPending && rows.length === 0 ? (
        <EmptyState {...empty} />
      ) : (
        <DataTable
          label={title}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          density="dense"
          actions={actions}
          actionsWidth={80}
          skeleton={query.isPending ? 8 : 0}
        />
      )}
      {query.hasNextPage && (
        <div className={css.moreRow}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        </div>
      )}
    </Panel>
  )
}
