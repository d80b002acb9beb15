import type { MediaKind } from '@thingwright/contracts/media.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import type { SortOrder } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { type ListPosition, listSql } from '../../lib/sql/list.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface MediaRow {
  id: string
  folder_id: string | null
  /** The end user whose it is; null: the company's. */
  owner_id: string | null
  name: string
  kind: MediaKind
  content_type: string
  sha256: Buffer
  size: number
  width: number | null
  height: number | null
  tags: string[]
  public: boolean
  created_by_name: string
  version: number
  created_at: Date
  updated_at: Date
  uses: number
}

export interface BlobRow {
  sha256: Buffer
  size: number
  object_key: string
  thumb_key: string | null
}

export interface UseRow {
  media_id: string
  object_type: string
  object_id: string
  label: string
  at: Date
}

export const MEDIA_SORTS = ['createdAt', 'updatedAt', 'name', 'size'] as const
export type MediaSort = SortOrder<(typeof MEDIA_SORTS)[number]>
export interface MediaFilter {
  q?: string
  kind?: MediaKind
  folderId?: string
  tag?: string
  public?: boolean
  used?: boolean
}
export type MediaListRow = MediaRow & { position: string }

const COLUMNS = part`m.id, m.folder_id, m.owner_id, m.name, m.kind, m.content_type, m.sha256, m.size, m.width, m.height, m.tags, m.public,
  m.created_by_name, m.version, m.created_at, m.updated_at,
  (select count(*)::int from media_uses u where u.media_id = m.id) as uses`
const LIST = listSql<MediaRow, MediaFilter, (typeof MEDIA_SORTS)[number]>({
  columns: COLUMNS,
  from: part`media m`,
  where: part`m.tenant_id = $1 and m.owner_id is not distinct from $2::uuid`,
  given: 2,
  filters: {
    q: part`strpos(m.search_text, $1) > 0`,
    kind: part`m.kind = $1`,
    folderId: { root: part`m.folder_id is null`, other: part`m.folder_id = $1::uuid` },
    tag: part`$1 = any (m.tags)`,
    public: part`m.public = $1`,
    used: {
      true: part`exists (select 1 from media_uses u where u.media_id = m.id)`,
      false: part`not exists (select 1 from media_uses u where u.media_id = m.id)`,
    },
  },
  sorts: {
    createdAt: { by: part`m.created_at`, type: 'timestamptz' },
    updatedAt: { by: part`m.updated_at`, type: 'timestamptz' },
    name: { by: part`m.name`, type: 'text' },
    size: { by: part`m.size`, type: 'bigint' },
  },
  id: { by: part`m.id`, type: 'uuid' },
})

function searched({ q, ...filter }: MediaFilter): MediaFilter {
  const needle = normaliseForSearch(q ?? '')
  return { ...filter, ...(needle ? { q: needle } : {}) }
}

const LOCK_MEDIA = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time changes what a company stores: room, shared bytes and last references are looked at together. */
export async function lockMedia(scope: TenantScope): Promise<void> {
  await scope.run(LOCK_MEDIA, [`media:${scope.tenantId}`])
}

/** Materials of one owner: an end user, or null for the company. */
export async function listMedia(
  scope: TenantScope,
  owner: string | null,
  filter: MediaFilter,
  sort: MediaSort,
  after: ListPosition | null,
  limit: number,
): Promise<MediaListRow[]> {
  const page = { given: [scope.tenantId, owner], filter: searched(filter), sort, after, limit }
  return (await scope.run(...LIST.page(page))).rows
}

export async function countMedia(scope: TenantScope, owner: string | null, filter: MediaFilter): Promise<number> {
  return (await scope.run(...LIST.count(searched(filter), [scope.tenantId, owner]))).rows[0]!.n
}

const FIND_MEDIA = sql<MediaRow>`select ${COLUMNS} from media m where m.id = $1`

export async function findMedia(scope: TenantScope, id: string): Promise<MediaRow | undefined> {
  return (await scope.run(FIND_MEDIA, [id])).rows[0]
}

const LOCK_ROWS = sql<MediaRow>`select ${COLUMNS} from media m where m.id = any ($1::uuid[]) order by m.id for update of m`

/** Rows that stay as they are until the transaction ends. */
export async function lockRows(scope: TenantScope, ids: readonly string[]): Promise<MediaRow[]> {
  const { rows } = await scope.run(LOCK_ROWS, [ids])
  return rows
}

const HOLD_MEDIA = sql`select 1 from media where id = $1 for share`

export async function holdMedia(scope: TenantScope, id: string): Promise<boolean> {
  return (await scope.run(HOLD_MEDIA, [id])).rowCount === 1
}

export interface NewMedia {
  id: string
  folderId: string | null
  owner: string | null
  name: string
  kind: MediaKind
  contentType: string
  sha256: Buffer
  size: number
  width: number | null
  height: number | null
  tags: string[]
  public: boolean
  createdBy: string | null
  createdByName: string
}

