import type { VideoAccountView } from '@thingwright/contracts/video.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface AccountRow {
  id: string
  tenantId: string
  name: string
  appKey: string
  cipher: Buffer
  baseUrl: string
  simulated: boolean
  tokenCipher: Buffer | null
  tokenExpiresAt: Date | null
  tokenHost: string | null
  state: VideoAccountView['state']
  fault: { code: string; text: string } | null
  testedAt: Date | null
  syncedAt: Date | null
  version: number
  channels: number
}

export const ACCOUNT_COLUMNS = part`a.id, a.tenant_id as "tenantId", a.name, a.app_key as "appKey", a.secrets_cipher as cipher, a.base_url as "baseUrl",
  a.simulated, a.token_cipher as "tokenCipher", a.token_expires_at as "tokenExpiresAt", a.token_host as "tokenHost", a.state, a.fault,
  a.tested_at as "testedAt", a.synced_at as "syncedAt", a.version,
  (select count(*)::int from video_channels c where c.account_id = a.id) as channels`

const LIST = sql<AccountRow>`select ${ACCOUNT_COLUMNS} from video_accounts a order by lower(a.name), a.id`
const FIND = sql<AccountRow>`select ${ACCOUNT_COLUMNS} from video_accounts a where a.id = $1`
const NAMED = sql<{ id: string }>`select id from video_accounts where lower(name) = lower($1)`
const INSERT = sql`insert into video_accounts (id, tenant_id, name, app_key, secrets_cipher, base_url, simulated)
  values ($1, $2, $3, $4, $5, $6, $7)`
const UPDATE = sql<{
  id: string
}>`update video_accounts set name = $3, app_key = $4, secrets_cipher = $5, base_url = $6, state = $7, version = version + 1,
    token_cipher = case when $8::boolean then null else token_cipher end,
    token_expires_at = case when $8::boolean then null else token_expires_at end
  where id = $1 and version = $2 returning id`
/** The simulated vendor listens elsewhere after each start, and knows none of its tokens any more. */
const MOVE_SIMULATED = sql`update video_accounts set base_url = $2, token_cipher = null, token_expires_at = null,
  token_host = null, version = version + 1 where tenant_id = $1 and simulated and base_url <> $2`
const REMOVE = sql`delete from video_accounts where id = $1`
const TOKEN = sql`update video_accounts set token_cipher = $2, token_expires_at = $3, token_host = $4 where id = $1`
const NOTE = sql`update video_accounts set state = case when state = 'disabled' then state else $2 end, fault = $3::jsonb,
  tested_at = coalesce($4, tested_at), synced_at = coalesce($5, synced_at) where id = $1`

export const list = async (scope: TenantScope) => (await scope.run(LIST)).rows
export const find = async (scope: Runner, id: string): Promise<AccountRow | undefined> =>
  (await scope.run(FIND, [id])).rows[0]
export const idNamed = async (scope: TenantScope, name: string) => (await scope.run(NAMED, [name])).rows[0]?.id ?? null

export async function insert(
  scope: TenantScope,
  of: { id: string; name: string; appKey: string; cipher: Buffer; baseUrl: string; simulated: boolean },
): Promise<void> {
  await scope.run(INSERT, [of.id, scope.tenantId, of.name, of.appKey, of.cipher, of.baseUrl, of.simulated])
}

/** @returns false when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  of: { name: string; appKey: string; cipher: Buffer; baseUrl: string; state: string; newAccess: boolean },
): Promise<boolean> {
  const values = [id, version, of.name, of.appKey, of.cipher, of.baseUrl, of.state, of.newAccess]
  return (await scope.run(UPDATE, values)).rows.length > 0
}

export async function moveSimulated(scope: Runner, tenantId: string, url: string): Promise<void> {
  await scope.run(MOVE_SIMULATED, [tenantId, url])
}

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

export async function keepToken(scope: Runner, id: string, cipher: Buffer, expiresAt: Date, host: string) {
  await scope.run(TOKEN, [id, cipher, expiresAt, host])
}

/** What the vendor said last. */
export async function note(
  scope: Runner,
  id: string,
  fault: AccountRow['fault'],
  at: { tested?: Date; synced?: Date } = {},
): Promise<void> {
  const said = fault ? JSON.stringify(fault) : null
  await scope.run(NOTE, [id, fault ? 'failed' : 'ok', said, at.tested ?? null, at.synced ?? null])
}
