import type { TenantScope } from '../../lib/database.ts'

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
const LOCKED = `coalesce(reason, '') = 'auth.locked'`

const SIGN_INS = `select id, at, case when ${LOCKED} then 'lock_out' else 'sign_in' end as kind,
    case result when 'second_factor' then 'half' else result end as result, login_id as "loginId", username,
    method as action, reason, null::text as "objectType", null::text as "objectId", null::text as "objectName", ip,
    user_agent as "userAgent"
  from sign_in_events where tenant_id = $1`

/** The same words as the index audit_logs_user_idx, so that it serves. */
const OPERATIONS = `select id, at,
    case when action like '%.export' or action = 'task.download' then 'export'
      when action like 'command.%' then 'command' else 'sign_out' end as kind,
    result, actor_id as "loginId", actor_name as username, action, null::text as reason, object_type as "objectType",
    object_id as "objectId", object_name as "objectName", ip, user_agent as "userAgent"
  from audit_logs where tenant_id = $1 and (
    action in ('command.create', 'command.cancel', 'session.sign_out', 'session.end', 'session.end_others', 'session.end_member', 'task.download')
    or action like '%.export')`

const SIGN_IN_KINDS = ['sign_in', 'lock_out']

/** Both sources under the same conditions, each with its own limit, so that neither is read whole. */
function statement(
  scope: TenantScope,
  filter: UserLogFilter,
  rest: { after: readonly [string, string] | null; limit: number | null },
): { sql: string; params: unknown[] } {
  const params: unknown[] = [scope.tenantId]
  const param = (value: unknown) => `$${params.push(value)}`
  const where: string[] = []
  if (filter.loginId !== undefined) where.push(`"loginId" = ${param(filter.loginId)}`)
  if (filter.kind !== undefined) where.push(`kind = ${param(filter.kind)}`)
  if (filter.result !== undefined) where.push(`result = ${param(filter.result)}`)
  if (filter.ip !== undefined) where.push(`ip = ${param(filter.ip)}`)
  if (filter.from !== undefined) where.push(`at >= ${param(filter.from)}::timestamptz`)
  if (filter.to !== undefined) where.push(`at < ${param(filter.to)}::timestamptz`)
  if (filter.needle) {
    const needle = param(filter.needle)
    const holds = (column: string) => `strpos(lower(normalize(coalesce(${column}, ''), NFKC)), ${needle}) > 0`
    where.push(`(${holds('username')} or ${holds('"objectName"')})`)
  }
  if (rest.after) where.push(`(at, id) < (${param(rest.after[0])}::timestamptz, ${param(rest.after[1])}::uuid)`)
  const sources = [SIGN_INS, OPERATIONS].filter(
    (_, index) => filter.kind === undefined || SIGN_IN_KINDS.includes(filter.kind) === (index === 0),
  )
  const order = rest.limit === null ? '' : ` order by at desc, id desc limit ${rest.limit}`
  const condition = where.length > 0 ? ` where ${where.join(' and ')}` : ''
  const sql = sources.map(source => `(select * from (${source}) one${condition}${order})`).join(' union all ')
  return { sql, params }
}

/** Newest first. */
export async function listUserLog(
  scope: TenantScope,
  filter: UserLogFilter,
  after: readonly [at: string, id: string] | null,
  limit: number,
): Promise<UserLogRow[]> {
  const { sql, params } = statement(scope, filter, { after, limit })
  const { rows } = await scope.query<UserLogRow>(
    `select *, at::text as position from (${sql}) both_sources order by at desc, id desc limit ${limit}`,
    params,
  )
  return rows
}

export async function countUserLog(scope: TenantScope, filter: UserLogFilter): Promise<number> {
  const { sql, params } = statement(scope, filter, { after: null, limit: null })
  const { rows } = await scope.query<{ count: number }>(`select count(*) as count from (${sql}) both_sources`, params)
  return rows[0]!.count
}
