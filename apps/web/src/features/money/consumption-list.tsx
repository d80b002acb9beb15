import { CHARGE_ITEMS } from '@thingwright/contracts/money.words'
import type { ConsumptionView } from '@thingwright/contracts/wallets.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDate, formatMoney, formatNumber } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { orderAddress } from './addresses.ts'
import { fetchConsumption } from './hooks.ts'
import css from './money.module.css'

const keyOf = (row: ConsumptionView) => row.id

export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}

/** Charges, one by one. */
export function ConsumptionList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'item',
        label: t('charge.item'),
        options: CHARGE_ITEMS.map(value => ({ value, label: t(`item.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<ConsumptionView>[]>(
    () => [
      {
        key: 'at',
        title: t('at'),
        width: 184,
        sortKey: 'at',
        required: true,
        render: row => <TimeText value={row.at} mode="absolute" />,
      },
      { key: 'item', title: t('charge.item'), width: 144, render: row => t(`item.${row.item}`) },
      { key: 'object', title: t('charge.object'), minWidth: 160, rank: 2, render: row => row.objectName || '–' },
      {
        key: 'quantity',
        title: t('charge.quantity'),
        width: 80,
        align: 'right',
        render: row => formatNumber(row.quantity),
      },
      {
        key: 'unitPrice',
        title: t('charge.unitPrice'),
        width: 120,
        align: 'right',
        rank: 1,
        render: row => <span className={css.money}>{formatMoney(row.unitPriceFen)}</span>,
      },
      {
        key: 'amount',
        title: t('amount'),
        width: 120,
        align: 'right',
        sortKey: 'amount',
        render: row => <span className={css.money}>{formatMoney(row.amountFen)}</span>,
      },
      {
        key: 'after',
        title: t('charge.balanceAfter'),
        width: 128,
        align: 'right',
        rank: 0,
        render: row =>
          row.balanceAfterFen === null ? '–' : <span className={css.money}>{formatMoney(row.balanceAfterFen)}</span>,
      },
      {
        key: 'period',
        title: t('charge.period'),
        width: 200,
        rank: 1,
        render: row =>
          row.periodFrom && row.periodTo
            ? t('charge.fromTo', { from: formatDate(row.periodFrom), to: formatDate(row.periodTo) })
            : '–',
      },
      {
        key: 'order',
        title: t('order.no'),
        width: 180,
        rank: 1,
        render: row => (row.orderId ? <Link to={orderAddress(row.orderId)}>{row.orderNo}</Link> : '–'),
      },
    ],
    [t],
  )
  return (
    <ListPage
      id="consumption"
      operation="wallets.consumption"
      fetchPage={fetchConsumption}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      tabs={tabs}
      searchPlaceholder={t('charge.search')}
      title={t('charge.title')}
      empty={{ title: t('charge.emptyTitle'), description: t('charge.emptyText') }}
      exportName="consumption"
      exportPath="/api/v1/consumption/export"
    />
  )
}
