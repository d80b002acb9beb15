import type { Ctx } from '../lib/context.ts'
import type { Container } from './container.ts'
import type { LiveSnapshots } from './live-source.ts'

const COMMANDS = 50

/** What a subscriber gets first: the state as the API would answer it now. */
export function createLiveSnapshots(
  container: Pick<Container, 'telemetry' | 'devices' | 'commands' | 'diagnosis' | 'modules'>,
): LiveSnapshots {
  return {
    async properties(ctx: Ctx, deviceId: string) {
      const { items } = await container.telemetry.service.latest(ctx, deviceId)
      return Object.fromEntries(items.map(({ identifier, ...reading }) => [identifier, reading]))
    },
    async state(ctx, deviceId) {
      const { link, lifecycle, alarmLevel, lastSeenAt, onlineSince, lastOfflineAt, lastOfflineReason } =
        await container.devices.service.get(ctx, deviceId)
      return { link, lifecycle, alarmLevel, lastSeenAt, onlineSince, lastOfflineAt, lastOfflineReason }
    },
    commands: (ctx, deviceId) => container.commands.service.list(ctx, deviceId, { limit: COMMANDS }),
    frames: (ctx, deviceId) => container.diagnosis.service.frames(ctx, deviceId),
    topics: container.modules.flatMap(module => module.live ?? []),
  }
}
