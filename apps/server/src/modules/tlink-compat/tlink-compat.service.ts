import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { TlinkBody, tlinkContract } from '@thingwright/contracts/tlink.contract'
import type { ThingModel } from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandsService } from '../commands/index.ts'
import type { DeviceLifecycleService, DevicesService } from '../devices/index.ts'
import type { ProductsService } from '../products/index.ts'
import type { TelemetryService } from '../telemetry/index.ts'
import { createTlinkAlarms } from './tlink-alarms.ts'
import type { Ask } from './tlink-ask.ts'
import * as repo from './tlink-compat.repo.ts'
import { createTlinkContacts } from './tlink-contacts.ts'
import { flagged } from './tlink-flags.ts'
import { createTlinkPages } from './tlink-pages.ts'
import { Refused } from './tlink-refused.ts'
import { createTlinkScheduler } from './tlink-scheduler.ts'
import { createTlinkUsers } from './tlink-users.ts'
import * as words from './tlink-words.ts'

export interface TlinkCompatDeps {
  database: Database
  devices: DevicesService
  lifecycle: Pick<DeviceLifecycleService, 'remove'>
  products: Pick<ProductsService, 'get' | 'create'>
  telemetry: Pick<TelemetryService, 'latest' | 'raw'>
  commands: Pick<CommandsService, 'create'>
  /** Calls a route as the caller. */
  ask: Ask
  /** The address of the console, without a slash at its end. */
  publicUrl(): string
}

type Call = (ctx: Ctx, body: TlinkBody) => Promise<words.TlinkReply>
export type TlinkCompatService = Record<Exclude<keyof typeof tlinkContract, 'token' | 'userLogin'>, Call>

/** Pages behind the first are reached by walking; further than this is asked for with a filter. */
const MAX_WALK = 100
const DAY_MS = 86_400_000

