import type { OrderView } from '@thingwright/contracts/purchase-orders.contract'
import { Alert, Button, Input, Modal, Radio, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { every } from '../../lib/every.ts'
import { formatMoney, formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ORDERS } from './addresses.ts'
import { byWhom } from './by-whom.ts'
import { MONEY } from './hooks.ts'
import css from './money.module.css'
import { PayDialog } from './pay/pay-dialog.tsx'
import { useReceipt } from './use-receipt.ts'
import { fenOf, nameOf, ORDER_KIND, PAYMENT_KIND } from './words.ts'

const REREAD_MS = 10_000
/** There is a receipt for what was paid, also when it was paid back. */
const hasReceipt = (order: OrderView) => order.paidFen > 0 && order.payments.some(({ state }) => state === 'succeeded')
const REFUNDABLE = ['paid', 'processing', 'faulted', 'completed', 'partly_refunded']

/** One order: what it is, what was paid, what happened. */
export function OrderPage() {
  const { t } = useTranslation('money')
  const [search] = useSearchParams()
  const id = search.get('id') ?? ''
  const allowed = useMay('purchaseOrders.get')
  const read = useRead(
    'purchaseOrders.get',
    { params: { id } },
    { enabled: allowed && id !== '', refetchInterval: every(REREAD_MS) },
  )
  const crumbs = [{ title: t('order.title'), to: ORDERS }]
  if (!allowed) return <NoPermissionState of="purchaseOrders.get" />
  if (id === '' || read.isError)
    return (
      <>
        <PageHeader title={t('order.detail')} crumbs={crumbs} />
        <Panel>
          {id === '' ? (
            <EmptyState title={t('order.chooseTitle')} description={t('order.chooseText')} />
          ) : (
            <ErrorState error={read.error} onRetry={() => void read.refetch()} />
          )}
        </Panel>
      </>
    )
  if (!read.data)
    return (
      <>
        <PageHeader title={t('order.detail')} crumbs={crumbs} />
        <Panel>
          <Skeleton active paragraph={{ rows: 8 }} />
        </Panel>
      </>
    )
  return <Order order={read.data} />
}

function Order({ order }: { order: OrderView }) {
  const { t } = useTranslation('money')
  const mayPay = useMay('purchaseOrders.pay')
  const [open, setOpen] = useState<'pay' | 'refund' | null>(null)
  const cancel = useAct('purchaseOrders.cancel', { touches: MONEY })
  const receipt = useReceipt()
  const [item] = order.items
  return (
    <>
      <PageHeader
        title={t('order.detail')}
        crumbs={[{ title: t('order.title'), to: ORDERS }, { title: order.no }]}
        extra={<StatusTag kind={ORDER_KIND[order.state]}>{t(`state.${order.state}`)}</StatusTag>}
        actions={
          <>
            {hasReceipt(order) && (
              <Button loading={receipt.pending} onClick={() => receipt.save(order)}>
                {t('order.receipt')}
              </Button>
            )}
            {mayPay && REFUNDABLE.includes(order.state) && order.paidFen > order.refundedFen && (
              <Button onClick={() => setOpen('refund')}>{t('refund.act')}</Button>
            )}
            {mayPay && order.state === 'pending' && (
              <>
                <Button danger loading={cancel.pending} onClick={() => void cancel.run({ params: { id: order.id } })}>
                  {t('order.cancel')}
                </Button>
                <Button type="primary" onClick={() => setOpen('pay')}>
                  {t('order.pay')}
                </Button>
              </>
            )}
          </>
        }
      />
      <Stack>
        {order.state === 'faulted' && (
          <Alert type="warning" showIcon title={t('order.faulted')} description={t('order.faultedText')} />
        )}
        <Panel title={t('order.contents')}>
          <Facts
            items={[
              { label: t('order.no'), value: order.no },
              { label: t('order.what'), value: nameOf(item) },
              { label: t('kindLabel'), value: t(`kind.${order.kind}`) },
              { label: t('charge.quantity'), value: formatNumber(item?.quantity ?? 0) },
              { label: t('charge.unitPrice'), value: formatMoney(item?.priceFen ?? 0) },
              { label: t('order.payable'), value: formatMoney(order.payableFen) },
              { label: t('order.paid'), value: formatMoney(order.paidFen) },
              { label: t('order.refunded'), value: formatMoney(order.refundedFen) },
              { label: t('order.buyer'), value: order.buyerName || t('system') },
              { label: t('order.createdAt'), value: <TimeText value={order.createdAt} mode="absolute" /> },
              {
                label: t('order.paidAt'),
                value: order.paidAt ? <TimeText value={order.paidAt} mode="absolute" /> : '–',
              },
              {
                label: t('order.completedAt'),
                value: order.completedAt ? <TimeText value={order.completedAt} mode="absolute" /> : '–',
              },
              ...(order.remark ? [{ label: t('remark'), value: order.remark, wide: true }] : []),
            ]}
          />
        </Panel>
        <Panel flush title={t('order.payments')}>
          {order.payments.length === 0 ? (
            <EmptyState title={t('order.noPayments')} />
          ) : (
            <table className={css.table}>
              <thead>
                <tr>
                  <th scope="col">{t('number')}</th>
                  <th scope="col">{t('order.provider')}</th>
                  <th scope="col">{t('stateLabel')}</th>
                  <th scope="col" className={css.number}>
                    {t('amount')}
                  </th>
                  <th scope="col">{t('at')}</th>
                </tr>
              </thead>
              <tbody>
                {order.payments.map(payment => (
                  <tr key={payment.id}>
                    <td>{payment.no}</td>
                    <td>{t(`provider.${payment.provider}`)}</td>
                    <td>
                      <StatusTag kind={PAYMENT_KIND[payment.state]} title={payment.reason ?? ''}>
                        {t(`payment.${payment.state}`)}
                      </StatusTag>
                    </td>
                    <td className={css.number}>{formatMoney(payment.amountFen)}</td>
                    <td>
                      <TimeText value={payment.paidAt ?? payment.createdAt} mode="absolute" />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Panel>
        {order.refunds.length > 0 && (
          <Panel flush title={t('refund.title')}>
            <table className={css.table}>
              <thead>
                <tr>
                  <th scope="col">{t('number')}</th>
                  <th scope="col">{t('refund.way')}</th>
                  <th scope="col">{t('stateLabel')}</th>
                  <th scope="col" className={css.number}>
                    {t('amount')}
                  </th>
                  <th scope="col">{t('refund.reason')}</th>
                  <th scope="col">{t('refund.answer')}</th>
                </tr>
              </thead>
              <tbody>
                {order.refunds.map(refund => (
                  <tr key={refund.id}>
                    <td>{refund.no}</td>
                    <td>{t(`refund.to.${refund.way}`)}</td>
                    <td>
                      <span title={refund.said}>{t(`refund.state.${refund.state}`)}</span>
                      {refund.state === 'failed' && refund.said && <small> {refund.said}</small>}
                    </td>
                    <td className={css.number}>{formatMoney(refund.amountFen)}</td>
                    <td>{refund.reason}</td>
                    <td>{refund.answer ?? '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Panel>
        )}
        <Panel title={t('order.events')}>
          <ul className={css.events}>
            {order.events.map((event, at) => (
              <li key={at}>
                <TimeText value={event.at} mode="absolute" />
                <span>
                  {t(`event.${event.event}`)} · {byWhom(event.actorName, t('system'))}
                  {event.remark && <small> {event.remark}</small>}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      </Stack>
      {open === 'pay' && <PayDialog orderId={order.id} onClose={() => setOpen(null)} />}
      {open === 'refund' && <RefundDialog order={order} onClose={() => setOpen(null)} />}
    </>
  )
}

function RefundDialog({ order, onClose }: { order: OrderView; onClose: () => void }) {
  const { t } = useTranslation('money')
  const most = order.paidFen - order.refundedFen
  const [text, setText] = useState((most / 100).toFixed(2))
  const [reason, setReason] = useState('')
  const paid = order.payments.find(({ state }) => state === 'succeeded')
  const ways = [
    ...(order.kind === 'top_up' ? [] : (['balance'] as const)),
    ...(paid && paid.provider !== 'balance' ? (['origin'] as const) : []),
  ]
  const [way, setWay] = useState<'balance' | 'origin'>(ways[0] ?? 'balance')
  const refund = useAct('purchaseOrders.refund', {
    touches: MONEY,
    done: () => {
      notify.success(t('refund.asked'))
      onClose()
    },
  })
  const fen = fenOf(text)
  const wrong = fen === null || fen < 1 || fen > most
  return (
    <Modal
      open
      title={t('refund.act')}
      okText={t('refund.send')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: wrong || reason.trim() === '', loading: refund.pending }}
      onOk={() =>
        !wrong && void refund.run({ params: { id: order.id }, body: { amountFen: fen, way, reason: reason.trim() } })
      }
      onCancel={onClose}
      destroyOnHidden
    >
      <div className={css.pay}>
        <Input
          value={text}
          prefix="¥"
          inputMode="decimal"
          status={wrong ? 'error' : ''}
          aria-label={t('refund.amount', { most: formatMoney(most) })}
          onChange={event => setText(event.target.value)}
        />
        <p className={css.muted}>{t('refund.amount', { most: formatMoney(most) })}</p>
        <Radio.Group
          value={way}
          aria-label={t('refund.way')}
          onChange={event => setWay(event.target.value as 'balance' | 'origin')}
          options={ways.map(value => ({ value, label: t(`refund.to.${value}`) }))}
        />
        <Input.TextArea
          value={reason}
          rows={3}
          maxLength={200}
          placeholder={t('refund.reason')}
          aria-label={t('refund.reason')}
          onChange={event => setReason(event.target.value)}
        />
      </div>
    </Modal>
  )
}
