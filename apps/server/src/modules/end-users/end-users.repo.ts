import type { TenantScope } from '../../lib/database/database.ts'
import type { SortOrder } from '../../lib/lists/paging.ts'
import { type ListPosition, listSql } from '../../lib/sql/list.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'
import type { LineLink } from './standing.ts'

export interface EndUserRow {
  id: string
  username: string
  name: string
  phone: string | null
  email: string | null
  company: string
  contactName: string
  address: string
  remark: string
  logoId: string | null
  locale: 'zh' | 'en'
  groupId: string | null
  groupName: string | null
  state: 'active' | 'invited' | 'frozen' | 'expired'
  parentId: string | null
  parentName: string | null
  path: string[]
  packageId: string | null
  packageName: string | null
  ownRights: string[] | null
  deviceQuota: number | null
  packageQuota: number | null
  mediaQuota: number | null
  packageMediaQuota: number | null
  expiresAt: Date | null
  devices: number
  online: number
  openAlarms: number
  smsLeft: number | null
  subUsers: number
  lastSignInAt: Date | null
  createdBy: string | null
  version: number
  createdAt: Date
  /** From the top to himself, as far as the caller sees. Times are texts. */
  line: (Omit<LineLink, 'expiresAt'> & { expiresAt: string | null })[]
}

const NAME = part`coalesce(nullif(l.display_name, ''), l.username)`
/** One that waits for its first password is invited. */
const STATE = part`case when l.state = 'frozen' then 'frozen' when u.expires_at <= now() then 'expired'
  when l.password_hash is null then 'invited' else 'active' end`
const LINE = part`(select jsonb_agg(jsonb_build_object('rights', coalesce(a.rights, ap.rights, '{}'), 'menuKeys', ap.menu_keys,
    'deviceQuota', coalesce(a.device_quota, ap.device_quota), 'state', al.state, 'expiresAt', a.expires_at) order by cardinality(a.path))
  from end_users a join logins al on al.id = a.id left join user_packages ap on ap.id = a.package_id where a.id = any (u.path))`

const COLUMNS = part`u.id, l.username, ${NAME} as name, l.phone, l.email, u.company, u.contact_name as "contactName", u.address, u.remark, u.logo_id as "logoId",
  l.locale, u.group_id as "groupId", g.name as "groupName", ${STATE} as state, u.parent_id as "parentId",
  (select coalesce(nullif(pl.display_name, ''), pl.username) from end_users pu join logins pl on pl.id = pu.id where pu.id = u.parent_id) as "parentName",
  u.path, u.package_id as "packageId", p.name as "packageName", u.rights as "ownRights", u.device_quota as "deviceQuota",
  p.device_quota as "packageQuota", u.media_quota as "mediaQuota",
  p.media_quota as "packageMediaQuota", u.expires_at as "expiresAt", l.last_login_at as "lastSignInAt", u.created_by as "createdBy",
  u.version, u.created_at as "createdAt", ${LINE} as line,
  (select count(*)::int from devices d where d.tenant_id = u.tenant_id and d.owner_id = u.id and d.recycled_at is null) as devices,
  (select count(*)::int from devices d join device_presence s on s.device = d.num and s.link = 'online'
    where d.tenant_id = u.tenant_id and d.owner_id = u.id and d.recycled_at is null) as online,
  (select count(*)::int from devices d join alarms x on x.device_id = d.id and x.active and x.acknowledged_at is null
    where d.tenant_id = u.tenant_id and d.owner_id = u.id and d.recycled_at is null) as "openAlarms",
  case when (select scope_user()) is null and (select 'sms' = any (n.customer_ways) from notification_policies n where n.tenant_id = u.tenant_id) then
    (select coalesce(sum(b.left_units), 0)::int from unit_batches b where b.tenant_id = u.tenant_id and b.holder_id = u.tenant_id and b.kind = 'sms'
      and b.expires_at > now()) end as "smsLeft",
  (select count(*)::int - 1 from end_users b where b.path @> array[u.id]) as "subUsers"`
const FROM = part`end_users u join logins l on l.id = u.id left join user_packages p on p.id = u.package_id
  left join groups g on g.id = u.group_id`

