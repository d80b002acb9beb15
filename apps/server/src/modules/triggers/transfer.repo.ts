import type { RuleDocument } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

interface StoredTrigger {
  id: string
  name: string
  description: string
  document: RuleDocument
  enabled: boolean
  expiresAt: Date | null
}

const PAGE = 500

const READ = sql<StoredTrigger>`select id, name, description, document, enabled, expires_at as "expiresAt"
  from triggers where $1::uuid is null or id > $1 order by id limit ${PAGE}`

/** Triggers in the order of their ids, in pages. */
export async function readPage(scope: TenantScope, after: string | null): Promise<StoredTrigger[]> {
  return (await scope.run(READ, [after])).rows
}

const DEVICES = sql<{
  id: string
  productId: string
  deviceNo: string
}>`select id, product_id as "productId", device_no as "deviceNo"
  from devices where id = any ($1::uuid[]) and recycled_at is null`

export async function devicesOf(scope: TenantScope, ids: readonly string[]) {
  return ids.length === 0 ? [] : (await scope.run(DEVICES, [ids])).rows
}

const LIKE = sql<{ id: string }>`select id from triggers where name = $1 and document -> 'scope' = $2::jsonb
  and id <> all ($3::uuid[]) order by created_at, id limit 1`

/** A trigger of this name for these devices that is none of `but`. */
export async function findLike(
  scope: TenantScope,
  name: string,
  chosen: unknown,
  but: readonly string[],
): Promise<string | undefined> {
  return (await scope.run(LIKE, [name, JSON.stringify(chosen), but])).rows[0]?.id
}
