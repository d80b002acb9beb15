import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface VoucherFileRow {
  id: string
  name: string
  contentType: string
  size: number
  objectKey: string
  createdAt: Date
}

const COLUMNS = part`id, name, content_type as "contentType", size, object_key as "objectKey", created_at as "createdAt"`
const INSERT = sql<VoucherFileRow>`insert into payment_files (id, tenant_id, name, content_type, size, object_key)
  values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`
const COUNT = sql<{ n: number }>`select count(*)::int as n from payment_files where tenant_id = $1`
const BY_IDS = sql<VoucherFileRow>`select ${COLUMNS} from payment_files where tenant_id = $1 and id = any ($2::uuid[])
  order by created_at, id`

export async function insertFile(
  scope: Runner,
  f: { id: string; tenantId: string; name: string; contentType: string; size: number; objectKey: string },
): Promise<VoucherFileRow> {
  return (await scope.run(INSERT, [f.id, f.tenantId, f.name, f.contentType, f.size, f.objectKey])).rows[0]!
}

export const countFiles = async (scope: Runner, tenantId: string) => (await scope.run(COUNT, [tenantId])).rows[0]!.n

/** Files of a company, the oldest first. */
export async function filesOf(scope: Runner, tenantId: string, ids: readonly string[]): Promise<VoucherFileRow[]> {
  return ids.length === 0 ? [] : (await scope.run(BY_IDS, [tenantId, ids])).rows
}