export interface EndUserFilter {
  state?: string
  packageId?: string
  groupIds?: string[]
  parentId?: string
  under?: string
  top?: boolean
  /** Part of name, user name, company, phone or mail address; normalised. */
  needle?: string
}
export const END_USER_SORTS = ['createdAt', 'name', 'lastSignInAt', 'expiresAt'] as const
export type EndUserSort = SortOrder<(typeof END_USER_SORTS)[number]>

const LIST = listSql<EndUserRow, EndUserFilter, (typeof END_USER_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  given: 1,
  where: part`u.tenant_id = $1`,
  filters: {
    state: part`${STATE} = $1`,
    packageId: part`u.package_id = $1`,
    groupIds: part`u.group_id = any ($1::uuid[])`,
    parentId: part`u.parent_id = $1`,
    under: part`u.path @> array[$1::uuid]`,
    top: { true: part`u.parent_id is null` },
    needle: part`strpos(lower(normalize(concat_ws(E'\\x01', l.display_name, l.username, u.company, l.phone, l.email), NFKC)), $1) > 0`,
  },
  sorts: {
    createdAt: { by: part`u.created_at`, type: 'timestamptz' },
    name: { by: NAME, type: 'text' },
    lastSignInAt: { by: part`coalesce(l.last_login_at, '-infinity')`, type: 'timestamptz' },
    expiresAt: { by: part`coalesce(u.expires_at, 'infinity')`, type: 'timestamptz' },
  },
  id: { by: part`u.id`, type: 'uuid' },
})

export async function list(
  scope: TenantScope,
  filter: EndUserFilter,
  sort: EndUserSort,
  after: ListPosition | null,
  limit: number,
): Promise<(EndUserRow & { position: string })[]> {
  return (await scope.run(...LIST.page({ given: [scope.tenantId], filter, sort, after, limit }))).rows
}

export async function count(scope: TenantScope, filter: EndUserFilter): Promise<number> {
  return (await scope.run(...LIST.count(filter, [scope.tenantId]))).rows[0]!.n
}

const COUNTS = sql<{
  total: number
  active7d: number
  invited: number
  frozen: number
  expired: number
  expiring30d: number
}>`select count(*)::int as total, count(*) filter (where s."lastAt" > $2::timestamptz - interval '7 days')::int as "active7d",
  count(*) filter (where s.state = 'invited')::int as invited, count(*) filter (where s.state = 'frozen')::int as frozen,
  count(*) filter (where s.state = 'expired')::int as expired,
  count(*) filter (where s.state <> 'expired' and s."expiresAt" <= $2::timestamptz + interval '30 days')::int as "expiring30d"
  from (select ${STATE} as state, u.expires_at as "expiresAt", l.last_login_at as "lastAt"
    from end_users u join logins l on l.id = u.id where u.tenant_id = $1) s`

/** How many end users of the company the caller sees, as of a moment. */
export async function counts(scope: TenantScope, at: Date) {
  return (await scope.run(COUNTS, [scope.tenantId, at])).rows[0]!
}

const FIND = holdable(sql<EndUserRow>`select ${COLUMNS} from ${FROM} where u.id = $1`, part`for update of u`)

/** @param lock he stays as he is until the transaction ends */
export async function find(scope: TenantScope, id: string, lock = false): Promise<EndUserRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const ADD_LOGIN = sql`select add_end_user_login($1, $2, $3, $4, $5, $6, $7)`

export async function addLogin(
  scope: TenantScope,
  login: {
    id: string
    username: string
    name: string
    phone: string | null
    email: string | null
    hash: string | null
    locale: string
  },
): Promise<void> {
  await scope.run(ADD_LOGIN, [login.id, login.username, login.name, login.phone, login.email, login.hash, login.locale])
}

