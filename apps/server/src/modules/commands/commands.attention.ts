import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { failedCommands } from './failed-commands.repo.ts'

const DAY_MS = 86_400_000
/** Devices that are named. */
const DEVICES = 3

/** Devices whose commands of the last day did not do what they were sent for. */
export function commandsAttention(database: Database): AttentionSource {
  return {
    permission: 'device:read',
    find: ctx =>
      database.withTenant(ctx, async scope =>
        (await failedCommands(scope, ctx.now - DAY_MS, DEVICES)).map(({ deviceId, name, count, lastAt }) => ({
          kind: 'commands_failed',
          level: 'warning',
          params: { name },
          count,
          at: lastAt,
          link: `/manage/device/DeviceSet/DeviceCenter?id=${deviceId}&tab=commands`,
        })),
      ),
  }
}
