import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { lostDevices } from './lost-devices.repo.ts'

const DAY_MS = 86_400_000

/** Devices that have been silent for more than a day. */
export function devicesAttention(database: Database): AttentionSource {
  return {
    permission: 'device:read',
    find: ctx =>
      database.withTenant(ctx, async scope => {
        const { count, lastAt } = await lostDevices(scope, ctx.now - DAY_MS)
        if (count === 0) return []
        return [
          {
            kind: 'devices_lost',
            level: 'warning',
            params: {},
            count,
            at: lastAt === null ? null : lastAt + DAY_MS,
            link: '/manage/device?link=lost',
          },
        ]
      }),
  }
}