export interface EndUserFields {
  parentId: string | null
  path: string[]
  packageId: string | null
  rights: string[] | null
  deviceQuota: number | null
  mediaQuota: number | null
  expiresAt: Date | null
  company: string
  contactName: string
  address: string
  remark: string
  logoId: string | null
  groupId: string | null
}
const FIELDS = {
  parentId: 'parent_id',
  path: 'path',
  packageId: 'package_id',
  rights: 'rights',
  deviceQuota: 'device_quota',
  mediaQuota: 'media_quota',
  expiresAt: 'expires_at',
  company: 'company',
  contactName: 'contact_name',
  address: 'address',
  remark: 'remark',
  logoId: 'logo_id',
  groupId: 'group_id',
} as const
const INSERT = insertInto<EndUserFields & { id: string; tenantId: string; byName: string }>(part`end_users`, {
  id: 'id',
  tenantId: 'tenant_id',
  byName: 'created_by_name',
  ...FIELDS,
})

export async function insert(scope: TenantScope, row: EndUserFields & { id: string; byName: string }): Promise<void> {
  await scope.run(...INSERT.of({ ...row, tenantId: scope.tenantId }))
}

const UPDATE = updateOf<EndUserFields>(part`end_users`, FIELDS, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, fields: EndUserFields): Promise<void> {
  await scope.run(...UPDATE.of(fields, id))
}

/** Below a moved one everybody's path begins anew. */
const MOVE_BELOW = sql`update end_users set path = $2::uuid[] || path[$3::int + 1:], updated_at = now() where path @> array[$1::uuid] and id <> $1`

export async function moveBelow(
  scope: TenantScope,
  id: string,
  path: readonly string[],
  before: number,
): Promise<void> {
  await scope.run(MOVE_BELOW, [id, path, before])
}

const DEPTH_BELOW = sql<{
  depth: number
}>`select coalesce(max(cardinality(path)), 0)::int as depth from end_users where path @> array[$1::uuid]`

/** The deepest level among him and those below him. */
export async function depthBelow(scope: TenantScope, id: string): Promise<number> {
  return (await scope.run(DEPTH_BELOW, [id])).rows[0]!.depth
}

const IDS_BELOW = sql<{ id: string }>`select id from end_users where path @> array[$1::uuid]`

/** He and everybody below him. */
export async function idsBelow(scope: TenantScope, id: string): Promise<string[]> {
  return (await scope.run(IDS_BELOW, [id])).rows.map(row => row.id)
}

const IDS_OF_PACKAGE = sql<{
  id: string
}>`select b.id from end_users u join end_users b on b.path @> array[u.id] where u.package_id = $1`

/** End users who have the package, and all below them. */
export async function idsOfPackage(scope: TenantScope, packageId: string): Promise<string[]> {
  return (await scope.run(IDS_OF_PACKAGE, [packageId])).rows.map(row => row.id)
}

const IDS_NAMED = sql<{ id: string; exact: boolean }>`select u.id, lower(l.username) = lower($1) as exact
  from end_users u join logins l on l.id = u.id
  where lower(l.username) = lower($1) or l.display_name = $1 order by 2 desc limit 3`

/** By user name, else by the name where it is one person's; null: nobody, or several. */
export async function idNamed(scope: TenantScope, text: string): Promise<string | null> {
  const { rows } = await scope.run(IDS_NAMED, [text])
  if (rows[0]?.exact) return rows[0].id
  return rows.length === 1 ? rows[0]!.id : null
}

const LOCK_TREE = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** Locks the tree of end users of a company: one transaction at a time changes it. */
export async function lockTree(scope: TenantScope): Promise<void> {
  await scope.run(LOCK_TREE, [`end-users:${scope.tenantId}`])
}

const REMOVE = sql`delete from end_users where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const MEMBER_NAMED = sql<{
  id: string
}>`select id from logins where tenant_id = $1 and kind <> 'end_user' and lower(username) = lower($2)`

/** A member of the company has the user name: at its sign-in nobody could tell the two apart. */
export async function memberNamed(scope: TenantScope, username: string): Promise<boolean> {
  return (await scope.run(MEMBER_NAMED, [scope.tenantId, username])).rows.length > 0
}

const ADD_LINK = sql`select add_end_user_link($1, $2, $3, $4, $5)`

export async function addLink(
  scope: TenantScope,
  link: { id: string; loginId: string; hash: Buffer; madeBy: string | null; expiresAt: Date },
): Promise<void> {
  await scope.run(ADD_LINK, [link.id, link.loginId, link.hash, link.madeBy, link.expiresAt])
}
