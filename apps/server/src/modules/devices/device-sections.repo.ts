// Columns of a device that others answer for: what is in them is theirs, the table is not.
import type { TenantScope } from '../../lib/database/database.ts'
import { type Connection, runOn, sql } from '../../lib/sql/statement.ts'

const SET_ACCESS = sql`update devices set access = $2, version = version + 1, updated_at = now() where id = $1`

/** What the device may, besides what its product says. */
export async function storeDeviceAccess(scope: TenantScope, id: string, access: object): Promise<void> {
  await scope.run(SET_ACCESS, [id, JSON.stringify(access)])
}

const REPLACE_TOKEN = sql`update devices set previous_token_hash = case when $4::timestamptz is null then null else access_token_hash end,
  previous_token_until = $4, access_token_hash = $2, access_token_cipher = $3,
  version = version + 1, updated_at = now() where id = $1`

/** The present token becomes the previous one until then (null: at once worthless). */
export async function replaceDeviceToken(
  scope: TenantScope,
  id: string,
  token: { hash: Buffer; cipher: Buffer } | null,
  previousUntil: Date | null,
): Promise<void> {
  await scope.run(REPLACE_TOKEN, [id, token?.hash ?? null, token?.cipher ?? null, previousUntil])
}

const ACTIVATE = sql<{
  num: number
}>`update devices d set lifecycle = 'active', activated_at = coalesce(d.activated_at, f.at)
  from unnest($1::int[], $2::timestamptz[]) as f (num, at) where d.num = f.num and d.lifecycle = 'inactive' returning d.num`.named(
  'presence-activate',
)

/** Devices that were heard of for the first time. @returns numbers of those that were inactive until now */
export async function activateDevices(
  db: Connection,
  heard: readonly { device: number; at: Date | null }[],
): Promise<number[]> {
  if (heard.length === 0) return []
  const { rows } = await runOn(db, ACTIVATE, [heard.map(({ device }) => device), heard.map(({ at }) => at)])
  return rows.map(({ num }) => num)
}
