import type { Database } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'

export type TenantStatus = 'inactive' | 'frozen' | 'expired' | 'trial' | 'active' | 'grace'

/** The specification's number of a company status (§4): 0 not activated, 1 expired, 2 active. */
export function accountState(status: TenantStatus): 0 | 1 | 2 {
  if (status === 'inactive' || status === 'frozen') return 0
  return status === 'expired' ? 1 : 2
}

export interface TenantView {
  id: string
  appId: string
  name: string
  kind: 'platform' | 'company'
  status: TenantStatus
  expiresAt: string | null
  timeZone: string
}

interface TenantRow {
  id: string
  app_id: string
  name: string
  kind: 'platform' | 'company'
  status: TenantStatus
  expires_at: Date | null
  time_zone: string
}

export interface TenantsService {
  /** @throws AppError auth.token_invalid when the company is gone */
  get(tenantId: string): Promise<TenantView>
}

export function createTenantsService(database: Database): TenantsService {
  return {
    get(tenantId) {
      return database.withTenant({ tenantId }, async scope => {
        const row = (
          await scope.query<TenantRow>(
            'select id, app_id, name, kind, status, expires_at, time_zone from tenants where id = $1',
            [tenantId],
          )
        ).rows[0]
        if (!row) throw new AppError('auth.token_invalid')
        return {
          id: row.id,
          appId: row.app_id,
          name: row.name,
          kind: row.kind,
          status: row.status,
          expiresAt: row.expires_at?.toISOString() ?? null,
          timeZone: row.time_zone,
        }
      })
    },
  }
}
