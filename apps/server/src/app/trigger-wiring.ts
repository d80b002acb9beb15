import { isAppError } from '../lib/errors.ts'
import type { DevicesService } from '../modules/devices/index.ts'
import type { TargetAdapter } from '../modules/subscriptions/target.port.ts'
import type { TelemetryService } from '../modules/telemetry/index.ts'
import type { Past, PostWebhook } from '../modules/triggers/index.ts'

const PAGE = 10_000

/** Gives dry runs the recorded values, events and connections of devices. */
export function triggerPast(
  telemetry: Pick<TelemetryService, 'latest' | 'raw' | 'events' | 'connections'>,
  devices: Pick<DevicesService, 'get'>,
): Past {
  return {
    latest: async (ctx, deviceId) => (await telemetry.latest(ctx, deviceId)).items,
    async link(ctx, deviceId) {
      const { link } = await devices.get(ctx, deviceId)
      return link === 'never' ? undefined : link === 'online'
    },
    async *values(ctx, deviceId, identifier, from, to) {
      try {
        for (let cursor: string | undefined; ; ) {
          const page = await telemetry.raw(ctx, deviceId, {
            identifier,
            from,
            to,
            limit: PAGE,
            detail: '1',
            ...(cursor ? { cursor } : {}),
          })
          yield page.items.map(([ts, value, quality]): [number, unknown, string] => [
            Number(ts),
            value,
            String(quality),
          ])
          if (page.nextCursor === null) return
          cursor = page.nextCursor
        }
      } catch (error) {
        // A device of another product of the scope need not have it.
        if (!isAppError(error) || !error.code.startsWith('telemetry.')) throw error
        yield null
      }
    },
    async events(ctx, deviceId, from, to) {
      const found: Awaited<ReturnType<Past['events']>> = []
      for (let cursor: string | undefined; ; ) {
        const page = await telemetry.events(ctx, deviceId, { limit: 100, ...(cursor ? { cursor } : {}) })
        for (const { ts, identifier, params } of page.items)
          if (ts >= from && ts < to) found.push({ ts, identifier, params: params as object })
        const last = page.items.at(-1)
        if (page.nextCursor === null || (last && last.ts < from)) return found.reverse()
        cursor = page.nextCursor
      }
    },
    async links(ctx, deviceId, from, to) {
      const found: Awaited<ReturnType<Past['links']>> = []
      for (let cursor: string | undefined; ; ) {
        const page = await telemetry.connections(ctx, deviceId, { limit: 100, ...(cursor ? { cursor } : {}) })
        for (const { at, kind } of page.items) {
          const ms = Date.parse(at)
          if (ms >= from && ms < to) found.push({ at: ms, isOnline: kind === 'online' })
        }
        const last = page.items.at(-1)
        if (page.nextCursor === null || (last && Date.parse(last.at) < from)) return found.reverse()
        cursor = page.nextCursor
      }
    },
  }
}

/** One signed POST, as data subscriptions make them. */
export function triggerWebhook(adapter: TargetAdapter, now: () => number): PostWebhook {
  return async (id, tenantId, name, { url, headers, secrets }, body, attempt) => {
    const target = adapter.open(
      {
        subscriptionId: id,
        tenantId,
        name,
        target: { kind: 'webhook', url, ...(headers ? { headers } : {}) },
        secrets,
      },
      { wake: () => undefined },
    )
    try {
      const item = {
        cursor: 0,
        id,
        type: 'alarm',
        ts: now(),
        productKey: '',
        deviceNo: '',
        deviceId: '',
        payload: body,
      }
      const outcome = await target.deliver(
        { subscriptionId: id, tenantId, items: [item], body, contentType: 'application/json', attempt },
        AbortSignal.timeout(15_000),
      )
      if (outcome.kind === 'ok') return { isOk: true, isFinal: true, message: null }
      const reason = 'reason' in outcome ? outcome.reason : outcome.kind
      const status = 'status' in outcome && outcome.status !== undefined ? ` ${outcome.status}` : ''
      return { isOk: false, isFinal: outcome.kind === 'refused', message: `${reason}${status}` }
    } finally {
      await target.close()
    }
  }
}
