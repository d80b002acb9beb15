import { Readable } from 'node:stream'
import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { isRawKey, rawKey } from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { isUuid } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import { authoriseDevices, readAuthorisedDevice } from '../devices/index.ts'
import { availabilityOf } from './availability.ts'
import * as log from './device-log.repo.ts'
import { endOfPage, readHistory } from './history.repo.ts'
import { asNumber, bucketsOf, countOf, type Point, pointsOf } from './history.ts'
import { headsOf } from './history-heads.ts'
import { historyWorkbook } from './history-workbook.ts'
import { type IntervalSeries, type IntervalsQuery, intervalsOf } from './intervals.ts'
import { desiredOf, latestOf, latestOfAll } from './latest.repo.ts'
import { createMessageLog, type MessageLogDeps } from './message-log.ts'
import { type PastDevice, pastOf } from './past-values.ts'
import { HOUR_MS } from './segments/segment.ts'
import { csvLines } from './telemetry.csv.ts'
import { columns, divide } from './telemetry.series.ts'
import { inSnapshot } from './telemetry.snapshot.ts'

type Contract = typeof telemetryContract

export interface TelemetryService {
  latest(ctx: Ctx, deviceId: string): Promise<ResponseOf<Contract['latest']>>
  latestOfMany(ctx: Ctx, query: QueryOf<Contract['latestOfMany']>): Promise<ResponseOf<Contract['latestOfMany']>>
  series(ctx: Ctx, deviceId: string, query: QueryOf<Contract['series']>): Promise<ResponseOf<Contract['series']>>
  raw(ctx: Ctx, deviceId: string, query: QueryOf<Contract['raw']>): Promise<ResponseOf<Contract['raw']>>
  /** Sums by interval, for reports; properties that the device does not have, or does not keep, are left out. */
  intervals(ctx: Ctx, deviceId: string, query: IntervalsQuery): Promise<IntervalSeries[]>
  exportCsv(ctx: Ctx, deviceId: string, query: QueryOf<Contract['exportCsv']>): Promise<StreamReply>
  /** Values of a property as they were reported, in order; `to` is not included. What is not kept has none. */
  readings(ctx: Ctx, deviceId: string, identifier: string, range: { from: number; to: number }): Promise<Point[]>
  /** @returns whether the property is a number whose history is kept; @throws AppError telemetry.property_unknown */
  isCounted(ctx: Ctx, deviceId: string, identifier: string): Promise<boolean>
  /** The device as it was at a moment (epoch ms). Properties that it does not have, or does not keep, have no value. */
  past(ctx: Ctx, deviceId: string, at: { identifiers: readonly string[]; ts: number }): Promise<PastDevice>
  messages(ctx: Ctx, deviceId: string, query: QueryOf<Contract['messages']>): Promise<ResponseOf<Contract['messages']>>
  exportMessages(ctx: Ctx, deviceId: string, query: QueryOf<Contract['exportMessages']>): Promise<StreamReply>
  availability(
    ctx: Ctx,
    deviceId: string,
    query: QueryOf<Contract['availability']>,
  ): Promise<ResponseOf<Contract['availability']>>
  events(ctx: Ctx, deviceId: string, query: QueryOf<Contract['events']>): Promise<ResponseOf<Contract['events']>>
  connections(
    ctx: Ctx,
    deviceId: string,
    query: QueryOf<Contract['connections']>,
  ): Promise<ResponseOf<Contract['connections']>>
}

const QUALITY = ['good', 'uncertain', 'bad'] as const
const NUMBERS: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double'])
const MAX_IDENTIFIERS = 16
/** Devices whose latest values are read at once. */
const MAX_DEVICES = 100
const MAX_DAYS = 400
const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** One step of an export, ms. */
const EXPORT_STEP_MS = 6 * HOUR_MS

export type TelemetryDeps = MessageLogDeps

