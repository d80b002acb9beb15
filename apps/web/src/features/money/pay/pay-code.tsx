import type { OrderView, PaymentView } from '@thingwright/contracts/purchase-orders.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { QrCode } from '../../../ui/qr-code.tsx'
import { MONEY } from '../hooks.ts'
import css from '../money.module.css'
import { TimeLeft } from './time-left.tsx'

/** What to scan, and the buttons of the simulated provider where no real one is set up. */
export function PayCode({ order, payment }: { order: OrderView; payment: PaymentView }) {
  const { t } = useTranslation('money')
  const simulate = useAct('purchaseOrders.simulate', { touches: MONEY })
  const say = (outcome: 'paid' | 'failed') => void simulate.run({ params: { id: payment.id }, body: { outcome } })
  return (
    <div className={css.code}>
      <TimeLeft until={order.payBefore} />
      {payment.codeUrl && <QrCode value={payment.codeUrl} label={t('pay.code')} />}
      {payment.provider === 'simulated' && (
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
      )}
    </div>
  )
}