/** The TLINK family's open API over our own services, with the caller's rights. */
export function createTlinkCompatService(deps: TlinkCompatDeps): TlinkCompatService {
  const { database, devices, lifecycle, products, telemetry, commands } = deps

  function pageOf({ currPage, pageSize }: TlinkBody): { page: number; size: number } {
    const page = words.readNumber(currPage) ?? 1
    const size = words.readNumber(pageSize) ?? 10
    if (page < 1 || page > MAX_WALK) throw new Refused(`currPage: 1-${MAX_WALK}`)
    if (size < 1 || size > words.MAX_PAGE) throw new Refused(`pageSize: 1-${words.MAX_PAGE}`)
    return { page, size }
  }

  /** One page of devices, counted from 1, and how many there are. */
  async function listPage(ctx: Ctx, body: TlinkBody): Promise<{ rows: DeviceView[]; reply: words.TlinkReply }> {
    const { page, size } = pageOf(body)
    const isLine = words.readNumber(body.isLine)
    const isDelete = words.readNumber(body.isDelete)
    const query = {
      limit: size,
      ...(isLine === 1
        ? { link: 'online' as const }
        : isLine === 0 && body.isLine !== ''
          ? { link: 'offline' as const }
          : {}),
      ...(isDelete === 1
        ? { lifecycle: 'recycled' as const }
        : isDelete === 2
          ? { lifecycle: 'disabled' as const }
          : {}),
    }
    let rows = await devices.list(ctx, { ...query, total: '1' })
    const rowCount = rows.total ?? rows.items.length
    for (let at = 1; at < page; at++) {
      if (!rows.nextCursor) return { rows: [], reply: pages(page, size, rowCount) }
      rows = await devices.list(ctx, { ...query, cursor: rows.nextCursor })
    }
    return { rows: rows.items, reply: pages(page, size, rowCount) }
  }

  async function deviceOf(ctx: Ctx, { deviceId, deviceNo }: TlinkBody): Promise<DeviceView & { num: number }> {
    const num = words.readNumber(deviceId)
    const found = await database.withTenant(ctx, scope =>
      num !== null
        ? repo.deviceByNum(scope, num)
        : deviceNo
          ? repo.deviceByNumber(scope, deviceNo)
          : Promise.resolve(undefined),
    )
    if (!found) throw new AppError('device.not_found')
    return { ...(await devices.get(ctx, found.id)), num: found.num }
  }

  async function modelOf(ctx: Ctx, productId: string): Promise<{ model: ThingModel; numbers: Map<string, number> }> {
    const [product, rows] = await Promise.all([
      products.get(ctx, productId),
      database.withTenant(ctx, scope => repo.propertiesOf(scope, [productId])),
    ])
    const model = (product.publishedModel ?? product.thingModel) as unknown as ThingModel
    return { model, numbers: new Map(rows.map(row => [row.identifier, row.num])) }
  }

  async function sensorsOf(ctx: Ctx, device: DeviceView & { num: number }): Promise<words.TlinkReply[]> {
    const [{ model, numbers }, { items }] = await Promise.all([
      modelOf(ctx, device.productId),
      telemetry.latest(ctx, device.id),
    ])
    const latest = new Map(items.map(item => [item.identifier, item]))
    return model.properties.map((property, i) => {
      const reading = latest.get(property.identifier)
      const type = words.sensorTypeOf(property)
      const at = reading ? words.timeText(reading.ts) : ''
      const isSwitch = type === 2 || type === 5
      const place = type === 3 ? (reading?.value as { lng?: number; lat?: number } | undefined) : undefined
      return {
        id: words.sensorIdOf(device.num, numbers.get(property.identifier) ?? 0),
        sensorName: property.name,
        identifier: property.identifier,
        sensorTypeId: type,
        unit: property.unit ?? '',
        value: reading === undefined || isSwitch || place ? '' : textOf(reading.value),
        switcher: isSwitch && reading ? (reading.value === true ? '1' : '0') : '',
        lat: place?.lat === undefined ? '' : String(place.lat),
        lng: place?.lng === undefined ? '' : String(place.lng),
        isLine: device.link === 'online' ? 1 : 0,
        isAlarms: 0,
        isDelete: 0,
        ordernum: i + 1,
        decimalPlacse: String(property.decimals ?? ''),
        heartbeatDate: at,
        updateDate: at,
      }
    })
  }

  /** The device and property of a sensor id, as far as the caller may see them. */
  async function sensorOf(ctx: Ctx, { sensorId, deviceId, deviceNo }: TlinkBody) {
    const id = words.readNumber(sensorId)
    if (id === null || id < 0) throw new Refused('sensorId')
    const { device: num, property } = words.readSensorId(id)
    const device = await deviceOf(ctx, { deviceId: num })
    if (deviceNo && device.deviceNo !== deviceNo) throw new AppError('device.not_found')
    if (words.readNumber(deviceId) !== null && words.readNumber(deviceId) !== num)
      throw new AppError('device.not_found')
    const { model, numbers } = await modelOf(ctx, device.productId)
    const found = model.properties.find(each => numbers.get(each.identifier) === property)
    if (!found) throw new Refused('sensorId')
    return { device, property: found, id }
  }

  async function write(ctx: Ctx, body: TlinkBody, value: number | string | undefined): Promise<words.TlinkReply> {
    if (value === undefined) throw new Refused('value')
    const { device, property } = await sensorOf(ctx, body)
    const wanted = words.valueFor(property, value)
    if (wanted === null) throw new Refused('value')
    const command = await commands.create(ctx, device.id, {
      kind: 'property_set',
      params: { [property.identifier]: wanted },
    } as Parameters<CommandsService['create']>[2])
    return { commandId: command.id, state: command.state }
  }

  const parts = { database, ask: deps.ask, publicUrl: deps.publicUrl, pageOf, sensorOf, deviceOf }
  const calls: TlinkCompatService = {
    ...createTlinkUsers(parts),
    ...createTlinkContacts(parts),
    ...createTlinkAlarms(parts),
    ...createTlinkScheduler(parts),
    ...createTlinkPages(parts),

    async getDevices(ctx, body) {
      const { rows, reply } = await listPage(ctx, body)
      const numbers = await numbersOf(ctx, rows)
      return { ...reply, dataList: rows.map(row => deviceFacts(row, numbers.get(row.id) ?? 0)) }
    },

    async getDeviceSensorDatas(ctx, body) {
      const { rows, reply } = await listPage(ctx, body)
      const numbers = await numbersOf(ctx, rows)
      const dataList: words.TlinkReply[] = []
      for (const row of rows) {
        const device = { ...row, num: numbers.get(row.id) ?? 0 }
        dataList.push({ ...deviceFacts(row, device.num), sensorsList: await sensorsOf(ctx, device) })
      }
      return { ...reply, dataList }
    },

    async getSingleDeviceDatas(ctx, body) {
      const device = await deviceOf(ctx, body)
      return { device: { ...deviceFacts(device, device.num), sensorsList: await sensorsOf(ctx, device) } }
    },

    async getSingleSensorDatas(ctx, body) {
      const { device, property, id } = await sensorOf(ctx, body)
      const all = await sensorsOf(ctx, device)
      const sensor = all.find(each => each.identifier === property.identifier) ?? {}
      return { ...sensor, id: undefined, sensorId: id, deviceId: device.num, sensorType: sensor.sensorTypeId }
    },

    async getSensorHistroy(ctx, body) {
      const { device, property, id } = await sensorOf(ctx, body)
      const { size } = pageOf({ ...body, currPage: 1 })
      const to = words.readTime(body.endDate ?? body.endTime) ?? ctx.now
      const from = words.readTime(body.startDate ?? body.startTime) ?? to - DAY_MS
      if (from > to) throw new Refused('startDate > endDate')
      const { items, nextCursor } = await telemetry.raw(ctx, device.id, {
        identifier: property.identifier,
        from,
        to,
        limit: size,
        ...(body.pagingState ? { cursor: body.pagingState } : {}),
      })
      const isSwitch = property.dataType.type === 'bool'
      const dataList = items.map(([ts, value]) => ({
        addTime: words.timeText(ts as number),
        recordTime: words.timeText(ts as number),
        val: isSwitch ? '' : textOf(value),
        value: isSwitch ? '' : textOf(value),
        switcher: isSwitch ? (value === true || value === 1 ? '1' : '0') : '',
        lat: '',
        lng: '',
      }))
      return { sensorId: id, pageSize: size, pagingState: nextCursor ?? '', dataList }
    },

    async addDevice(ctx, body) {
      const { deviceName, linkType = 'mqtt', sensorList = [] } = body
      if (ctx.actor.kind !== 'system' && !ctx.actor.permissions.has('product:write'))
        throw new AppError('permission.denied')
      if (!deviceName) throw new Refused('deviceName')
      const link = words.LINK_TYPES[linkType]
      if (!link) throw new Refused('linkType')
      const properties = sensorList.map((sensor, i) => {
        const type = words.propertyOf(words.readNumber(sensor.sensorType) ?? 1)
        if (!type) throw new Refused('sensorType')
        const decimals = words.readNumber(sensor.decimal)
        return {
          identifier: `s${i + 1}`,
          name: sensor.sensorName,
          ...type,
          ...(sensor.unit ? { unit: sensor.unit } : {}),
          ...(decimals !== null && type.dataType.type === 'double'
            ? { decimals: Math.min(Math.max(decimals, 0), 8) }
            : {}),
        }
      })
      const product = await products.create(ctx, {
        name: deviceName.slice(0, 64),
        linkType: link,
        thingModel: { properties },
      } as Parameters<ProductsService['create']>[1])
      const made = await devices.create(ctx, { productId: product.id, name: deviceName.slice(0, 64), ...placeOf(body) })
      const [numbered] = await database.withTenant(ctx, scope => repo.devicesById(scope, [made.id]))
      return {
        deviceId: numbered?.num ?? 0,
        deviceNo: made.deviceNo,
        deviceName: made.name,
        productKey: product.productKey,
        deviceSecret: made.deviceSecret,
      }
    },

    async updateDevice(ctx, body) {
      const device = await deviceOf(ctx, body)
      const name = body.deviceName?.slice(0, 64)
      await devices.update(ctx, device.id, { version: device.version, ...(name ? { name } : {}), ...placeOf(body) })
      return { deviceId: device.num, deviceNo: device.deviceNo }
    },

    async deleteDevice(ctx, body) {
      const device = await deviceOf(ctx, body)
      await lifecycle.remove(ctx, device.id)
      return {}
    },

    switcherController: (ctx, body) => write(ctx, body, body.switcher ?? body.value),
    deviceWrite: (ctx, body) => write(ctx, body, body.value),
  }

  async function numbersOf(ctx: Ctx, rows: readonly DeviceView[]): Promise<Map<string, number>> {
    const numbered = await database.withTenant(ctx, scope =>
      repo.devicesById(
        scope,
        rows.map(row => row.id),
      ),
    )
    return new Map(numbered.map(row => [row.id, row.num]))
  }

  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (ctx: Ctx, body: TlinkBody) => flagged(ctx, () => call(ctx, body)),
    ]),
  ) as TlinkCompatService
}

