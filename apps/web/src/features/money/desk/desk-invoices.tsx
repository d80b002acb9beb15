import type { DeskInvoice } from '@thingwright/contracts/invoices.contract'
import { INVOICE_STAGES, INVOICE_TYPES } from '@thingwright/contracts/money.words'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call, type Query } from '../../../lib/api-client.ts'
import { formatMoney } from '../../../lib/format.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../consumption-list.tsx'
import css from '../money.module.css'
import { INVOICE_KIND } from '../words.ts'

const DeskInvoiceDrawer = lazy(async () => ({ default: (await import('./desk-invoice-drawer.tsx')).DeskInvoiceDrawer }))

const keyOf = (row: DeskInvoice) => row.id
const fetchInvoices: FetchPage<DeskInvoice> = ({ filters, ...input }, signal) =>
  call('invoiceDesk.list', { query: { ...input, ...filters } as Query<'invoiceDesk.list'>, signal })

/** Invoices of every company: what waits for somebody, and what was issued. */
export function DeskInvoices({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const [open, setOpen] = useState<string | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: INVOICE_STAGES.map(value => ({ value, label: t(`invoice.stage.${value}`) })),
      },
      {
        key: 'type',
        label: t('kindLabel'),
        options: INVOICE_TYPES.map(value => ({ value, label: t(`invoice.type.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<DeskInvoice>[]>(
    () => [
      { key: 'no', title: t('invoice.no'), minWidth: 160, required: true, render: row => row.no, csv: row => row.no },
      {
        key: 'company',
        title: t('desk.company'),
        minWidth: 160,
        render: row => <Link to={`/operator/companies?id=${row.tenantId}`}>{row.companyName}</Link>,
        csv: row => row.companyName,
      },
      {
        key: 'title',
        title: t('invoice.title'),
        minWidth: 160,
        rank: 1,
        render: row => row.title,
        csv: row => row.title,
      },
      {
        key: 'type',
        title: t('kindLabel'),
        width: 144,
        rank: 1,
        render: row => [t(`invoice.type.${row.type}`), ...(row.redOf ? [t('invoice.red')] : [])].join(' \u00b7 '),
        csv: row => t(`invoice.type.${row.type}`),
      },
      {
        key: 'amount',
        title: t('amount'),
        width: 120,
        align: 'right',
        sortKey: 'amount',
        render: row => <span className={css.money}>{formatMoney(row.redOf ? -row.amountFen : row.amountFen)}</span>,
        csv: row => (row.redOf ? -row.amountFen : row.amountFen) / 100,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 128,
        render: row => (
          <StatusTag kind={INVOICE_KIND[row.state]} title={row.reason ?? ''}>
            {t(`invoice.stage.${row.state}`)}
          </StatusTag>
        ),
        csv: row => t(`invoice.stage.${row.state}`),
      },
      {
        key: 'createdAt',
        title: t('order.createdAt'),
        width: 132,
        sortKey: 'createdAt',
        rank: 2,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => row.createdAt,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: DeskInvoice): RowAction[] => [{ key: 'open', label: t('invoice.process'), onClick: () => setOpen(row.id) }],
    [t],
  )
  return (
    <>
      <ListPage
        id="desk-invoices"
        operation="invoiceDesk.list"
        fetchPage={fetchInvoices}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        rowActions={rowActions}
        searchPlaceholder={t('invoice.search')}
        title={t('desk.title')}
        empty={{ title: t('invoice.emptyTitle'), description: t('invoice.emptyText') }}
        exportName="invoices-of-companies"
      />
      <Suspense>{open && <DeskInvoiceDrawer key={open} id={open} onClose={() => setOpen(null)} />}</Suspense>
    </>
  )
}
