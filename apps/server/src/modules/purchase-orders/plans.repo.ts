import type { CompanyQuotas } from '@thingwright/contracts/company-settings'
import type { Runner } from '../../lib/sql/statement.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

export interface PlanRow {
  tenantId: string
  itemId: string
  sku: string
  name: string
  ename: string
  months: number
  priceFen: number
  quotas: Partial<CompanyQuotas>
  startedAt: Date
  endsAt: Date
  nextItemId: string | null
  nextName: string | null
  nextEname: string | null
  version: number
}

const COLUMNS = part`c.tenant_id as "tenantId", c.item_id as "itemId", c.sku, c.name_zh as name, c.name_en as ename, c.months,
  c.price_fen as "priceFen", c.quotas, c.started_at as "startedAt", c.ends_at as "endsAt", c.next_item_id as "nextItemId",
  n.name_zh as "nextName", n.name_en as "nextEname", c.version`

const FIND = holdable(
  sql<PlanRow>`select ${COLUMNS} from company_plans c left join catalogue_items n on n.id = c.next_item_id where c.tenant_id = $1`,
  part`for update of c`,
)

export async function findPlan(scope: Runner, tenantId: string, lock = false): Promise<PlanRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [tenantId])).rows[0]
}

const STORE = sql`insert into company_plans (tenant_id, item_id, sku, name_zh, name_en, months, price_fen, quotas, started_at, ends_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (tenant_id) do update set item_id = excluded.item_id, sku = excluded.sku, name_zh = excluded.name_zh,
    name_en = excluded.name_en, months = excluded.months, price_fen = excluded.price_fen, quotas = excluded.quotas,
    started_at = excluded.started_at, ends_at = excluded.ends_at, next_item_id = null, version = company_plans.version + 1`

export async function storePlan(
  scope: Runner,
  plan: Omit<PlanRow, 'nextItemId' | 'nextName' | 'nextEname' | 'version'>,
): Promise<void> {
  await scope.run(STORE, [
    plan.tenantId,
    plan.itemId,
    plan.sku,
    plan.name,
    plan.ename,
    plan.months,
    plan.priceFen,
    JSON.stringify(plan.quotas),
    plan.startedAt,
    plan.endsAt,
  ])
}

const SET_END = sql`update company_plans set ends_at = $2, version = version + 1 where tenant_id = $1`
export async function setPlanEnd(scope: Runner, tenantId: string, endsAt: Date): Promise<void> {
  await scope.run(SET_END, [tenantId, endsAt])
}

const SET_NEXT = sql`update company_plans set next_item_id = $2, version = version + 1 where tenant_id = $1`
export async function setNext(scope: Runner, tenantId: string, itemId: string | null): Promise<void> {
  await scope.run(SET_NEXT, [tenantId, itemId])
}

const DUE_NEXT = sql<{ tenantId: string }>`select tenant_id as "tenantId" from company_plans
  where next_item_id is not null and ends_at <= $1 limit 200`
/** Companies whose smaller plan begins. */
export const dueNext = async (scope: Runner, now: Date) => (await scope.run(DUE_NEXT, [now])).rows

export interface ExpansionRow {
  quota: keyof CompanyQuotas
  quantity: number
  endsAt: Date
}

const EXPANSIONS = sql<ExpansionRow>`select quota, quantity, ends_at as "endsAt" from plan_expansions
  where tenant_id = $1 and not ended and ends_at > $2 order by ends_at, id limit 200`
export const expansions = async (scope: Runner, tenantId: string, now: Date) =>
  (await scope.run(EXPANSIONS, [tenantId, now])).rows

const INSERT_EXPANSION = sql`insert into plan_expansions (id, tenant_id, order_id, quota, quantity, ends_at)
  values ($1, $2, $3, $4, $5, $6) on conflict (order_id) do nothing`
export async function insertExpansion(
  scope: Runner,
  e: { id: string; tenantId: string; orderId: string; quota: string; quantity: number; endsAt: Date },
): Promise<void> {
  await scope.run(INSERT_EXPANSION, [e.id, e.tenantId, e.orderId, e.quota, e.quantity, e.endsAt])
}

const END_EXPANSION = sql`update plan_expansions set ended = true where order_id = $1`
export async function endExpansion(scope: Runner, orderId: string): Promise<void> {
  await scope.run(END_EXPANSION, [orderId])
}

const END_DUE = sql<{ tenantId: string }>`update plan_expansions set ended = true where not ended and ends_at <= $1
  returning tenant_id as "tenantId"`
/** Marks expansions that have ended. @returns their companies */
export const endDueExpansions = async (scope: Runner, now: Date): Promise<string[]> => [
  ...new Set((await scope.run(END_DUE, [now])).rows.map(({ tenantId }) => tenantId)),
]

export interface CompanyTerm {
  name: string
  status: string
  statusBefore: string | null
  frozenReason: string | null
  expiresAt: Date | null
  graceEndsAt: Date | null
  graceDays: number | null
  timeZone: string
  settings: unknown
}

const TERM = holdable(
  sql<CompanyTerm>`select name, status, status_before as "statusBefore", frozen_reason as "frozenReason", expires_at as "expiresAt",
    grace_ends_at as "graceEndsAt", grace_days as "graceDays", time_zone as "timeZone", settings from tenants where id = $1`,
  part`for update`,
)

/** State and term of the company; held for a change. */
export async function termOf(scope: Runner, tenantId: string, lock = false): Promise<CompanyTerm> {
  return (await scope.run(lock ? TERM.held : TERM.free, [tenantId])).rows[0]!
}
