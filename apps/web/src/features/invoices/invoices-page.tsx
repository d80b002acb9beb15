import type { InvoiceRow } from '@thingwright/contracts/invoices.contract'
import { INVOICE_STAGES, INVOICE_TYPES } from '@thingwright/contracts/money.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchInvoices, REQUEST, STAGE_KIND } from './hooks.ts'
import css from './invoices.module.css'

const InvoiceDrawer = lazy(async () => ({ default: (await import('./invoice-drawer.tsx')).InvoiceDrawer }))
const keyOf = (row: InvoiceRow) => row.id

/** Invoices that were asked for; `?id=` opens one. */
export function InvoicesPage() {
  const { t } = useTranslation('invoices')
  const [search, setSearch] = useSearchParams()
  const id = search.get('id')
  const open = useCallback(
    (next: string | null) =>
      setSearch(now => {
        const params = new URLSearchParams(now)
        if (next === null) params.delete('id')
        else params.set('id', next)
        return params
      }),
    [setSearch],
  )
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: INVOICE_STAGES.map(value => ({ value, label: t(`stage.${value}`) })),
      },
      { key: 'type', label: t('type'), options: INVOICE_TYPES.map(value => ({ value, label: t(`types.${value}`) })) },
      {
        key: 'red',
        label: t('red'),
        options: ['0', '1'].map(value => ({ value, label: t(`reds.${value as '0' | '1'}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<InvoiceRow>[]>(
    () => [
      {
        key: 'no',
        title: t('no'),
        minWidth: 168,
        required: true,
        render: row => (
          <Button type="link" className={css.link ?? ''} onClick={() => open(row.id)}>
            {row.no}
          </Button>
        ),
      },
      { key: 'type', title: t('type'), width: 136, rank: 1, render: row => t(`types.${row.type}`) },
      { key: 'title', title: t('titleName'), minWidth: 168, render: row => row.title },
      {
        key: 'amount',
        title: t('amount'),
        width: 128,
        align: 'right',
        sortKey: 'amount',
        render: row => (
          <span className={css.money}>{formatMoney(row.redOf === null ? row.amountFen : -row.amountFen)}</span>
        ),
      },
      {
        key: 'state',
        title: t('state'),
        width: 168,
        render: row => (
          <>
            <StatusTag kind={STAGE_KIND[row.state]} title={row.reason ?? ''}>
              {t(`stage.${row.state}`)}
            </StatusTag>
            {row.redOf !== null && <StatusTag kind="error">{t('reds.1')}</StatusTag>}
            {row.reversedFen > 0 && (
              <StatusTag kind="neutral">
                {t(row.reversedFen >= row.amountFen ? 'reversed' : 'partlyReversed')}
              </StatusTag>
            )}
          </>
        ),
      },
      { key: 'number', title: t('number'), width: 184, rank: 1, render: row => row.number ?? '\u2013' },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        sortKey: 'createdAt',
        rank: 2,
        render: row => <TimeText value={row.createdAt} />,
      },
    ],
    [t, open],
  )
  const rowActions = useCallback(
    (row: InvoiceRow): RowAction[] => [{ key: 'open', label: t('open'), onClick: () => open(row.id) }],
    [t, open],
  )
  const ask = (
    <PermissionGate of="invoices.create">
      <Link to={REQUEST}>
        <Button type="primary">{t('ask')}</Button>
      </Link>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="invoices"
        operation="invoices.list"
        fetchPage={fetchInvoices}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={ask}
        actionsWidth={96}
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: ask }}
        exportName="invoices"
        exportPath="/api/v1/invoices/export"
      />
      <Suspense>{id && <InvoiceDrawer key={id} id={id} onClose={() => open(null)} />}</Suspense>
    </>
  )
}
