import type { InvoiceView } from '@thingwright/contracts/invoices.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchInvoices } from './hooks.ts'

const keyOf = (row: InvoiceView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

export function InvoicesPage() {
  const { t } = useTranslation('invoices')
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<InvoiceView>[]>(
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
      id="invoices"
      operation="invoices.list"
      fetchPage={fetchInvoices}
      rowKey={keyOf}
      columns={columns}
      filters={NO_FILTERS}
      state={state}
      searchPlaceholder={t('search')}
      title={t('title')}
      description={t('lead')}
      empty={{ title: t('emptyTitle'), description: t('emptyText') }}
      exportName="invoices"
    />
  )
}
