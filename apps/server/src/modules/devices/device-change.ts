import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { auditFacts, toView } from './devices.mapping.ts'
import { type DeviceRow, findDevice } from './devices.repo.ts'
import type { GatewayPort } from './gateway.port.ts'

export interface ChangeDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
}

/** @throws AppError device.not_found also for another company's device */
export async function existingDevice(scope: TenantScope, id: string, lock = false): Promise<DeviceRow> {
  const row = await findDevice(scope, id, lock)
  if (!row) throw new AppError('device.not_found')
  return row
}

export interface DeviceChangeOptions {
  /** Name in the operation log. */
  action: string
  /** The version the caller saw, where he says it. */
  version?: number
  /** Also ends the device's session, once the change is stored. */
  kick?: boolean
  /** What else the operation log keeps of the change; asked once it is written. */
  log?: () => { before: Record<string, unknown>; after: Record<string, unknown> }
  /** Works on devices in the recycle bin too. */
  recycledToo?: boolean
}

/**
 * One change of one device: locks it, checks what the caller knew of it, writes, logs before and after, and once that is
 * stored tells the gateway to forget what it knows.
 * @throws AppError device.not_found, device.recycled, version.conflict with the device as it is
 */
export function changeDevice(
  { database, gateway }: ChangeDeps,
  ctx: Ctx,
  id: string,
  options: DeviceChangeOptions,
  write: (scope: TenantScope, before: DeviceRow) => Promise<void>,
): Promise<DeviceRow> {
  return database.withTenant(ctx, async scope => {
    const before = await existingDevice(scope, id, true)
    if (before.lifecycle === 'recycled' && !options.recycledToo) throw new AppError('device.recycled')
    if (options.version !== undefined && before.version !== options.version)
      throw new AppError('version.conflict', { params: { current: toView(before) } })
    await write(scope, before)
    const after = await existingDevice(scope, id)
    const more = options.log?.()
    await recordAudit(scope, ctx, {
      action: options.action,
      objectType: 'device',
      objectId: id,
      objectName: after.name,
      before: { ...auditFacts(before), ...more?.before },
      after: { ...auditFacts(after), ...more?.after },
    })
    scope.afterCommit(() => {
      gateway.forget({ device: before.num })
      if (options.kick) gateway.kick(before.num)
    })
    return after
  })
}
