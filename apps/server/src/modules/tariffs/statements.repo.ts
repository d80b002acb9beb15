import type { MeterMode, StatementState } from '@thingwright/contracts/tariffs.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto } from '../../lib/sql/writes.ts'
import type { Mark } from './billing/measure.ts'
import type { BillLine } from './billing/price.ts'

export interface StatementData {
  id: string
  no: string
  month: string
  meterId: string | null
  meterName: string
  deviceName: string
  property: string
  endUserId: string
  endUserName: string
  mode: MeterMode
  tariffName: string
  unit: string
  factor: string
  fromAt: Date
  toAt: Date
  fromValue: string
  toValue: string
  quantity: string
  openQuantity: string
  estimated: boolean
  marks: Mark[]
  amountFen: number
  paidFen: number
  state: StatementState
  voidReason: string | null
  issuedAt: Date
  dueAt: Date | null
}

const STATE = part`case when s.state = 'voided' then 'voided' when s.paid_fen < s.amount_fen then 'open' else 'paid' end`
const COLUMNS = part`s.id, s.no, s.month, s.meter_id as "meterId", s.meter_name as "meterName", s.device_name as "deviceName",
  s.property, s.end_user_id as "endUserId", s.end_user_name as "endUserName", s.mode, s.tariff_name as "tariffName", s.unit,
  trim_scale(s.factor)::text as factor, s.from_at as "fromAt", s.to_at as "toAt", s.from_value::text as "fromValue",
  s.to_value::text as "toValue", s.quantity::text as quantity, s.open_quantity::text as "openQuantity", s.estimated, s.marks,
  s.amount_fen as "amountFen", s.paid_fen as "paidFen", ${STATE} as state, s.void_reason as "voidReason",
  s.issued_at as "issuedAt", s.due_at as "dueAt"`

export interface StatementFilter {
  q?: string
  month?: string
  state?: StatementState
  mode?: MeterMode
  meterId?: string
  endUserId?: string
}
export const STATEMENT_SORTS = ['issuedAt', 'amount'] as const

/** Statements of the company ($1). */
export const STATEMENTS = listSql<StatementData, StatementFilter, (typeof STATEMENT_SORTS)[number]>({
  columns: COLUMNS,
  from: part`meter_statements s`,
  where: part`s.tenant_id = $1`,
  given: 1,
  filters: {
    q: part`(s.no like $1 or s.meter_name ilike $1 or s.end_user_name ilike $1 or s.device_name ilike $1)`,
    month: part`s.month = $1`,
    state: part`${STATE} = $1`,
    mode: part`s.mode = $1`,
    meterId: part`s.meter_id = $1`,
    endUserId: part`s.end_user_id = $1`,
  },
  sorts: {
    issuedAt: { by: part`s.issued_at`, type: 'timestamptz' },
    amount: { by: part`s.amount_fen`, type: 'bigint' },
  },
  id: { by: part`s.id`, type: 'uuid' },
})

const FIND = sql<StatementData>`select ${COLUMNS} from meter_statements s where s.id = $1`
export const find = async (scope: Runner, id: string): Promise<StatementData | undefined> =>
  (await scope.run(FIND, [id])).rows[0]

const LINES = sql<Omit<BillLine, 'versionId'>>`select kind, name, trim_scale(quantity)::text as quantity,
  trim_scale(estimated)::text as estimated, trim_scale(price)::text as price, amount_fen as "amountFen"
  from meter_statement_lines where statement_id = $1 order by position`
export const lines = async (scope: Runner, statementId: string) => (await scope.run(LINES, [statementId])).rows

