import type { AssistantEngine } from '@thingwright/contracts/assistant.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<TenantScope, 'run' | 'tenantId'>

export interface SettingsRow {
  /** Null: never chosen. */
  engine: AssistantEngine | null
  base_url: string
  model: string
  api_key_cipher: Buffer | null
  temperature: number
  max_tokens: number
  monthly_tokens: number | null
  price_in: number
  price_out: number
  send_values: boolean
  /** Its service refused the company's key, which was not changed since. */
  key_refused_at: Date | null
  version: number
  updated_at: Date | null
}

/** What a company has that never set anything: as the table's defaults say. */
const UNSET: SettingsRow = {
  engine: null,
  base_url: '',
  model: '',
  api_key_cipher: null,
  temperature: 0.2,
  max_tokens: 2048,
  monthly_tokens: null,
  price_in: 0,
  price_out: 0,
  send_values: true,
  key_refused_at: null,
  version: 1,
  updated_at: null,
}

const SETTINGS_OF = sql`insert into assistant_settings (tenant_id) values ($1) on conflict do nothing`

const SETTINGS_OF_SQL = holdable(
  sql<SettingsRow>`select engine, base_url, model, api_key_cipher, temperature::float8 as temperature, max_tokens, monthly_tokens,
    price_in::float8 as price_in, price_out::float8 as price_out, send_values, key_refused_at, version,
    case when version > 1 then updated_at end as updated_at
  from assistant_settings where tenant_id = $1`,
  part`for update`,
)

/** @param hold locks the row, making it first where there is none, so that changes come one after the other */
export async function settingsOf(scope: Scope, hold = false): Promise<SettingsRow> {
  if (hold) await scope.run(SETTINGS_OF, [scope.tenantId])
  const { rows } = await scope.run(hold ? SETTINGS_OF_SQL.held : SETTINGS_OF_SQL.free, [scope.tenantId])
  // A real holds seven digits: 0.2 comes back as 0.20000000298.
  return rows[0] ? { ...rows[0], temperature: Math.round(rows[0].temperature * 1000) / 1000 } : UNSET
}

const STORE_SETTINGS = sql`update assistant_settings set engine = $2, base_url = $3, model = $4, api_key_cipher = $5, temperature = $6,
    max_tokens = $7, monthly_tokens = $8, price_in = $9, price_out = $10, send_values = $11, key_refused_at = null, version = version + 1,
    updated_at = now()
  where tenant_id = $1`

export async function storeSettings(
  scope: Scope,
  row: Omit<SettingsRow, 'version' | 'updated_at' | 'key_refused_at'>,
): Promise<void> {
  await scope.run(STORE_SETTINGS, [
    scope.tenantId,
    row.engine,
    row.base_url,
    row.model,
    row.api_key_cipher,
    row.temperature,
    row.max_tokens,
    row.monthly_tokens,
    row.price_in,
    row.price_out,
    row.send_values,
  ])
}

const NOTE_KEY_REFUSED = sql`update assistant_settings set key_refused_at = to_timestamp($3 / 1000.0)
  where tenant_id = $1 and version = $2 and engine = 'own' and key_refused_at is null`

/** @returns whether it is news: not noted yet, and the settings are those with which it was asked */
export async function noteKeyRefused(scope: Scope, version: number, now: number): Promise<boolean> {
  const { rowCount } = await scope.run(NOTE_KEY_REFUSED, [scope.tenantId, version, now])
  return rowCount === 1
}

const FORGET_KEY_REFUSED = sql`update assistant_settings set key_refused_at = null where tenant_id = $1 and version = $2`

export async function forgetKeyRefused(scope: Scope, version: number): Promise<void> {
  await scope.run(FORGET_KEY_REFUSED, [scope.tenantId, version])
}
