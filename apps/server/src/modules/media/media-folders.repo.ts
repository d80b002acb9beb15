import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface FolderRow {
  id: string
  parent_id: string | null
  /** The end user whose it is; null: the company's. */
  owner_id: string | null
  name: string
  version: number
  created_at: Date
  count: number
}

const COLUMNS = part`f.id, f.parent_id, f.owner_id, f.name, f.version, f.created_at,
  (select count(*)::int from media m where m.folder_id = f.id) as count`

const LOCK_FOLDERS = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time changes the tree: the check for circles must see the other's move. */
export async function lockFolders(scope: TenantScope): Promise<void> {
  await scope.run(LOCK_FOLDERS, [`media-folders:${scope.tenantId}`])
}

const ALL_FOLDERS = sql<FolderRow>`select ${COLUMNS} from media_folders f
  where f.tenant_id = $1 and f.owner_id is not distinct from $2::uuid order by f.name, f.id`

/** Folders of one owner: an end user, or null for the company. */
export async function allFolders(scope: TenantScope, owner: string | null): Promise<FolderRow[]> {
  const { rows } = await scope.run(ALL_FOLDERS, [scope.tenantId, owner])
  return rows
}

const OWNER_OF_FOLDER = sql<{ owner_id: string | null }>`select owner_id from media_folders where id = $1`

/** undefined: the caller sees no such folder. */
export async function ownerOfFolder(scope: TenantScope, id: string): Promise<string | null | undefined> {
  return (await scope.run(OWNER_OF_FOLDER, [id])).rows[0]?.owner_id
}

const HOLD_FOLDER = sql`select 1 from media_folders where id = $1 and owner_id is not distinct from $2::uuid for share`

/** A folder of this owner, which cannot be removed until the transaction ends. */
export async function holdFolder(scope: TenantScope, id: string, owner: string | null): Promise<boolean> {
  return (await scope.run(HOLD_FOLDER, [id, owner])).rowCount === 1
}

const LOCK_FOLDER = sql`select 1 from media_folders where id = $1 for update`

/** Waits for those who are putting something into it. */
export async function lockFolder(scope: TenantScope, id: string): Promise<void> {
  await scope.run(LOCK_FOLDER, [id])
}

const INSERT_FOLDER = sql`insert into media_folders (id, tenant_id, parent_id, name, owner_id) values ($1, $2, $3, $4, $5)`

export async function insertFolder(
  scope: TenantScope,
  row: { id: string; parentId: string | null; name: string; owner: string | null },
): Promise<void> {
  await scope.run(INSERT_FOLDER, [row.id, scope.tenantId, row.parentId, row.name, row.owner])
}

const UPDATE_FOLDER = sql`update media_folders set parent_id = $2, name = $3, version = version + 1, updated_at = now() where id = $1`

export async function updateFolder(
  scope: TenantScope,
  id: string,
  to: { parentId: string | null; name: string },
): Promise<void> {
  await scope.run(UPDATE_FOLDER, [id, to.parentId, to.name])
}

const DELETE_FOLDER = sql`delete from media_folders where id = $1`

export async function deleteFolder(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_FOLDER, [id])
}

const COUNT_WITHOUT_FOLDER = sql<{
  n: number
}>`select count(*)::int as n from media
  where tenant_id = $1 and folder_id is null and owner_id is not distinct from $2::uuid`

export async function countWithoutFolder(scope: TenantScope, owner: string | null): Promise<number> {
  const { rows } = await scope.run(COUNT_WITHOUT_FOLDER, [scope.tenantId, owner])
  return rows[0]!.n
}
