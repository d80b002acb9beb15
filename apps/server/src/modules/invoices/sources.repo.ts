import type { InvoiceBasis, OrderKind } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface SourceRow {
  id: string
  no: string
  kind: OrderKind
  items: { name: string; ename: string }[]
  paidFen: number
  refundedFen: number
  invoicedFen: number
  paidAt: Date
}

export interface SourceFilter {
  topUps: boolean
  q?: string
}

/** Paid orders of the company ($1) of which something is not invoiced. */
export const SOURCES = listSql<SourceRow, SourceFilter, 'paidAt'>({
  columns: part`o.id, o.no, o.kind, o.items, o.paid_fen as "paidFen", o.refunded_fen as "refundedFen",
    o.invoiced_fen as "invoicedFen", o.paid_at as "paidAt"`,
  from: part`purchase_orders o`,
  where: part`o.tenant_id = $1 and o.payee_kind = 'platform' and o.holder_kind = 'company' and o.paid_at is not null
    and o.state not in ('refund_requested', 'refunding') and o.paid_fen - o.refunded_fen > o.invoiced_fen`,
  given: 1,
  filters: {
    topUps: { true: part`o.kind = 'top_up'`, false: part`o.kind <> 'top_up'` },
    q: part`o.no like $1`,
  },
  sorts: { paidAt: { by: part`o.paid_at`, type: 'timestamptz' } },
  id: { by: part`o.id`, type: 'uuid' },
})

const SETTINGS = sql<{
  basis: InvoiceBasis
  version: number
}>`select basis, version from invoice_settings where tenant_id = $1`

/** What is invoiced for a company; version 0: nobody chose. */
export async function settings(scope: Runner, tenantId: string): Promise<{ basis: InvoiceBasis; version: number }> {
  return (await scope.run(SETTINGS, [tenantId])).rows[0] ?? { basis: 'order', version: 0 }
}

const FIRST = sql`insert into invoice_settings (tenant_id, basis) values ($1, $2) on conflict (tenant_id) do nothing`
const NEXT = sql`update invoice_settings set basis = $2, version = version + 1 where tenant_id = $1 and version = $3`

/** @returns false when it has another version by now */
export async function setBasis(
  scope: Runner,
  tenantId: string,
  basis: InvoiceBasis,
  version: number,
): Promise<boolean> {
  const { rowCount } =
    version === 0 ? await scope.run(FIRST, [tenantId, basis]) : await scope.run(NEXT, [tenantId, basis, version])
  return rowCount === 1
}

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended($1::text, 61))`

/** Requests of one company follow each other: what one takes the next one sees. */
export async function holdCompany(scope: Runner, tenantId: string): Promise<void> {
  await scope.run(LOCK, [tenantId])
}

const LIMIT = sql<{ received: number; invoiced: number }>`select
    ((select coalesce(sum(p.amount_fen), 0) from payments p
      where p.tenant_id = $1 and p.state = 'succeeded' and p.provider <> 'balance')
    - (select coalesce(sum(r.amount_fen), 0) from refunds r join purchase_orders o on o.id = r.order_id
      where r.tenant_id = $1 and r.state in ('requested', 'processing', 'done') and (o.kind = 'top_up' or r.way = 'origin')))::float8
      as received,
    (select coalesce(sum(invoiced_fen), 0) from purchase_orders where tenant_id = $1)::float8 as invoiced`

/** Fen that really came from the company and have not gone back, and fen that are invoiced. */
export async function limitOf(scope: Runner, tenantId: string): Promise<{ received: number; invoiced: number }> {
  return (await scope.run(LIMIT, [tenantId])).rows[0]!
}

const OPEN = sql<{ n: number }>`select coalesce(sum(o.paid_fen - o.refunded_fen - o.invoiced_fen), 0)::float8 as n
  from purchase_orders o where o.tenant_id = $1 and o.payee_kind = 'platform' and o.holder_kind = 'company'
    and o.paid_at is not null and o.state not in ('refund_requested', 'refunding') and (o.kind = 'top_up') = $2`

export async function openFen(scope: Runner, tenantId: string, topUps: boolean): Promise<number> {
  return (await scope.run(OPEN, [tenantId, topUps])).rows[0]!.n
}

const CHOSEN = sql<SourceRow>`select o.id, o.no, o.kind, o.items, o.paid_fen as "paidFen", o.refunded_fen as "refundedFen",
    o.invoiced_fen as "invoicedFen", o.paid_at as "paidAt"
  from purchase_orders o where o.tenant_id = $1 and o.id = any ($2::uuid[]) and o.payee_kind = 'platform'
    and o.holder_kind = 'company' and o.paid_at is not null and o.state not in ('refund_requested', 'refunding')
    and (o.kind = 'top_up') = $3
  order by o.paid_at, o.id for update`

/** Orders that can be invoiced, held until the transaction ends. */
export async function holdSources(
  scope: Runner,
  tenantId: string,
  ids: readonly string[],
  topUps: boolean,
): Promise<SourceRow[]> {
  return (await scope.run(CHOSEN, [tenantId, ids, topUps])).rows
}
