import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { failedCommands } from './failed-commands.repo.ts'

const DAY_MS = 86_400_000

/** Commands of the last day that did not do what they were sent for. */
export function commandsAttention(database: Database): AttentionSource {
  return {
    permission: 'device:read',
    find: ctx =>
      database.withTenant(ctx, async scope => {
        const { count, lastAt, deviceId } = await failedCommands(scope, ctx.now - DAY_MS)
        if (count === 0 || deviceId === null) return []
        return [
          {
            kind: 'commands_failed',
            level: 'warning',
            params: {},
            count,
            at: lastAt,
            link: `/manage/device/DeviceSet/DeviceCenter?id=${deviceId}`,
          },
        ]
      }),
  }
}
