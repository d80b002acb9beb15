import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Panel } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Balance, Cutoffs, Entries, Statements } from './account-parts.tsx'
import { PayDialog } from './pay-dialog.tsx'
import { StatementDrawer } from './statement-drawer.tsx'
import css from './tariffs.module.css'

const MerchantPay = lazy(async () => ({ default: (await import('./merchant-pay.tsx')).MerchantPay }))

/** An end user about himself: what he has or owes, his meters and statements. */
export function OwnTab() {
  const { t } = useTranslation('tariffs')
  const [open, setOpen] = useState<string | null>(null)
  const [paying, setPaying] = useState(false)
  const close = useCallback(() => setPaying(false), [])
  const account = useRead('ownMeters.account')
  const ways = useRead('ownPayments.ways')
  const statements = useRead('ownMeters.statements', { query: { limit: 50 } })
  const entries = useRead('ownMeters.entries', { query: { limit: 50 } })
  const canPay = ways.data?.online === 'simulated' || (ways.data?.providers.length ?? 0) > 0
  if (account.isError) return <ErrorState error={account.error} onRetry={() => void account.refetch()} />
  if (!account.data) return <Skeleton active paragraph={{ rows: 6 }} />
  return (
    <div className={css.stack}>
      <Cutoffs items={ways.data?.cutoffs} />
      <Balance
        account={account.data}
        actions={
          canPay ? (
            <Button type="primary" onClick={() => setPaying(true)}>
              {t('pay')}
            </Button>
          ) : undefined
        }
      />
      {ways.data && !canPay && <p className={css.muted}>{t('payOffline')}</p>}
      <Panel title={t('tab.meters')}>
        {account.data.items.length === 0 ? (
          <p className={css.muted}>{t('noOwnMeters')}</p>
        ) : (
          <ul className={css.rows}>
            {account.data.items.map(meter => (
              <li key={meter.id}>
                <span>
                  {meter.name} <span className={css.muted}>{`${meter.deviceName} · ${meter.tariffName}`}</span>
                </span>
                <span className={css.number}>
                  {meter.billedTo
                    ? t('billedUntil', { at: formatDateTime(meter.billedTo), value: meter.billedValue ?? '' })
                    : t('notBilled')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Statements title={t('tab.statements')} items={statements.data?.items} onOpen={setOpen} />
      <Entries items={entries.data?.items} />
      {paying &&
        (ways.data?.online === 'merchant' ? (
          <Suspense>
            <MerchantPay owedFen={account.data.owedFen} providers={ways.data.providers} onClose={close} />
          </Suspense>
        ) : (
          <PayDialog owedFen={account.data.owedFen} onClose={close} />
        ))}
      {open && <StatementDrawer key={open} id={open} own onClose={() => setOpen(null)} />}
    </div>
  )
}
