import type pg from 'pg'
import { sql } from '../../lib/sql/statement.ts'
import type { ReservedArrivals } from '../arrivals.ts'
import { JOURNAL_COLUMNS } from './row-encoder.ts'

/** What one flush writes besides the rows. Arrays run in parallel. */
export interface FlushExtras {
  /** Devices and packet ids of QoS 2 publishes. */
  packetDevices: readonly number[]
  packetIds: readonly number[]
  /** Rows of `latest`, whole, as JSON texts. */
  latestDevices: readonly number[]
  latestValues: readonly string[]
  /** Position up to which `latest` then holds everything; null: not moved. */
  latestUpTo: { lane: number; seq: number; arrivedAt: number } | null
  /** Times taken by devices that are ahead of the clock. */
  arrivals: (ReservedArrivals & { lane: number }) | null
}

const PACKETS =
  sql`insert into mqtt_inbound (device, packet_id) select * from unnest($1::int[], $2::int[]) on conflict do nothing`.named(
    'lane_packets',
  )

// Sorted, so that writers of one page go over it once.
const LATEST = sql`insert into latest (device, values, updated_at)
  select device, values, now() from unnest($1::int[], $2::json[]) as u (device, values) order by device
  on conflict (device) do update set values = excluded.values, updated_at = excluded.updated_at`.named('lane_latest')

const CURSOR = sql`insert into consumer_cursors (consumer, lane, seq, arrived_at)
  values ('latest', $1::text::smallint, $2::text::bigint, to_timestamp($3::text::float8 / 1000))
  on conflict (consumer, lane) do update set seq = excluded.seq, arrived_at = excluded.arrived_at, updated_at = now()`.named(
  'lane_cursor',
)

const ARRIVALS = sql`insert into latest_arrivals (device, lane, until)
  select device, $3::text::smallint, until::text::bigint from unnest($1::int[], $2::json[]) as u (device, until) order by device
  on conflict (device) do update set lane = excluded.lane, until = excluded.until`.named('lane_arrivals')

const STATEMENTS = {
  copy: { text: `copy journal (${JOURNAL_COLUMNS}) from stdin (format binary)`, types: [] },
  packets: { text: PACKETS.text, types: [1007, 1007] },
  latest: { text: LATEST.text, types: [1007, 199] },
  cursor: { text: CURSOR.text, types: [25, 25, 25] },
  arrivals: { text: ARRIVALS.text, types: [1007, 199, 25] },
} as const
type StatementName = keyof typeof STATEMENTS

/** The part of pg's connection that a query of our own kind talks to. */
interface Wire {
  stream: { cork(): void; uncork(): void; write(bytes: Buffer): boolean; writable: boolean }
  close(message: { type: 'S'; name: string }): void
  parse(message: { name: string; text: string; types: readonly number[] }): void
  bind(message: { statement: string; values: readonly (Buffer | string)[] }): void
  execute(message: object): void
  sync(): void
}

/** Statements already parsed on a connection. */
const parsed = new WeakMap<object, Set<StatementName>>()

/**
 * One flush as one write and one answer: every message up to Sync is one implicit transaction, so rows, packet ids and
 * latest values are committed together, and PostgreSQL ignores what follows an error. A submittable for pg's client.
 */
class FlushQuery {
  constructor(
    private readonly rows: Buffer | null,
    private readonly extras: FlushExtras | null,
    private readonly done: (error: Error | null) => void,
  ) {}

  submit(wire: Wire): void {
    // Sent in one piece: without the cork every message would be a system call.
    wire.stream.cork()
    try {
      if (this.rows) {
        this.run(wire, 'copy', [])
        if (wire.stream.writable) wire.stream.write(this.rows)
      }
      const { extras } = this
      if (extras && extras.packetIds.length > 0)
        this.run(wire, 'packets', [int4Array(extras.packetDevices), int4Array(extras.packetIds)])
      if (extras && extras.latestDevices.length > 0)
        this.run(wire, 'latest', [int4Array(extras.latestDevices), jsonArray(extras.latestValues)])
      const upTo = extras?.latestUpTo
      const arrivals = extras?.arrivals
      if (arrivals)
        this.run(wire, 'arrivals', [
          int4Array(arrivals.devices),
          jsonArray(arrivals.until.map(String)),
          String(arrivals.lane),
        ])
      if (upTo) this.run(wire, 'cursor', [String(upTo.lane), String(upTo.seq), String(upTo.arrivedAt)])
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  private run(wire: Wire, name: StatementName, values: (Buffer | string)[]): void {
    const known = parsed.get(wire) ?? new Set<StatementName>()
    parsed.set(wire, known)
    if (!known.has(name)) {
      known.add(name)
      // After an error nobody knows whether it was parsed; closing what is not there is no error.
      wire.close({ type: 'S', name: `lane_${name}` })
      wire.parse({ name: `lane_${name}`, ...STATEMENTS[name] })
    }
    wire.bind({ statement: `lane_${name}`, values })
    wire.execute({})
  }

  handleError(error: Error, wire?: object): void {
    // A Parse behind the failing message was skipped.
    if (wire) parsed.delete(wire)
    this.done(error)
  }

  handleReadyForQuery(): void {
    this.done(null)
  }

  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/**
 * Commits rows and extras in one transaction. @param rows the encoder's message, left alone until this settles
 * @throws what the server or the connection said; nothing was committed only if the error is of severity ERROR
 */
export function flush(client: pg.Client, rows: Buffer | null, extras: FlushExtras | null): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new FlushQuery(rows, extras, error => (error ? reject(error) : resolve())) as never)
  })
}

/** A one-dimensional array in binary: dimensions, null flag, element type, size, lower bound, elements. */
function arrayHead(bytes: number, elementType: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(20 + bytes)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(0, 4)
  buffer.writeInt32BE(elementType, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}

function int4Array(values: readonly number[]): Buffer {
  const buffer = arrayHead(values.length * 8, 23, values.length)
  let at = 20
  for (const value of values) {
    buffer.writeInt32BE(4, at)
    buffer.writeInt32BE(value, at + 4)
    at += 8
  }
  return buffer
}

function jsonArray(values: readonly string[]): Buffer {
  let bytes = 0
  for (const value of values) bytes += 4 + value.length * 3
  const buffer = arrayHead(bytes, 114, values.length)
  let at = 20
  for (const value of values) {
    const length = buffer.write(value, at + 4)
    buffer.writeInt32BE(length, at)
    at += 4 + length
  }
  return buffer.subarray(0, at)
}
