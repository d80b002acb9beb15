import type { PlatformSettingsView } from '@thingwright/contracts/operator.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { platformSettingsIn, storePlatformSettings } from '../tenants/index.ts'

export interface PlatformSettingsService {
  get(): Promise<PlatformSettingsView>
  set(ctx: Ctx, settings: PlatformSettingsView): Promise<PlatformSettingsView>
}

/** What an operator sets for the installation. */
export function createPlatformSettingsService({ database }: { database: Database }): PlatformSettingsService {
  return {
    get: () => database.withSystemScope('operator', scope => platformSettingsIn(scope)),
    set: (ctx, settings) =>
      database.withSystemScope('operator', async scope => {
        const before = await platformSettingsIn(scope, true)
        await storePlatformSettings(scope, settings)
        await recordAudit(scope, ctx, {
          action: 'operator.settings',
          objectType: 'installation',
          before: { ...before },
          after: { ...settings },
        })
        return settings
      }),
  }
}