export interface NewStatement {
  id: string
  tenantId: string
  meterId: string
  meterName: string
  deviceId: string | null
  deviceName: string
  property: string
  runId: string | null
  month: string
  endUserId: string
  endUserName: string
  mode: MeterMode
  tariffName: string
  unit: string
  factor: string
  fromAt: Date
  toAt: Date
  fromValue: string
  toValue: string
  quantity: string
  openQuantity: string
  estimated: boolean
  marks: readonly Mark[]
  amountFen: number
  paidFen: number
  beforeTo: Date | null
  beforeValue: string | null
  dueAt: Date | null
  no: string
}
const INSERT = insertInto<NewStatement>(part`meter_statements`, {
  id: 'id',
  tenantId: 'tenant_id',
  meterId: 'meter_id',
  meterName: 'meter_name',
  deviceId: 'device_id',
  deviceName: 'device_name',
  property: 'property',
  runId: 'run_id',
  month: 'month',
  endUserId: 'end_user_id',
  endUserName: 'end_user_name',
  mode: 'mode',
  tariffName: 'tariff_name',
  unit: 'unit',
  factor: 'factor',
  fromAt: 'from_at',
  toAt: 'to_at',
  fromValue: 'from_value',
  toValue: 'to_value',
  quantity: 'quantity',
  openQuantity: 'open_quantity',
  estimated: 'estimated',
  marks: { json: 'marks' },
  amountFen: 'amount_fen',
  paidFen: 'paid_fen',
  beforeTo: 'before_to',
  beforeValue: 'before_value',
  dueAt: 'due_at',
  no: 'no',
})
const NUMBER = sql<{
  no: string
}>`select replace($1, '-', '') || lpad(nextval('meter_statement_numbers')::text, 8, '0') as no`
const INSERT_LINES = sql`insert into meter_statement_lines (id, tenant_id, statement_id, position, kind, name, quantity,
    estimated, price, amount_fen, version_id)
  select gen_random_uuid(), $1, $2, l.position, l.kind, l.name, l.quantity, l.estimated, l.price, l."amountFen", l."versionId"
  from jsonb_to_recordset($3::jsonb) as l (position int, kind text, name text, quantity numeric, estimated numeric,
    price numeric, "amountFen" bigint, "versionId" uuid)`

/** @returns its number; a second one of the meter's month is refused by an index */
export async function insert(
  scope: Runner,
  statement: Omit<NewStatement, 'no'>,
  bill: readonly BillLine[],
): Promise<string> {
  const { no } = (await scope.run(NUMBER, [statement.month])).rows[0]!
  await scope.run(...INSERT.of({ ...statement, no }))
  const rows = bill.map((line, position) => ({ ...line, position }))
  if (rows.length > 0) await scope.run(INSERT_LINES, [statement.tenantId, statement.id, JSON.stringify(rows)])
  return no
}

const HOLD = sql<{
  isLast: boolean
  beforeTo: Date | null
  beforeValue: string | null
}>`select s.before_to as "beforeTo",
    s.before_value::text as "beforeValue", not exists (select 1 from meter_statements o where o.meter_id = s.meter_id
      and o.state <> 'voided' and (o.to_at, o.id) > (s.to_at, s.id)) as "isLast"
  from meter_statements s where s.id = $1 for update of s`
/** Held until the transaction ends, with where its meter stood before. */
export const hold = async (scope: Runner, id: string) => (await scope.run(HOLD, [id])).rows[0]

const VOID = sql`update meter_statements set state = 'voided', void_reason = $2, voided_at = now(), paid_fen = 0 where id = $1`
export const voidIt = (scope: Runner, id: string, reason: string) => scope.run(VOID, [id, reason])

/** What is owed lies on the newest statements: what was paid went to the oldest. */
const SETTLE = sql`with newest as (
    select id, amount_fen, sum(amount_fen) over (order by issued_at desc, id desc) - amount_fen as newer
    from meter_statements where tenant_id = $1 and end_user_id = $2 and state = 'issued')
  update meter_statements s set paid_fen = n.amount_fen - least(n.amount_fen, greatest(0, $3::bigint - n.newer))
  from newest n where n.id = s.id
    and s.paid_fen <> n.amount_fen - least(n.amount_fen, greatest(0, $3::bigint - n.newer))`
export const settle = (scope: Runner, tenantId: string, endUserId: string, owedFen: number) =>
  scope.run(SETTLE, [tenantId, endUserId, owedFen])

const REMIND = sql<{ no: string; endUserId: string; openFen: number }>`update meter_statements set reminded_at = $2
  where tenant_id = $1 and state = 'issued' and reminded_at is null and due_at <= $2 and paid_fen < amount_fen
  returning no, end_user_id as "endUserId", amount_fen - paid_fen as "openFen"`
/** Statements that were to be paid by now and are not; each is returned once. */
export const remind = async (scope: Runner, tenantId: string, at: Date) =>
  (await scope.run(REMIND, [tenantId, at])).rows
