import type { DeskInvoiceView } from '@thingwright/contracts/invoices.contract'
import type { InvoiceStage } from '@thingwright/contracts/money.words'
import { Alert, Button, Drawer, Input, Skeleton } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, download } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { formatBytes, formatDateTime, formatMoney } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../money.module.css'
import { INVOICE_KIND } from '../words.ts'

/** An invoice of a company, and what the platform does next with it. */
export function DeskInvoiceDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('money')
  const read = useRead('invoiceDesk.get', { params: { id } })
  return (
    <Drawer open size={720} title={read.data?.no ?? t('invoice.process')} onClose={onClose}>
      {read.data ? (
        <Invoice key={read.data.version} invoice={read.data} onAdded={() => void read.refetch()} />
      ) : read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

type Action = Body<'invoiceDesk.act'>['action']
const NEXT: Record<InvoiceStage, readonly Action[]> = {
  submitted: ['accept', 'reject'],
  issuing: ['issue', 'fail', 'reject'],
  failed: ['accept', 'reject'],
  issued: ['ship', 'void'],
  delivered: ['void'],
  rejected: [],
  withdrawn: [],
  voided: [],
}
const WITH_REASON = new Set<Action>(['reject', 'fail', 'void'])

function Invoice({ invoice, onAdded }: { invoice: DeskInvoiceView; onAdded: () => void }) {
  const { t } = useTranslation('money')
  const mayWrite = useMay('invoiceDesk.act')
  const [values, setValues] = useState({ reason: '', number: '', code: '', company: '', no: '' })
  const act = useAct('invoiceDesk.act', { touches: ['invoiceDesk'], notice: false })
  const { attempt, pending } = useWork()
  const input = useRef<HTMLInputElement>(null)
  const isPaper = invoice.type === 'special_paper'
  const { buyer } = invoice
  const actions = NEXT[invoice.state].filter(action => isPaper || (action !== 'ship' && action !== 'void'))
  const set = (key: keyof typeof values) => (event: { target: { value: string } }) =>
    setValues(now => ({ ...now, [key]: event.target.value }))
  const run = (action: Action) =>
    void act.run({
      params: { id: invoice.id },
      body: {
        action,
        version: invoice.version,
        ...(WITH_REASON.has(action) ? { reason: values.reason } : {}),
        ...(action === 'issue' && values.number ? { number: values.number.trim() } : {}),
        ...(action === 'issue' && values.code ? { code: values.code.trim() } : {}),
        ...(action === 'ship' ? { logistics: { company: values.company.trim(), no: values.no.trim() } } : {}),
      },
    })
  const upload = (file: File) =>
    attempt(async () => {
      const { signal } = new AbortController()
      const url = `/api/v1/operator/invoices/${invoice.id}/files`
      await uploadFile({ method: 'POST', url, fields: {}, file, signal, onProgress: () => {} })
      onAdded()
    })
  const field = (key: keyof typeof values) => (
    <Input
      aria-label={t(`invoice.${key}Field`)}
      placeholder={t(`invoice.${key}Field`)}
      value={values[key]}
      onChange={set(key)}
    />
  )
  return (
    <div className={css.pay}>
      <Facts
        items={[
          {
            label: t('stateLabel'),
            value: (
              <StatusTag kind={INVOICE_KIND[invoice.state]} title={invoice.reason ?? ''}>
                {t(`invoice.stage.${invoice.state}`)}
              </StatusTag>
            ),
          },
          {
            label: t('kindLabel'),
            value: [t(`invoice.type.${invoice.type}`), ...(invoice.redOf ? [t('invoice.red')] : [])].join(' \u00b7 '),
          },
          { label: t('desk.company'), value: invoice.companyName },
          { label: t('amount'), value: <b>{formatMoney(invoice.redOf ? -invoice.amountFen : invoice.amountFen)}</b> },
          { label: t('invoice.title'), value: buyer.title },
          { label: t('invoice.taxNo'), value: buyer.taxNo || '\u2013' },
          ...(buyer.bank
            ? [
                { label: t('invoice.bank'), value: `${buyer.bank} ${buyer.bankAccount}` },
                { label: t('invoice.registered'), value: `${buyer.address} ${buyer.phone}` },
              ]
            : []),
          ...(invoice.email ? [{ label: t('invoice.email'), value: invoice.email }] : []),
          ...(invoice.address
            ? [
                {
                  label: t('invoice.address'),
                  value: `${invoice.address.receiver} ${invoice.address.phone} ${invoice.address.text}`,
                  wide: true,
                },
              ]
            : []),
          ...(invoice.category ? [{ label: t('invoice.category'), value: invoice.category }] : []),
          ...(invoice.remark ? [{ label: t('remark'), value: invoice.remark, wide: true }] : []),
          {
            label: t('invoice.covers'),
            value: invoice.lines.map(line => `${line.orderNo} ${formatMoney(line.amountFen)}`).join(', '),
            wide: true,
          },
        ]}
      />
      <h3>{t('invoice.files')}</h3>
      {invoice.documents.map(file => (
        <div key={file.id} className={css.line}>
          <Button
            type="link"
            onClick={() =>
              void attempt(() =>
                download('invoiceDesk.file', file.name, { params: { id: invoice.id, fileId: file.id } }),
              )
            }
          >
            {file.name}
          </Button>
          {formatBytes(file.size)}
        </div>
      ))}
      {mayWrite && ['issuing', 'issued', 'delivered'].includes(invoice.state) && (
        <div className={css.line}>
          <Button loading={pending} onClick={() => input.current?.click()}>
            {t('invoice.upload')}
          </Button>
          <input
            ref={input}
            hidden
            type="file"
            data-testid="invoice-file"
            accept=".pdf,.ofd,.xml"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              target.value = ''
              if (file) void upload(file)
            }}
          />
        </div>
      )}
      {mayWrite && actions.length > 0 && (
        <>
          {act.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(act.error).message} />}
          {actions.includes('issue') && (
            <>
              {field('number')}
              {isPaper && field('code')}
            </>
          )}
          {actions.includes('ship') && (
            <>
              {field('company')}
              {field('no')}
            </>
          )}
          {actions.some(action => WITH_REASON.has(action)) && field('reason')}
          <div className={css.line}>
            {actions.map((action, at) => (
              <Button
                key={action}
                {...(at === 0 ? { type: 'primary' as const } : {})}
                danger={WITH_REASON.has(action)}
                disabled={act.pending || (WITH_REASON.has(action) && values.reason.trim() === '')}
                onClick={() => run(action)}
              >
                {t(`invoice.action.${action}`)}
              </Button>
            ))}
          </div>
        </>
      )}
      <h3>{t('order.history')}</h3>
      {invoice.history.map(entry => (
        <div key={entry.at + entry.state}>
          {[t(`invoice.stage.${entry.state}`), formatDateTime(entry.at), entry.by, entry.note]
            .filter(Boolean)
            .join(' \u00b7 ')}
        </div>
      ))}
    </div>
  )
}
