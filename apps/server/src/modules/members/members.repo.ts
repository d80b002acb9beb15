import type { MemberState } from '@thingwright/contracts/members.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import type { SortOrder } from '../../lib/lists/paging.ts'
import { listSql } from '../../lib/sql/list.ts'
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

/** Members who left are listed only when asked for. */
interface AskedMembers {
  state: string
  groupIds?: string[]
  roleId?: string
  needle?: string
  locked?: boolean
}

const LIST = listSql<MemberRow, AskedMembers, (typeof MEMBER_SORTS)[number]>({
  columns: COLUMNS,
  from: part`${PEOPLE} m ${JOINS}`,
  given: 2,
  filters: {
    state: { present: part`m.state <> 'left'`, other: part`m.state = $1` },
    groupIds: part`m.group_id = any ($1::uuid[])`,
    roleId: part`($1::uuid = any (m.role_ids) or exists (select 1 from login_roles lr where lr.login_id = m.id and lr.role_id = $1::uuid))`,
    needle: part`strpos(lower(normalize(concat_ws(E'\\x01', m.display_name, m.username, m.phone, m.email), NFKC)), $1) > 0`,
    locked: { true: part`f.count > 0 and f.count % 5 = 0 and f.last > $2::timestamptz - interval '15 minutes'` },
  },
  sorts: {
    createdAt: { by: part`m.created_at`, type: 'timestamptz' },
    name: { by: part`m.name`, type: 'text' },
    lastSignInAt: { by: part`coalesce(m.last_login_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`m.id`, type: 'uuid' },
})

const asked = ({ state, groupIds, roleId, needle, locked }: MemberFilter): AskedMembers => ({
  state: state || 'present',
  ...(groupIds ? { groupIds } : {}),
  ...(roleId ? { roleId } : {}),
  ...(needle ? { needle } : {}),
  ...(locked ? { locked } : {}),
})

/** One page, each row with its position. */
export async function listMembers(
  scope: TenantScope,
  filter: MemberFilter,
  sort: MemberSort,
  after: MemberPosition | null,
  limit: number,
): Promise<(MemberRow & { position: string })[]> {
  const given = [scope.tenantId, filter.now]
  return (await scope.run(...LIST.page({ given, filter: asked(filter), sort, after, limit }))).rows
}

export async function countMembers(scope: TenantScope, filter: MemberFilter): Promise<number> {
  return (await scope.run(...LIST.count(asked(filter), [scope.tenantId, filter.now]))).rows[0]!.n
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
