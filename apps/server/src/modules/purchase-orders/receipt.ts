import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { pdfDocument } from '../../lib/pdf/pdf-document.ts'
import { clockText } from '../../lib/zoned-time.ts'
import { platformSettingsIn } from '../tenants/index.ts'
import { companyOf, yuan } from '../wallets/index.ts'
import { capitalAmount } from './capital-amount.ts'
import orderWords from './order-words.json' with { type: 'json' }
import * as orders from './orders.repo.ts'
import { paymentsOf } from './payments.repo.ts'
import words from './receipt-words.json' with { type: 'json' }

/**
 * What a paid order or top-up was paid with, as a PDF in the language of the caller. It is no invoice and says so. Who
 * took it is written in the operation log.
 * @throws AppError order.not_found; order.receipt_unpaid while nothing was paid for it
 */
export async function orderReceipt(database: Database, ctx: Ctx, id: string): Promise<StreamReply> {
  const { order, payment, company } = await database.withTenant(ctx, async scope => {
    const order = await orders.find(scope, id)
    if (!order) throw new AppError('order.not_found')
    const payment = (await paymentsOf(scope, id)).find(({ state }) => state === 'succeeded')
    if (!payment || order.paidFen <= 0) throw new AppError('order.receipt_unpaid')
    const company = await companyOf(scope, scope.tenantId)
    await recordAudit(scope, ctx, {
      action: 'purchase_order.export',
      objectType: 'purchase_order',
      objectId: order.id,
      objectName: order.no,
      after: { format: 'pdf' },
    })
    return { order, payment, company }
  })
  const platform = await database.withSystemScope('money', scope => platformSettingsIn(scope))
  const text = words[ctx.locale]
  const { kinds, providers } = orderWords[ctx.locale]
  const cny = (fen: number) => `¥${yuan(fen)}`
  const at = clockText(company.zone, ctx.now)
  const facts = [
    { label: text.no, value: order.no },
    { label: text.kind, value: kinds[order.kind] },
    { label: text.company, value: company.name },
    { label: text.payee, value: platform.contact.name },
    { label: text.provider, value: providers[payment.provider] },
    {
      label: text.paidAt,
      value: clockText(company.zone, (payment.paidAt ?? order.paidAt ?? order.createdAt).getTime()),
    },
    { label: text.payment, value: payment.no },
    { label: text.providerNo, value: payment.voucher?.number ?? payment.providerNo ?? '' },
    { label: text.payer, value: payment.voucher?.payer ?? '' },
    { label: text.buyer, value: order.buyerName },
  ]
  const fill = (pattern: string, values: Record<string, string | number>) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
  return pdfDocument({
    fileName: `${text.title}-${order.no}.pdf`,
    title: text.title,
    subtitle: text.notInvoice,
    facts: facts.filter(({ value }) => value !== ''),
    table: {
      columns: [
        { title: text.what, share: 50 },
        { title: text.quantity, share: 14, align: 'right' },
        { title: text.price, share: 18, align: 'right' },
        { title: text.amount, share: 18, align: 'right' },
      ],
      rows: order.items.map(item => [
        ctx.locale === 'zh' ? item.name : item.ename,
        String(item.quantity),
        yuan(item.priceFen),
        yuan(item.amountFen),
      ]),
    },
    totals: [
      { label: text.paid, value: cny(order.paidFen) },
      { label: text.capitals, value: capitalAmount(order.paidFen) },
      ...(order.refundedFen > 0
        ? [
            { label: text.refunded, value: cny(order.refundedFen) },
            { label: text.kept, value: cny(order.paidFen - order.refundedFen) },
          ]
        : []),
    ],
    notes: [
      ...(payment.provider === 'simulated' ? [text.simulated] : []),
      ...(order.refundedFen > 0 ? [text.refundNote] : []),
    ],
    foot: (page, pages) => fill(text.foot, { no: order.no, at, zone: company.zone, page, pages }),
    madeAt: new Date(ctx.now),
  })
}
