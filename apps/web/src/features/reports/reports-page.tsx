import type { ReportView } from '@thingwright/contracts/reports.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchReports } from './hooks.ts'

const keyOf = (row: ReportView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

export function ReportsPage() {
  const { t } = useTranslation('reports')
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<ReportView>[]>(
    () => [
      { key: 'name', title: t('name'), minWidth: 200, required: true, render: row => row.name, csv: row => row.name },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t],
  )
  return (
    <ListPage
      id="reports"
      operation="reports.list"
      fetchPage={fetchReports}
      rowKey={keyOf}
      columns={columns}
      filters={NO_FILTERS}
      state={state}
      searchPlaceholder={t('search')}
      title={t('title')}
      description={t('lead')}
      empty={{ title: t('emptyTitle'), description: t('emptyText') }}
      exportName="reports"
    />
  )
}
