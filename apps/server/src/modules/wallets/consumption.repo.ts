import type { ChargeItem } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface ConsumptionRow {
  id: string
  at: Date
  item: ChargeItem
  quantity: number
  unit: string
  unitPriceFen: number
  amountFen: number
  balanceAfterFen: number | null
  objectKind: string
  objectId: string
  objectName: string
  periodFrom: Date | null
  periodTo: Date | null
  orderId: string | null
  orderNo: string
}

export interface ConsumptionFilter {
  q?: string
  item?: ChargeItem
  from?: Date
  to?: Date
}

export const CONSUMPTION_SORTS = ['at', 'amount'] as const

export const CONSUMPTIONS = listSql<ConsumptionRow, ConsumptionFilter, (typeof CONSUMPTION_SORTS)[number]>({
  columns: part`c.id, c.at, c.item, c.quantity, c.unit, c.unit_price_fen as "unitPriceFen", c.amount_fen as "amountFen",
    c.balance_after_fen as "balanceAfterFen", c.object_kind as "objectKind", c.object_id as "objectId",
    c.object_name as "objectName", c.period_from as "periodFrom", c.period_to as "periodTo", c.order_id as "orderId",
    c.order_no as "orderNo"`,
  from: part`consumptions c`,
  where: part`c.tenant_id = $1`,
  given: 1,
  filters: {
    q: part`(c.object_name ilike $1 or c.order_no like $1)`,
    item: part`c.item = $1`,
    from: part`c.at >= $1`,
    to: part`c.at < $1`,
  },
  sorts: {
    at: { by: part`c.at`, type: 'timestamptz' },
    amount: { by: part`c.amount_fen`, type: 'bigint' },
  },
  id: { by: part`c.id`, type: 'uuid' },
})

export interface NewConsumption {
  id: string
  tenantId: string
  at: Date
  item: ChargeItem
  quantity: number
  unit: string
  unitPriceFen: number
  amountFen: number
  balanceAfterFen: number | null
  objectKind: string
  objectId: string
  objectName: string
  periodFrom: Date | null
  periodTo: Date | null
  deviceId?: string | null
  orderId: string | null
  orderNo: string
  transactionId: string | null
}

const INSERT = sql`insert into consumptions (id, tenant_id, at, item, quantity, unit, unit_price_fen, amount_fen, balance_after_fen,
    object_kind, object_id, object_name, period_from, period_to, device_id, order_id, order_no, transaction_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

/** Notes what was charged for. */
export async function insertConsumption(scope: Runner, c: NewConsumption): Promise<void> {
  await scope.run(INSERT, [
    c.id,
    c.tenantId,
    c.at,
    c.item,
    c.quantity,
    c.unit,
    c.unitPriceFen,
    c.amountFen,
    c.balanceAfterFen,
    c.objectKind,
    c.objectId,
    c.objectName,
    c.periodFrom,
    c.periodTo,
    c.deviceId ?? null,
    c.orderId,
    c.orderNo,
    c.transactionId,
  ])
}

export interface StatementRow {
  day: string
  key: string
  name: string
  quantity: number
  amountFen: number
}

/** More rows are not shown: a narrower span shows all. */
export const MOST_ROWS = 5_000

const statement = (key: ReturnType<typeof part>, name: ReturnType<typeof part>) =>
  sql<StatementRow>`select to_char(date_trunc($4, c.at at time zone $5), 'YYYY-MM-DD') as day, ${key} as key, ${name} as name,
    sum(c.quantity)::int as quantity, sum(c.amount_fen)::bigint as "amountFen"
  from consumptions c where c.tenant_id = $1 and c.at >= $2 and c.at < $3
  group by 1, 2 order by 1, 5 desc, 2 limit ${MOST_ROWS + 1}`

const BY_ITEM = statement(part`c.item`, part`max(c.item)`)
const BY_OBJECT = statement(part`c.object_kind || ':' || c.object_id`, part`max(c.object_name)`)

/** Sums by day or month of the company's calendar. */
export async function statementRows(
  scope: Runner,
  tenantId: string,
  asked: { from: Date; to: Date; by: 'day' | 'month'; split: 'item' | 'object'; zone: string },
): Promise<StatementRow[]> {
  const { rows } = await scope.run(asked.split === 'item' ? BY_ITEM : BY_OBJECT, [
    tenantId,
    asked.from,
    asked.to,
    asked.by,
    asked.zone,
  ])
  return rows
}

const CHARGED = sql<{ fen: number }>`select coalesce(sum(amount_fen), 0)::bigint as fen from consumptions
  where tenant_id = $1 and at >= $2 and at < $3`

/** Charged within a span, in fen. */
export async function chargedBetween(scope: Runner, tenantId: string, from: Date, to: Date): Promise<number> {
  return (await scope.run(CHARGED, [tenantId, from, to])).rows[0]!.fen
}

const COMPANY = sql<{ name: string; zone: string }>`select name, time_zone as zone from tenants where id = $1`

/** The name of the company and its time zone. */
export async function companyOf(scope: Runner, tenantId: string): Promise<{ name: string; zone: string }> {
  return (await scope.run(COMPANY, [tenantId])).rows[0] ?? { name: '', zone: 'Asia/Shanghai' }
}
