import type { MeterAccountRow, MeterEntry, MeterStatementRow } from '@thingwright/contracts/meter-statements.contract'
import type { MeterCutoff } from '@thingwright/contracts/prepaid.contract'
import { Alert, Button, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { STATE_KIND } from './hooks.ts'
import css from './tariffs.module.css'

/** What an end user has, or owes. */
export function Balance({ account, actions }: { account: MeterAccountRow; actions?: ReactNode }) {
  const { t } = useTranslation('tariffs')
  const owes = account.balanceFen < 0
  return (
    <Panel title={t('balance')} hint={owes ? t('owesHint') : undefined} actions={actions}>
      <p className={`${css.big} ${owes ? css.owed : ''}`}>{formatMoney(account.balanceFen)}</p>
    </Panel>
  )
}

/** What is about to be cut off, is off, or comes on again. */
export function Cutoffs({ items }: { items: readonly MeterCutoff[] | undefined }) {
  const { t } = useTranslation('tariffs')
  const open = (items ?? []).filter(({ state }) => state !== 'restored' && state !== 'cancelled')
  return open.map(cutoff => (
    <Alert
      key={cutoff.id}
      type={cutoff.state === 'noticed' || cutoff.state === 'restoring' ? 'warning' : 'error'}
      showIcon
      role="alert"
      title={t('cutoffTitle', { meter: cutoff.meterName, state: t(`cutoff.${cutoff.state}`) })}
      description={[
        t('cutoffSince', { at: formatDateTime(cutoff.noticedAt) }),
        cutoff.waits && t(`waits.${cutoff.waits}`),
        cutoff.reason,
      ]
        .filter(Boolean)
        .join(' · ')}
    />
  ))
}

/** The last statements. */
export function Statements({
  title,
  items,
  onOpen,
}: {
  title: string
  items: readonly MeterStatementRow[] | undefined
  onOpen: (id: string) => void
}) {
  const { t } = useTranslation('tariffs')
  return (
    <Panel title={title} flush>
      {items === undefined ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : items.length === 0 ? (
        <p className={css.empty}>{t('noStatements')}</p>
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('month')}</th>
              <th scope="col">{t('meter')}</th>
              <th scope="col" className={css.number}>
                {t('quantity')}
              </th>
              <th scope="col" className={css.number}>
                {t('amount')}
              </th>
              <th scope="col">{t('stateLabel')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map(row => (
              <tr key={row.id}>
                <td>
                  <Button type="link" className={css.link ?? ''} onClick={() => onOpen(row.id)}>
                    {row.month}
                  </Button>
                </td>
                <td>{row.meterName}</td>
                <td className={css.number}>
                  {row.quantity} {row.unit}
                </td>
                <td className={css.number}>{formatMoney(row.amountFen)}</td>
                <td>
                  <StatusTag kind={STATE_KIND[row.state]}>{t(`state.${row.state}`)}</StatusTag>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

/** The last movements of the balance. */
export function Entries({ items }: { items: readonly MeterEntry[] | undefined }) {
  const { t } = useTranslation('tariffs')
  if (items === undefined || items.length === 0) return null
  return (
    <Panel title={t('entries')} flush>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('at')}</th>
            <th scope="col">{t('what')}</th>
            <th scope="col" className={css.number}>
              {t('amount')}
            </th>
            <th scope="col" className={css.number}>
              {t('balanceAfter')}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(entry => (
            <tr key={entry.id}>
              <td>{formatDateTime(entry.at)}</td>
              <td>
                {t(`entry.${entry.kind}`)} <span className={css.muted}>{entry.remark || entry.causeNo}</span>
              </td>
              <td className={css.number}>{formatMoney(entry.amountFen)}</td>
              <td className={css.number}>{formatMoney(entry.afterFen)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