const INSERT_MEDIA = sql`insert into media (id, tenant_id, folder_id, name, kind, content_type, sha256, size, width, height, tags, search_text, created_by, created_by_name, owner_id, public)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`

export async function insertMedia(scope: TenantScope, row: NewMedia): Promise<MediaRow> {
  await scope.run(INSERT_MEDIA, [
    ...[row.id, scope.tenantId, row.folderId, row.name, row.kind, row.contentType, row.sha256, row.size, row.width],
    ...[row.height, row.tags, searchText(row.name, row.tags), row.createdBy, row.createdByName],
    row.owner,
    row.public,
  ])
  return (await findMedia(scope, row.id))!
}

const UPDATE_MEDIA = sql`update media set name = $2, folder_id = $3, tags = $4, public = $5, search_text = $6, version = version + 1, updated_at = now() where id = $1`

export async function updateMedia(
  scope: TenantScope,
  id: string,
  to: { name: string; folderId: string | null; tags: string[]; public: boolean },
): Promise<MediaRow> {
  await scope.run(UPDATE_MEDIA, [id, to.name, to.folderId, to.tags, to.public, searchText(to.name, to.tags)])
  return (await findMedia(scope, id))!
}

const UPDATE_CONTENT = sql`update media set content_type = $2, sha256 = $3, size = $4, width = $5, height = $6, version = version + 1, updated_at = now() where id = $1`

export async function updateContent(
  scope: TenantScope,
  id: string,
  to: Pick<NewMedia, 'contentType' | 'sha256' | 'size' | 'width' | 'height'>,
): Promise<MediaRow> {
  await scope.run(UPDATE_CONTENT, [id, to.contentType, to.sha256, to.size, to.width, to.height])
  return (await findMedia(scope, id))!
}

const DELETE_MEDIA = sql`delete from media where id = any ($1::uuid[])`

export async function deleteMedia(scope: TenantScope, ids: readonly string[]): Promise<void> {
  await scope.run(DELETE_MEDIA, [ids])
}

function searchText(name: string, tags: readonly string[]): string {
  return [name, ...tags].map(normaliseForSearch).join('\u0001')
}

const FIND_BLOB = sql<BlobRow>`select sha256, size, object_key, thumb_key from media_blobs where tenant_id = $1 and sha256 = $2`

// ───────────── bytes ─────────────

export async function findBlob(scope: TenantScope, sha256: Buffer): Promise<BlobRow | undefined> {
  const { rows } = await scope.run(FIND_BLOB, [scope.tenantId, sha256])
  return rows[0]
}

const INSERT_BLOB = sql`insert into media_blobs (tenant_id, sha256, size, object_key) values ($1, $2, $3, $4)`

export async function insertBlob(
  scope: TenantScope,
  blob: { sha256: Buffer; size: number; objectKey: string },
): Promise<void> {
  await scope.run(INSERT_BLOB, [scope.tenantId, blob.sha256, blob.size, blob.objectKey])
}

const DELETE_UNUSED_BLOBS = sql<{ object_key: string }>`with gone as (
    delete from media_blobs b where b.tenant_id = $1 and b.sha256 = any ($2)
      and not exists (select 1 from media m where m.tenant_id = b.tenant_id and m.sha256 = b.sha256)
    returning b.tenant_id, b.object_key)
  insert into media_leftovers (object_key, tenant_id) select object_key, tenant_id from gone returning object_key`

/** Removes bytes that no material refers to any more. @returns keys of the objects that now belong to nobody */
export async function deleteUnusedBlobs(scope: TenantScope, hashes: readonly Buffer[]): Promise<string[]> {
  // Equal bytes can be those of a material that the caller does not see.
  const { rows } = await scope.wholeCompany('in-use', () => scope.run(DELETE_UNUSED_BLOBS, [scope.tenantId, hashes]))
  return rows.map(row => row.object_key)
}

const USED_BYTES = sql<{
  bytes: number
}>`select coalesce(sum(size), 0)::bigint as bytes from media_blobs where tenant_id = $1`

export async function usedBytes(scope: TenantScope): Promise<number> {
  const { rows } = await scope.run(USED_BYTES, [scope.tenantId])
  return Number(rows[0]!.bytes)
}

const USED_BY_USER = sql<{
  bytes: number
}>`select coalesce(sum(size), 0)::bigint as bytes from media where tenant_id = $1 and owner_id = $2`

/** Bytes of an end user's materials, each counted in full. */
export async function usedByUser(scope: TenantScope, owner: string): Promise<number> {
  return Number((await scope.run(USED_BY_USER, [scope.tenantId, owner])).rows[0]!.bytes)
}

