import type pg from 'pg'
import { runOn, sql } from '../../../lib/sql/statement.ts'
import type { JournalRow } from '../../lanes.port.ts'

/** A thing event as it is kept. */
export interface StoredEvent {
  device: number
  ts: number
  lane: number
  seq: number
  identifier: string
  level: string
  params: string
}

export function toEvent(lane: number, row: JournalRow): StoredEvent {
  const { identifier, level, params } = JSON.parse(row.values ?? '{}') as Record<string, unknown>
  return {
    device: row.device,
    ts: row.ts,
    lane,
    seq: row.seq,
    identifier: String(identifier),
    level: String(level),
    params: JSON.stringify(params ?? {}),
  }
}

const WRITE_EVENTS = sql`insert into device_events (device, ts, lane, seq, identifier, level, params)
  select * from unnest($1::int[], $2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[])`.named(
  'store-events',
)

export async function writeEvents(client: pg.ClientBase, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return
  await runOn(client, WRITE_EVENTS, [
    events.map(e => e.device),
    events.map(e => e.ts),
    events.map(e => e.lane),
    events.map(e => e.seq),
    events.map(e => e.identifier),
    events.map(e => e.level),
    events.map(e => e.params),
  ])
}
