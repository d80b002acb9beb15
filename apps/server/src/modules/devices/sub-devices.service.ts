import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import {
  MAX_SUB_DEVICES,
  type SubDeviceView,
  type subDevicesContract,
} from '@thingwright/contracts/sub-devices.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import { writtenName } from '../../lib/written-name.ts'
import type { RegistrationAnswer, SubDeviceRequest } from '../device-identity/registration.port.ts'
import type { ChangeDeps } from './device-change.ts'
import { toView } from './devices.mapping.ts'
import type { DevicesService } from './devices.service.ts'
import * as repo from './sub-devices.repo.ts'

type Contract = typeof subDevicesContract
export interface SubDevicesDeps extends ChangeDeps {
  devices: Pick<DevicesService, 'create'>
}

export interface SubDevicesService {
  list(
    ctx: Ctx,
    id: string,
    query: QueryOf<Contract['list']>,
  ): Promise<{ items: SubDeviceView[]; nextCursor: string | null; total?: number }>
  bind(ctx: Ctx, id: string, input: BodyOf<Contract['bind']>): Promise<{ items: SubDeviceView[] }>
  unbind(ctx: Ctx, id: string, subId: string): Promise<{ ok: boolean }>
  gateway(ctx: Ctx, id: string): Promise<{ gateway: DeviceView | null; subAddress: string | null }>
  /** Makes and binds a device that a gateway spoke of, where its product says so. */
  make(request: SubDeviceRequest): Promise<RegistrationAnswer>
}

/** Gateways and the devices they speak for. */
export function createSubDevicesService({ database, gateway: port, devices }: SubDevicesDeps): SubDevicesService {
  /** @throws AppError device.not_found also for another company's device */
  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.SubDeviceRow> {
    const row = await repo.findBound(scope, id, lock)
    if (!row) throw new AppError('device.not_found')
    if (lock && row.lifecycle === 'recycled') throw new AppError('device.recycled')
    return row
  }

  async function gatewayOf(scope: TenantScope, id: string, lock = false): Promise<repo.SubDeviceRow> {
    const row = await existing(scope, id, lock)
    if (row.nodeType !== 'gateway') throw new AppError('device.not_gateway')
    return row
  }

  async function log(scope: TenantScope, ctx: Ctx, action: string, device: repo.SubDeviceRow, gatewayNo: string) {
    await recordAudit(scope, ctx, {
      action,
      objectType: 'device',
      objectId: device.id,
      objectName: device.name,
      after: { gateway: gatewayNo, deviceNo: device.deviceNo, subAddress: device.subAddress },
    })
    scope.afterCommit(() => port.forget({ device: device.num }))
  }

  const service: SubDevicesService = {
    list: (ctx, id, { limit = 20, cursor, q = '', total }) =>
      database.withTenant(ctx, async scope => {
        const gateway = await gatewayOf(scope, id)
        const after = readPosition(cursor)
        const rows = await repo.listBelow(scope, gateway.num, q, after, limit + 1)
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(subView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.name, last.num]) : null,
          ...(total === '1' ? { total: await repo.countBelow(scope, gateway.num, q) } : {}),
        }
      }),

    bind: (ctx, id, { items }) =>
      database.withTenant(ctx, async scope => {
        // The gateway's row is the lock on its list: two that bind at once do so one after the other.
        const gateway = await gatewayOf(scope, id, true)
        const room = MAX_SUB_DEVICES - (await repo.countBelow(scope, gateway.num))
        if (items.length > room)
          throw new AppError('device.too_many_sub_devices', { params: { limit: MAX_SUB_DEVICES } })
        const bound: SubDeviceView[] = []
        // In the order of ids, so that two that bind the same devices do not wait for each other.
        for (const { deviceId, subAddress = null } of [...items].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1))) {
          const device = await existing(scope, deviceId, true)
          if (device.nodeType === 'gateway' || device.num === gateway.num) throw new AppError('device.not_sub_device')
          if (device.gateway !== null && device.gateway !== gateway.num)
            throw new AppError('device.bound_elsewhere', { params: { deviceNo: device.deviceNo } })
          const names = subAddress === null ? [device.deviceNo] : [subAddress, device.deviceNo]
          if (await repo.isNameTaken(scope, gateway.num, device.id, names))
            throw new AppError('device.sub_address_taken', { params: { subAddress: names[0] } })
          await repo.writeGateway(scope, device.id, gateway.num, subAddress)
          const after = await existing(scope, device.id)
          await log(scope, ctx, 'device.bind', after, gateway.deviceNo)
          bound.push(subView(after))
        }
        return { items: bound }
      }),

    unbind: (ctx, id, subId) =>
      database.withTenant(ctx, async scope => {
        const gateway = await gatewayOf(scope, id)
        const device = await existing(scope, subId, true)
        if (device.gateway !== gateway.num) throw new AppError('device.not_bound')
        await repo.writeGateway(scope, device.id, null, null)
        await log(scope, ctx, 'device.unbind', device, gateway.deviceNo)
        return { ok: true }
      }),

    gateway: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const device = await existing(scope, id)
        const row = device.gateway === null ? undefined : await repo.findByNum(scope, device.gateway)
        return { gateway: row ? toView(row) : null, subAddress: device.subAddress }
      }),

    async make({ gateway, tenantId, sub }) {
      const ctx = systemContext(tenantId, 'sub-device')
      const { row, productId } = await database.withTenant(ctx, async scope => ({
        row: await repo.findByNum(scope, gateway),
        productId: await repo.autoCreateProduct(scope, gateway),
      }))
      if (!row || !productId) return { ok: false, reason: 'registration_off' }
      const isNumber = DEVICE_NO.test(sub)
      const written = writtenName(sub)
      // A name with control characters, or that shows nothing, would read as another in every list.
      if (!written) return { ok: false, reason: 'registration_unlisted' }
      try {
        const name = [...`${row.name} ${written}`].slice(0, 64).join('')
        const { id } = await devices.create(ctx, { productId, name, ...(isNumber ? { deviceNo: sub } : {}) })
        await service.bind(ctx, row.id, { items: [{ deviceId: id, subAddress: isNumber ? null : sub }] })
        return { ok: true, deviceSecret: '' }
      } catch (error) {
        if (!isAppError(error)) throw error
        // The number is somebody else's, or there is no room: a person has to look at it.
        return { ok: false, reason: error.code === 'quota.exceeded' ? 'quota_full' : 'registration_unlisted' }
      }
    },
  }
  return service
}

const DEVICE_NO = /^[A-Za-z0-9_.:-]{1,64}$/

function subView(row: repo.SubDeviceRow): SubDeviceView {
  return { ...toView(row), subAddress: row.subAddress }
}

/** @throws AppError request.cursor_invalid */
function readPosition(cursor: string | undefined): readonly [string, number] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [name, num] = values
  if (typeof name !== 'string' || !Number.isInteger(num)) throw new AppError('request.cursor_invalid')
  return [name, num as number]
}