const USAGE_BY_KIND = sql<{
  kind: MediaKind
  count: number
  bytes: number
}>`select kind, count(*)::int as count, sum(size)::bigint as bytes from media
  where tenant_id = $1 and owner_id is not distinct from $2::uuid group by kind order by kind`

export async function usageByKind(
  scope: TenantScope,
  owner: string | null,
): Promise<{ kind: MediaKind; count: number; bytes: number }[]> {
  const { rows } = await scope.run(USAGE_BY_KIND, [scope.tenantId, owner])
  return rows.map(row => ({ ...row, bytes: Number(row.bytes) }))
}

const USAGE_BY_TAG = sql<{
  tag: string
  count: number
}>`select tag, count(*)::int as count from media, unnest(tags) as tag
  where tenant_id = $1 and owner_id is not distinct from $2::uuid group by tag order by 2 desc, 1 limit 200`

export async function usageByTag(scope: TenantScope, owner: string | null): Promise<{ tag: string; count: number }[]> {
  const { rows } = await scope.run(USAGE_BY_TAG, [scope.tenantId, owner])
  return rows
}

const SET_THUMB = sql`update media_blobs set thumb_key = $2 where object_key = $1`

export async function setThumb(scope: SystemScope, objectKey: string, thumbKey: string): Promise<boolean> {
  const { rowCount } = await scope.run(SET_THUMB, [objectKey, thumbKey])
  return rowCount === 1
}

const NOTE_LEFTOVER = sql`insert into media_leftovers (object_key, tenant_id) values ($1, $2)`

// ───────────── objects that belong to nobody ─────────────

export async function noteLeftover(scope: TenantScope, objectKey: string): Promise<void> {
  await scope.run(NOTE_LEFTOVER, [objectKey, scope.tenantId])
}

const IS_LEFTOVER = sql`select 1 from media_leftovers where object_key = $1`

export async function isLeftover(scope: SystemScope, objectKey: string): Promise<boolean> {
  return (await scope.run(IS_LEFTOVER, [objectKey])).rowCount === 1
}

const FORGET_LEFTOVER = sql`delete from media_leftovers where object_key = $1`

export async function forgetLeftover(scope: Pick<TenantScope, 'run'>, objectKey: string): Promise<void> {
  await scope.run(FORGET_LEFTOVER, [objectKey])
}

const LEFTOVERS_BEFORE = sql<{
  object_key: string
}>`select object_key from media_leftovers where since < $1 order by since limit 500`

export async function leftoversBefore(scope: SystemScope, before: Date): Promise<string[]> {
  const { rows } = await scope.run(LEFTOVERS_BEFORE, [before])
  return rows.map(row => row.object_key)
}

const USES_OF = sql<UseRow>`select media_id, object_type, object_id, label, at from media_uses where media_id = any ($1::uuid[]) order by at desc, object_id limit $2`

// ───────────── uses ─────────────

export async function usesOf(scope: TenantScope, ids: readonly string[], limit = 200): Promise<UseRow[]> {
  const { rows } = await scope.run(USES_OF, [ids, limit])
  return rows
}

const INSERT_USE = sql`insert into media_uses (media_id, object_type, object_id, tenant_id, label) values ($1, $2, $3, $4, $5)
  on conflict (media_id, object_type, object_id) do update set label = excluded.label`

export async function insertUse(
  scope: TenantScope,
  mediaId: string,
  by: { objectType: string; objectId: string; label: string },
): Promise<void> {
  await scope.run(INSERT_USE, [mediaId, by.objectType, by.objectId, scope.tenantId, by.label])
}

const DELETE_USES = sql`delete from media_uses where tenant_id = $1 and object_type = $2 and object_id = $3 and ($4::uuid is null or media_id = $4)`

export async function deleteUses(
  scope: TenantScope,
  by: { objectType: string; objectId: string },
  mediaId: string | null,
): Promise<void> {
  await scope.run(DELETE_USES, [scope.tenantId, by.objectType, by.objectId, mediaId])
}

// ───────────── handing out ─────────────

export interface ServedRow {
  name: string
  kind: MediaKind
  content_type: string
  sha256: Buffer
  size: number
  public: boolean
  object_key: string
  thumb_key: string | null
}

const SERVED_MEDIA = sql<ServedRow>`select m.name, m.kind, m.content_type, m.sha256, m.size, m.public, b.object_key, b.thumb_key
  from media m join media_blobs b on b.tenant_id = m.tenant_id and b.sha256 = m.sha256
  join tenants t on t.id = m.tenant_id
  where m.id = $1 and t.status not in ('inactive', 'frozen')`

/** For whoever holds an address; a company that is frozen or not activated hands out nothing. */
export async function servedMedia(scope: SystemScope, id: string): Promise<ServedRow | undefined> {
  const { rows } = await scope.run(SERVED_MEDIA, [id])
  return rows[0]
}
