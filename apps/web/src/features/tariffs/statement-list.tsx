import type { MeterStatementRow } from '@thingwright/contracts/meter-statements.contract'
import { METER_MODES, STATEMENT_STATES } from '@thingwright/contracts/tariffs.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoney } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchStatements, STATE_KIND } from './hooks.ts'
import css from './tariffs.module.css'
import type { Tabs } from './tariffs-page.tsx'
import { useOpen } from './use-open.ts'

const StatementDrawer = lazy(async () => ({ default: (await import('./statement-drawer.tsx')).StatementDrawer }))
const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.tsx')).RunDialog }))
const keyOf = (row: MeterStatementRow) => row.id

/** Statements of meters; `?id=` opens one. */
export function StatementList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('tariffs')
  const [id, open] = useOpen()
  const [asking, setAsking] = useState(false)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('stateLabel'),
        options: STATEMENT_STATES.map(value => ({ value, label: t(`state.${value}`) })),
      },
      { key: 'mode', label: t('modeLabel'), options: METER_MODES.map(value => ({ value, label: t(`mode.${value}`) })) },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<MeterStatementRow>[]>(
    () => [
      {
        key: 'no',
        title: t('statementNo'),
        minWidth: 152,
        required: true,
        render: row => (
          <Button type="link" className={css.link ?? ''} onClick={() => open(row.id)}>
            {row.no}
          </Button>
        ),
      },
      { key: 'month', title: t('month'), width: 96, render: row => row.month },
      { key: 'user', title: t('endUser'), minWidth: 128, render: row => row.endUserName },
      { key: 'meter', title: t('meter'), minWidth: 128, rank: 2, render: row => row.meterName },
      {
        key: 'quantity',
        title: t('quantity'),
        width: 136,
        rank: 1,
        align: 'right',
        render: row => `${row.quantity} ${row.unit}`,
      },
      {
        key: 'amount',
        title: t('amount'),
        width: 120,
        align: 'right',
        sortKey: 'amount',
        render: row => <span className={css.number}>{formatMoney(row.amountFen)}</span>,
      },
      {
        key: 'state',
        title: t('stateLabel'),
        width: 168,
        render: row => (
          <>
            <StatusTag kind={STATE_KIND[row.state]}>{t(`state.${row.state}`)}</StatusTag>
            {row.estimated && <StatusTag kind="neutral">{t('mark.estimate')}</StatusTag>}
          </>
        ),
      },
      {
        key: 'issuedAt',
        title: t('issuedAt'),
        width: 132,
        rank: 1,
        sortKey: 'issuedAt',
        render: row => <TimeText value={row.issuedAt} />,
      },
    ],
    [t, open],
  )
  const rowActions = useCallback(
    (row: MeterStatementRow): RowAction[] => [{ key: 'open', label: t('open'), onClick: () => open(row.id) }],
    [t, open],
  )
  const run = (
    <PermissionGate of="billingRuns.create">
      <Button type="primary" onClick={() => setAsking(true)}>
        {t('runMonth')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="meter-statements"
        operation="meterStatements.list"
        fetchPage={fetchStatements}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('searchStatement')}
        title={t('title')}
        actions={run}
        actionsWidth={96}
        rowActions={rowActions}
        empty={{ title: t('noStatements'), description: t('noStatementsText'), action: run }}
        exportName="meter-statements"
        exportPath="/api/v1/meter-statements/export"
      />
      <Suspense>
        {id && <StatementDrawer key={id} id={id} onClose={() => open(null)} />}
        {asking && <RunDialog onClose={() => setAsking(false)} />}
      </Suspense>
    </>
  )
}
