import type { TenantScope } from '../../lib/database.ts'

export interface FolderRow {
  id: string
  parent_id: string | null
  name: string
  version: number
  created_at: Date
  count: number
}

const COLUMNS = `f.id, f.parent_id, f.name, f.version, f.created_at,
  (select count(*)::int from media m where m.folder_id = f.id) as count`

/** One at a time changes the tree: the check for circles must see the other's move. */
export async function lockFolders(scope: TenantScope): Promise<void> {
  await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`media-folders:${scope.tenantId}`])
}

export async function allFolders(scope: TenantScope): Promise<FolderRow[]> {
  const { rows } = await scope.query<FolderRow>(
    `select ${COLUMNS} from media_folders f where f.tenant_id = $1 order by f.name, f.id`,
    [scope.tenantId],
  )
  return rows
}

/** The folder cannot be removed until the transaction ends. */
export async function holdFolder(scope: TenantScope, id: string): Promise<boolean> {
  return (await scope.query('select 1 from media_folders where id = $1 for share', [id])).rowCount === 1
}

/** Waits for those who are putting something into it. */
export async function lockFolder(scope: TenantScope, id: string): Promise<void> {
  await scope.query('select 1 from media_folders where id = $1 for update', [id])
}

export async function insertFolder(
  scope: TenantScope,
  row: { id: string; parentId: string | null; name: string },
): Promise<void> {
  await scope.query('insert into media_folders (id, tenant_id, parent_id, name) values ($1, $2, $3, $4)', [
    row.id,
    scope.tenantId,
    row.parentId,
    row.name,
  ])
}

export async function updateFolder(
  scope: TenantScope,
  id: string,
  to: { parentId: string | null; name: string },
): Promise<void> {
  await scope.query(
    'update media_folders set parent_id = $2, name = $3, version = version + 1, updated_at = now() where id = $1',
    [id, to.parentId, to.name],
  )
}

export async function deleteFolder(scope: TenantScope, id: string): Promise<void> {
  await scope.query('delete from media_folders where id = $1', [id])
}

export async function countWithoutFolder(scope: TenantScope): Promise<number> {
  const { rows } = await scope.query<{ n: number }>(
    'select count(*)::int as n from media where tenant_id = $1 and folder_id is null',
    [scope.tenantId],
  )
  return rows[0]!.n
}
