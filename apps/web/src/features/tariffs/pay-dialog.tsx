import { Alert, Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { formatMoney } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { METERING } from './hooks.ts'
import css from './tariffs.module.css'

const LEAST_FEN = 100
const MOST_FEN = 50_000_000
/** Fen of an amount in yuan as it is typed; null: it is none that can be paid. */
export function fenOf(text: string): number | null {
  const found = /^\s*(\d{1,6})(?:\.(\d{1,2}))?\s*$/.exec(text)
  if (!found) return null
  const fen = Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0') || '0')
  return fen >= LEAST_FEN && fen <= MOST_FEN ? fen : null
}

/** An end user pays his company through the simulated provider, which says what it is. */
export function PayDialog({ owedFen, onClose }: { owedFen: number; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const [text, setText] = useState(owedFen >= LEAST_FEN ? (owedFen / 100).toFixed(2) : '50')
  const pay = useAct('ownPayments.pay', { notice: false })
  const simulate = useAct('ownPayments.simulate', {
    touches: METERING,
    notice: false,
    done: ({ state }) => {
      if (state === 'succeeded') notify.success(t('paidNow'))
      onClose()
    },
  })
  const fen = fenOf(text)
  const payment = pay.reply
  const error = pay.error ?? simulate.error
  return (
    <Modal
      open
      title={t('pay')}
      okText={t('payNext')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: fen === null || payment !== undefined, loading: pay.pending }}
      onOk={() => fen !== null && void pay.run({ body: { amountFen: fen } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(error).message} />}
        {payment ? (
          <>
            <Alert type="warning" showIcon title={t('simulatedText')} />
            <div className={css.line}>
              <Button
                type="primary"
                loading={simulate.pending}
                onClick={() => void simulate.run({ params: { id: payment.id }, body: { outcome: 'paid' } })}
              >
                {t('simulatePaid', { amount: formatMoney(payment.amountFen) })}
              </Button>
              <Button
                disabled={simulate.pending}
                onClick={() => void simulate.run({ params: { id: payment.id }, body: { outcome: 'failed' } })}
              >
                {t('simulateFailed')}
              </Button>
            </div>
          </>
        ) : (
          <Input
            aria-label={t('payAmount')}
            prefix="¥"
            inputMode="decimal"
            value={text}
            status={fen === null && text !== '' ? 'error' : ''}
            onChange={event => setText(event.target.value)}
          />
        )}
      </div>
    </Modal>
  )
}