/** Of the product's model, and of what the device has beyond it. */
const KEPT_PROPERTIES = {
  name: 'kept_properties',
  types: ['uuid', 'text[]', 'uuid'],
  statement: sql<{
    identifier: string
    kept: boolean
    num: number | null
    raw: number | null
    name: string | null
    ename: string | null
    unit: string | null
    type: string | null
    zone: string
  }>`select x.p ->> 'identifier' as identifier, coalesce((x.p ->> 'history')::boolean, true) as kept, n.num, r.num as raw,
      x.p ->> 'name' as name, x.p ->> 'ename' as ename, x.p ->> 'unit' as unit,
      x.p -> 'dataType' ->> 'type' as type,
      (select time_zone from tenants t where t.id = o.tenant_id) as zone
    from products o join devices d on d.id = $3 and d.product_id = o.id
    cross join lateral (
      select p from jsonb_array_elements(d.overrides #> '{model,added}') p
      union all
      select p from jsonb_array_elements(coalesce(o.published_model, o.draft_model) -> 'properties') p
    ) x
    left join product_properties n on n.product_num = o.num and n.identifier = x.p ->> 'identifier'
    left join product_properties r on r.product_num = o.num and r.identifier = (x.p ->> 'identifier') || '#raw'
    where o.id = $1 and x.p ->> 'identifier' = any($2::text[])`,
}

