import { ORDER_KINDS, ORDER_STATES } from '@thingwright/contracts/money.words'
import type { DeskOrder } from '@thingwright/contracts/purchase-orders.contract'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call, type Query } from '../../../lib/api-client.ts'
import { formatMoney } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../consumption-list.tsx'
import css from '../money.module.css'
import { nameOf, ORDER_KIND } from '../words.ts'

const keyOf = (row: DeskOrder) => row.id
const fetchOrders: FetchPage<DeskOrder> = ({ filters, ...input }, signal) =>
  call('moneyDesk.orders', { query: { ...input, ...filters } as Query<'moneyDesk.orders'>, signal })

/** Orders of every company. */
export function DeskOrders({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const mayWrite = useMay('moneyDesk.retry')
  const retry = useAct('moneyDesk.retry', {
    done: ({ ok }) => (ok ? notify.success(t('desk.retried')) : notify.error(t('desk.notRetried'))),
  })
  const { run } = retry
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
  const columns = useMemo<ListColumn<DeskOrder>[]>(
    () => [
      { key: 'no', title: t('order.no'), minWidth: 176, required: true, render: row => row.no, csv: row => row.no },
      {
        key: 'company',
        title: t('desk.company'),
        minWidth: 160,
        render: row => <Link to={`/operator/companies?id=${row.tenantId}`}>{row.companyName}</Link>,
        csv: row => row.companyName,
      },
      {
        key: 'what',
        title: t('order.what'),
        minWidth: 140,
        rank: 2,
        render: row => nameOf(row.items[0]),
        csv: row => nameOf(row.items[0]),
      },
      {
        key: 'payable',
        title: t('order.payable'),
        width: 120,
        align: 'right',
        render: row => <span className={css.money}>{formatMoney(row.payableFen)}</span>,
        csv: row => row.payableFen / 100,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 136,
        render: row => (
          <StatusTag kind={ORDER_KIND[row.state]} title={row.fault ?? ''}>
            {t(`state.${row.state}`)}
          </StatusTag>
        ),
        csv: row => t(`state.${row.state}`),
      },
      {
        key: 'provider',
        title: t('order.provider'),
        width: 128,
        rank: 1,
        render: row => (row.provider ? t(`provider.${row.provider}`) : '–'),
        csv: row => (row.provider ? t(`provider.${row.provider}`) : ''),
      },
      {
        key: 'createdAt',
        title: t('order.createdAt'),
        width: 132,
        sortKey: 'createdAt',
        rank: 1,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => row.createdAt,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: DeskOrder): RowAction[] =>
      mayWrite && row.state === 'faulted'
        ? [{ key: 'retry', label: t('desk.retry'), onClick: () => void run({ params: { id: row.id } }) }]
        : [],
    [t, mayWrite, run],
  )
  return (
    <ListPage
      id="desk-orders"
      operation="moneyDesk.orders"
      fetchPage={fetchOrders}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      tabs={tabs}
      rowActions={rowActions}
      searchPlaceholder={t('order.search')}
      title={t('desk.title')}
      empty={{ title: t('order.emptyTitle'), description: t('desk.noOrders') }}
      exportName="orders-of-companies"
    />
  )
}
