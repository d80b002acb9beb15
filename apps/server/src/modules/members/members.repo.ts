import type { MemberState } from '@thingwright/contracts/members.contract'
import type { TenantScope } from '../../lib/database.ts'
import type { SortOrder } from '../../lib/paging.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/** A login of the company, or an open invitation. */
export interface MemberRow {
  id: string
  state: MemberState
  username: string | null
  displayName: string
  phone: string | null
  email: string | null
  groupId: string | null
  groupName: string | null
  roles: { id: string; key: string; name: string; ename: string }[]
  lastSignInAt: Date | null
  /** Wrong passwords since the last success, at most a day old, and the last of them. */
  failures: number
  lastFailureAt: Date | null
  leftAt: Date | null
  channel: 'mail' | 'sms' | null
  invitedBy: string | null
  sentAt: Date | null
  sentCount: number | null
  expiresAt: Date | null
  version: number
  createdAt: Date
}

export interface MemberFilter {
  state?: MemberState | undefined
  roleId?: string | undefined
  groupIds?: string[] | undefined
  locked?: boolean
  /** Part of name, user name, phone or mail address; normalised. */
  needle?: string | undefined
  now: Date
}

export const MEMBER_SORTS = ['createdAt', 'name', 'lastSignInAt'] as const
export type MemberSort = SortOrder<(typeof MEMBER_SORTS)[number]>
/** A position: the sort key as PostgreSQL prints it, and the id. */
export type MemberPosition = readonly [key: string, id: string]

const SORT = {
  createdAt: { column: 'm.created_at', type: 'timestamptz' },
  name: { column: 'm.name', type: 'text' },
  lastSignInAt: { column: `coalesce(m.last_login_at, '-infinity')`, type: 'timestamptz' },
} as const

/** Members and open invitations as one relation. A company has hundreds of them: no index is asked for more than the company. */
const PEOPLE = part`(
  select l.id, l.state, l.username, l.display_name, coalesce(nullif(l.display_name, ''), l.username) as name, l.phone, l.email,
    l.group_id, null::uuid[] as role_ids, l.last_login_at, l.left_at, null::text as channel, null::uuid as invited_by,
    null::timestamptz as sent_at, null::int as sent_count, null::timestamptz as expires_at, l.version, l.created_at
  from logins l where l.tenant_id = $1 and l.kind <> 'end_user'
  union all
  select i.id, 'invited', null, i.display_name, coalesce(nullif(i.display_name, ''), i.address),
    case when i.channel = 'sms' then i.address end, case when i.channel = 'mail' then i.address end,
    i.group_id, i.role_ids, null, null, i.channel, i.invited_by, i.sent_at, i.sent_count, i.expires_at, i.version, i.created_at
  from invitations i where i.tenant_id = $1 and i.accepted_at is null and i.revoked_at is null)`

const COLUMNS = part`m.id, m.state, m.username, m.display_name as "displayName", m.phone, m.email, m.group_id as "groupId",
  g.name as "groupName", m.last_login_at as "lastSignInAt", m.left_at as "leftAt", m.channel, inviter.username as "invitedBy",
  m.sent_at as "sentAt", m.sent_count as "sentCount", m.expires_at as "expiresAt", m.version, m.created_at as "createdAt",
  coalesce(f.count, 0) as failures, f.last as "lastFailureAt",
  coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'key', r.key, 'name', r.name, 'ename', r.ename) order by r.builtin desc, r.created_at)
    from roles r where r.tenant_id = $1
      and (r.id = any (m.role_ids) or exists (select 1 from login_roles lr where lr.login_id = m.id and lr.role_id = r.id))), '[]') as roles`

const JOINS = part`left join groups g on g.id = m.group_id
  left join logins inviter on inviter.id = m.invited_by
  left join lateral (select count(*)::int as count, max(at) as last from sign_in_failures where login_id = m.id and at > $2::timestamptz - interval '1 day') f on true`

