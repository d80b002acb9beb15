import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** A material as what shows it names it in the file of a company: with its bytes, so that the same one is found again. */
export interface NamedMaterial {
  id: string
  name: string
  /** In hexadecimal digits. */
  sha256: string
}

const NAMED = sql<NamedMaterial>`select id, name, encode(sha256, 'hex') as sha256 from media where id = any ($1::uuid[])`

/** The given ids of materials that the company has. */
export async function namedMaterials(scope: TenantScope, ids: readonly string[]): Promise<NamedMaterial[]> {
  return ids.length === 0 ? [] : (await scope.run(NAMED, [ids])).rows
}

const SAME = sql<{ id: string }>`select id from media where sha256 = $1 and public and owner_id is null
  order by name = $2 desc, created_at, id limit 1`

/** A public material of the company with the same bytes; before others one that has the same name too. */
export async function samePublicMaterial(
  scope: TenantScope,
  { name, sha256 }: Omit<NamedMaterial, 'id'>,
): Promise<string | undefined> {
  return (await scope.run(SAME, [Buffer.from(sha256, 'hex'), name])).rows[0]?.id
}
