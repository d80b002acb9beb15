import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface RunData {
  id: string
  month: string
  state: 'running' | 'done' | 'cancelled'
  taskId: string | null
  meters: number
  statements: number
  failed: number
  amountFen: number
  byName: string
  createdAt: Date
  endedAt: Date | null
}

const COLUMNS = part`r.id, r.month, r.state, r.task_id as "taskId", r.meters, r.failed, r.by_name as "byName",
  r.created_at as "createdAt", r.ended_at as "endedAt", s.statements, s.amount as "amountFen"`
const FROM = part`billing_runs r cross join lateral (select count(*)::int as statements, coalesce(sum(amount_fen), 0)::bigint as amount
  from meter_statements where run_id = r.id and state <> 'voided') s`

const LIST = sql<RunData>`select ${COLUMNS} from ${FROM} where r.tenant_id = $1 order by r.created_at desc, r.id desc limit 50`
export const list = async (scope: Runner, tenantId: string): Promise<RunData[]> =>
  (await scope.run(LIST, [tenantId])).rows

const FIND = sql<RunData>`select ${COLUMNS} from ${FROM} where r.id = $1`
export const find = async (scope: Runner, id: string): Promise<RunData | undefined> =>
  (await scope.run(FIND, [id])).rows[0]

const RUNNING = sql<{ id: string; taskId: string | null; createdAt: Date }>`select id, task_id as "taskId",
  created_at as "createdAt" from billing_runs where tenant_id = $1 and month = $2 and state = 'running'`
export const running = async (scope: Runner, tenantId: string, month: string) =>
  (await scope.run(RUNNING, [tenantId, month])).rows[0]

const INSERT = sql`insert into billing_runs (id, tenant_id, month, by_name, meters) values ($1, $2, $3, $4, $5)`
export const insert = (
  scope: Runner,
  r: { id: string; tenantId: string; month: string; byName: string; meters: number },
) => scope.run(INSERT, [r.id, r.tenantId, r.month, r.byName, r.meters])

const SET_TASK = sql`update billing_runs set task_id = $2 where id = $1`
export const setTask = (scope: Runner, id: string, taskId: string) => scope.run(SET_TASK, [id, taskId])

const END = sql`update billing_runs set state = $2, failed = $3, ended_at = now() where id = $1 and state = 'running'`
export const end = (scope: Runner, id: string, state: 'done' | 'cancelled', failed: number) =>
  scope.run(END, [id, state, failed])
