import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import { type ChangeDeps, changeDevice, existingDevice } from './device-change.ts'
import { pendingPurges, purgeDone } from './device-purges.repo.ts'
import { auditFacts, toView } from './devices.mapping.ts'
import * as repo from './devices.repo.ts'

export interface DeviceLifecycleDeps extends ChangeDeps {
  /** Deletes everything the device path keeps of a device: journal, latest, telemetry, events, refused frames, sessions. Repeatable. */
  purge(deviceNum: number): Promise<void>
  logger: Logger
  quotas: QuotaGuard
}

export interface DeviceLifecycleService {
  enable(ctx: Ctx, id: string): Promise<DeviceView>
  disable(ctx: Ctx, id: string): Promise<DeviceView>
  /** To the recycle bin; from there, for good. */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  restore(ctx: Ctx, id: string): Promise<DeviceView>
  /** Deletes the telemetry of devices whose purge was cut off; the number of devices. To be run at start. */
  purgePending(): Promise<number>
}

export function createDeviceLifecycleService(deps: DeviceLifecycleDeps): DeviceLifecycleService {
  const { database, logger } = deps

  async function purge(num: number): Promise<void> {
    await deps.purge(num)
    await purgeDone(database, num)
  }

  return {
    enable: async (ctx, id) =>
      toView(
        await changeDevice(deps, ctx, id, { action: 'device.enable' }, async (scope, before) => {
          if (before.lifecycle !== 'disabled') throw new AppError('device.state_invalid')
          await repo.updateDevice(scope, id, { lifecycle: before.activatedAt ? 'active' : 'inactive' })
        }),
      ),

    disable: async (ctx, id) =>
      toView(
        await changeDevice(deps, ctx, id, { action: 'device.disable', kick: true }, async (scope, before) => {
          if (before.lifecycle === 'disabled') throw new AppError('device.state_invalid')
          await repo.updateDevice(scope, id, { lifecycle: 'disabled' })
        }),
      ),

    async remove(ctx, id) {
      const gone = await database.withTenant(ctx, async scope => {
        const before = await existingDevice(scope, id, true)
        const forGood = before.lifecycle === 'recycled'
        if (forGood) await repo.deleteDevice(scope, id, before.num)
        else
          await repo.updateDevice(scope, id, {
            lifecycle: 'recycled',
            lifecycleBefore: before.lifecycle,
            recycledAt: new Date(ctx.now),
          })
        await recordAudit(scope, ctx, {
          action: 'device.remove',
          objectType: 'device',
          objectId: id,
          objectName: before.name,
          before: auditFacts(before),
          after: forGood ? null : { ...auditFacts(before), lifecycle: 'recycled' },
        })
        scope.afterCommit(() => {
          deps.gateway.forget({ device: before.num })
          deps.gateway.kick(before.num)
        })
        return forGood ? before.num : null
      })
      if (gone !== null) {
        // The device is gone whatever happens now; its data is deleted at the next start if not here.
        await purge(gone).catch((error: unknown) => logger.error({ err: error, device: gone }, 'purge cut off'))
      }
      return { ok: true }
    },

    restore: async (ctx, id) =>
      toView(
        await changeDevice(deps, ctx, id, { action: 'device.restore', recycledToo: true }, async (scope, before) => {
          if (before.lifecycle !== 'recycled') throw new AppError('device.not_recycled')
          await deps.quotas.hold(scope, 'devices')
          await repo.updateDevice(scope, id, {
            // It may have been disabled before the bin; a first message meanwhile cannot have come.
            lifecycle: before.lifecycleBefore ?? 'inactive',
            lifecycleBefore: null,
            recycledAt: null,
          })
        }),
      ),

    async purgePending() {
      const nums = await pendingPurges(database)
      for (const num of nums) await purge(num)
      return nums.length
    },
  }
}
