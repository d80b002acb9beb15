import type { PageControl, PageKind, PageState, PageVisibility } from '@thingwright/contracts/cloud-pages.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export { containing, type ListPosition } from '../../lib/sql/list.ts'

export interface PageRow {
  id: string
  tenantId: string
  name: string
  suffix: string
  kind: PageKind
  state: PageState
  visibility: PageVisibility
  control: PageControl
  roleIds: string[]
  passcodeHash: string | null
  pinHash: string | null
  width: number
  height: number
  nodes: number
  cover: string | null
  publishedNo: number | null
  publishedAt: Date | null
  changed: boolean
  epoch: number
  views: number
  savedByName: string
  ownerId: string | null
  ownerName: string
  oldSuffixes: string[]
  version: number
  createdAt: Date
  updatedAt: Date
}

const FROM = part`cloud_pages p left join cloud_page_visits w on w.page_id = p.id`
const COLUMNS = part`p.id, p.tenant_id as "tenantId", p.name, p.suffix, p.kind, p.state, p.visibility, p.control,
  p.role_ids as "roleIds", p.passcode_hash as "passcodeHash", p.pin_hash as "pinHash", p.width, p.height, p.nodes, p.cover,
  p.published_no as "publishedNo", p.published_at as "publishedAt", p.changed, p.epoch, coalesce(w.n, 0) as views,
  p.saved_by_name as "savedByName", p.created_by as "ownerId", p.created_by_name as "ownerName",
  array(select a.suffix from cloud_page_addresses a where a.page_id = p.id and a.suffix <> p.suffix order by a.suffix) as "oldSuffixes",
  p.version, p.created_at as "createdAt", p.updated_at as "updatedAt"`

const FIND = holdable(sql<PageRow>`select ${COLUMNS} from ${FROM} where p.id = $1`, part`for update of p`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<PageRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const SCENE = sql<{ scene: unknown }>`select scene from cloud_pages where id = $1`

export async function sceneOf(scope: TenantScope, id: string): Promise<unknown> {
  return (await scope.run(SCENE, [id])).rows[0]?.scene
}

export const PAGE_SORTS = ['createdAt', 'updatedAt', 'name', 'views'] as const

export interface PageFilter {
  q?: string
  state?: PageState
  kind?: PageKind
  visibility?: PageVisibility
  userId?: string
}

export const LIST = listSql<PageRow, PageFilter, (typeof PAGE_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`cloud_pages p`,
  filters: {
    q: part`(p.name ilike $1 or p.suffix ilike $1)`,
    state: part`p.state = $1`,
    kind: part`p.kind = $1`,
    visibility: part`p.visibility = $1`,
    userId: part`p.created_by in (select u.id from end_users u where u.path @> array[$1::uuid])`,
  },
  sorts: {
    createdAt: { by: part`p.created_at`, type: 'timestamptz' },
    updatedAt: { by: part`p.updated_at`, type: 'timestamptz' },
    name: { by: part`p.name`, type: 'text' },
    views: { by: part`coalesce(w.n, 0)`, type: 'bigint' },
  },
  id: { by: part`p.id`, type: 'uuid' },
})

const COUNT = sql<{ n: number }>`select count(*)::int as n from cloud_pages`

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface PageValues {
  id: string
  tenantId: string
  name: string
  suffix: string
  kind: PageKind
  state: PageState
  visibility: PageVisibility
  control: PageControl
  roleIds: readonly string[]
  passcodeHash: string | null
  pinHash: string | null
  scene: unknown
  width: number
  height: number
  nodes: number
  cover: string | null
  publishedNo: number
  publishedAt: Date
  changed: boolean
  epoch: number
  savedByName: string
  ownerId: string | null
  ownerName: string
}

const VALUES = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  suffix: 'suffix',
  kind: 'kind',
  state: 'state',
  visibility: 'visibility',
  control: 'control',
  roleIds: 'role_ids',
  passcodeHash: 'passcode_hash',
  pinHash: 'pin_hash',
  scene: { json: 'scene' },
  width: 'width',
  height: 'height',
  nodes: 'nodes',
  cover: 'cover',
  publishedNo: 'published_no',
  publishedAt: 'published_at',
  changed: 'changed',
  epoch: 'epoch',
  savedByName: 'saved_by_name',
  ownerId: 'created_by',
  ownerName: 'created_by_name',
} as const

const INSERT = insertInto<Partial<PageValues>>(part`cloud_pages`, VALUES)

export async function insert(scope: TenantScope, row: Partial<PageValues>): Promise<void> {
  await scope.run(...INSERT.of(row))
}

const UPDATE = updateOf<Partial<PageValues>>(part`cloud_pages`, VALUES, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, change: Partial<PageValues>): Promise<void> {
  await scope.run(...UPDATE.of(change, id))
}

