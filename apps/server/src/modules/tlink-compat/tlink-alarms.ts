import { type AlarmView, alarmsContract } from '@thingwright/contracts/alarms.contract'
import { notificationChannelsContract } from '@thingwright/contracts/notification-channels.contract'
import type { TlinkBody } from '@thingwright/contracts/tlink.contract'
import {
  TRIGGER_KINDS,
  type TriggerAction,
  type TriggerRule,
  type TriggerView,
  triggersContract,
} from '@thingwright/contracts/triggers.contract'
import { type Ctx, dataScopeOf } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { readClock, readDays, readFlag, readNumbers, rowsOfPage, TLINK_ZONE, type TlinkParts } from './tlink-ask.ts'
import {
  contactByNumber,
  devicesById,
  type NumberedDevice,
  propertiesOf,
  triggerByNumber,
} from './tlink-compat.repo.ts'
import type { TlinkCompatService } from './tlink-compat.service.ts'
import { Refused } from './tlink-refused.ts'
import { readNumber, readTime, sensorIdOf, type TlinkReply, timeText, userNumber, valueFor } from './tlink-words.ts'

type Alarms = Pick<
  TlinkCompatService,
  'addAlarms' | 'updateAlarms' | 'deleteAlarms' | 'activeAlarms' | 'getAlarms' | 'getAlarmsHistory'
>

/** Kinds of that family, 1 to 15, are the first kinds of triggers here; later ones have no number there. */
const KINDS = TRIGGER_KINDS.slice(0, TRIGGER_KINDS.indexOf('general'))
const WATCH_LINK = ['offline', 'offline_for']
const WITH_HIGH = ['above', 'outside', 'outside_for', 'above_until_below', 'below_until_above', 'between', 'above_for']
const WITH_LOW = ['below', 'outside', 'outside_for', 'above_until_below', 'below_until_above', 'between', 'below_for']
const WITH_MINUTES = ['outside_for', 'above_for', 'below_for', 'offline_for']
const LEVEL = 3

interface Numbers {
  devices: Map<string, NumberedDevice>
  /** By product and identifier. */
  properties: Map<string, number>
}

