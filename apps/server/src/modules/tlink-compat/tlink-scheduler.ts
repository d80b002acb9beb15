import { type TimedTaskView, timedTasksContract } from '@thingwright/contracts/timed-tasks.contract'
import type { TlinkBody } from '@thingwright/contracts/tlink.contract'
import type { Ctx } from '../../lib/context.ts'
import { readClock, readDays, readFlag, rowsOfPage, TLINK_ZONE, type TlinkParts } from './tlink-ask.ts'
import { devicesById, type NumberedDevice, propertiesOf, taskByNumber } from './tlink-compat.repo.ts'
import type { TlinkCompatService } from './tlink-compat.service.ts'
import { Refused } from './tlink-refused.ts'
import { readNumber, sensorIdOf, type TlinkReply, timeText, userNumber, valueFor } from './tlink-words.ts'

type Scheduler = Pick<
  TlinkCompatService,
  'addScheduler' | 'updateScheduler' | 'deleteScheduler' | 'getScheduler' | 'activeScheduler'
>
type Sensor = Awaited<ReturnType<TlinkParts['sensorOf']>>

/** Timed tasks, in the words of that family: a value at the start and, of a switch, the other one at the end. */
export function createTlinkScheduler({ database, ask, pageOf, sensorOf }: TlinkParts): Scheduler {
  async function taskOf(ctx: Ctx, body: TlinkBody): Promise<TimedTaskView> {
    const number = readNumber(body.id)
    const id = number === null ? null : await database.withTenant(ctx, scope => taskByNumber(scope, number))
    if (!id) throw new Refused('id')
    return ask(ctx, timedTasksContract.get, { params: { id } })
  }

  async function contentOf(ctx: Ctx, body: TlinkBody) {
    const sensor = await sensorOf(ctx, body)
    const start = readClock('startTime', body.startTime)
    if (start === undefined) throw new Refused('startTime')
    const end = readClock('endTime', body.endTime)
    const days = readDays(body.weekDay) ?? [1, 2, 3, 4, 5, 6, 7]
    if (body.value === undefined) throw new Refused('value')
    const value = valueFor(sensor.property, body.value)
    if (value === null) throw new Refused('value')
    const actions = [stepOf(sensor, value)]
    if (end === undefined)
      return {
        sensor,
        task: { schedule: { kind: 'weekly' as const, zone: TLINK_ZONE, days, times: [start] }, actions },
      }
    const after = body.endValue === undefined ? opposite(value) : valueFor(sensor.property, body.endValue)
    if (after === null) throw new Refused('endValue')
    return {
      sensor,
      task: {
        schedule: { kind: 'pair' as const, zone: TLINK_ZONE, on: start, off: end, days },
        actions,
        offActions: [stepOf(sensor, after)],
      },
    }
  }

  return {
    async addScheduler(ctx, body) {
      const { sensor, task } = await contentOf(ctx, body)
      const enabled = readFlag('status', body.status)
      const made = await ask(ctx, timedTasksContract.create, {
        body: {
          name: (body.schedulerName || `${sensor.device.name} ${sensor.property.name}`).slice(0, 64),
          ...task,
          ...(enabled === undefined ? {} : { enabled }),
        },
      })
      return { id: userNumber(made.id) }
    },
    async updateScheduler(ctx, body) {
      const before = await taskOf(ctx, body)
      const { task } = await contentOf(ctx, body)
      await ask(ctx, timedTasksContract.update, {
        params: { id: before.id },
        body: {
          version: before.version,
          ...(body.schedulerName ? { name: body.schedulerName.slice(0, 64) } : {}),
          ...task,
        },
      })
      return { id: readNumber(body.id) }
    },
    async deleteScheduler(ctx, body) {
      await ask(ctx, timedTasksContract.remove, { params: { id: (await taskOf(ctx, body)).id } })
      return {}
    },
    async activeScheduler(ctx, body) {
      const on = readFlag('status', body.status)
      if (on === undefined) throw new Refused('status')
      const { id } = await taskOf(ctx, body)
      await ask(ctx, on ? timedTasksContract.enable : timedTasksContract.disable, { params: { id } })
      return {}
    },
    async getScheduler(ctx, body) {
      const place = pageOf(body)
      const on = readFlag('status', body.status)
      const state = on === undefined ? {} : { state: on ? ('enabled' as const) : ('disabled' as const) }
      const rows = await rowsOfPage(place, query =>
        ask(ctx, timedTasksContract.list, { query: { ...query, ...state } }),
      )
      const numbers = await database.withTenant(ctx, async scope => {
        const devices = await devicesById(
          scope,
          rows.flatMap(row => row.actions[0]?.scope?.deviceIds ?? []),
        )
        const properties = await propertiesOf(scope, [...new Set(devices.map(device => device.productId))])
        return { devices, properties: new Map(properties.map(row => [`${row.productId} ${row.identifier}`, row.num])) }
      })
      return {
        currPage: place.page,
        pageSize: place.size,
        dataList: rows.map(row => factsOf(row, numbers.devices, numbers.properties)),
      }
    },
  }
}

const stepOf = ({ device, property }: Sensor, value: unknown) => ({
  kind: 'command' as const,
  scope: { deviceIds: [device.id] },
  command: { kind: 'property_set' as const, params: { [property.identifier]: value } as Record<string, never> },
})

/** Of a switch; of anything else the value at the end has to be said. */
const opposite = (value: unknown) => (typeof value === 'boolean' ? !value : null)

function factsOf(
  row: TimedTaskView,
  devices: readonly NumberedDevice[],
  properties: ReadonlyMap<string, number>,
): TlinkReply {
  const step = row.actions[0]
  const device = devices.find(each => each.id === step?.scope?.deviceIds?.[0])
  const [written] = Object.entries(step?.command?.params ?? {})
  const [after] = Object.values(row.offActions[0]?.command?.params ?? {})
  const number = device && written ? properties.get(`${device.productId} ${written[0]}`) : undefined
  const { on, off, times, days } = row.schedule as { on?: unknown; off?: unknown; times?: string[]; days?: number[] }
  const clock = (value: unknown) => (typeof value === 'string' ? value : '')
  const shown = (value: unknown) => (value === undefined ? '' : typeof value === 'boolean' ? Number(value) : value)
  return {
    id: userNumber(row.id),
    schedulerName: row.name,
    deviceId: device?.num ?? '',
    sensorId: device && number !== undefined ? sensorIdOf(device.num, number) : '',
    value: shown(written?.[1]),
    endValue: shown(after),
    weekDay: days ?? [],
    startTime: clock(on) || (times?.[0] ?? ''),
    endTime: clock(off),
    status: row.state === 'enabled' ? 1 : 0,
    nextTime: timeText(row.nextRunAt),
    lastTime: timeText(row.lastRunAt),
  }
}
