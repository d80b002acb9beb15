import { Alert, Modal, Skeleton } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate, formatMoney } from '../../lib/format.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { Facts } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import css from './money.module.css'
import { nameOf } from './words.ts'

/** What it costs now, with what is taken off, before it is ordered. */
export function QuoteDialog({
  sku,
  quantity,
  onBuy,
  onClose,
}: {
  sku: string
  quantity: number
  onBuy: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('money')
  const quote = useAct('purchaseOrders.quote', { own: false, notice: false })
  const { run } = quote
  useEffect(() => void run({ body: { items: [{ sku, quantity }] } }), [run, sku, quantity])
  const found = quote.reply
  const [item] = found?.items ?? []
  return (
    <Modal
      open
      title={t('quote.title')}
      okText={found?.later ? t('quote.change') : t('quote.order')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: !found }}
      onOk={onBuy}
      onCancel={onClose}
    >
      {quote.error ? (
        <ErrorState error={quote.error} />
      ) : !found ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        <div className={css.pay}>
          <Facts
            items={[
              { label: t('order.what'), value: nameOf(item) },
              { label: t('charge.quantity'), value: quantity },
              ...(item?.prorated && item.prorated.creditFen > 0
                ? [{ label: t('quote.credit'), value: `-${formatMoney(item.prorated.creditFen)}` }]
                : []),
              ...(item?.prorated
                ? [
                    {
                      label: t('charge.period'),
                      value: t('charge.fromTo', {
                        from: formatDate(item.prorated.from),
                        to: formatDate(item.prorated.to),
                      }),
                    },
                  ]
                : []),
              { label: t('order.payable'), value: <b>{formatMoney(found.payableFen)}</b> },
            ]}
          />
          {found.later && <Alert type="info" showIcon title={t('quote.later', { date: formatDate(found.later) })} />}
        </div>
      )}
    </Modal>
  )
}
