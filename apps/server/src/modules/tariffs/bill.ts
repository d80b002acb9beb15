import type { MeterStatementView } from '@thingwright/contracts/meter-statements.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { pdfDocument } from '../../lib/pdf/pdf-document.ts'
import { clockText } from '../../lib/zoned-time.ts'
import { capitalAmount } from '../purchase-orders/index.ts'
import { companyOf, yuan } from '../wallets/index.ts'
import text from './bill-words.json' with { type: 'json' }
import type { StatementsService } from './statements.service.ts'
import words from './tariff-words.json' with { type: 'json' }

/**
 * The statement of a meter as a PDF for the customer, in the language of the caller and the time zone of the company. It
 * is no invoice and says so. Who took it is written in the operation log.
 * @param endUserId his only; others are not there
 * @throws AppError meter_statement.not_found
 */
export async function meterBill(
  { database, statements }: { database: Database; statements: StatementsService },
  ctx: Ctx,
  id: string,
  endUserId?: string,
): Promise<StreamReply> {
  const bill = await statements.get(ctx, id, endUserId)
  const company = await database.withTenant(ctx, async scope => {
    await recordAudit(scope, ctx, {
      action: 'meter_statement.export',
      objectType: 'meter_statement',
      objectId: bill.id,
      objectName: bill.no,
      after: { format: 'pdf' },
    })
    return companyOf(scope, scope.tenantId)
  })
  const t = text[ctx.locale]
  const names = words.export[ctx.locale]
  const cny = (fen: number) => `¥${yuan(fen)}`
  const at = (iso: string) => clockText(company.zone, Date.parse(iso))
  const facts = [
    { label: t.company, value: company.name },
    { label: t.user, value: bill.endUserName },
    { label: t.no, value: bill.no },
    { label: t.month, value: bill.month },
    { label: t.meter, value: `${bill.meterName} · ${bill.deviceName}` },
    { label: t.tariff, value: bill.tariffName },
    { label: t.mode, value: names.modes[bill.mode] },
    { label: t.state, value: names.states[bill.state] },
    { label: t.period, value: `${at(bill.fromAt)} – ${at(bill.toAt)}` },
    { label: t.readings, value: `${bill.fromValue} – ${bill.toValue}` },
    { label: t.factor, value: bill.factor === '1' ? '' : bill.factor },
    { label: t.issuedAt, value: at(bill.issuedAt) },
    { label: t.dueAt, value: bill.dueAt === null ? '' : at(bill.dueAt) },
  ]
  return pdfDocument({
    fileName: `${t.title}-${bill.no}.pdf`,
    title: t.title,
    subtitle: t.notInvoice,
    facts: facts.filter(({ value }) => value !== ''),
    table: {
      columns: [
        { title: t.what, share: 28 },
        { title: fill(t.quantity, { unit: bill.unit }), share: 20, align: 'right' },
        { title: t.estimated, share: 18, align: 'right' },
        { title: t.price, share: 16, align: 'right' },
        { title: t.amount, share: 18, align: 'right' },
      ],
      rows: bill.lines.map(line => [
        line.name === '' ? t.fixed : line.name,
        line.quantity,
        Number(line.estimated) === 0 ? '' : line.estimated,
        line.price,
        yuan(line.amountFen),
      ]),
    },
    totals: [
      { label: t.total, value: cny(bill.amountFen) },
      { label: t.capitals, value: capitalAmount(bill.amountFen) },
      ...(bill.state === 'voided'
        ? []
        : [
            { label: t.paid, value: cny(bill.paidFen) },
            { label: t.open, value: cny(bill.amountFen - bill.paidFen) },
          ]),
    ],
    notes: notesOf(bill, t),
    foot: (page, pages) =>
      fill(t.foot, { no: bill.no, at: clockText(company.zone, ctx.now), zone: company.zone, page, pages }),
    madeAt: new Date(ctx.now),
  })
}

const notesOf = (bill: MeterStatementView, t: (typeof text)['zh']): string[] => [
  ...(bill.voidReason ? [fill(t.voided, { reason: bill.voidReason })] : []),
  ...(bill.estimated ? [t.estimatedNote] : []),
  ...(Number(bill.openQuantity) > 0 ? [fill(t.openNote, { quantity: bill.openQuantity, unit: bill.unit })] : []),
]

const fill = (pattern: string, values: Record<string, string | number>) =>
  pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
