import { Readable } from 'node:stream'
import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import type { DataType, ThingModel } from '@thingwright/thing-model'
import type { AuthorisedDevice } from '../../lib/authorised.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { decodeCursor, encodeCursor } from '../../lib/paging.ts'
import { authoriseDevice } from '../devices/index.ts'
import * as log from './device-log.repo.ts'
import * as history from './history.repo.ts'
import { desiredOf, latestOf } from './latest.repo.ts'
import { csvLines } from './telemetry.csv.ts'
import { columns, levelFor, resolutionFor, toBuckets } from './telemetry.series.ts'
import { inSnapshot } from './telemetry.snapshot.ts'
import { fromSegment } from './telemetry.values.ts'

type Contract = typeof telemetryContract

export interface TelemetryService {
  latest(ctx: Ctx, deviceId: string): Promise<ResponseOf<Contract['latest']>>
  series(ctx: Ctx, deviceId: string, query: QueryOf<Contract['series']>): Promise<ResponseOf<Contract['series']>>
  raw(ctx: Ctx, deviceId: string, query: QueryOf<Contract['raw']>): Promise<ResponseOf<Contract['raw']>>
  exportCsv(ctx: Ctx, deviceId: string, query: QueryOf<Contract['exportCsv']>): Promise<StreamReply>
  messages(ctx: Ctx, deviceId: string, query: QueryOf<Contract['messages']>): Promise<ResponseOf<Contract['messages']>>
  events(ctx: Ctx, deviceId: string, query: QueryOf<Contract['events']>): Promise<ResponseOf<Contract['events']>>
  connections(
    ctx: Ctx,
    deviceId: string,
    query: QueryOf<Contract['connections']>,
  ): Promise<ResponseOf<Contract['connections']>>
}

const QUALITY = ['good', 'uncertain', 'bad'] as const
const KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused'] as const
const MAX_IDENTIFIERS = 16
const MAX_DAYS = 400
/** Hours of raw values in one step of an export. */
const EXPORT_HOURS = 24

export function createTelemetryService({ database }: { database: Database }): TelemetryService {
  const authorise = (ctx: Ctx, id: string) => database.withTenant(ctx, scope => authoriseDevice(scope, id))

  /** The device with the types of its properties. */
  async function typed(
    ctx: Ctx,
    id: string,
  ): Promise<{ device: AuthorisedDevice; types: Map<string, DataType['type']> }> {
    return database.withTenant(ctx, async scope => {
      const device = await authoriseDevice(scope, id)
      const { rows } = await scope.query<{ model: ThingModel | null }>(
        'select coalesce(published_model, draft_model) as model from products where id = $1',
        [device.productId],
      )
      return { device, types: new Map((rows[0]?.model?.properties ?? []).map(p => [p.identifier, p.dataType.type])) }
    })
  }

  return {
    async latest(ctx, id) {
      const device = await authorise(ctx, id)
      const readings = await inSnapshot(database, reader => latestOf(reader, device))
      return {
        items: [...readings].map(([identifier, [value, ts, quality]]) => ({
          identifier,
          value,
          ts,
          quality: QUALITY[quality] ?? 'uncertain',
        })),
      }
    },

    async series(ctx, id, query) {
      const range = rangeOf(query)
      const identifiers = identifiersOf(query.identifier)
      const { device, types } = await typed(ctx, id)
      known(identifiers, types)
      const points = query.points ?? 500
      const level = levelFor(range.to - range.from, points)
      const resolutionMs = resolutionFor(range.to - range.from, points, level)
      return inSnapshot(database, async reader => {
        const nums = await history.propertyNums(reader, device.productNum, identifiers)
        const series = []
        for (const identifier of identifiers) {
          const property = { identifier, num: nums.get(identifier) }
          if (level !== 'raw') {
            series.push({
              identifier,
              points: columns(await history.rollUpOf(reader, device, property, range, level), resolutionMs),
              resolutionMs,
            })
            continue
          }
          const buckets = toBuckets(await history.pointsOf(reader, device, property, range))
          // Few enough values are shown as they are.
          const asIs = buckets.length <= points
          series.push({
            identifier,
            points: asIs
              ? buckets.map(({ ts, sum }): [number, number, number, number] => [ts, sum, sum, sum])
              : columns(buckets, resolutionMs),
            resolutionMs: asIs ? 0 : resolutionMs,
          })
        }
        return { series }
      })
    },

    async raw(ctx, id, query) {
      const range = rangeOf(query)
      const { device, types } = await typed(ctx, id)
      known([query.identifier], types)
      const after = decodeCursor(query.cursor, 1)?.[0]
      if (after !== undefined && typeof after !== 'number') throw new AppError('request.cursor_invalid')
      const limit = query.limit ?? 1000
      const from = after === undefined ? range.from : Math.max(range.from, after + 1)
      const points = await inSnapshot(database, async reader => {
        const num = (await history.propertyNums(reader, device.productNum, [query.identifier])).get(query.identifier)
        return history.pointsOf(
          reader,
          device,
          { identifier: query.identifier, num },
          { from, to: range.to },
          limit + 1,
        )
      })
      const page = points.slice(0, limit)
      const type = types.get(query.identifier)
      return {
        items: page.map(({ ts, value }) => [ts, fromSegment(value, type)]),
        nextCursor: points.length > limit ? encodeCursor([page.at(-1)!.ts]) : null,
      }
    },

    async exportCsv(ctx, id, query) {
      const range = rangeOf(query)
      const identifiers = identifiersOf(query.identifier)
      const { device, types } = await typed(ctx, id)
      known(identifiers, types)
      const steps = async function* () {
        const nums = await inSnapshot(database, reader => history.propertyNums(reader, device.productNum, identifiers))
        for (let from = range.from; from < range.to; from += EXPORT_HOURS * history.HOUR_MS) {
          const part = { from, to: Math.min(range.to, from + EXPORT_HOURS * history.HOUR_MS) }
          yield await inSnapshot(database, async reader => {
            const rows = new Map<number, unknown[]>()
            for (const [column, identifier] of identifiers.entries()) {
              for (const { ts, value } of await history.pointsOf(
                reader,
                device,
                { identifier, num: nums.get(identifier) },
                part,
              )) {
                const row = rows.get(ts) ?? new Array(identifiers.length).fill(null)
                rows.set(ts, row)
                row[column] = fromSegment(value, types.get(identifier))
              }
            }
            return [...rows].sort((a, b) => a[0] - b[0])
          })
        }
      }
      return new StreamReply(
        Readable.from(csvLines(identifiers, steps())),
        'text/csv; charset=utf-8',
        `${device.deviceNo}.csv`,
      )
    },

    async messages(ctx, id, query) {
      const device = await authorise(ctx, id)
      const before = decodeCursor(query.cursor, 1)?.[0]
      if (before !== undefined && typeof before !== 'number') throw new AppError('request.cursor_invalid')
      const limit = query.limit ?? 50
      const kind = query.kind ? KINDS.indexOf(query.kind) + 1 : null
      const rows = await inSnapshot(database, reader =>
        log.messagesOf(reader, device, { before: before ?? null, kind, limit: limit + 1 }),
      )
      const page = rows.slice(0, limit)
      return {
        items: page.map(row => toMessage(row)),
        nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.seq]) : null,
      }
    },

    async events(ctx, id, query) {
      const device = await authorise(ctx, id)
      const position = decodeCursor(query.cursor, 2)
      const limit = query.limit ?? 50
      const rows = await inSnapshot(database, reader =>
        log.eventsOf(reader, device, {
          before: position ? { ts: Number(position[0]), seq: Number(position[1]) } : null,
          identifier: query.identifier ?? null,
          limit: limit + 1,
        }),
      )
      const page = rows.slice(0, limit)
      return {
        items: page.map(row => ({
          id: `${row.ts}-${row.seq}`,
          identifier: row.identifier,
          level: row.level,
          ts: row.ts,
          params: row.params,
        })),
        nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.ts, page.at(-1)!.seq]) : null,
      }
    },

    async connections(ctx, id, query) {
      const device = await authorise(ctx, id)
      const position = decodeCursor(query.cursor, 2)
      const limit = query.limit ?? 50
      const rows = await inSnapshot(database, reader =>
        log.connectionsOf(reader, device, {
          before: position ? { at: Number(position[0]), seq: Number(position[1]) } : null,
          limit: limit + 1,
        }),
      )
      const page = rows.slice(0, limit)
      return {
        items: page.map(row => ({
          id: `${row.at.getTime()}-${row.seq}`,
          kind: row.kind,
          at: row.at.toISOString(),
          reason: row.reason,
          transport: row.transport,
          address: row.address,
        })),
        nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.at.getTime(), page.at(-1)!.seq]) : null,
      }
    },
  }
}

