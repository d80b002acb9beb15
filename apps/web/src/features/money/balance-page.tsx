import { ENTRY_KINDS } from '@thingwright/contracts/money.words'
import type { EntryView } from '@thingwright/contracts/wallets.contract'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ASSETS, orderAddress } from './addresses.ts'
import { byWhom } from './by-whom.ts'
import { fetchEntries } from './hooks.ts'
import css from './money.module.css'
import { StatementDialog } from './statement-dialog.tsx'

const keyOf = (row: EntryView) => row.id

/** Movements of the balance, each with what it was before and after. */
export function BalancePage() {
  const { t } = useTranslation('money')
  const [asking, setAsking] = useState(false)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'kind',
        label: t('kindLabel'),
        options: ENTRY_KINDS.map(value => ({ value, label: t(`entry.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<EntryView>[]>(
    () => [
      {
        key: 'at',
        title: t('at'),
        width: 184,
        required: true,
        render: row => <TimeText value={row.at} mode="absolute" />,
      },
      { key: 'kind', title: t('kindLabel'), width: 96, render: row => t(`entry.${row.kind}`) },
      {
        key: 'amount',
        title: t('amount'),
        width: 136,
        align: 'right',
        render: row => (
          <span className={row.amountFen > 0 ? `${css.money} ${css.plus}` : css.money}>
            {row.amountFen > 0 ? '+' : ''}
            {formatMoney(row.amountFen)}
          </span>
        ),
      },
      {
        key: 'before',
        title: t('before'),
        width: 136,
        align: 'right',
        rank: 1,
        render: row => <span className={css.money}>{formatMoney(row.beforeFen)}</span>,
      },
      {
        key: 'after',
        title: t('after'),
        width: 136,
        align: 'right',
        render: row => <span className={css.money}>{formatMoney(row.afterFen)}</span>,
      },
      {
        key: 'order',
        title: t('order.no'),
        minWidth: 180,
        rank: 2,
        render: row =>
          row.causeKind === 'purchase_order' ? <Link to={orderAddress(row.causeId)}>{row.causeNo}</Link> : '–',
      },
      { key: 'actor', title: t('actor'), width: 112, rank: 0, render: row => byWhom(row.actorName, t('system')) },
      { key: 'remark', title: t('remark'), minWidth: 160, rank: 1, render: row => row.remark || '–' },
      { key: 'no', title: t('number'), width: 180, rank: 0, initiallyHidden: true, render: row => row.no },
    ],
    [t],
  )
  return (
    <>
      <ListPage
        id="balance-entries"
        operation="wallets.entries"
        fetchPage={fetchEntries}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        crumbs={[{ title: t('assets.title'), to: ASSETS }]}
        searchPlaceholder={t('entry.search')}
        title={t('entry.title')}
        actions={
          <PermissionGate of="wallets.balanceStatement">
            <Button onClick={() => setAsking(true)}>{t('statement.act')}</Button>
          </PermissionGate>
        }
        empty={{ title: t('entry.emptyTitle'), description: t('entry.emptyText') }}
        exportName="balance"
        exportPath="/api/v1/balance/entries/export"
      />
      {asking && <StatementDialog onClose={() => setAsking(false)} />}
    </>
  )
}
