import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { pdfDocument } from '../../lib/pdf/pdf-document.ts'
import { clockText, instantOf } from '../../lib/zoned-time.ts'
import { monthEntries, monthSums } from './balance-statement.repo.ts'
import { companyOf } from './consumption.repo.ts'
import { yuan } from './ledger.ts'
import money from './money-words.json' with { type: 'json' }
import words from './statement-words.json' with { type: 'json' }

/** More rows than these are in the export of the balance, not on paper. */
const MOST_ROWS = 1_000

/**
 * The movements of the balance in a calendar month of the company's time zone as a PDF, for reconciliation: opening and
 * closing balance, sums by kind, each movement. It is no invoice and says so. Who took it is written in the operation log.
 * @param month `2026-11`
 * @throws AppError wallet.statement_month when the month has not begun
 */
export async function balanceStatement(database: Database, ctx: Ctx, month: string): Promise<StreamReply> {
  const text = words[ctx.locale]
  const fill = (pattern: string, values: Record<string, string | number>) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
  const { company, to, sums, entries } = await database.withTenant(ctx, async scope => {
    const company = await companyOf(scope, scope.tenantId)
    const [year, number] = month.split('-').map(Number) as [number, number]
    const from = instantOf(company.zone, year, number, 1)
    const to = instantOf(company.zone, year, number + 1, 1)
    if (from > ctx.now)
      throw new AppError('wallet.statement_month', { fields: { month: { code: 'wallet.statement_month' } } })
    const span = [new Date(from), new Date(to)] as const
    const sums = await monthSums(scope, scope.tenantId, ...span)
    const entries = await monthEntries(scope, scope.tenantId, ...span, MOST_ROWS)
    await recordAudit(scope, ctx, {
      action: 'wallet.export',
      objectType: 'wallet',
      after: { format: 'pdf', month },
    })
    return { company, to, sums, entries }
  })
  const count = sums.kinds.reduce((sum, kind) => sum + kind.count, 0)
  const inFen = sums.kinds.reduce((sum, kind) => sum + kind.inFen, 0)
  const outFen = sums.kinds.reduce((sum, kind) => sum + kind.outFen, 0)
  const at = clockText(company.zone, ctx.now)
  const isOpen = to > ctx.now
  const cny = (fen: number) => `¥${yuan(fen)}`
  return pdfDocument({
    fileName: `${text.title}-${month}.pdf`,
    title: text.title,
    subtitle: text.notInvoice,
    facts: [
      { label: text.company, value: company.name },
      { label: text.month, value: month },
      { label: text.until, value: isOpen ? at : clockText(company.zone, to - 1_000) },
      { label: text.zone, value: company.zone },
      { label: text.opening, value: cny(sums.openingFen) },
      { label: text.count, value: String(count) },
    ],
    table: {
      columns: [
        { title: text.at, share: 20 },
        { title: text.kind, share: 11 },
        { title: text.amount, share: 15, align: 'right' },
        { title: text.after, share: 15, align: 'right' },
        { title: text.order, share: 21 },
        { title: text.remark, share: 18 },
      ],
      rows: entries.map(row => [
        clockText(company.zone, row.at.getTime()),
        money[ctx.locale].kinds[row.kind],
        yuan(row.amountFen),
        yuan(row.afterFen),
        row.causeNo || row.no,
        row.remark,
      ]),
    },
    totals: [
      ...sums.kinds.map(row => ({
        label: fill(text.sum, { kind: money[ctx.locale].kinds[row.kind], count: row.count }),
        value: cny(row.inFen + row.outFen),
      })),
      { label: text.in, value: cny(inFen) },
      { label: text.out, value: cny(outFen) },
      { label: text.closing, value: cny(sums.openingFen + inFen + outFen) },
    ],
    notes: [
      ...(count === 0 ? [text.none] : []),
      ...(count > entries.length ? [fill(text.more, { count, shown: entries.length })] : []),
      ...(isOpen ? [text.open] : []),
    ],
    foot: (page, pages) => fill(text.foot, { month, at, page, pages }),
    madeAt: new Date(ctx.now),
  })
}
