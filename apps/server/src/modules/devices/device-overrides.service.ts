import type { DeviceLinkOverrides } from '@thingwright/contracts/links.contract'
import type { Ctx } from '../../lib/context.ts'
import { type ChangeDeps, changeDevice, existingDevice } from './device-change.ts'
import { readLinkOverrides, writeLinkOverrides } from './device-overrides.repo.ts'

export interface DeviceOverridesService {
  linkOverrides(ctx: Ctx, id: string): Promise<DeviceLinkOverrides>
  setLinkOverrides(ctx: Ctx, id: string, input: DeviceLinkOverrides): Promise<DeviceLinkOverrides>
}

/** What one device's link does otherwise than its product says: Modbus slave address, polling cycle. */
export function createDeviceOverridesService(deps: ChangeDeps): DeviceOverridesService {
  return {
    linkOverrides: (ctx, id) =>
      deps.database.withTenant(ctx, async scope => {
        await existingDevice(scope, id)
        return readLinkOverrides(scope, id)
      }),

    async setLinkOverrides(ctx, id, input) {
      const link: DeviceLinkOverrides = {
        ...(input.slave == null ? {} : { slave: input.slave }),
        ...(input.cycleSeconds == null ? {} : { cycleSeconds: input.cycleSeconds }),
      }
      await changeDevice(deps, ctx, id, { action: 'device.link_overrides' }, scope =>
        writeLinkOverrides(scope, id, link),
      )
      return link
    },
  }
}
