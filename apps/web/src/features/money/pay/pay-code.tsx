import type { OrderView, PaymentView } from '@thingwright/contracts/purchase-orders.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { QrCode } from '../../../ui/qr-code.tsx'
import { MONEY } from '../hooks.ts'
import css from '../money.module.css'
import { TimeLeft } from './time-left.tsx'

/** What to scan or where to go, and the buttons of the simulated provider where no real one is set up. */
export function PayCode({
  order,
  payment,
  onOther,
}: {
  order: OrderView
  payment: PaymentView
  /** Somebody wants to pay another way. */
  onOther: () => void
}) {
  const { t } = useTranslation('money')
  const simulate = useAct('purchaseOrders.simulate', { touches: MONEY })
  const say = (outcome: 'paid' | 'failed') => void simulate.run({ params: { id: payment.id }, body: { outcome } })
  return (
    <div className={css.code}>
      <TimeLeft until={order.payBefore} />
      {payment.codeUrl && <QrCode value={payment.codeUrl} label={t('pay.code')} size={208} />}
      {payment.provider === 'simulated' ? (
        <>
          <span className={css.simulated}>{t('pay.simulated')}</span>
          <div className={css.line}>
            <Button type="primary" loading={simulate.pending} onClick={() => say('paid')}>
              {t('pay.simulatePaid')}
            </Button>
            <Button disabled={simulate.pending} onClick={() => say('failed')}>
              {t('pay.simulateFailed')}
            </Button>
          </div>
        </>
      ) : (
        <>
          {payment.pageUrl && (
            <Button type="primary" href={payment.pageUrl} target="_blank" rel="noopener noreferrer">
              {t('pay.toPage')}
            </Button>
          )}
          <p className={css.muted} role="status" data-testid="pay-state">
            {payment.state === 'created'
              ? t('pay.opening')
              : payment.pageUrl
                ? t('pay.waitPage')
                : t(`pay.scan.${payment.provider}`)}
          </p>
        </>
      )}
      <Button type="link" onClick={onOther}>
        {t('pay.other')}
      </Button>
    </div>
  )
}
