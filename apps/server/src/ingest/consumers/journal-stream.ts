import type pg from 'pg'
import { LANES } from '../../lib/journal/journal-lanes.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { JournalRow } from '../lanes.port.ts'
import type { Stream, StreamPosition } from '../stream.port.ts'

interface Row {
  seq: number
  at: number
  device: number
  kind: number
  quality: number
  late: boolean
  ts: number
  device_ts: number | null
  values: string | null
  raw: Buffer | null
  refused_reason: string | null
}

const HEADS = sql<{
  lane: number
  seq: number
  at: number
}>`select l.lane, j.seq, (extract(epoch from j.arrived_at) * 1000)::float8 as at from generate_series(0, $1::int - 1) as l (lane)
  cross join lateral (select seq, arrived_at from journal where lane = l.lane order by seq desc limit 1) j`.named(
  'journal-heads',
)

const READ =
  sql<Row>`select seq, (extract(epoch from arrived_at) * 1000)::float8 as at, device, kind, quality, late, ts, device_ts, values::text as values, raw, refused_reason
  from journal where lane = $1 and seq > $2 and arrived_at >= to_timestamp($3::float8 / 1000) order by seq limit $4`.named(
    'journal-read',
  )

/** The journal in PostgreSQL as a stream: positions are sequence numbers of a lane, which have no gaps. */
export function createJournalStream(db: pg.Pool): Stream {
  return {
    lanes: Array.from({ length: LANES }, (_, lane) => lane),
    start: lane => ({ lane, seq: 0, arrivedAt: 0 }),
    async heads() {
      const { rows } = await runOn(db, HEADS, [LANES])
      return new Map(rows.map(row => [row.lane, { lane: row.lane, seq: row.seq, arrivedAt: row.at }]))
    },
    async read(after, limit) {
      const { rows } = await runOn(db, READ, [after.lane, after.seq, after.arrivedAt, limit])
      return rows.map(row => ({
        seq: row.seq,
        arrivedAt: row.at,
        device: row.device,
        kind: row.kind,
        quality: row.quality,
        late: row.late,
        ts: row.ts,
        deviceTs: row.device_ts,
        values: row.values,
        raw: row.raw,
        refusedReason: row.refused_reason,
      }))
    },
    at: (lane, row: Pick<JournalRow, 'seq' | 'arrivedAt'>): StreamPosition => ({
      lane,
      seq: row.seq,
      arrivedAt: row.arrivedAt,
    }),
    follows(position, batch) {
      if (batch.last <= position.seq) return null
      return batch.first <= position.seq + 1
    },
  }
}
