import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface CalendarRow {
  id: string
  name: string
  holidays: string[]
  workdays: string[]
  tasks: number
  version: number
  updatedAt: Date
}

const COLUMNS = part`c.id, c.name, c.holidays::text[] as holidays, c.workdays::text[] as workdays, c.version, c.updated_at as "updatedAt",
  (select count(*)::int from timed_tasks t where t.calendar_id = c.id) as tasks`

const LIST = sql<CalendarRow>`select ${COLUMNS} from calendars c order by lower(c.name), c.id`
const FIND = sql<CalendarRow>`select ${COLUMNS} from calendars c where c.id = $1`
const NAMED = sql<{ id: string }>`select id from calendars where lower(name) = lower($1)`
const INSERT = sql`insert into calendars (id, tenant_id, name, holidays, workdays) values ($1, $2, $3, $4::date[], $5::date[])`
const UPDATE = sql`update calendars set name = $3, holidays = $4::date[], workdays = $5::date[], version = version + 1, updated_at = now()
  where id = $1 and version = $2`
const REMOVE = sql`delete from calendars where id = $1`

export async function list(scope: TenantScope): Promise<CalendarRow[]> {
  return (await scope.run(LIST)).rows
}

export async function find(scope: TenantScope, id: string): Promise<CalendarRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function idNamed(scope: TenantScope, name: string): Promise<string | null> {
  return (await scope.run(NAMED, [name])).rows[0]?.id ?? null
}

type Values = Pick<CalendarRow, 'id' | 'name' | 'holidays' | 'workdays'>

export async function insert(scope: TenantScope, row: Values): Promise<void> {
  await scope.run(INSERT, [row.id, scope.tenantId, row.name, row.holidays, row.workdays])
}

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, row: Values, version: number): Promise<boolean> {
  return (await scope.run(UPDATE, [row.id, version, row.name, row.holidays, row.workdays])).rowCount === 1
}

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
