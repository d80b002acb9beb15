import { CHARGE_ITEMS, type ChargeItem } from '@thingwright/contracts/money.words'
import { Segmented, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoney, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import type { Tabs } from './consumption-list.tsx'
import css from './money.module.css'

const DAY_MS = 86_400_000
const SPAN = { day: 31 * DAY_MS, month: 366 * DAY_MS } as const

/** Bills by day or month, split by item or by what was charged for. */
export function Statements({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const allowed = useMay('wallets.statements')
  const [by, setBy] = useState<'day' | 'month'>('month')
  const [split, setSplit] = useState<'item' | 'object'>('item')
  const span = useMemo(() => {
    const to = serverNow() + DAY_MS
    return { from: new Date(to - SPAN[by]).toISOString(), to: new Date(to).toISOString() }
  }, [by])
  const read = useRead('wallets.statements', { query: { by, split, ...span } }, { enabled: allowed, keep: true })
  if (!allowed) return <NoPermissionState of="wallets.statements" />
  const nameOf = (key: string, name: string) =>
    split === 'item' && CHARGE_ITEMS.includes(key as ChargeItem) ? t(`item.${key}`) : name || '–'
  return (
    <>
      <PageHeader title={t('charge.title')} />
      <TabBar label={t('charge.title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
      <Panel
        flush
        title={t('charge.bills')}
        hint={read.data && t('charge.total', { amount: formatMoney(read.data.totalFen) })}
        actions={
          <>
            <Segmented
              value={by}
              onChange={setBy}
              options={[
                { value: 'month', label: t('charge.byMonth') },
                { value: 'day', label: t('charge.byDay') },
              ]}
            />
            <Segmented
              value={split}
              onChange={setSplit}
              options={[
                { value: 'item', label: t('charge.splitItem') },
                { value: 'object', label: t('charge.splitObject') },
              ]}
            />
          </>
        }
      >
        {read.isError ? (
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        ) : !read.data ? (
          <Skeleton active paragraph={{ rows: 6 }} />
        ) : read.data.items.length === 0 ? (
          <EmptyState title={t('charge.emptyTitle')} description={t('charge.emptyText')} />
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t(by === 'month' ? 'charge.month' : 'charge.day')}</th>
                <th scope="col">{t(split === 'item' ? 'charge.item' : 'charge.object')}</th>
                <th scope="col" className={css.number}>
                  {t('charge.quantity')}
                </th>
                <th scope="col" className={css.number}>
                  {t('amount')}
                </th>
              </tr>
            </thead>
            <tbody>
              {read.data.items.map(row => (
                <tr key={`${row.day} ${row.key}`}>
                  <td>{by === 'month' ? row.day.slice(0, 7) : row.day}</td>
                  <td>{nameOf(row.key, row.name)}</td>
                  <td className={css.number}>{formatNumber(row.quantity)}</td>
                  <td className={css.number}>{formatMoney(row.amountFen)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  )
}
