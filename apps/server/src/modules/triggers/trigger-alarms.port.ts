import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'

/** What triggers ask of alarms. */
export interface TriggerAlarms {
  /**
   * Ends open alarms of these triggers in the transaction of the change: all of them, for the triggers are judged no longer,
   * or those that say that a trigger set itself off, for it goes on.
   */
  clearOf(scope: TenantScope, ctx: Ctx, triggerIds: readonly string[], what?: 'all' | 'loop'): Promise<void>
}
