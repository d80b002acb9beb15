import type { TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'

const HAS_ANY = sql`select 1 from media where owner_id = $1 limit 1`
const NAMES = sql<{ name: string }>`select name from media_folders
  where tenant_id = $1 and owner_id is not distinct from $2::uuid and parent_id is null`
const INSERT_FOLDER = sql`insert into media_folders (id, tenant_id, parent_id, name, owner_id) values ($1, $2, null, $3, $4)`
const RELEASE = sql`update media set owner_id = $2, folder_id = $3, version = version + 1, updated_at = now() where owner_id = $1`
const LEAVE_FOLDERS = sql`update media_folders set parent_id = null, name = id::text where owner_id = $1`
const DELETE_FOLDERS = sql`delete from media_folders where owner_id = $1`

/**
 * Materials of an end user who is removed: they go to who stands above him, or to the company, into one folder that has
 * his name. Pages that he drew stay, and go on showing them.
 */
export async function releaseMaterialsOf(
  scope: TenantScope,
  from: { id: string; name: string },
  to: string | null,
): Promise<void> {
  if (((await scope.run(HAS_ANY, [from.id])).rowCount ?? 0) > 0) {
    const taken = new Set((await scope.run(NAMES, [scope.tenantId, to])).rows.map(({ name }) => name))
    const id = newId()
    await scope.run(INSERT_FOLDER, [id, scope.tenantId, freeName(from.name, taken), to])
    await scope.run(RELEASE, [from.id, to, id])
  }
  // No folder is in another one any more, so that they can go in any order.
  await scope.run(LEAVE_FOLDERS, [from.id])
  await scope.run(DELETE_FOLDERS, [from.id])
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const first = name.slice(0, 60)
  for (let n = 1; ; n++) {
    const tried = n === 1 ? first : `${first} ${n}`
    if (!taken.has(tried)) return tried
  }
}

const CLAIMABLE = sql<{ id: string }>`select id from media
  where id = any ($1::uuid[]) and (owner_id is null or owner_id = any ($2::uuid[])) order by id for share`
const DELETE_OTHERS = sql`delete from media_uses
  where tenant_id = $1 and object_type = $2 and object_id = $3 and not media_id = any ($4::uuid[])`
const INSERT_USES = sql`insert into media_uses (media_id, object_type, object_id, tenant_id, label)
  select m, $2, $3, $1, $5 from unnest($4::uuid[]) m
  on conflict (media_id, object_type, object_id) do update set label = excluded.label`

/**
 * Says which materials an object shows now: they stay as long as it does, others are given up. Counted is what the caller
 * sees of the company's and of these end users; a material that was claimed before stays claimed.
 */
export async function claimMaterials(
  scope: TenantScope,
  by: { objectType: string; objectId: string; label: string },
  ids: readonly string[],
  owners: readonly string[],
): Promise<void> {
  const { rows } = ids.length === 0 ? { rows: [] } : await scope.run(CLAIMABLE, [ids, owners])
  const seen = rows.map(({ id }) => id)
  // A claim can be on a picture of the company that an end user does not see.
  await scope.wholeCompany('in-use', async () => {
    await scope.run(DELETE_OTHERS, [scope.tenantId, by.objectType, by.objectId, ids])
    if (seen.length > 0) await scope.run(INSERT_USES, [scope.tenantId, by.objectType, by.objectId, seen, by.label])
  })
}
