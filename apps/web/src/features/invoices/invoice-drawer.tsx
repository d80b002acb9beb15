import type { InvoiceView } from '@thingwright/contracts/invoices.contract'
import { RED_REASONS, type RedReason } from '@thingwright/contracts/money.words'
import { Alert, Button, Drawer, Input, Modal, Select, Skeleton, Space, Timeline } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { download } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatBytes, formatDateTime, formatMoney } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { Facts } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { INVOICES, LIST, STAGE_KIND } from './hooks.ts'
import css from './invoices.module.css'

/** One invoice: whom it names, what it covers, its files, what happened, and what can be done with it. */
export function InvoiceDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const read = useRead('invoices.get', { params: { id } })
  return (
    <Drawer open size={720} title={read.data ? t('detail', { no: read.data.no }) : t('title')} onClose={onClose}>
      {read.data ? (
        <Invoice invoice={read.data} />
      ) : read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Invoice({ invoice }: { invoice: InvoiceView }) {
  const { t } = useTranslation('invoices')
  const mayWrite = useMay('invoices.withdraw')
  const [asked, setAsked] = useState<'reverse' | 'send' | null>(null)
  const withdraw = useAct('invoices.withdraw', { touches: INVOICES })
  const { attempt } = useWork()
  const { buyer } = invoice
  const canSend = invoice.documents.length > 0 && (invoice.state === 'issued' || invoice.state === 'delivered')
  return (
    <div className={css.stack}>
      {invoice.reason && <Alert type="warning" showIcon title={invoice.reason} />}
      {mayWrite && (
        <Space wrap>
          {invoice.mayWithdraw && (
            <Button loading={withdraw.pending} onClick={() => void withdraw.run({ params: { id: invoice.id } })}>
              {t('withdraw')}
            </Button>
          )}
          {invoice.mayReverse && <Button onClick={() => setAsked('reverse')}>{t('reverse')}</Button>}
          {canSend && <Button onClick={() => setAsked('send')}>{t('send')}</Button>}
        </Space>
      )}
      <Facts
        items={[
          {
            label: t('state'),
            value: <StatusTag kind={STAGE_KIND[invoice.state]}>{t(`stage.${invoice.state}`)}</StatusTag>,
          },
          { label: t('type'), value: t(`types.${invoice.type}`) },
          {
            label: t('amount'),
            value: <b>{formatMoney(invoice.redOf === null ? invoice.amountFen : -invoice.amountFen)}</b>,
          },
          ...(invoice.reversedFen > 0 ? [{ label: t('reversedAmount'), value: formatMoney(invoice.reversedFen) }] : []),
          ...(invoice.redOf === null
            ? []
            : [
                { label: t('redOf'), value: <Link to={`${LIST}?id=${invoice.redOf}`}>{t('openBlue')}</Link> },
                { label: t('redReason'), value: t(`redReasons.${invoice.redReason ?? 'mistaken'}`) },
              ]),
          { label: t('titleName'), value: buyer.title },
          { label: t('taxNo'), value: buyer.taxNo || '\u2013' },
          ...(buyer.bank === ''
            ? []
            : [
                { label: t('bank'), value: `${buyer.bank} ${buyer.bankAccount}` },
                { label: t('registered'), value: `${buyer.address} ${buyer.phone}` },
              ]),
          { label: t('number'), value: [invoice.code, invoice.number].filter(Boolean).join(' / ') || '\u2013' },
          ...(invoice.email ? [{ label: t('email'), value: invoice.email }] : []),
          ...(invoice.address
            ? [
                {
                  label: t('address'),
                  value: `${invoice.address.receiver} ${invoice.address.phone} ${invoice.address.text}`,
                  wide: true,
                },
              ]
            : []),
          ...(invoice.logistics
            ? [{ label: t('logistics'), value: `${invoice.logistics.company} ${invoice.logistics.no}` }]
            : []),
          ...(invoice.category ? [{ label: t('category'), value: invoice.category }] : []),
          ...(invoice.remark ? [{ label: t('remark'), value: invoice.remark, wide: true }] : []),
        ]}
      />
      <h3>{t('documents')}</h3>
      {invoice.documents.length === 0 ? (
        <p className={css.muted}>{t('noDocuments')}</p>
      ) : (
        <ul className={css.files}>
          {invoice.documents.map(file => (
            <li key={file.id}>
              <Button
                type="link"
                onClick={() => void attempt(() => download('invoices.file', file.name, { params: { id: file.id } }))}
              >
                {file.name}
              </Button>
              <span className={css.muted}>{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
      <h3>{t('covers')}</h3>
      <ul className={css.files}>
        {invoice.lines.map(line => (
          <li key={line.orderId}>
            <Link to={`/cost/order/detail?id=${line.orderId}`}>{line.orderNo}</Link>
            <span className={css.money}>{formatMoney(line.amountFen)}</span>
            {line.releasedFen > 0 && (
              <span className={css.muted}>{t('released', { amount: formatMoney(line.releasedFen) })}</span>
            )}
          </li>
        ))}
      </ul>
      <h3>{t('history')}</h3>
      <Timeline
        items={invoice.history.map(entry => ({
          content: (
            <>
              <b>{t(`stage.${entry.state}`)}</b>{' '}
              <span className={css.muted}>{[formatDateTime(entry.at), entry.by].filter(Boolean).join(' \u00b7 ')}</span>
              {entry.note && <div>{entry.note}</div>}
            </>
          ),
        }))}
      />
      {asked === 'reverse' && <ReverseDialog invoice={invoice} onClose={() => setAsked(null)} />}
      {asked === 'send' && <SendDialog invoice={invoice} onClose={() => setAsked(null)} />}
    </div>
  )
}

function ReverseDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const left = invoice.amountFen - invoice.reversedFen - invoice.reversingFen
  const [amount, setAmount] = useState((left / 100).toFixed(2))
  const [reason, setReason] = useState<RedReason>('mistaken')
  const act = useAct('invoices.reverse', { touches: INVOICES, notice: false, done: onClose })
  const found = /^\s*(\d{1,9})(?:\.(\d{1,2}))?\s*$/.exec(amount)
  const fen = found ? Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0') || '0') : 0
  return (
    <Modal
      open
      title={t('reverse')}
      okText={t('submit')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: fen < 1 || fen > left, loading: act.pending }}
      onOk={() => void act.run({ params: { id: invoice.id }, body: { amountFen: fen, reason } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {act.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(act.error).message} />}
        <p>{t('reverseText', { amount: formatMoney(left) })}</p>
        <Input
          aria-label={t('amount')}
          prefix="¥"
          value={amount}
          status={fen < 1 || fen > left ? 'error' : ''}
          onChange={event => setAmount(event.target.value)}
        />
        <Select
          aria-label={t('redReason')}
          value={reason}
          options={RED_REASONS.map(value => ({ value, label: t(`redReasons.${value}`) }))}
          onChange={setReason}
        />
      </div>
    </Modal>
  )
}

function SendDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const [email, setEmail] = useState(invoice.email)
  const act = useAct('invoices.send', { touches: INVOICES, notice: false, done: onClose })
  return (
    <Modal
      open
      title={t('send')}
      okText={t('send')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email), loading: act.pending }}
      onOk={() => void act.run({ params: { id: invoice.id }, body: { email } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {act.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(act.error).message} />}
        <Input aria-label={t('email')} value={email} onChange={event => setEmail(event.target.value.trim())} />
      </div>
    </Modal>
  )
}