export function createTelemetryService(deps: TelemetryDeps): TelemetryService {
  const { database } = deps
  const messageLog = createMessageLog(deps)
  const { telemetry } = database
  const authorise = (ctx: Ctx, id: string) => readAuthorisedDevice(database, ctx, id)

  /** The device with those of its properties that are kept, in the order asked for. */
  async function historyOf(ctx: Ctx, id: string, identifiers: readonly string[]) {
    const device = await readAuthorisedDevice(database, ctx, id)
    const rows = await database.read(ctx, KEPT_PROPERTIES, [device.productId, identifiers, id])
    const found = new Map(rows.map(row => [row.identifier, row]))
    const unknown = identifiers.find(identifier => !found.has(identifier))
    if (unknown !== undefined) throw new AppError('telemetry.property_unknown', { params: { identifier: unknown } })
    // A property that never had a value may have no number yet.
    const properties = identifiers.map(identifier => ({
      identifier,
      num: found.get(identifier)?.num ?? undefined,
      raw: found.get(identifier)?.raw ?? undefined,
    }))
    return { device, properties, described: rows, isKept: (identifier: string) => found.get(identifier)?.kept === true }
  }

  return {
    async latest(ctx, id) {
      const device = await authorise(ctx, id)
      const readings = await latestOf(telemetry, device)
      return {
        items: [...readings].flatMap(([identifier, [value, ts, quality]]) => {
          if (isRawKey(identifier) || isBefore(device, ts)) return []
          const raw = readings.get(rawKey(identifier))
          return {
            identifier,
            value,
            ts,
            quality: QUALITY[quality] ?? 'uncertain',
            // One that is older belongs to a value before this one.
            ...(raw?.[1] === ts ? { raw: raw[0] } : {}),
          }
        }),
      }
    },

    async latestOfMany(ctx, query) {
      const ids = [...new Set(query.ids.split(','))].filter(isUuid).slice(0, MAX_DEVICES)
      const wanted = identifiersOf(query.identifiers)
      const { devices, ids: authorised } = await database.withTenant(ctx, scope => authoriseDevices(scope, ids))
      const readings = await latestOfAll(telemetry, authorised)
      return {
        items: devices.map(device => ({
          id: device.id,
          values: Object.fromEntries(
            wanted.flatMap(identifier => {
              const reading = readings.get(device.num)?.get(identifier)
              if (!reading || isBefore(device, reading[1])) return []
              const [value, ts, quality] = reading
              return [[identifier, { value, ts, quality: QUALITY[quality] ?? 'uncertain' }]]
            }),
          ),
        })),
      }
    },

    async series(ctx, id, query) {
      const points = query.points ?? 500
      const asked = rangeOf(query)
      const { device, properties, isKept } = await historyOf(ctx, id, identifiersOf(query.identifier))
      const range = seenOf(device, asked)
      if (range.from >= range.to)
        return { series: properties.map(({ identifier }) => ({ identifier, points: [], resolutionMs: 0 })) }
      const division = divide(range, points)
      const kept = properties.filter(({ identifier }) => isKept(identifier))
      const history = await readHistory(telemetry, device, kept, division, division.level, points)
      return {
        series: properties.map(property => {
          const { identifier } = property
          if (!isKept(identifier)) return { identifier, points: [], resolutionMs: 0 }
          if (countOf(history, property) > points)
            return {
              identifier,
              points: columns(bucketsOf(history, property), division),
              resolutionMs: division.resolutionMs,
            }
          // Few enough are shown as they are.
          const plain = pointsOf(history, property, range).flatMap(({ ts, value }) => {
            const number = asNumber(value)
            return number === null ? [] : [[ts, number, number, number]]
          })
          return { identifier, points: plain, resolutionMs: 0 }
        }),
      }
    },

    async intervals(ctx, id, query) {
      const device = await authorise(ctx, id)
      const rows = await database.read(ctx, KEPT_PROPERTIES, [device.productId, query.identifiers, id])
      const kept = new Map(rows.filter(row => row.kept).map(row => [row.identifier, row]))
      const identifiers = query.identifiers.filter(identifier => kept.has(identifier))
      const titles = headsOf(ctx.locale, identifiers, rows, 'names').values
      const properties = identifiers.map((identifier, at) => ({
        identifier,
        num: kept.get(identifier)?.num ?? undefined,
        title: titles[at]!,
      }))
      return intervalsOf(database, { device, properties, from: device.historyFrom ?? 0 }, query)
    },

    async raw(ctx, id, query) {
      const asked = rangeOf(query)
      const after = decodeCursor(query.cursor, 1)?.[0]
      if (after !== undefined && !Number.isSafeInteger(after)) throw new AppError('request.cursor_invalid')
      const limit = query.limit ?? 1000
      const { device, properties, isKept } = await historyOf(ctx, id, [query.identifier])
      const property = properties[0]!
      const range = seenOf(device, asked)
      const from = Math.max(range.from, after === undefined ? range.from : (after as number) + 1)
      if (!isKept(property.identifier) || from >= range.to) return { items: [], nextCursor: null }
      const rest = { from, to: range.to }
      const end =
        property.num === undefined ? range.to : await endOfPage(telemetry, device, property.num, rest, limit + 1)
      const part = { from, to: end }
      const beside = { identifier: rawKey(property.identifier), num: property.raw }
      const wanted = query.detail === '1' ? [property, beside] : [property]
      const history = await readHistory(telemetry, device, wanted, part, 'raw', 0)
      const points = pointsOf(history, property, part)
      const page = points.slice(0, limit)
      const next = points.length > limit ? page.at(-1)!.ts : end < range.to ? end - 1 : null
      const raws = new Map(
        query.detail === '1' ? pointsOf(history, beside, part).map(({ ts, value }) => [ts, value]) : [],
      )
      return {
        items: page.map(({ ts, value, quality }) =>
          query.detail === '1' ? [ts, value, QUALITY[quality] ?? 'uncertain', raws.get(ts) ?? null] : [ts, value],
        ),
        nextCursor: next === null ? null : encodeCursor([next]),
      }
    },

    async readings(ctx, id, identifier, range) {
      const { device, properties, isKept } = await historyOf(ctx, id, [identifier])
      const seen = seenOf(device, range)
      if (!isKept(identifier) || seen.from >= seen.to) return []
      return pointsOf(await readHistory(telemetry, device, properties, seen, 'raw', 0), properties[0]!, seen)
    },

    async past(ctx, id, { identifiers, ts }) {
      const device = await authorise(ctx, id)
      const rows = await database.read(ctx, KEPT_PROPERTIES, [device.productId, identifiers, id])
      const kept = rows.filter(row => row.kept).map(row => ({ identifier: row.identifier, num: row.num ?? undefined }))
      return inSnapshot(database, reader => pastOf(reader, device, kept, { from: device.historyFrom ?? 0, ts }))
    },

    async isCounted(ctx, id, identifier) {
      const { described, isKept } = await historyOf(ctx, id, [identifier])
      return isKept(identifier) && NUMBERS.has(described[0]?.type ?? '')
    },

    async exportCsv(ctx, id, query) {
      const asked = rangeOf(query)
      const identifiers = identifiersOf(query.identifier)
      const { device, properties, described, isKept } = await historyOf(ctx, id, identifiers)
      const heads = headsOf(ctx.locale, identifiers, described, query.heads ?? 'names')
      const range = seenOf(device, asked)
      const kept = properties.filter(({ identifier }) => isKept(identifier))
      const steps = async function* () {
        for (let { from } = range; from < range.to; ) {
          const part = { from, to: Math.min(range.to, (Math.floor(from / EXPORT_STEP_MS) + 1) * EXPORT_STEP_MS) }
          const history = await readHistory(telemetry, device, kept, part, 'raw', 0)
          const rows = new Map<number, unknown[]>()
          for (const [column, property] of properties.entries()) {
            if (!isKept(property.identifier)) continue
            for (const { ts, value } of pointsOf(history, property, part)) {
              const row = rows.get(ts) ?? new Array(identifiers.length).fill(null)
              rows.set(ts, row)
              row[column] = value
            }
          }
          yield [...rows].sort((a, b) => a[0] - b[0])
          from = part.to
        }
      }
      if (query.format === 'xlsx')
        return new StreamReply(
          Readable.from(historyWorkbook(device.deviceNo, heads, steps()), { objectMode: false }),
          XLSX_TYPE,
          `${device.deviceNo}.xlsx`,
        )
      return new StreamReply(
        Readable.from(csvLines(heads, steps())),
        'text/csv; charset=utf-8',
        `${device.deviceNo}.csv`,
      )
    },

    messages: messageLog.messages,
    exportMessages: messageLog.exportMessages,

    async availability(ctx, id, query) {
      const device = await authorise(ctx, id)
      return inSnapshot(database, reader => availabilityOf(reader, device, query.days ?? 14, ctx.now))
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
      const seen = page.filter(row => !isBefore(device, row.ts))
      return {
        items: seen.map(row => ({
          id: `${row.ts}-${row.seq}`,
          identifier: row.identifier,
          level: row.level,
          ts: row.ts,
          params: row.params,
        })),
        nextCursor:
          rows.length > limit && seen.length === page.length ? encodeCursor([page.at(-1)!.ts, page.at(-1)!.seq]) : null,
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
      const seen = page.filter(row => !isBefore(device, row.at.getTime()))
      return {
        items: seen.map(row => ({
          id: `${row.at.getTime()}-${row.seq}`,
          kind: row.kind,
          at: row.at.toISOString(),
          reason: row.reason,
          transport: row.transport,
          address: row.address,
        })),
        nextCursor:
          rows.length > limit && seen.length === page.length
            ? encodeCursor([page.at(-1)!.at.getTime(), page.at(-1)!.seq])
            : null,
      }
    },
  }
}

/** From before an end user was given the device without its history. */
function isBefore({ historyFrom }: AuthorisedDevice, ts: number): boolean {
  return historyFrom !== null && ts < historyFrom
}

/** What the caller may see of a stretch of time; empty: `from` is not before `to`. */
function seenOf({ historyFrom }: AuthorisedDevice, range: { from: number; to: number }): { from: number; to: number } {
  return historyFrom === null ? range : { ...range, from: Math.max(range.from, historyFrom) }
}

/** Reported and wanted state, for the device's link page. */
export function createShadowReader(database: Pick<Database, 'telemetry'>) {
  return (device: AuthorisedDevice) =>
    inSnapshot(database, async reader => {
      const reported = Object.fromEntries(
        [...(await latestOf(reader, device))].flatMap(([identifier, [value, ts]]) =>
          isRawKey(identifier) || isBefore(device, ts) ? [] : [[identifier, value]],
        ),
      )
      return { reported, ...(await desiredOf(reader, device)) }
    })
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

/** Epoch ms; `to` is not included. */
function rangeOf(query: { from: number | string; to: number | string }): { from: number; to: number } {
  const from = timeOf(query.from)
  // Both ends belong to what is asked for.
  const to = timeOf(query.to) + 1
  if (!(from < to) || to - from > MAX_DAYS * 86_400_000 + 1)
    throw new AppError('telemetry.range_invalid', { params: { days: MAX_DAYS } })
  return { from, to }
}

function timeOf(value: number | string): number {
  const ms = typeof value === 'number' ? value : /^\d{1,16}$/.test(value) ? Number(value) : Date.parse(value)
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? Math.trunc(ms) : Number.NaN
}
