import type { ResponseOf } from '@thingwright/contracts'
import type { endUsersContract } from '@thingwright/contracts/end-users.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { EndUsersService } from './end-users.service.ts'

/** What the doctor says of a device, in the caller's language, in one sentence. */
export type Doctor = (ctx: Ctx, deviceId: string) => Promise<string>

export type CustomerHealth = (ctx: Ctx, id: string) => Promise<ResponseOf<(typeof endUsersContract)['health']>>

/** Devices that the doctor looks at; those of a customer who lost them all are told by the number. */
const LOOKED_AT = 20
const AT_ONCE = 4

export function createCustomerHealth(deps: {
  database: Database
  users: EndUsersService
  silent: SilentDevices
  doctor: Doctor
}): CustomerHealth {
  return async (ctx, id) => {
    const user = await deps.users.get(ctx, id)
    const silent = await deps.silent(ctx, id, LOOKED_AT)
    const offline: Awaited<ReturnType<CustomerHealth>>['offline'] = []
    for (let at = 0; at < silent.length; at += AT_ONCE)
      offline.push(
        ...(await Promise.all(
          silent.slice(at, at + AT_ONCE).map(async device => ({
            deviceId: device.id,
            name: device.name,
            since: device.since?.toISOString() ?? null,
            finding: await deps.doctor(ctx, device.id),
          })),
        )),
      )
    return {
      total: user.devices.total,
      online: user.devices.online,
      openAlarms: user.openAlarms,
      deviceLimit: user.deviceLimit,
      expiresAt: user.expiresAt,
      offline,
    }
  }
}

/** Devices of an end user that are not there, the longest silent first. */
export type SilentDevices = (
  ctx: Ctx,
  ownerId: string,
  limit: number,
) => Promise<{ id: string; name: string; since: Date | null }[]>
