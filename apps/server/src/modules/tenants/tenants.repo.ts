import type { TenantScope } from '../../lib/database.ts'
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

type Scope = Pick<TenantScope, 'query'>

export async function tenantById(scope: Scope, id: string): Promise<TenantRow | undefined> {
  return (
    await scope.query<TenantRow>(
      'select id, app_id, name, kind, status, expires_at, time_zone from tenants where id = $1',
      [id],
    )
  ).rows[0]
}

/** The stored settings as they are; `lock` holds them until the transaction ends. */
export async function storedSettings(scope: Scope, id: string, lock = false): Promise<unknown> {
  const { rows } = await scope.query<{ settings: unknown }>(
    `select settings from tenants where id = $1${lock ? ' for update' : ''}`,
    [id],
  )
  return rows[0]?.settings
}

export async function storeSettings(scope: Scope, id: string, settings: object): Promise<void> {
  await scope.query('update tenants set settings = $2, updated_at = now() where id = $1', [
    id,
    JSON.stringify(settings),
  ])
}
