import type { InvoiceBuyer } from '@thingwright/contracts/invoices.contract'
import type { InvoiceStage, InvoiceType, RedReason } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface HistoryEntry {
  at: string
  state: InvoiceStage
  by: string
  note: string
}

export interface InvoiceData {
  id: string
  no: string
  tenantId: string
  type: InvoiceType
  buyer: InvoiceBuyer
  amountFen: number
  category: string
  remark: string
  email: string
  address: { receiver: string; phone: string; text: string } | null
  state: InvoiceStage
  reason: string | null
  redOf: string | null
  redReason: RedReason | null
  reversedFen: number
  reversingFen: number
  number: string | null
  code: string | null
  logistics: { company: string; no: string } | null
  history: HistoryEntry[]
  askedBy: string
  createdAt: Date
  issuedAt: Date | null
  files: number
  version: number
}

const COLUMNS = part`i.id, i.no, i.tenant_id as "tenantId", i.type, i.buyer, i.amount_fen as "amountFen", i.category, i.remark,
    i.email, i.address, i.state, i.reason, i.red_of as "redOf", i.red_reason as "redReason", i.reversed_fen as "reversedFen",
    i.reversing_fen as "reversingFen", i.number, i.code, i.logistics, i.history, i.asked_by as "askedBy",
    i.created_at as "createdAt", i.issued_at as "issuedAt", i.version,
    (select count(*) from invoice_files f where f.invoice_id = i.id)::int as files`

export interface InvoiceFilter {
  q?: string
  type?: InvoiceType
  state?: InvoiceStage
  red?: boolean
  tenantId?: string
  from?: Date
  to?: Date
}

const FILTERS = {
  q: part`(i.no like $1 or i.number like $1 or i.buyer ->> 'title' ilike $1)`,
  type: part`i.type = $1`,
  state: part`i.state = $1`,
  red: { true: part`i.red_of is not null`, false: part`i.red_of is null` },
  tenantId: part`i.tenant_id = $1`,
  from: part`i.created_at >= $1`,
  to: part`i.created_at < $1`,
}
const SORTS = {
  createdAt: { by: part`i.created_at`, type: 'timestamptz' },
  amount: { by: part`i.amount_fen`, type: 'bigint' },
} as const
export const INVOICE_SORTS = ['createdAt', 'amount'] as const
const ID = { by: part`i.id`, type: 'uuid' } as const

