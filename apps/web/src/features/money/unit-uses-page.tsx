import { UNIT_KINDS, UNIT_USE_STATES } from '@thingwright/contracts/money.words'
import type { UnitUseView } from '@thingwright/contracts/wallets.contract'
import { Button } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { PACKS } from './addresses.ts'
import { fetchUnitUses } from './hooks.ts'

const keyOf = (row: UnitUseView) => row.id

/** Texts and calls that took units of the company's packs. */
export function UnitUsesPage() {
  const { t } = useTranslation('money')
  const filters = useMemo<ListFilter[]>(
    () => [
      { key: 'kind', label: t('use.kind'), options: UNIT_KINDS.map(value => ({ value, label: t(`item.${value}`) })) },
      {
        key: 'state',
        label: t('use.state'),
        options: UNIT_USE_STATES.map(value => ({ value, label: t(`use.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<UnitUseView>[]>(
    () => [
      {
        key: 'at',
        title: t('at'),
        width: 184,
        sortKey: 'at',
        required: true,
        render: row => <TimeText value={row.at} mode="absolute" />,
      },
      { key: 'kind', title: t('use.kind'), width: 88, render: row => t(`item.${row.kind}`) },
      {
        key: 'address',
        title: t('use.address'),
        width: 160,
        render: row => [row.contact, row.address].filter(Boolean).join(' \u00b7 ') || '\u2013',
      },
      { key: 'trigger', title: t('use.trigger'), minWidth: 140, rank: 1, render: row => row.trigger || '\u2013' },
      { key: 'content', title: t('use.content'), minWidth: 240, render: row => row.content || '\u2013' },
      { key: 'units', title: t('use.units'), width: 88, align: 'right', render: row => formatNumber(row.units) },
      { key: 'state', title: t('use.state'), width: 144, render: row => t(`use.${row.state}`) },
      {
        key: 'receipt',
        title: t('use.receipt'),
        width: 176,
        rank: 1,
        render: row =>
          [row.receipt === 'delivered' || row.receipt === 'failed' ? t(`use.${row.receipt}`) : '', row.reason]
            .filter(Boolean)
            .join(' \u00b7 ') || '\u2013',
      },
    ],
    [t],
  )
  const buy = (
    <Link to={PACKS}>
      <Button type="primary">{t('use.buy')}</Button>
    </Link>
  )
  return (
    <ListPage
      id="unit-uses"
      operation="wallets.unitUses"
      fetchPage={fetchUnitUses}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder={t('use.search')}
      title={t('use.title')}
      actions={buy}
      empty={{ title: t('use.emptyTitle'), description: t('use.emptyText'), action: buy }}
      exportName="unit-uses"
      exportPath="/api/v1/unit-uses/export"
    />
  )
}
