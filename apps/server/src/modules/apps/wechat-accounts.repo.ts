import type { WechatStep } from '@thingwright/contracts/apps.words'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface StepNote {
  state: 'open' | 'ok' | 'failed'
  said: string
  at: string
}

export interface AccountRow {
  id: string
  tenantId: string
  name: string
  appId: string
  secretsCipher: Buffer
  mode: 'plain' | 'both' | 'encrypted'
  baseUrl: string
  simulated: boolean
  steps: Partial<Record<WechatStep, StepNote>>
  channelId: string | null
  lastMessageAt: Date | null
  version: number
  createdAt: Date
}

const COLUMNS = part`id, tenant_id as "tenantId", name, app_id as "appId", secrets_cipher as "secretsCipher", mode, base_url as "baseUrl", simulated,
  steps, channel_id as "channelId", last_message_at as "lastMessageAt", version, created_at as "createdAt"`

const LIST = sql<AccountRow>`select ${COLUMNS} from wechat_accounts where tenant_id = $1`
const FIND = sql<AccountRow>`select ${COLUMNS} from wechat_accounts where id = $1`

export async function list(scope: TenantScope): Promise<AccountRow[]> {
  return (await scope.run(LIST, [scope.tenantId])).rows
}

export async function find(scope: Runner, id: string): Promise<AccountRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const INSERT = sql`insert into wechat_accounts (id, tenant_id, name, app_id, secrets_cipher, mode, base_url, simulated)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`

export async function insert(
  scope: TenantScope,
  id: string,
  v: Pick<AccountRow, 'name' | 'appId' | 'secretsCipher' | 'mode' | 'baseUrl' | 'simulated'>,
): Promise<void> {
  await scope.run(INSERT, [id, scope.tenantId, v.name, v.appId, v.secretsCipher, v.mode, v.baseUrl, v.simulated])
}

const UPDATE = sql<{
  id: string
}>`update wechat_accounts set name = $3, app_id = $4, secrets_cipher = $5, mode = $6, base_url = $7, steps = $8,
    version = version + 1 where id = $1 and version = $2 returning id`

/** @returns false when it has another version by now */
export async function update(
  scope: TenantScope,
  id: string,
  version: number,
  v: Pick<AccountRow, 'name' | 'appId' | 'secretsCipher' | 'mode' | 'baseUrl' | 'steps'>,
): Promise<boolean> {
  const values = [id, version, v.name, v.appId, v.secretsCipher, v.mode, v.baseUrl, JSON.stringify(v.steps)]
  return (await scope.run(UPDATE, values)).rows.length > 0
}

const SET_CHANNEL = sql`update wechat_accounts set channel_id = $2 where id = $1`

export async function setChannel(scope: TenantScope, id: string, channelId: string): Promise<void> {
  await scope.run(SET_CHANNEL, [id, channelId])
}

const MOVE_SIMULATED = sql`update wechat_accounts set base_url = $2 where tenant_id = $1 and simulated`

/** The simulated WeChat listens elsewhere than before. */
export async function moveSimulated(scope: SystemScope, tenantId: string, url: string): Promise<void> {
  await scope.run(MOVE_SIMULATED, [tenantId, url])
}

const REMOVE = sql`delete from wechat_accounts where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const NOTE_STEP = sql`update wechat_accounts set steps = steps || jsonb_build_object($2::text, $3::jsonb) where id = $1`

/** What became of one step, beside what people change: the version stays. */
export async function noteStep(scope: Runner, id: string, step: WechatStep, note: StepNote): Promise<void> {
  await scope.run(NOTE_STEP, [id, step, JSON.stringify(note)])
}

const NOTE_MESSAGE = sql`update wechat_accounts set last_message_at = $2 where id = $1`

export async function noteMessage(scope: SystemScope, id: string, at: Date): Promise<void> {
  await scope.run(NOTE_MESSAGE, [id, at])
}