/** Invoices of the company ($1). */
export const INVOICES = listSql<InvoiceData, InvoiceFilter, (typeof INVOICE_SORTS)[number]>({
  columns: COLUMNS,
  from: part`invoices i`,
  where: part`i.tenant_id = $1`,
  given: 1,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

/** Invoices of every company, for the operator. */
export const ALL_INVOICES = listSql<
  InvoiceData & { companyName: string },
  InvoiceFilter,
  (typeof INVOICE_SORTS)[number]
>({
  columns: part`${COLUMNS}, t.name as "companyName"`,
  from: part`invoices i join tenants t on t.id = i.tenant_id`,
  filters: FILTERS,
  sorts: SORTS,
  id: ID,
})

const FIND = sql<InvoiceData>`select ${COLUMNS} from invoices i where i.id = $1`
const HOLD = sql<InvoiceData>`select ${COLUMNS} from invoices i where i.id = $1 for update of i`

export async function find(scope: Runner, id: string): Promise<InvoiceData | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

/** Held until the transaction ends. */
export async function hold(scope: Runner, id: string): Promise<InvoiceData | undefined> {
  return (await scope.run(HOLD, [id])).rows[0]
}

const COMPANY = sql<{ name: string }>`select name from tenants where id = $1`

export async function companyName(scope: Runner, tenantId: string): Promise<string> {
  return (await scope.run(COMPANY, [tenantId])).rows[0]?.name ?? ''
}

export type NewInvoice = Pick<
  InvoiceData,
  | 'id'
  | 'tenantId'
  | 'type'
  | 'buyer'
  | 'amountFen'
  | 'category'
  | 'remark'
  | 'email'
  | 'address'
  | 'redOf'
  | 'redReason'
  | 'askedBy'
  | 'history'
>

const INSERT = sql`insert into invoices (id, no, tenant_id, type, buyer, amount_fen, category, remark, email, address, state, red_of,
    red_reason, asked_by, history)
  values ($1, to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('invoice_numbers')::text, 8, '0'),
    $2, $3, $4, $5, $6, $7, $8, $9, 'submitted', $10, $11, $12, $13)`

export async function insert(scope: Runner, i: NewInvoice): Promise<void> {
  await scope.run(INSERT, [
    i.id,
    i.tenantId,
    i.type,
    i.buyer,
    i.amountFen,
    i.category,
    i.remark,
    i.email,
    i.address,
    i.redOf,
    i.redReason,
    i.askedBy,
    JSON.stringify(i.history),
  ])
}

export interface InvoiceChange {
  state: InvoiceStage
  reason?: string | null
  number?: string | null
  code?: string | null
  logistics?: { company: string; no: string } | null
  email?: string
  issuedAt?: Date
  entry: HistoryEntry
}

const CHANGE = sql`update invoices set state = $2, reason = $3, number = coalesce($4, number), code = coalesce($5, code),
    logistics = coalesce($6, logistics), email = coalesce($7, email), issued_at = coalesce($8, issued_at),
    history = history || $9::jsonb, version = version + 1
  where id = $1`

export async function change(scope: Runner, id: string, c: InvoiceChange): Promise<void> {
  await scope.run(CHANGE, [
    id,
    c.state,
    c.reason ?? null,
    c.number ?? null,
    c.code ?? null,
    c.logistics ?? null,
    c.email ?? null,
    c.issuedAt ?? null,
    JSON.stringify([c.entry]),
  ])
}

const REVERSING = sql`update invoices set reversing_fen = reversing_fen + $2, reversed_fen = reversed_fen + $3, version = version + 1
  where id = $1`

/** Notes what is being taken back, and what is. */
export async function addReversal(scope: Runner, id: string, reversingFen: number, reversedFen: number): Promise<void> {
  await scope.run(REVERSING, [id, reversingFen, reversedFen])
}

export interface LineRow {
  id: string
  orderId: string
  orderNo: string
  amountFen: number
  releasedFen: number
}

const LINES = sql<LineRow>`select l.id, l.order_id as "orderId", o.no as "orderNo", l.amount_fen as "amountFen",
    l.released_fen as "releasedFen"
  from invoice_lines l join purchase_orders o on o.id = l.order_id where l.invoice_id = $1 order by o.paid_at, l.id`

export async function lines(scope: Runner, invoiceId: string): Promise<LineRow[]> {
  return (await scope.run(LINES, [invoiceId])).rows
}

const INSERT_LINE = sql`insert into invoice_lines (id, tenant_id, invoice_id, order_id, amount_fen) values ($1, $2, $3, $4, $5)`

/** From here on the order carries the amount. */
export async function insertLine(
  scope: Runner,
  l: { id: string; tenantId: string; invoiceId: string; orderId: string; amountFen: number },
): Promise<void> {
  await scope.run(INSERT_LINE, [l.id, l.tenantId, l.invoiceId, l.orderId, l.amountFen])
}

const RELEASE = sql`update invoice_lines set released_fen = released_fen + $2 where id = $1`

/** The amount is open again: the last lines first. */
export async function release(scope: Runner, invoiceId: string, fen: number): Promise<void> {
  let rest = fen
  for (const line of (await lines(scope, invoiceId)).toReversed()) {
    const back = Math.min(rest, line.amountFen - line.releasedFen)
    if (back <= 0) continue
    await scope.run(RELEASE, [line.id, back])
    rest -= back
  }
}

export interface FileRow {
  id: string
  tenantId: string
  invoiceId: string | null
  name: string
  contentType: string
  size: number
  objectKey: string
  createdAt: Date
}

const FILE = part`id, tenant_id as "tenantId", invoice_id as "invoiceId", name, content_type as "contentType",
    size::float8 as size, object_key as "objectKey", created_at as "createdAt"`
const INSERT_FILE = sql<FileRow>`insert into invoice_files (id, tenant_id, invoice_id, name, content_type, size, object_key)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${FILE}`
const FILE_BY_ID = sql<FileRow>`select ${FILE} from invoice_files where id = $1`
const FILES_OF = sql<FileRow>`select ${FILE} from invoice_files where invoice_id = $1 order by created_at, id`
const FILES_BY_IDS = sql<FileRow>`select ${FILE} from invoice_files where id = any ($1::uuid[]) and invoice_id is null order by created_at, id`
const COUNT_FILES = sql<{ n: number }>`select count(*)::int as n from invoice_files where tenant_id = $1 and
  invoice_id is not distinct from $2::uuid`

export async function insertFile(scope: Runner, f: Omit<FileRow, 'createdAt'>): Promise<FileRow> {
  const values = [f.id, f.tenantId, f.invoiceId, f.name, f.contentType, f.size, f.objectKey]
  return (await scope.run(INSERT_FILE, values)).rows[0]!
}
export const file = async (scope: Runner, id: string): Promise<FileRow | undefined> =>
  (await scope.run(FILE_BY_ID, [id])).rows[0]
export const filesOf = async (scope: Runner, invoiceId: string): Promise<FileRow[]> =>
  (await scope.run(FILES_OF, [invoiceId])).rows
/** Documents of qualifications. */
export const filesByIds = async (scope: Runner, ids: readonly string[]): Promise<FileRow[]> =>
  ids.length === 0 ? [] : (await scope.run(FILES_BY_IDS, [ids])).rows
export const countFiles = async (scope: Runner, tenantId: string, invoiceId: string | null): Promise<number> =>
  (await scope.run(COUNT_FILES, [tenantId, invoiceId])).rows[0]!.n

const ADDRESS = sql<{ receiver: string; phone: string; text: string }>`select receiver, phone,
    concat_ws(' ', province, city, district, detail, nullif(zip, '')) as text from addresses where id = $1`

/** A delivery address of the company, as it is written on a parcel. */
export const address = async (scope: Runner, id: string) => (await scope.run(ADDRESS, [id])).rows[0]
