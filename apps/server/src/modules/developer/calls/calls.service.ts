import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CallDetail, CallView, developerContract } from '@thingwright/contracts/developer.contract'
import type { Permission } from '@thingwright/contracts/permissions'
import type { Ctx } from '../../../lib/context.ts'
import type { Database } from '../../../lib/database/database.ts'
import { AppError } from '../../../lib/errors.ts'
import * as repo from './calls.repo.ts'
import { percentile } from './durations.ts'

type Contract = typeof developerContract

export interface CallsService {
  statistics(ctx: Ctx, query: QueryOf<Contract['statistics']>): Promise<ResponseOf<Contract['statistics']>>
  calls(ctx: Ctx, query: QueryOf<Contract['calls']>): Promise<ResponseOf<Contract['calls']>>
  /** @throws AppError developer.call_not_found */
  call(ctx: Ctx, id: string): Promise<CallDetail>
}

const HOUR_MS = 3_600_000

/** Steps of a time line: at most 2016, from the finest rows that are kept long enough. */
function resolution(hours: number): { width: number; seconds: number } {
  if (hours <= 24) return { width: 300, seconds: 300 }
  return { width: 3600, seconds: hours <= 24 * 14 ? 3600 : 86_400 }
}

/** @param flush writes what is still in memory: whoever looks sees his own last call */
export function createCallsService(deps: { database: Database; flush(): Promise<void> }): CallsService {
  const { database, flush } = deps
  return {
    async statistics(ctx, { hours = 24, keyId, route }) {
      await flush()
      const { width, seconds } = resolution(hours)
      const step = seconds * 1000
      const to = Math.floor(ctx.now / step) * step + step
      const from = to - Math.max(step, Math.ceil((hours * HOUR_MS) / step) * step)
      const filter = { width, from: new Date(from), to: new Date(to), keyId, route }
      return database.withTenant(ctx, async scope => {
        const time = new Map((await repo.statsOverTime(scope, filter, seconds)).map(row => [Number(row.ts), row]))
        const routes = await repo.statsByRoute(scope, filter)
        const keys = await repo.statsByKey(scope, filter)
        const total = sum([...time.values()])
        return {
          from,
          to,
          resolutionSeconds: seconds,
          total: { ...figures(total), limited: total.limited },
          series: Array.from({ length: (to - from) / step }, (_, at) => {
            const ts = from + at * step
            return { ts, ...figures(time.get(ts)) }
          }),
          routes: routes.map(row => ({ route: row.route, ...figures(row) })),
          keys: keys.map(row => ({ keyId: row.keyId, name: row.name, ...figures(row) })),
        }
      })
    },

    async calls(ctx, { keyId, route, errors, limit = 100 }) {
      await flush()
      const rows = await database.withTenant(ctx, scope =>
        repo.lastCalls(scope, { keyId, route, errors: errors === '1', limit }),
      )
      return { items: rows.map(toView) }
    },

    async call(ctx, id) {
      await flush()
      const row = await database.withTenant(ctx, scope => repo.findCall(scope, id))
      if (!row) throw new AppError('developer.call_not_found')
      // What a call answered is not for somebody who may not make it.
      const hidden = !mayCall(ctx, row.permission)
      return {
        ...toView(row),
        requestBody: hidden ? null : row.request_body,
        requestBytes: row.request_bytes,
        responseBody: hidden ? null : row.response_body,
        responseBytes: row.response_bytes,
        bodiesHidden: hidden,
      }
    },
  }
}

function mayCall({ actor }: Ctx, permission: string): boolean {
  if (actor.kind === 'system' || permission === 'signed-in') return true
  return actor.permissions.has(permission as Permission)
}

const NOTHING: repo.Figures = { calls: 0, errors: 0, limited: 0, durations: [] }

function figures({ calls, errors, durations }: repo.Figures = NOTHING) {
  return { calls, errors, p95Ms: percentile(durations, 0.95) }
}

function sum(rows: readonly repo.Figures[]): repo.Figures {
  return rows.reduce(
    (all, row) => ({
      calls: all.calls + row.calls,
      errors: all.errors + row.errors,
      limited: all.limited + row.limited,
      durations: row.durations.map((n, at) => n + (all.durations[at] ?? 0)),
    }),
    NOTHING,
  )
}

function toView(row: repo.StoredCall): CallView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    keyId: row.key_id,
    keyName: row.key_name,
    method: row.method,
    path: row.path,
    route: row.route,
    status: row.status,
    code: row.code,
    durationMs: row.duration_ms,
    ip: row.ip,
    userAgent: row.user_agent,
    requestId: row.request_id,
  }
}
