import type { TenantScope } from '../../lib/database/database.ts'
import { type Filters, filteredSql } from '../../lib/sql/filters.ts'
import { part, type SqlPart } from '../../lib/sql/statement.ts'

export interface UserLogRow {
  id: string
  at: Date
  kind: 'sign_in' | 'lock_out' | 'sign_out' | 'command' | 'export'
  result: 'ok' | 'refused' | 'failed' | 'half'
  loginId: string | null
  username: string
  action: string
  reason: string | null
  objectType: string | null
  objectId: string | null
  objectName: string | null
  ip: string | null
  userAgent: string | null
  position: string
}

export interface UserLogFilter {
  loginId?: string
  kind?: string
  result?: string
  ip?: string
  from?: string
  to?: string
  /** Part of the person's or object's name, normalised. */
  needle?: string
}

/** A sign-in that was refused because the login was locked by failures before. */
const LOCKED = part`coalesce(reason, '') = 'auth.locked'`

const SIGN_INS = part`select id, at, case when ${LOCKED} then 'lock_out' else 'sign_in' end as kind,
    case result when 'second_factor' then 'half' else result end as result, login_id as "loginId", username,
    method as action, reason, null::text as "objectType", null::text as "objectId", null::text as "objectName", ip,
    user_agent as "userAgent"
  from sign_in_events where tenant_id = $1`

/** The same words as the index audit_logs_user_idx, so that it serves. */
const OPERATIONS = part`select id, at,
    case when action like '%.export' or action = 'task.download' then 'export'
      when action like 'command.%' then 'command' else 'sign_out' end as kind,
    result, actor_id as "loginId", actor_name as username, action, null::text as reason, object_type as "objectType",
    object_id as "objectId", object_name as "objectName", ip, user_agent as "userAgent"
  from audit_logs where tenant_id = $1 and (
    action in ('command.create', 'command.cancel', 'session.sign_out', 'session.end', 'session.end_others', 'session.end_member', 'task.download')
    or action like '%.export')`

const holds = (column: SqlPart) => part`strpos(lower(normalize(coalesce(${column}, ''), NFKC)), $1) > 0`

const FILTERS: Filters<UserLogFilter> = {
  loginId: part`"loginId" = $1`,
  kind: part`kind = $1`,
  result: part`result = $1`,
  ip: part`ip = $1`,
  from: part`at >= $1::timestamptz`,
  to: part`at < $1::timestamptz`,
  needle: part`(${holds(part`username`)} or ${holds(part`"objectName"`)})`,
}

/** The statements over one source or both, each under the same conditions and with its own limit: neither is read whole. */
function statements(sources: readonly SqlPart[], alike: boolean) {
  const union = (where: SqlPart, rest: SqlPart) =>
    sources
      .map(source => part`(select * from (${source}) one where ${where}${rest})`)
      .reduce((all, next) => part`${all} union all ${next}`)
  const page = (where: SqlPart, after: SqlPart, limit: SqlPart) => part`select *, at::text as position
    from (${union(where, part`${after} order by at desc, id desc limit ${limit}`)}) both_sources
    order by at desc, id desc limit ${limit}`
  return {
    first: filteredSql<UserLogRow, UserLogFilter>({ filters: FILTERS, given: 2, alike }, where =>
      page(where, part``, part`$2`),
    ),
    next: filteredSql<UserLogRow, UserLogFilter>({ filters: FILTERS, given: 4, alike: true }, where =>
      page(where, part` and (at, id) < ($3::timestamptz, $4::uuid)`, part`$2`),
    ),
    count: filteredSql<{ count: number }, UserLogFilter>(
      { filters: FILTERS, given: 1, alike },
      where => part`select count(*) as count from (${union(where, part``)}) both_sources`,
    ),
  }
}

const SIGN_IN_KINDS = ['sign_in', 'lock_out']
const OF_BOTH = statements([SIGN_INS, OPERATIONS], false)
const OF_SIGN_INS = statements([SIGN_INS], true)
const OF_OPERATIONS = statements([OPERATIONS], true)

const statementsOf = ({ kind }: UserLogFilter) =>
  kind === undefined ? OF_BOTH : SIGN_IN_KINDS.includes(kind) ? OF_SIGN_INS : OF_OPERATIONS

/** A search for nothing is none. */
const asked = ({ needle, ...filter }: UserLogFilter): UserLogFilter => ({ ...filter, ...(needle ? { needle } : {}) })

/** Newest first. */
export async function listUserLog(
  scope: TenantScope,
  filter: UserLogFilter,
  after: readonly [at: string, id: string] | null,
  limit: number,
): Promise<UserLogRow[]> {
  const { first, next } = statementsOf(filter)
  const statement = after
    ? next.of(asked(filter), scope.tenantId, limit, ...after)
    : first.of(asked(filter), scope.tenantId, limit)
  return (await scope.run(...statement)).rows
}

export async function countUserLog(scope: TenantScope, filter: UserLogFilter): Promise<number> {
  return (await scope.run(...statementsOf(filter).count.of(asked(filter), scope.tenantId))).rows[0]!.count
}
