import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { WAITING } from './alarms.repo.ts'

/** From this level on alarms that nobody acknowledged are the first thing to look at. */
const CRITICAL_FROM = 4

/** Alarms that are active and that nobody acknowledged, of the devices that the caller may see. */
export function alarmsAttention(database: Database): AttentionSource {
  return {
    permission: 'alarm:read',
    find: ctx =>
      database.withTenant(ctx, async scope => {
        const { count, level, raisedAt } = (await scope.run(WAITING, [scope.tenantId])).rows[0]!
        if (count === 0) return []
        return [
          {
            kind: 'alarms_open',
            level: (level ?? 0) >= CRITICAL_FROM ? 'critical' : 'warning',
            params: {},
            count,
            at: raisedAt?.getTime() ?? null,
            link: '/manage/user/center/alarm?acknowledged=0',
          },
        ]
      }),
  }
}
