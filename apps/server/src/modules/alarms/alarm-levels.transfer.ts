import type { AlarmLevel } from '@thingwright/contracts/alarms.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import * as repo from './alarms.repo.ts'

/** The five levels of a company to and from its file. */
export interface AlarmLevelsTransfer {
  /** Null: they are those that everybody begins with. */
  pack(scope: TenantScope): Promise<AlarmLevel[] | null>
  /** Levels that nobody named yet are taken over in any case. */
  bring(scope: TenantScope, levels: readonly AlarmLevel[], existing: 'keep' | 'replace'): Promise<'replaced' | 'kept'>
}

export const alarmLevelsTransfer: AlarmLevelsTransfer = {
  async pack(scope) {
    return ((await repo.levels(scope))?.levels as AlarmLevel[] | undefined) ?? null
  },

  async bring(scope, levels, existing) {
    const before = await repo.levels(scope)
    if (before && existing === 'keep') return 'kept'
    await repo.setLevels(scope, levels, (before?.version ?? 1) + 1)
    return 'replaced'
  },
}