function conditions(filter: MemberFilter, params: unknown[]): string[] {
  const param = (value: unknown) => `$${params.push(value)}`
  const where: string[] = []
  // Who left is in the list only when asked for.
  where.push(filter.state ? `m.state = ${param(filter.state)}` : `m.state <> 'left'`)
  if (filter.groupIds) where.push(`m.group_id = any (${param(filter.groupIds)}::uuid[])`)
  if (filter.roleId) {
    const role = param(filter.roleId)
    where.push(
      `(${role}::uuid = any (m.role_ids) or exists (select 1 from login_roles lr where lr.login_id = m.id and lr.role_id = ${role}::uuid))`,
    )
  }
  if (filter.needle) {
    const needle = param(filter.needle)
    where.push(
      `strpos(lower(normalize(concat_ws(E'\\x01', m.display_name, m.username, m.phone, m.email), NFKC)), ${needle}) > 0`,
    )
  }
  if (filter.locked) where.push(`f.count > 0 and f.count % 5 = 0 and f.last > $2::timestamptz - interval '15 minutes'`)
  return where
}

/** One page, each row with its position. */
export async function listMembers(
  scope: TenantScope,
  filter: MemberFilter,
  sort: MemberSort,
  after: MemberPosition | null,
  limit: number,
): Promise<(MemberRow & { position: string })[]> {
  const params: unknown[] = [scope.tenantId, filter.now]
  const where = conditions(filter, params)
  const { column, type } = SORT[sort.key]
  const direction = sort.descending ? 'desc' : 'asc'
  if (after)
    where.push(
      `(${column}, m.id) ${sort.descending ? '<' : '>'} ($${params.push(after[0])}::${type}, $${params.push(after[1])}::uuid)`,
    )
  const { rows } = await scope.query<MemberRow & { position: string }>(
    `select ${COLUMNS}, ${column}::text as position from ${PEOPLE} m ${JOINS} where ${where.join(' and ')}
     order by ${column} ${direction}, m.id ${direction} limit ${limit}`,
    params,
  )
  return rows
}

export async function countMembers(scope: TenantScope, filter: MemberFilter): Promise<number> {
  const params: unknown[] = [scope.tenantId, filter.now]
  const where = conditions(filter, params)
  const { rows } = await scope.query<{ count: number }>(
    `select count(*)::int as count from ${PEOPLE} m ${JOINS} where ${where.join(' and ')}`,
    params,
  )
  return rows[0]!.count
}

const MEMBER_ROW = sql<MemberRow>`select ${COLUMNS} from ${PEOPLE} m ${JOINS} where m.id = $3`

/** A member or open invitation; also who left. */
export async function memberRow(scope: TenantScope, id: string, now: Date): Promise<MemberRow | undefined> {
  const { rows } = await scope.run(MEMBER_ROW, [scope.tenantId, now, id])
  return rows[0]
}

export interface LoginOfMember {
  id: string
  username: string
  displayName: string
  phone: string | null
  email: string | null
  locale: 'zh' | 'en'
  state: 'active' | 'frozen' | 'left'
  groupId: string | null
  version: number
}

const LOCK_MEMBER = sql<LoginOfMember>`select id, username, display_name as "displayName", phone, email, locale, state, group_id as "groupId", version
  from logins where tenant_id = $1 and id = $2 and kind <> 'end_user' for update`

/** A member's login, held until the transaction ends; undefined for another company's, an end user's, an invitation. */
export async function lockMember(scope: TenantScope, id: string): Promise<LoginOfMember | undefined> {
  const { rows } = await scope.run(LOCK_MEMBER, [scope.tenantId, id])
  return rows[0]
}

const MEMBER_BY_ADDRESS = sql<{
  username: string
}>`select username from logins where tenant_id = $1 and state <> 'left' and (phone = $2 or lower(email) = $2)`

/** The member of the company an address belongs to. */
export async function memberByAddress(scope: TenantScope, address: string): Promise<string | null> {
  const { rows } = await scope.run(MEMBER_BY_ADDRESS, [scope.tenantId, address])
  return rows[0]?.username ?? null
}
