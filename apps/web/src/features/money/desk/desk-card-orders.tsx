import type { DeskCardOrder } from '@thingwright/contracts/card-orders.contract'
import { ORDER_STATES } from '@thingwright/contracts/money.words'
import { CARRIERS } from '@thingwright/contracts/sim-cards.words'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call, type Query } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { planOf, rangeOf } from '../cards/card-words.ts'
import type { Tabs } from '../consumption-list.tsx'
import { ORDER_KIND } from '../words.ts'

const ShipDrawer = lazy(async () => ({ default: (await import('./ship-drawer.tsx')).ShipDrawer }))

const keyOf = (row: DeskCardOrder) => row.id
const fetchOrders: FetchPage<DeskCardOrder> = ({ filters, ...input }, signal) =>
  call('cardDesk.orders', { query: { ...input, ...filters } as Query<'cardDesk.orders'>, signal })
const addressOf = ({ address }: DeskCardOrder) =>
  [address.name, address.phone, address.region, address.line].join(' · ')

/** Paid orders of SIM cards of every company, and what was shipped. */
export function DeskCardOrders({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const mayShip = useMay('cardDesk.ship')
  const [shipping, setShipping] = useState<DeskCardOrder | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: ORDER_STATES.map(value => ({ value, label: t(`state.${value}`) })),
      },
      {
        key: 'carrier',
        label: t('card.carrierLabel'),
        options: CARRIERS.map(value => ({ value, label: t(`card.carrier.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<DeskCardOrder>[]>(
    () => [
      { key: 'no', title: t('order.no'), minWidth: 176, required: true, render: row => row.no, csv: row => row.no },
      {
        key: 'company',
        title: t('desk.company'),
        minWidth: 140,
        render: row => <Link to={`/operator/companies?id=${row.tenantId}`}>{row.companyName}</Link>,
        csv: row => row.companyName,
      },
      { key: 'plan', title: t('card.plan'), minWidth: 120, rank: 3, render: planOf, csv: planOf },
      {
        key: 'form',
        title: t('card.formLabel'),
        width: 144,
        rank: 2,
        render: row => t(`card.form.${row.form}`),
        csv: row => t(`card.form.${row.form}`),
      },
      {
        key: 'quantity',
        title: t('card.quantityShort'),
        width: 80,
        align: 'right',
        render: row => formatNumber(row.quantity),
        csv: row => row.quantity,
      },
      { key: 'address', title: t('card.address'), minWidth: 180, rank: 1, render: addressOf, csv: addressOf },
      { key: 'range', title: t('card.range'), minWidth: 180, rank: 0, render: rangeOf, csv: rangeOf },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 120,
        render: row => <StatusTag kind={ORDER_KIND[row.state]}>{t(`state.${row.state}`)}</StatusTag>,
        csv: row => t(`state.${row.state}`),
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
    (row: DeskCardOrder): RowAction[] =>
      mayShip && (row.state === 'paid' || row.state === 'processing')
        ? [{ key: 'ship', label: t('cardDesk.ship'), onClick: () => setShipping(row) }]
        : [],
    [t, mayShip],
  )
  return (
    <>
      <ListPage
        id="desk-card-orders"
        operation="cardDesk.orders"
        fetchPage={fetchOrders}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        rowActions={rowActions}
        searchPlaceholder={t('cardDesk.search')}
        title={t('desk.title')}
        empty={{ title: t('cardDesk.emptyTitle'), description: t('cardDesk.emptyText') }}
        exportName="card-orders-of-companies"
      />
      <Suspense>
        {shipping && <ShipDrawer key={shipping.id} order={shipping} onClose={() => setShipping(null)} />}
      </Suspense>
    </>
  )
}
