import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'

/** What triggers ask of alarms. */
export interface TriggerAlarms {
  /** Ends the open alarms of these triggers, which are judged no longer, in the transaction of the change. */
  clearOf(scope: TenantScope, ctx: Ctx, triggerIds: readonly string[]): Promise<void>
}
