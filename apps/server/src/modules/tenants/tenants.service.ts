import type { CompanySettings } from '@thingwright/contracts/company-settings'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { changeSection, readSettings, type SettingsSection } from './company-settings.ts'
import * as repo from './tenants.repo.ts'

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

export interface TenantsService {
  /** @throws AppError auth.token_invalid when the company is gone */
  get(tenantId: string): Promise<TenantView>
  /** The company's rules, with defaults for what it never set. */
  settings(tenantId: string): Promise<CompanySettings>
  /** The same within a transaction of that company. */
  settingsIn(scope: Pick<TenantScope, 'run' | 'tenantId'>): Promise<CompanySettings>
  /**
   * Changes some values of one section, with a line in the operation log.
   * `security` is stored as it is given: identity checks it before.
   * @param action name in the operation log, equal to the route's
   * @throws AppError request.validation with the fields that break the rules
   */
  updateSettings<S extends SettingsSection>(
    ctx: Ctx,
    section: S,
    change: Partial<CompanySettings[S]>,
    action: string,
  ): Promise<CompanySettings>
}

export function createTenantsService(database: Database): TenantsService {
  const settingsIn: TenantsService['settingsIn'] = async scope =>
    readSettings(await repo.storedSettings(scope, scope.tenantId))

  return {
    get: tenantId =>
      database.withTenant({ tenantId }, async scope => {
        const row = await repo.tenantById(scope, tenantId)
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
      }),
    settings: tenantId => database.withTenant({ tenantId }, settingsIn),
    settingsIn,
    updateSettings: (ctx, section, change, action) =>
      database.withTenant(ctx, async scope => {
        const before = readSettings(await repo.storedSettings(scope, ctx.tenantId, true))
        const after = { ...before, [section]: changeSection(section, before[section], change) }
        await repo.storeSettings(scope, ctx.tenantId, after)
        await recordAudit(scope, ctx, {
          action,
          objectType: 'company',
          objectId: ctx.tenantId,
          before: { [section]: before[section] },
          after: { [section]: after[section] },
        })
        return after
      }),
  }
}
