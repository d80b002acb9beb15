import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { addressOf, fetchPools, type ListProps, type PoolView, shareText, sizeText } from './hooks.ts'

const keyOf = (row: PoolView) => row.pool
const NO_FILTERS: readonly ListFilter[] = []

/** Pools: what their cards use together. */
export function PoolList({ carrier, tabs }: ListProps) {
  const { t } = useTranslation('sim-cards')
  const fetchPage = useMemo(() => fetchPools(carrier), [carrier])
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<PoolView>[]>(
    () => [
      {
        key: 'pool',
        title: t('pool'),
        minWidth: 180,
        required: true,
        render: row => <Link to={`${addressOf(carrier)}?pool=${encodeURIComponent(row.pool)}`}>{row.pool}</Link>,
        csv: row => row.pool,
      },
      {
        key: 'cards',
        title: t('cardCount'),
        width: 100,
        align: 'right',
        render: row => formatNumber(row.cards),
        csv: row => row.cards,
      },
      {
        key: 'used',
        title: t('usage'),
        width: 140,
        align: 'right',
        render: row => sizeText(row.monthKb),
        csv: row => row.monthKb,
      },
      {
        key: 'plan',
        title: t('planTotal'),
        width: 140,
        align: 'right',
        render: row => sizeText(row.planKb),
        csv: row => row.planKb,
      },
      {
        key: 'share',
        title: t('share'),
        width: 100,
        align: 'right',
        render: row => shareText(row) ?? '–',
        csv: row => shareText(row) ?? '',
      },
      {
        key: 'forecast',
        title: t('forecast'),
        width: 160,
        align: 'right',
        rank: 1,
        render: row => sizeText(row.forecastKb),
        csv: row => row.forecastKb,
      },
    ],
    [t, carrier],
  )
  return (
    <ListPage
      id={`sim-card-pools-${carrier}`}
      operation="simCards.counts"
      about={carrier}
      fetchPage={fetchPage}
      rowKey={keyOf}
      columns={columns}
      filters={NO_FILTERS}
      state={state}
      tabs={tabs}
      searchPlaceholder={t('searchPools')}
      title={t(`title.${carrier}`)}
      description={t('poolsLead')}
      empty={{ title: t('poolsEmpty'), description: t('poolsEmptyText') }}
      exportName="sim-card-pools"
    />
  )
}
