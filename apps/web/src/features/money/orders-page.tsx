import { ORDER_KINDS, ORDER_STATES } from '@thingwright/contracts/money.words'
import type { OrderRow } from '@thingwright/contracts/purchase-orders.contract'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { orderAddress, PURCHASE } from './addresses.ts'
import { fetchOrders } from './hooks.ts'
import css from './money.module.css'
import { PayDialog } from './pay/pay-dialog.tsx'
import { nameOf, ORDER_KIND } from './words.ts'

const keyOf = (row: OrderRow) => row.id
const hrefOf = (row: OrderRow) => orderAddress(row.id)

/** What the company ordered. */
export function OrdersPage() {
  const { t } = useTranslation('money')
  const mayPay = useMay('purchaseOrders.pay')
  const [paying, setPaying] = useState<string | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: ORDER_STATES.map(value => ({ value, label: t(`state.${value}`) })),
      },
      { key: 'kind', label: t('kindLabel'), options: ORDER_KINDS.map(value => ({ value, label: t(`kind.${value}`) })) },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<OrderRow>[]>(
    () => [
      {
        key: 'no',
        title: t('order.no'),
        minWidth: 200,
        required: true,
        render: row => (
          <Link to={hrefOf(row)} title={row.no}>
            {row.no}
          </Link>
        ),
      },
      { key: 'what', title: t('order.what'), minWidth: 160, rank: 3, render: row => nameOf(row.items[0]) },
      { key: 'kind', title: t('kindLabel'), width: 96, rank: 1, render: row => t(`kind.${row.kind}`) },
      {
        key: 'payable',
        title: t('order.payable'),
        width: 120,
        align: 'right',
        render: row => <span className={css.money}>{formatMoney(row.payableFen)}</span>,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 128,
        render: row => <StatusTag kind={ORDER_KIND[row.state]}>{t(`state.${row.state}`)}</StatusTag>,
      },
      {
        key: 'provider',
        title: t('order.provider'),
        width: 112,
        rank: 1,
        render: row => (row.provider ? t(`provider.${row.provider}`) : '–'),
      },
      { key: 'buyer', title: t('order.buyer'), width: 112, rank: 0, render: row => row.buyerName },
      {
        key: 'createdAt',
        title: t('order.createdAt'),
        width: 132,
        sortKey: 'createdAt',
        rank: 2,
        render: row => <TimeText value={row.createdAt} />,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: OrderRow): RowAction[] => [
      ...(mayPay && row.state === 'pending'
        ? [{ key: 'pay', label: t('order.pay'), onClick: () => setPaying(row.id) }]
        : []),
      { key: 'open', label: t('order.open'), to: hrefOf(row) },
    ],
    [t, mayPay],
  )
  return (
    <>
      <ListPage
        id="orders"
        operation="purchaseOrders.list"
        fetchPage={fetchOrders}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        rowActions={rowActions}
        actionsWidth={136}
        searchPlaceholder={t('order.search')}
        title={t('order.title')}
        empty={{
          title: t('order.emptyTitle'),
          description: t('order.emptyText'),
          action: <Link to={PURCHASE}>{t('order.emptyAct')}</Link>,
        }}
        exportName="orders"
        exportPath="/api/v1/orders/export"
      />
      {paying && <PayDialog orderId={paying} onClose={() => setPaying(null)} />}
    </>
  )
}
