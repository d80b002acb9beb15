import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { AlarmLevel, alarmsContract } from '@thingwright/contracts/alarms.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { authoriseDevice } from '../devices/index.ts'
import { groupsBelow } from '../groups/groups.views.ts'
import { FIRST_LEVELS } from './alarms.mapping.ts'
import * as repo from './alarms.repo.ts'
import { timeOf } from './alarms.service.ts'

type Contract = typeof alarmsContract

/** Figures of alarms, the names of their levels, and devices in maintenance. */
export interface AlarmFiguresService {
  counts(ctx: Ctx, query: QueryOf<Contract['counts']>): Promise<ResponseOf<Contract['counts']>>
  statistics(ctx: Ctx, query: QueryOf<Contract['statistics']>): Promise<ResponseOf<Contract['statistics']>>
  levels(ctx: Ctx): Promise<ResponseOf<Contract['levels']>>
  setLevels(ctx: Ctx, input: BodyOf<Contract['setLevels']>): Promise<ResponseOf<Contract['levels']>>
  maintenance(ctx: Ctx, deviceId: string): Promise<ResponseOf<Contract['maintenance']>>
  setMaintenance(
    ctx: Ctx,
    deviceId: string,
    input: BodyOf<Contract['setMaintenance']>,
  ): Promise<ResponseOf<Contract['maintenance']>>
}

export interface AlarmFiguresDeps {
  database: Database
  timeZone(tenantId: string): Promise<string>
}

const DAY_MS = 86_400_000
/** Of statistics and maintenance. */
const MAX_DAYS = 400

export function createAlarmFigures({ database, timeZone }: AlarmFiguresDeps): AlarmFiguresService {
  const ofThings = async (
    scope: TenantScope,
    query: Partial<Record<'productId' | 'groupId' | 'deviceId' | 'triggerId', string>>,
  ) => ({
    ...(query.productId ? { productId: query.productId } : {}),
    ...(query.groupId ? { groupIds: await groupsBelow(scope, [query.groupId], 'device') } : {}),
    ...(query.deviceId ? { deviceId: query.deviceId } : {}),
    ...(query.triggerId ? { triggerId: query.triggerId } : {}),
  })

  const shownLevels = async (scope: TenantScope) => {
    const row = await repo.levels(scope)
    return { items: (row?.levels as AlarmLevel[] | undefined) ?? [...FIRST_LEVELS], version: row?.version ?? 1 }
  }

  const shownMaintenance = (row: repo.MaintenanceRow | undefined) => ({
    until: row?.until.toISOString() ?? null,
    reason: row?.reason ?? null,
    byName: row?.byName ?? null,
    since: row?.since.toISOString() ?? null,
  })

  return {
    counts: (ctx, query) =>
      database.withTenant(ctx, async scope => {
        const found = await scope.run(
          ...repo.COUNTS.of(await ofThings(scope, query), ctx.tenantId, ownerIdOf(ctx.actor)),
        )
        const { levels, ...counts } = found.rows[0]!
        return { ...counts, byLevel: levels.map((active, i) => ({ level: i + 1, active })) }
      }),

    async statistics(ctx, query) {
      const from = query.from === undefined ? new Date(ctx.now - 30 * DAY_MS) : timeOf(query.from, 'from')
      const to = query.to === undefined ? new Date(ctx.now) : timeOf(query.to, 'to')
      if (to.getTime() <= from.getTime() || to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
        throw new AppError('alarm.range_invalid', { params: { days: MAX_DAYS } })
      const zone = query.zone ?? (await timeZone(ctx.tenantId))
      if (!isZone(zone))
        throw new AppError('request.validation', { fields: { zone: { code: 'rule.zone_unknown', params: { zone } } } })
      const row = await database.withTenant(ctx, async scope => {
        const found = await scope.run(...repo.STATISTICS.of(await ofThings(scope, query), ctx.tenantId, from, to, zone))
        return found.rows[0]!
      })
      const hours = new Array<number>(24).fill(0)
      for (const { hour, total } of row.hours ?? []) hours[hour] = total
      const levels = new Map((row.levels ?? []).map(one => [one.level, one]))
      return {
        from: from.toISOString(),
        to: to.toISOString(),
        total: row.total,
        active: row.active,
        unacknowledged: row.unacknowledged,
        mttaMs: row.mtta === null ? null : Math.round(row.mtta),
        mttrMs: row.mttr === null ? null : Math.round(row.mttr),
        byLevel: [1, 2, 3, 4, 5].map(level => levels.get(level) ?? { level, total: 0, active: 0 }),
        byHour: hours,
        byDay: row.days ?? [],
        topDevices: row.devices ?? [],
        topTriggers: row.triggers ?? [],
      }
    },

    levels: ctx => database.withTenant(ctx, shownLevels),

    setLevels: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const before = await shownLevels(scope)
        if (before.version !== input.version) throw new AppError('version.conflict', { params: { current: before } })
        const items = [...input.items].sort((a, b) => a.level - b.level)
        if (items.some(({ level }, i) => level !== i + 1)) throw new AppError('alarm.levels_incomplete')
        await repo.setLevels(scope, items, before.version + 1)
        await recordAudit(scope, ctx, {
          action: 'alarm_levels.update',
          objectType: 'alarm_levels',
          before: { levels: before.items },
          after: { levels: items },
        })
        return { items, version: before.version + 1 }
      }),

    maintenance: (ctx, deviceId) =>
      database.withTenant(ctx, async scope => {
        await authoriseDevice(scope, deviceId)
        return shownMaintenance(await repo.maintenance(scope, deviceId))
      }),

    setMaintenance: (ctx, deviceId, { until, reason }) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const before = await repo.maintenance(scope, deviceId)
        const end = until === null ? null : new Date(until)
        if (end && (end.getTime() <= ctx.now || end.getTime() > ctx.now + MAX_DAYS * DAY_MS))
          throw new AppError('alarm.maintenance_time', { params: { days: MAX_DAYS } })
        await repo.setMaintenance(
          scope,
          deviceId,
          end ? { until: end, reason: reason ?? null, byName: actorName(ctx.actor) } : null,
        )
        await recordAudit(scope, ctx, {
          action: 'device.maintenance',
          objectType: 'device',
          objectId: deviceId,
          objectName: device.name,
          before: { until: before?.until.toISOString() ?? null },
          after: { until, reason: reason ?? null },
        })
        return shownMaintenance(await repo.maintenance(scope, deviceId))
      }),
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
