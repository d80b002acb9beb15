import { laneOf } from '../../lib/journal/journal-lanes.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { Reader } from './telemetry.snapshot.ts'

export interface MessageRow {
  seq: number
  arrived_at: Date
  kind: number
  quality: number
  late: boolean
  ts: number
  device_ts: number | null
  values: unknown
  raw: Buffer | null
  refused_reason: string | null
}

export interface EventRow {
  ts: number
  seq: number
  identifier: string
  level: 'info' | 'warning' | 'error'
  params: Record<string, unknown>
}

const EVENTS_OF = sql<EventRow>`with cursor as (select seq, arrived_at from consumer_cursors where consumer = 'store' and lane = $6),
  fresh as (
    select ts, seq, values ->> 'identifier' as identifier, values ->> 'level' as level, (values -> 'params')::jsonb as params
    from journal where device = $1 and kind = 2
      and seq > coalesce((select seq from cursor), 0)
      and arrived_at >= coalesce((select arrived_at from cursor), '-infinity')
  )
  select * from (
    (select ts, seq, identifier, level, params from device_events
     where device = $1 and ($2::bigint is null or (ts, seq) < ($2, $3::bigint)) and ($4::text is null or identifier = $4)
     order by ts desc, seq desc limit $5)
    union all
    select * from fresh
    where ($2::bigint is null or (ts, seq) < ($2, $3::bigint)) and ($4::text is null or identifier = $4)
  ) e order by ts desc, seq desc limit $5`

/** Kept events and those that the journal alone holds so far, newest first. */
export async function eventsOf(
  reader: Reader,
  device: AuthorisedDevice,
  page: { before: { ts: number; seq: number } | null; identifier: string | null; limit: number },
): Promise<EventRow[]> {
  const { rows } = await runOn(reader, EVENTS_OF, [
    device.num,
    page.before?.ts ?? null,
    page.before?.seq ?? null,
    page.identifier,
    page.limit,
    laneOf(device.num),
  ])
  return rows
}

export interface ConnectionRow {
  at: Date
  seq: number
  kind: 'online' | 'offline'
  reason: string | null
  transport: string | null
  address: string | null
}

const CONNECTIONS_OF = sql<ConnectionRow>`select at, seq, kind, reason, transport, address from device_connections
  where device = $1 and ($2::float8 is null or (at, seq) < (to_timestamp($2::float8 / 1000), $3::bigint))
  order by at desc, seq desc limit $4`

export async function connectionsOf(
  reader: Reader,
  device: AuthorisedDevice,
  page: { before: { at: number; seq: number } | null; limit: number },
): Promise<ConnectionRow[]> {
  const { rows } = await runOn(reader, CONNECTIONS_OF, [
    device.num,
    page.before?.at ?? null,
    page.before?.seq ?? null,
    page.limit,
  ])
  return rows
}

export interface RefusedRow {
  id: number
  device: number
  at: Date
  reason: string
  detail: Record<string, unknown>
  bytes: Buffer | null
}

const REFUSED_FRAMES_OF = sql<RefusedRow>`select id, device, at, reason, detail, bytes from refused_frames where product = $1 order by id desc limit $2`

/** Newest first. The product's company was checked by the caller. */
export async function refusedFramesOf(reader: Reader, productNum: number, limit: number): Promise<RefusedRow[]> {
  const { rows } = await runOn(reader, REFUSED_FRAMES_OF, [productNum, limit])
  return rows
}

const RENUMBER_VALUES = sql`update telemetry t set property = m.new_num
  from unnest($1::int[], $2::int[], $3::int[]) as m (device, old_num, new_num)
  where t.device = m.device and t.property = m.old_num`

/**
 * A device that becomes one of another product keeps the history of what both products have alike: its sealed values are
 * found under the new product's numbers. Values not sealed yet carry identifiers and need nothing. Repeatable.
 */
export async function renumberValues(
  writer: Reader,
  moves: readonly { device: number; from: number; to: number }[],
): Promise<void> {
  await runOn(writer, RENUMBER_VALUES, [
    moves.map(({ device }) => device),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ])
}
