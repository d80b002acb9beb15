import type { PayForm, Provider } from '@thingwright/contracts/money.words'
import type { OrderView, VoucherFileView } from '@thingwright/contracts/purchase-orders.contract'
import { Alert, Button, Input, Modal, Radio, Skeleton } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../../lib/every.ts'
import { formatMoney } from '../../../lib/format.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { MONEY } from '../hooks.ts'
import css from '../money.module.css'
import { nameOf, ORDER_KIND } from '../words.ts'
import { PayCode } from './pay-code.tsx'
import { TimeLeft } from './time-left.tsx'
import { VoucherFiles } from './voucher-files.tsx'

const REREAD_MS = 2_000
const OPEN = ['pending', 'paid', 'processing']
const OPEN_PAYMENT = ['created', 'pending', 'in_review']
/** Cards that were paid for wait for shipping: nothing more happens here. */
const waitsForShipping = (order: OrderView) => order.kind === 'sim' && order.state !== 'pending'

/** Pays for an order: chooses the way, shows what to scan or what the bank needs, and waits until the money is there. */
export function PayDialog({
  orderId,
  onDone,
  onClose,
}: {
  orderId: string
  /** The order is paid and was given. */
  onDone?: (order: OrderView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('money')
  const read = useRead(
    'purchaseOrders.get',
    { params: { id: orderId } },
    { refetchInterval: every(REREAD_MS), staleTime: 0 },
  )
  const order = read.data
  const done = order !== undefined && (order.state === 'completed' || waitsForShipping(order))
  const told = useRef(false)
  const cache = useCache()
  useEffect(() => {
    if (!done || !order || told.current) return
    told.current = true
    // It was not this page that paid: what it shows of the money is out of date.
    void cache.touch(...MONEY)
    onDone?.(order)
  }, [done, order, onDone, cache])
  return (
    <Modal open title={t('pay.title')} footer={null} onCancel={onClose} width={520} destroyOnHidden>
      {read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : !order ? (
        <Skeleton active />
      ) : (
        <div className={css.pay}>
          <div className={css.line}>
            <span>
              {nameOf(order.items[0])} · {order.no}
            </span>
            <span className={css.big}>{formatMoney(order.payableFen)}</span>
          </div>
          {order.state === 'pending' ? (
            <Paying order={order} />
          ) : (
            <>
              <StatusTag kind={ORDER_KIND[order.state]}>{t(`state.${order.state}`)}</StatusTag>
              {OPEN.includes(order.state) && !waitsForShipping(order) ? (
                <p className={css.muted}>{t('pay.givingNow')}</p>
              ) : (
                <Button type="primary" onClick={onClose}>
                  {t('pay.close')}
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </Modal>
  )
}

interface Way {
  key: string
  provider: Provider
  form?: PayForm
}

/** Ways to choose from: Alipay can be scanned, or paid on its page. */
function optionsOf(ways: readonly Provider[]): Way[] {
  return ways.flatMap<Way>(provider =>
    provider === 'alipay'
      ? [
          { key: 'alipay', provider, form: 'code' },
          { key: 'alipayPage', provider, form: 'page' },
        ]
      : [{ key: provider, provider }],
  )
}

function Paying({ order }: { order: OrderView }) {
  const { t } = useTranslation('money')
  const assets = useRead('purchaseOrders.assets', {})
  const pay = useAct('purchaseOrders.pay', { touches: MONEY })
  const open = order.payments.find(payment => OPEN_PAYMENT.includes(payment.state))
  const options = optionsOf(order.ways)
  const [key, setKey] = useState(options[0]?.key)
  /** The payment that somebody does not want to go on with. */
  const [left, setLeft] = useState<string | null>(null)
  const [number, setNumber] = useState('')
  const [payer, setPayer] = useState('')
  const [files, setFiles] = useState<VoucherFileView[]>([])
  const wallet = assets.data?.wallet
  const spendable = wallet ? wallet.availableFen + wallet.creditFen : 0
  if (open?.state === 'in_review')
    return <Alert type="info" showIcon title={t('pay.inReview')} description={t('pay.inReviewText')} />
  if (open && open.id !== left) return <PayCode order={order} payment={open} onOther={() => setLeft(open.id)} />
  const chosen = options.find(option => option.key === key) ?? options[0]
  if (!chosen) return <Alert type="warning" showIcon title={t('pay.noWay')} />
  const way = chosen.provider
  const short = way === 'balance' && wallet !== undefined && spendable < order.payableFen
  const refused = order.payments.find(payment => payment.state === 'refused' || payment.state === 'failed')
  const start = async () => {
    const done = await pay.run({
      params: { id: order.id },
      body: {
        provider: way,
        ...(chosen.form ? { form: chosen.form } : {}),
        ...(way === 'transfer'
          ? {
              voucher: {
                number: number.trim(),
                payer: payer.trim(),
                ...(files.length > 0 ? { fileIds: files.map(({ id }) => id) } : {}),
              },
            }
          : {}),
      },
    })
    if (done) setLeft(null)
  }
  return (
    <>
      <TimeLeft until={order.payBefore} />
      {refused && (
        <Alert type="warning" showIcon title={t('pay.notPaid', { reason: refused.reason ?? t('pay.noReason') })} />
      )}
      <Radio.Group
        value={chosen.key}
        onChange={event => setKey(event.target.value as string)}
        options={options.map(option => ({
          value: option.key,
          label:
            option.provider === 'balance'
              ? t('pay.fromBalance', { amount: formatMoney(spendable) })
              : option.form
                ? t(`pay.alipay.${option.form}`)
                : t(`provider.${option.provider}`),
        }))}
        style={{ display: 'flex', flexDirection: 'column', gap: 8 }}
        aria-label={t('pay.way')}
      />
      {way === 'transfer' && (
        <>
          <p className={css.muted}>{t('pay.transferText')}</p>
          <Input
            value={number}
            onChange={event => setNumber(event.target.value)}
            placeholder={t('pay.number')}
            aria-label={t('pay.number')}
            maxLength={64}
          />
          <Input
            value={payer}
            onChange={event => setPayer(event.target.value)}
            placeholder={t('pay.payer')}
            aria-label={t('pay.payer')}
            maxLength={64}
          />
          <VoucherFiles value={files} onChange={setFiles} />
        </>
      )}
      {short && <Alert type="warning" showIcon title={t('pay.short')} />}
      <Button
        type="primary"
        loading={pay.pending}
        disabled={short || (way === 'transfer' && (number.trim().length < 4 || payer.trim() === ''))}
        onClick={() => void start()}
      >
        {t('pay.now', { amount: formatMoney(order.payableFen) })}
      </Button>
    </>
  )
}
