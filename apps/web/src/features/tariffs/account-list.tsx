import type { MeterAccountRow } from '@thingwright/contracts/meter-statements.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney, formatNumber } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { fetchAccounts } from './hooks.ts'
import css from './tariffs.module.css'
import type { Tabs } from './tariffs-page.tsx'

const SettingsDrawer = lazy(async () => ({ default: (await import('./settings-drawer.tsx')).SettingsDrawer }))
const NO_FILTERS: ListFilter[] = []
const keyOf = (row: MeterAccountRow) => row.endUserId
const addressOf = (row: MeterAccountRow) =>
  `/manage/user/center/info?id=${encodeURIComponent(row.endUserId)}&tab=metering`

/** Balances of end users, the lowest first. */
export function AccountList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('tariffs')
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<MeterAccountRow>[]>(
    () => [
      {
        key: 'name',
        title: t('endUser'),
        minWidth: 200,
        required: true,
        sortKey: 'name',
        render: row => <Link to={addressOf(row)}>{row.name}</Link>,
      },
      { key: 'meters', title: t('metersCount'), width: 120, align: 'right', render: row => formatNumber(row.meters) },
      {
        key: 'balance',
        title: t('balance'),
        width: 160,
        align: 'right',
        sortKey: 'balance',
        render: row => (
          <span className={`${css.number} ${row.balanceFen < 0 ? css.owed : ''}`}>{formatMoney(row.balanceFen)}</span>
        ),
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: MeterAccountRow): RowAction[] => [{ key: 'open', label: t('open'), to: addressOf(row) }],
    [t],
  )
  const [asking, setAsking] = useState(false)
  return (
    <>
      <ListPage
        id="meter-accounts"
        operation="meterAccounts.list"
        fetchPage={fetchAccounts}
        rowKey={keyOf}
        rowHref={addressOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('searchAccount')}
        title={t('title')}
        actions={
          <PermissionGate of="meterSettings.set">
            <Button onClick={() => setAsking(true)}>{t('settings')}</Button>
          </PermissionGate>
        }
        rowActions={rowActions}
        empty={{ title: t('noAccounts'), description: t('noAccountsText') }}
        exportName="meter-balances"
      />
      <Suspense>{asking && <SettingsDrawer onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}