const REMOVE = sql`delete from cloud_pages where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

// ── addresses ──
const TAKE_ADDRESS = sql<{
  page_id: string
}>`insert into cloud_page_addresses (suffix, tenant_id, page_id) values ($1, $2, $3)
  on conflict (suffix) do nothing returning page_id`
const OWN_ADDRESS = sql<{ suffix: string }>`select suffix from cloud_page_addresses where suffix = $1 and page_id = $2`

/** Gives the page an address. @returns false when another page has it, of whichever company */
export async function takeAddress(scope: TenantScope, suffix: string, pageId: string): Promise<boolean> {
  if ((await scope.run(TAKE_ADDRESS, [suffix, scope.tenantId, pageId])).rowCount === 1) return true
  return (await scope.run(OWN_ADDRESS, [suffix, pageId])).rowCount === 1
}

// ── versions ──
export interface VersionRow {
  no: number
  note: string
  nodes: number
  added: number
  removed: number
  changed: number
  ownerId: string | null
  byName: string
  createdAt: Date
}

const VERSION_COLUMNS = part`v.no, v.note, v.nodes, v.added, v.removed, v.changed, v.created_by as "ownerId",
  v.created_by_name as "byName", v.created_at as "createdAt"`
const VERSIONS = sql<VersionRow>`select ${VERSION_COLUMNS} from cloud_page_versions v
  where v.page_id = $1 and v.no < $2 order by v.no desc limit $3`
const VERSION = sql<VersionRow & { scene: unknown }>`select ${VERSION_COLUMNS}, v.scene from cloud_page_versions v
  where v.page_id = $1 and v.no = $2`

export async function versions(scope: TenantScope, id: string, below: number, limit: number): Promise<VersionRow[]> {
  return (await scope.run(VERSIONS, [id, below, limit])).rows
}

export async function version(
  run: Runner,
  id: string,
  no: number,
): Promise<(VersionRow & { scene: unknown }) | undefined> {
  return (await run.run(VERSION, [id, no])).rows[0]
}

interface VersionValues {
  pageId: string
  no: number
  tenantId: string
  scene: unknown
  note: string
  nodes: number
  added: number
  removed: number
  changed: number
  ownerId: string | null
  ownerName: string
}
const INSERT_VERSION = insertInto<VersionValues>(part`cloud_page_versions`, {
  pageId: 'page_id',
  no: 'no',
  tenantId: 'tenant_id',
  scene: { json: 'scene' },
  note: 'note',
  nodes: 'nodes',
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  ownerId: 'created_by',
  ownerName: 'created_by_name',
})

export async function insertVersion(scope: TenantScope, row: VersionValues): Promise<void> {
  await scope.run(...INSERT_VERSION.of(row))
}

const LAST_NO = sql<{ no: number }>`select coalesce(max(no), 0)::int as no from cloud_page_versions where page_id = $1`

export async function lastNo(scope: TenantScope, id: string): Promise<number> {
  return (await scope.run(LAST_NO, [id])).rows[0]!.no
}

const MATERIALS = sql<{ id: string }>`select distinct m[1] as id from (
    select scene::text as document from cloud_pages where id = $1
    union all select v.scene::text from cloud_pages p
      join cloud_page_versions v on v.page_id = p.id and v.no = p.published_no where p.id = $1) s,
  regexp_matches(s.document, '"/media/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m`

/** Ids in the addresses of materials, in the draft and in what visitors see. */
export async function materialsOf(scope: TenantScope, id: string): Promise<string[]> {
  return (await scope.run(MATERIALS, [id])).rows.map(row => row.id)
}

// ── links ──
export interface LinkRow {
  id: string
  name: string
  expiresAt: Date
  revokedAt: Date | null
  lastUsedAt: Date | null
  byName: string
  createdAt: Date
}
const LINK_COLUMNS = part`l.id, l.name, l.expires_at as "expiresAt", l.revoked_at as "revokedAt",
  l.last_used_at as "lastUsedAt", l.created_by_name as "byName", l.created_at as "createdAt"`
const LINKS = sql<LinkRow>`select ${LINK_COLUMNS} from cloud_page_links l where l.page_id = $1
  order by l.created_at desc, l.id desc limit 200`
const INSERT_LINK = sql<LinkRow>`insert into cloud_page_links as l
    (id, tenant_id, page_id, name, token_hash, expires_at, created_by_name) values ($1, $2, $3, $4, $5, $6, $7)
  returning ${LINK_COLUMNS}`
const REVOKE_LINK = sql<LinkRow>`update cloud_page_links l set revoked_at = coalesce(l.revoked_at, now())
  where l.page_id = $1 and l.id = $2 returning ${LINK_COLUMNS}`

export async function links(scope: TenantScope, id: string): Promise<LinkRow[]> {
  return (await scope.run(LINKS, [id])).rows
}

export async function insertLink(
  scope: TenantScope,
  link: { id: string; pageId: string; name: string; hash: Buffer; expiresAt: Date; byName: string },
): Promise<LinkRow> {
  const { id, pageId, name, hash, expiresAt, byName } = link
  return (await scope.run(INSERT_LINK, [id, scope.tenantId, pageId, name, hash, expiresAt, byName])).rows[0]!
}

export async function revokeLink(scope: TenantScope, pageId: string, id: string): Promise<LinkRow | undefined> {
  return (await scope.run(REVOKE_LINK, [pageId, id])).rows[0]
}

// ── what belongs to a member; names of roles ──
const COUNT_OWNED = sql<{ n: number }>`select count(*)::int as n from cloud_pages where created_by = $1`
const HAND_OVER = sql<{ id: string }>`update cloud_pages set created_by = $2, version = version + 1, updated_at = now()
  where created_by = $1 returning id`

export async function countOwned(scope: TenantScope, loginId: string): Promise<number> {
  return (await scope.run(COUNT_OWNED, [loginId])).rows[0]!.n
}

/** @returns how many were handed over */
export async function handOver(scope: TenantScope, from: string, to: string): Promise<number> {
  return (await scope.run(HAND_OVER, [from, to])).rows.length
}

const KNOWN_ROLES = sql<{ id: string }>`select id from roles where id = any ($1::uuid[])`

/** The given role ids that belong to the company. */
export async function knownRoles(scope: TenantScope, ids: readonly string[]): Promise<Set<string>> {
  return ids.length === 0 ? new Set() : new Set((await scope.run(KNOWN_ROLES, [ids])).rows.map(({ id }) => id))
}
