import type { ResponseOf } from '@thingwright/contracts'
import type { cloudPagesContract } from '@thingwright/contracts/cloud-pages.contract'
import { type PageValue, type Scene, type Signal, sceneSignals } from '@thingwright/scene'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { authoriseDevices } from '../devices/index.ts'
import type { TelemetryService } from '../telemetry/index.ts'
import { alarmsOpenAt } from './page-past.repo.ts'
import { deviceOf, type PageReading } from './page-values.ts'

/** Reads a page as it was. @param chosen devices by their roles; @param ts epoch ms, now where it lies ahead */
export type LookBack = (
  ctx: Ctx,
  scene: Scene,
  chosen: Readonly<Record<string, string>>,
  ts: number,
) => Promise<PagePast>
export type PagePast = ResponseOf<(typeof cloudPagesContract)['past']>

const QUALITY = ['good', 'uncertain', 'bad'] as const

/**
 * A page as it was at a moment, with the rights of the person who looks back: his devices only, and of a device that he
 * was given without its history nothing from before. Values from other servers and places of devices have no history
 * and are absent.
 */
export function createPagePast(deps: {
  database: Database
  telemetry: Pick<TelemetryService, 'past'>
  values: Pick<PageReading, 'aggregateAt'>
}): LookBack {
  return async (ctx, scene, chosen, asked) => {
    const ts = Math.min(asked, ctx.now)
    const signals = sceneSignals(scene)
    const byRole = new Map(scene.roles.map(({ key }) => [key, deviceOf(scene, key, chosen)]))
    const ids = [...new Set([...byRole.values()].filter(id => id !== null))]
    const { devices, alarms } = await deps.database.withTenant(ctx, async scope => {
      const { devices } = await authoriseDevices(scope, ids)
      // What was before he had the device is not his: then no device is there to ask about.
      const then = devices.filter(({ historyFrom }) => historyFrom === null || historyFrom <= ts)
      return {
        devices: then,
        alarms: await alarmsOpenAt(
          scope,
          then.map(({ id }) => id),
          new Date(ts),
        ),
      }
    })
    const asks = new Map<string, Set<string>>()
    for (const signal of signals.values()) {
      const id = 'role' in signal ? byRole.get(signal.role) : null
      if (!id) continue
      const points = asks.get(id) ?? new Set()
      asks.set(id, points)
      if (signal.kind === 'property') points.add(signal.point)
    }
    const past = new Map(
      await Promise.all(
        devices
          .filter(({ id }) => asks.has(id))
          .map(
            async ({ id }) =>
              [id, await deps.telemetry.past(ctx, id, { identifiers: [...asks.get(id)!], ts })] as const,
          ),
      ),
    )
    const values: Record<string, PageValue> = {}
    await Promise.all(
      [...signals].map(async ([key, signal]) => {
        const id = 'role' in signal ? byRole.get(signal.role) : null
        const device = id ? past.get(id) : undefined
        if (!id || !device) return
        const value = await valueAt(signal, id, device)
        if (value) values[key] = value
      }),
    )
    async function valueAt(
      signal: Signal,
      id: string,
      device: Awaited<ReturnType<TelemetryService['past']>>,
    ): Promise<PageValue | null> {
      switch (signal.kind) {
        case 'property': {
          const point = device.values.get(signal.point)
          return point ? { v: point.value, ts: point.ts, q: QUALITY[point.quality] ?? 'uncertain' } : null
        }
        case 'aggregate':
          return deps.values.aggregateAt({ tenantId: ctx.tenantId, actor: ctx.actor }, id, signal, ts)
        case 'alarm':
          return {
            v: Math.max(0, ...alarms.filter(each => each.deviceId === id).map(each => each.level)),
            ts,
            q: 'good',
          }
        case 'online':
          return device.online === null ? null : { v: device.online, ts, q: 'good' }
        default:
          return null
      }
    }
    return {
      ts,
      values: values as PagePast['values'],
      alarms: alarms
        .map(({ id, level, name, device, raisedAt, acknowledged }) => ({
          ...{ id, level, name, device, acknowledged },
          raisedAt: raisedAt.toISOString(),
        }))
        .sort((a, b) => b.raisedAt.localeCompare(a.raisedAt))
        .slice(0, 100),
    }
  }
}
