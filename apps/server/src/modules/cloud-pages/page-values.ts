import { type PageValue, type Scene, type Signal, sceneSignals, signalKey } from '@thingwright/scene'
import type { Actor, Ctx } from '../../lib/context.ts'
import type { Database, TenantContext } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { authoriseDevices } from '../devices/index.ts'
import type { TelemetryService } from '../telemetry/index.ts'
import type { ApiValues } from './page-api-values.ts'
import { deviceStates } from './page-visits.repo.ts'

/** With whose rights the devices of a page are read. */
export interface Reader {
  tenantId: string
  /** undefined: the company's own, no member made the page. */
  actor: Actor | undefined
}

export interface PageReading {
  /** Values of all signals of the scene by their keys; what is not known is absent. */
  read(reader: Reader, scene: Scene, devices: Readonly<Record<string, string>>): Promise<Record<string, PageValue>>
  /** A sum of a device up to a moment (epoch ms). */
  aggregateAt(reader: Reader, deviceId: string, signal: AggregateSignal, at: number): Promise<PageValue | null>
}

export type AggregateSignal = Extract<Signal, { kind: 'aggregate' }>

export const contextOf = ({ tenantId, actor }: Reader): TenantContext => (actor ? { tenantId, actor } : { tenantId })

const QUALITY = ['good', 'uncertain', 'bad'] as const
/** Sums of hours and days are looked up again after this, ms. */
const AGGREGATE_MS = 30_000
const KEPT = 5_000
const HOUR = 3_600_000
const SPAN_MS: Record<string, number> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR }

/** The device of a role: the visitor's choice where the page offers it, otherwise the device that the page names. */
export function deviceOf(scene: Scene, key: string, devices: Readonly<Record<string, string>>): string | null {
  const role = scene.roles.find(each => each.key === key)
  if (!role) return null
  const chosen = devices[key]
  return chosen !== undefined && role.choices.includes(chosen) ? chosen : role.deviceId
}

export function createPageValues(deps: {
  database: Database
  telemetry: Pick<TelemetryService, 'series'>
  api: ApiValues
  timeZone(tenantId: string): Promise<string>
  now(): number
}): PageReading {
  const { database } = deps
  const aggregates = new Map<string, { until: number; value: Promise<PageValue | null> }>()

  async function aggregate(
    reader: Reader,
    deviceId: string,
    signal: AggregateSignal,
    now: number,
  ): Promise<PageValue | null> {
    const { fn, span, point } = signal
    const from = span === 'today' ? await startOfDay(reader.tenantId, now) : now - (SPAN_MS[span] ?? HOUR)
    if (from >= now) return null
    const ctx: Ctx = {
      tenantId: reader.tenantId,
      actor: reader.actor ?? { kind: 'system', reason: 'page' },
      locale: 'zh',
      requestId: 'page',
      now,
    }
    try {
      const { series } = await deps.telemetry.series(ctx, deviceId, { identifier: point, from, to: now, points: 200 })
      const points = series[0]?.points ?? []
      const known = points.filter(each => each.slice(1, 4).every(n => typeof n === 'number')) as [
        number,
        number,
        number,
        number,
      ][]
      if (known.length === 0) return null
      const least = Math.min(...known.map(each => each[2]))
      const most = Math.max(...known.map(each => each[3]))
      const value =
        fn === 'min'
          ? least
          : fn === 'max'
            ? most
            : fn === 'delta'
              ? most - least
              : known.reduce((sum, each) => sum + each[1], 0) / known.length
      return { v: Math.round(value * 1e6) / 1e6, ts: now, q: 'good' }
    } catch (error) {
      // A property that was removed from the model has no history: the rest of the page goes on.
      if (isAppError(error)) return null
      throw error
    }
  }

  async function startOfDay(tenantId: string, now: number): Promise<number> {
    const timeZone = await deps.timeZone(tenantId)
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(now)
    const part = (type: string) => Number(parts.find(each => each.type === type)?.value ?? 0)
    return now - ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000 - (now % 1000)
  }

  function keptAggregate(
    reader: Reader,
    { id: deviceId, historyFrom }: { id: string; historyFrom: number | null },
    signal: AggregateSignal,
  ) {
    // An end user who was given the device without its history has sums of his own.
    const key = `${reader.tenantId} ${deviceId} ${historyFrom} ${signalKey(signal)}`
    const now = deps.now()
    const found = aggregates.get(key)
    if (found && found.until > now) return found.value
    if (aggregates.size >= KEPT) aggregates.clear()
    const value = aggregate(reader, deviceId, signal, now)
    aggregates.set(key, { until: now + AGGREGATE_MS, value })
    value.catch(() => aggregates.delete(key))
    return value
  }

  return {
    aggregateAt: aggregate,
    async read(reader, scene, devices) {
      const signals = sceneSignals(scene)
      const byRole = new Map(scene.roles.map(({ key }) => [key, deviceOf(scene, key, devices)]))
      const ids = [...new Set([...byRole.values()].filter(id => id !== null))]
      const { authorised, states } = await database.withTenant(contextOf(reader), async scope => ({
        authorised: await authoriseDevices(scope, ids),
        states: new Map((await deviceStates(scope, ids)).map(state => [state.id, state])),
      }))
      const readings = await readLatestValues(database.telemetry, authorised.ids)
      const known = new Map(authorised.devices.map(device => [device.id, device]))
      const values: Record<string, PageValue> = {}
      await Promise.all(
        [...signals].map(async ([key, signal]) => {
          if (signal.kind === 'api') {
            const value = await deps.api.read(reader.tenantId, signal)
            if (value) values[key] = value
            return
          }
          const id = byRole.get(signal.role) ?? null
          const device = id === null ? undefined : known.get(id)
          if (!device) return
          if (signal.kind === 'property') {
            const reading = readings.get(device.num)?.get(signal.point)
            if (!reading || (device.historyFrom !== null && reading[1] < device.historyFrom)) return
            values[key] = { v: reading[0], ts: reading[1], q: QUALITY[reading[2]] ?? 'uncertain' }
          } else if (signal.kind === 'aggregate') {
            const value = await keptAggregate(reader, device, signal)
            if (value) values[key] = value
          } else {
            const state = states.get(device.id)
            if (!state) return
            const { location } = state
            if (signal.kind === 'place' && location === null) return
            values[key] = {
              v:
                signal.kind === 'place'
                  ? `${location?.lng},${location?.lat}`
                  : signal.kind === 'online'
                    ? state.link === 'online'
                    : state.alarmLevel,
              ts: deps.now(),
              q: 'good',
            }
          }
        }),
      )
      return values
    },
  }
}
