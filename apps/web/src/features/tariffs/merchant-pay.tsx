import type { OnlineProvider } from '@thingwright/contracts/money.words'
import { Alert, Button, Input, Modal, Radio } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { METERING } from './hooks.ts'
import { fenOf } from './pay-dialog.tsx'
import css from './tariffs.module.css'

const ASK_EVERY_MS = 2_000

/** An end user pays into the merchant account of his company: he scans, and the page learns of the money by itself. */
export function MerchantPay({
  owedFen,
  providers,
  onClose,
}: {
  owedFen: number
  providers: readonly OnlineProvider[]
  onClose: () => void
}) {
  const { t } = useTranslation('tariffs')
  const [text, setText] = useState(owedFen >= 100 ? (owedFen / 100).toFixed(2) : '50')
  const [provider, setProvider] = useState(providers[0])
  const pay = useAct('ownPayments.pay', { notice: false, touches: METERING })
  const fen = fenOf(text)
  const begun = pay.reply
  const read = useRead(
    'ownPayments.payment',
    { params: { id: begun?.id ?? '' } },
    {
      enabled: begun !== undefined,
      refetchInterval: query => (query.state.data?.state === 'pending' || !query.state.data ? ASK_EVERY_MS : false),
    },
  )
  const state = read.data?.state ?? 'pending'
  useEffect(() => {
    if (state !== 'succeeded') return
    notify.success(t('paidNow'))
    onClose()
  }, [state, t, onClose])
  return (
    <Modal
      open
      title={t('pay')}
      okText={t('payNext')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: fen === null || begun !== undefined, loading: pay.pending }}
      onOk={() => fen !== null && provider && void pay.run({ body: { amountFen: fen, provider } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {pay.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(pay.error).message} />}
        {begun ? (
          <>
            {begun.codeUrl && <QrCode value={begun.codeUrl} label={t('payCode')} size={208} />}
            {begun.pageUrl && (
              <Button type="primary" href={begun.pageUrl} target="_blank" rel="noopener noreferrer">
                {t('payPage')}
              </Button>
            )}
            <p className={css.muted} role="status">
              {t(state === 'pending' ? `scan.${begun.way === 'alipay' ? 'alipay' : 'wechat'}` : 'payEnded')}
            </p>
          </>
        ) : (
          <>
            <Input
              aria-label={t('payAmount')}
              prefix="¥"
              inputMode="decimal"
              value={text}
              status={fen === null && text !== '' ? 'error' : ''}
              onChange={event => setText(event.target.value)}
            />
            <Radio.Group
              value={provider}
              options={providers.map(value => ({ value, label: t(`way.${value}`) }))}
              onChange={event => setProvider(event.target.value as OnlineProvider)}
            />
          </>
        )}
      </div>
    </Modal>
  )
}