/** Reported and wanted state, for the device's link page. */
export function createShadowReader(database: Pick<Database, 'telemetry'>) {
  return (device: AuthorisedDevice) =>
    inSnapshot(database, async reader => {
      const reported = Object.fromEntries(
        [...(await latestOf(reader, device))].map(([identifier, [value]]) => [identifier, value]),
      )
      return { reported, ...(await desiredOf(reader, device)) }
    })
}

function toMessage(row: log.MessageRow): ResponseOf<Contract['messages']>['items'][number] {
  return {
    id: String(row.seq),
    kind: KINDS[row.kind - 1] ?? 'property',
    arrivedAt: row.arrived_at.toISOString(),
    ts: row.ts,
    deviceTs: row.device_ts,
    quality: QUALITY[row.quality] ?? 'uncertain',
    late: row.late,
    values: row.values ?? null,
    refusedReason: row.refused_reason,
    hex: row.raw?.toString('hex') ?? null,
    text: row.raw ? textOf(row.raw) : null,
  }
}

/** The bytes as text when they are text. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function identifiersOf(text: string): string[] {
  const identifiers = [
    ...new Set(
      text
        .split(',')
        .map(part => part.trim())
        .filter(Boolean),
    ),
  ]
  if (identifiers.length === 0)
    throw new AppError('request.validation', {
      params: { count: 1 },
      fields: { identifier: { code: 'field.required' } },
    })
  if (identifiers.length > MAX_IDENTIFIERS)
    throw new AppError('telemetry.too_many_identifiers', { params: { limit: MAX_IDENTIFIERS } })
  return identifiers
}

function known(identifiers: readonly string[], types: ReadonlyMap<string, unknown>): void {
  const unknown = identifiers.find(identifier => !types.has(identifier))
  if (unknown !== undefined) throw new AppError('telemetry.property_unknown', { params: { identifier: unknown } })
}

function rangeOf(query: { from: number | string; to: number | string }): { from: number; to: number } {
  const from = timeOf(query.from)
  const to = timeOf(query.to)
  if (!(from < to) || to - from > MAX_DAYS * 86_400_000)
    throw new AppError('telemetry.range_invalid', { params: { days: MAX_DAYS } })
  return { from, to }
}

function timeOf(value: number | string): number {
  const ms = typeof value === 'number' ? value : /^\d{1,16}$/.test(value) ? Number(value) : Date.parse(value)
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? Math.trunc(ms) : Number.NaN
}
