import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { TenantStatus } from './tenants.service.ts'

export interface TenantRow {
  id: string
  app_id: string
  name: string
  kind: 'platform' | 'company'
  status: TenantStatus
  expires_at: Date | null
  time_zone: string
}

type Scope = Pick<TenantScope, 'run'>

const TENANT_BY_ID = sql<TenantRow>`select id, app_id, name, kind, status, expires_at, time_zone from tenants where id = $1`

export async function tenantById(scope: Scope, id: string): Promise<TenantRow | undefined> {
  return (await scope.run(TENANT_BY_ID, [id])).rows[0]
}

const STORED_SETTINGS = holdable(
  sql<{ settings: unknown }>`select settings from tenants where id = $1`,
  part`for update`,
)

/** The stored settings as they are; `lock` holds them until the transaction ends. */
export async function storedSettings(scope: Scope, id: string, lock = false): Promise<unknown> {
  const { rows } = await scope.run(lock ? STORED_SETTINGS.held : STORED_SETTINGS.free, [id])
  return rows[0]?.settings
}

const STORE_SETTINGS = sql`update tenants set settings = $2, updated_at = now() where id = $1`

export async function storeSettings(scope: Scope, id: string, settings: object): Promise<void> {
  await scope.run(STORE_SETTINGS, [id, JSON.stringify(settings)])
}