function pages(currPage: number, pageSize: number, rowCount: number): words.TlinkReply {
  return { currPage, pageSize, rowCount, pages: Math.ceil(rowCount / pageSize) }
}

function deviceFacts(device: DeviceView, num: number): words.TlinkReply {
  return {
    id: num,
    deviceId: num,
    deviceName: device.name,
    deviceNo: device.deviceNo,
    productKey: device.productKey,
    lat: device.location ? String(device.location.lat) : '',
    lng: device.location ? String(device.location.lng) : '',
    isLine: device.link === 'online' ? 1 : 0,
    isAlarms: device.alarmLevel > 0 ? 1 : 0,
    isDelete: device.lifecycle === 'recycled' ? 1 : device.lifecycle === 'disabled' ? 2 : 0,
    defaultTimescale: device.offlineDelaySeconds === null ? '' : String(device.offlineDelaySeconds),
    createDate: words.timeText(device.createdAt),
    lastUpdateDate: words.timeText(device.lastSeenAt),
  }
}

/** Place and offline delay as that family writes them. */
function placeOf({ lat, lng, timescale }: TlinkBody) {
  const place = { lat: Number(lat), lng: Number(lng) }
  const known = lat !== undefined && lng !== undefined && lat !== '' && lng !== ''
  const valid = Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180
  if (known && !valid) throw new Refused('lat, lng')
  const delay = words.readNumber(timescale)
  if (delay !== null && (delay < 10 || delay > 604_800)) throw new Refused('timescale: 10-604800')
  return { ...(known ? { location: place } : {}), ...(delay === null ? {} : { offlineDelaySeconds: delay }) }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
