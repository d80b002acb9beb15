import type { InvoiceRow, InvoiceView } from '@thingwright/contracts/invoices.contract'
import { actorName, type Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { toFileView } from './invoice-files.ts'
import * as repo from './invoices.repo.ts'

export const rowOf = (row: repo.InvoiceData): InvoiceRow => ({
  id: row.id,
  no: row.no,
  type: row.type,
  title: row.buyer.title,
  amountFen: row.amountFen,
  reversedFen: row.reversedFen,
  reversingFen: row.reversingFen,
  state: row.state,
  reason: row.reason,
  redOf: row.redOf,
  redReason: row.redReason,
  number: row.number,
  files: row.files,
  createdAt: row.createdAt.toISOString(),
  issuedAt: row.issuedAt?.toISOString() ?? null,
  version: row.version,
})

/** An invoice can be taken back by a red-letter one: it was issued, is none itself, and something of it is left. */
export const isReversible = (row: repo.InvoiceData) =>
  row.redOf === null &&
  (row.state === 'issued' || row.state === 'delivered') &&
  row.reversedFen + row.reversingFen < row.amountFen

export async function viewOf(scope: Runner, row: repo.InvoiceData): Promise<InvoiceView> {
  const lines = await repo.lines(scope, row.redOf ?? row.id)
  return {
    ...rowOf(row),
    buyer: row.buyer,
    category: row.category,
    remark: row.remark,
    email: row.email,
    address: row.address,
    code: row.code,
    logistics: row.logistics,
    lines: lines.map(({ orderId, orderNo, amountFen, releasedFen }) => ({ orderId, orderNo, amountFen, releasedFen })),
    documents: (await repo.filesOf(scope, row.id)).map(toFileView),
    history: row.history,
    askedBy: row.askedBy,
    mayWithdraw: row.state === 'submitted',
    mayReverse: isReversible(row),
  }
}

export const entryOf = (ctx: Ctx, state: repo.HistoryEntry['state'], note = ''): repo.HistoryEntry => ({
  at: new Date(ctx.now).toISOString(),
  state,
  by: actorName(ctx.actor) ?? '',
  note,
})

export function filterOf(input: {
  q?: string | undefined
  type?: repo.InvoiceFilter['type'] | undefined
  state?: repo.InvoiceFilter['state'] | undefined
  red?: '0' | '1' | undefined
  from?: string | undefined
  to?: string | undefined
  tenantId?: string | undefined
}): repo.InvoiceFilter {
  const q = input.q?.trim()
  return {
    ...(q ? { q: `%${q.replaceAll(/[\\%_]/g, sign => `\\${sign}`)}%` } : {}),
    ...(input.type ? { type: input.type } : {}),
    ...(input.state ? { state: input.state } : {}),
    ...(input.red ? { red: input.red === '1' } : {}),
    ...(input.tenantId ? { tenantId: input.tenantId } : {}),
    ...(input.from ? { from: new Date(input.from) } : {}),
    ...(input.to ? { to: new Date(input.to) } : {}),
  }
}

export function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const position = decodeCursor(cursor, 2)
  if (!position) return null
  if (!position.every(each => typeof each === 'string')) throw new AppError('request.cursor_invalid')
  return position as [string, string]
}

export function pageOf<Row extends { id: string; position: string }, View>(
  rows: Row[],
  limit: number,
  view: (row: Row) => View,
  total: number | undefined,
) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(view),
    nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
    ...(total === undefined ? {} : { total }),
  }
}