/** Triggers and alarms, in the words of that family. */
export function createTlinkAlarms({ database, ask, pageOf, deviceOf, sensorOf }: TlinkParts): Alarms {
  async function triggerOf(ctx: Ctx, body: TlinkBody): Promise<TriggerView> {
    const number = readNumber(body.id)
    const id = number === null ? null : await database.withTenant(ctx, scope => triggerByNumber(scope, number))
    if (!id) throw new Refused('id')
    return ask(ctx, triggersContract.get, { params: { id } })
  }

  /** The rule of a body that says all of it. @throws Refused naming the field */
  async function ruleOf(ctx: Ctx, body: TlinkBody): Promise<{ rule: TriggerRule; name: string }> {
    const kind = KINDS[(readNumber(body.alarmType) ?? 0) - 1]
    if (!kind) throw new Refused('alarmType: 1-15')
    const sensor = WATCH_LINK.includes(kind) ? null : await sensorOf(ctx, body)
    const device = sensor?.device ?? (await deviceOf(ctx, body))
    const number = (field: 'heightValue' | 'belowValue') => {
      const value = Number(body[field])
      if (body[field] === undefined || body[field] === '' || !Number.isFinite(value)) throw new Refused(field)
      return value
    }
    const equal = () => {
      const given = body.heightValue ?? body.belowValue
      const value = sensor && given !== undefined ? valueFor(sensor.property, given) : null
      if (value === null) throw new Refused('heightValue')
      return value as number | string | boolean
    }
    const days = readDays(body.weekDay)
    const [from, to] = (body.timePeriod ?? '').split('-').map(text => readClock('timePeriod', text.trim()))
    const isAlarm = readFlag('isAlarm', body.isAlarm) ?? true
    const actions = await forwardOf(ctx, body)
    if (!isAlarm && actions.length === 0) throw new Refused('isAlarm, isForward')
    const rule = {
      kind,
      scope: { deviceIds: [device.id] },
      ...(sensor ? { property: sensor.property.identifier } : {}),
      ...(WITH_HIGH.includes(kind) ? { high: number('heightValue') } : {}),
      ...(WITH_LOW.includes(kind) ? { low: number('belowValue') } : {}),
      ...(WITH_MINUTES.includes(kind) ? { minutes: minutesOf(body) } : {}),
      ...(kind === 'equal' || kind === 'not_equal' ? { value: equal() } : {}),
      ...(isAlarm ? { alarm: { level: LEVEL } } : {}),
      ...(actions.length > 0 ? { actions } : {}),
      ...(days || from
        ? {
            active: {
              zone: TLINK_ZONE,
              periods: [{ ...(days ? { days } : {}), from: from ?? '00:00', to: to ?? '24:00' }],
            },
          }
        : {}),
    } as TriggerRule
    const name = body.alarmName || `${device.name} ${sensor?.property.name ?? ''}`.trim()
    return { rule, name: name.slice(0, 64) }
  }

  /** Linkage: another sensor is written when it fires. */
  async function forwardOf(ctx: Ctx, body: TlinkBody): Promise<NonNullable<TriggerRule['actions']>> {
    if (readFlag('isForward', body.isForward) !== true) return []
    const { device, property } = await sensorOf(ctx, {
      deviceId: body.forwardDeviceId,
      sensorId: body.forwardSensorId,
    })
    const value = body.forwardValue === undefined ? null : valueFor(property, body.forwardValue)
    if (value === null) throw new Refused('forwardValue')
    const command = { kind: 'property_set', params: { [property.identifier]: value } }
    return [{ kind: 'command', deviceId: device.id, command } as TriggerAction]
  }

  /**
   * The ids of the contacts who receive messages about a trigger's alarms; undefined: the request does not name any.
   * Runs before anything is changed, and also checks that the caller may set contacts.
   * @throws Refused contactIds; AppError permission.denied, scope.whole_company
   */
  async function contactsOf(ctx: Ctx, body: TlinkBody): Promise<string[] | undefined> {
    const numbers = readNumbers('contactIds', body.contactIds)
    if (numbers === undefined) return undefined
    if (numbers.length > 0 && !maySetContacts(ctx)) {
      if (ctx.actor.kind !== 'system' && dataScopeOf(ctx.actor).kind !== 'all')
        throw new AppError('scope.whole_company')
      throw new AppError('permission.denied', { params: { permission: 'contact:write' } })
    }
    return database.withTenant(ctx, async scope => {
      const ids: string[] = []
      for (const number of numbers) {
        const id = await contactByNumber(scope, number)
        if (!id) throw new Refused('contactIds')
        ids.push(id)
      }
      return ids
    })
  }

  async function tell(ctx: Ctx, id: string, contactIds: string[] | undefined): Promise<void> {
    if (contactIds === undefined || !maySetContacts(ctx)) return
    const before = await ask(ctx, notificationChannelsContract.triggerMessages, { params: { id } })
    if (contactIds.length === 0 && before.contactIds.length === 0) return
    await ask(ctx, notificationChannelsContract.setTriggerMessages, { params: { id }, body: { ...before, contactIds } })
  }

  /** Contacts that each of these triggers notifies, by contact number; empty without the permission to see them. */
  async function toldOf(ctx: Ctx, rows: readonly TriggerView[]): Promise<Map<string, number[]>> {
    const { actor } = ctx
    const told = new Map<string, number[]>()
    if (actor.kind === 'system' || !actor.permissions.has('contact:read') || dataScopeOf(actor).kind !== 'all')
      return told
    for (const { id } of rows) {
      const { contactIds } = await ask(ctx, notificationChannelsContract.triggerMessages, { params: { id } })
      told.set(id, contactIds.map(userNumber))
    }
    return told
  }

  async function numbersOf(ctx: Ctx, deviceIds: readonly string[]): Promise<Numbers> {
    return database.withTenant(ctx, async scope => {
      const devices = await devicesById(scope, deviceIds)
      const properties = await propertiesOf(scope, [...new Set(devices.map(device => device.productId))])
      return {
        devices: new Map(devices.map(device => [device.id, device])),
        properties: new Map(properties.map(row => [`${row.productId} ${row.identifier}`, row.num])),
      }
    })
  }

  return {
    async addAlarms(ctx, body) {
      const { rule, name } = await ruleOf(ctx, body)
      const contactIds = await contactsOf(ctx, body)
      const enabled = readFlag('active', body.active)
      const made = await ask(ctx, triggersContract.create, {
        body: { name, ...rule, ...(enabled === undefined ? {} : { enabled }) },
      })
      await tell(ctx, made.id, contactIds)
      return { id: userNumber(made.id) }
    },
    async updateAlarms(ctx, body) {
      const before = await triggerOf(ctx, body)
      const { rule } = await ruleOf(ctx, body)
      const contactIds = await contactsOf(ctx, body)
      const name = body.alarmName ? { name: body.alarmName.slice(0, 64) } : {}
      const changed = { version: before.version, ...name, ...rule }
      await ask(ctx, triggersContract.update, { params: { id: before.id }, body: changed })
      await tell(ctx, before.id, contactIds)
      return { id: readNumber(body.id) }
    },
    async deleteAlarms(ctx, body) {
      await ask(ctx, triggersContract.remove, { params: { id: (await triggerOf(ctx, body)).id } })
      return {}
    },
    async activeAlarms(ctx, body) {
      const on = readFlag('active', body.active ?? body.status)
      if (on === undefined) throw new Refused('active')
      const { id } = await triggerOf(ctx, body)
      await ask(ctx, on ? triggersContract.enable : triggersContract.disable, { params: { id } })
      return {}
    },
    async getAlarms(ctx, body) {
      const place = pageOf(body)
      const asked = body.deviceId || body.deviceNo || body.sensorId ? await watched(ctx, body) : {}
      const rows = await rowsOfPage(place, query => ask(ctx, triggersContract.list, { query: { ...query, ...asked } }))
      const numbers = await numbersOf(
        ctx,
        rows.flatMap(row => row.scope.deviceIds ?? []),
      )
      const told = await toldOf(ctx, rows)
      const dataList = rows.map(row => ({ ...triggerFacts(row, numbers), contactIds: told.get(row.id) ?? [] }))
      return { currPage: place.page, pageSize: place.size, dataList }
    },
    async getAlarmsHistory(ctx, body) {
      const place = pageOf(body)
      const asked = body.deviceId || body.deviceNo || body.sensorId ? await watched(ctx, body) : {}
      const [from, to] = [readTime(body.startDate), readTime(body.endDate)]
      const filter = { ...asked, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
      const rows = await rowsOfPage(place, query => ask(ctx, alarmsContract.list, { query: { ...query, ...filter } }))
      const numbers = await numbersOf(
        ctx,
        rows.flatMap(row => row.deviceId ?? []),
      )
      return { currPage: place.page, pageSize: place.size, dataList: rows.map(row => alarmFacts(row, numbers)) }
    },
  }

  async function watched(ctx: Ctx, body: TlinkBody): Promise<{ deviceId: string }> {
    const device = readNumber(body.sensorId) === null ? await deviceOf(ctx, body) : (await sensorOf(ctx, body)).device
    return { deviceId: device.id }
  }
}

/** The company sets the contacts that a trigger notifies; alarms of an end user go to his own contacts. */
const maySetContacts = ({ actor }: Ctx) =>
  actor.kind !== 'system' && actor.permissions.has('contact:write') && dataScopeOf(actor).kind === 'all'

function minutesOf({ duration }: TlinkBody): number {
  const minutes = readNumber(duration)
  if (minutes === null || minutes < 1) throw new Refused('duration')
  return minutes
}

/** Device and sensor by their numbers; empty where the caller does not see them. */
function placeOf({ devices, properties }: Numbers, deviceId: string | undefined, property: string | undefined) {
  const device = deviceId === undefined ? undefined : devices.get(deviceId)
  const number = device && property ? properties.get(`${device.productId} ${property}`) : undefined
  return {
    deviceId: device?.num ?? '',
    deviceNo: device?.deviceNo ?? '',
    sensorId: device && number !== undefined ? sensorIdOf(device.num, number) : '',
  }
}

function triggerFacts(row: TriggerView, numbers: Numbers): TlinkReply {
  const forward = row.actions?.find(action => action.kind === 'command') as
    | { deviceId?: string; command?: { params?: Record<string, unknown> } }
    | undefined
  const [written] = Object.entries(forward?.command?.params ?? {})
  return {
    id: userNumber(row.id),
    alarmName: row.name,
    ...placeOf(numbers, row.scope.deviceIds?.[0], row.property),
    alarmType: (KINDS as readonly string[]).indexOf(row.kind) + 1 || '',
    heightValue: row.high ?? row.value ?? '',
    belowValue: row.low ?? '',
    duration: row.minutes ?? '',
    active: row.state === 'disabled' || row.state === 'expired' ? 0 : 1,
    isAlarm: row.alarm ? 1 : 0,
    isForward: forward ? 1 : 0,
    forwardValue: written ? String(written[1]) : '',
    addDate: timeText(row.createdAt),
    alarmDate: timeText(row.lastRunAt),
  }
}

function alarmFacts(row: AlarmView, numbers: Numbers): TlinkReply {
  const [seen] = row.raiseValues
  return {
    id: userNumber(row.id),
    ...placeOf(numbers, row.deviceId ?? undefined, seen?.property),
    deviceName: row.deviceName ?? '',
    content: row.triggerName,
    value: seen === undefined ? '' : String(seen.value ?? ''),
    level: row.level,
    status: row.active ? 1 : 0,
    recordTime: timeText(row.raisedAt),
    recoveryTime: timeText(row.clearedAt),
  }
}
