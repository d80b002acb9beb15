import type pg from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { runOn, sql } from '../../../lib/sql/statement.ts'
import { HOUR_MS, type Segment, toSegments } from '../../../modules/telemetry/index.ts'
import { SegmentCopy } from '../../journal/segment-copy.ts'
import type { JournalRow } from '../../lanes.port.ts'
import { JournalKind } from '../../uplink.ts'
import type { Consumer, LaneConsumer } from '../consumer.ts'
import { Pace } from '../pace.ts'
import { type DevicePropertyNumbers, propertyNumbers } from './property-numbers.ts'
import { ReadingsBuffer } from './readings-buffer.ts'
import { type StoredEvent, toEvent, writeEvents } from './stored-events.ts'

export interface StoreOptions {
  /** For partitions, which are made outside the sealing's transaction: nobody shall wait for them until it ends. */
  db: Pick<pg.Pool, 'query'>
  clock: Clock
  logger: Logger
  limits?: Partial<StoreLimits>
}

/** When a lane is sealed. */
export interface StoreLimits {
  /** So many values, whatever else: bounds memory, and what a restart reads again. */
  values: number
  /** So many messages of each device on average: bounds what a read finds unsealed … */
  rowsPerDevice: number
  /** … but not for a few messages. */
  leastRows: number
  /** After the end of the hour in which the first message arrived, ms; so that a slow device's hour is one segment. */
  afterHourMs: number
}

const LIMITS: StoreLimits = { values: 500_000, rowsPerDevice: 600, leastRows: 5_000, afterHourMs: 60_000 }
/** Lanes do not seal at the same moment. */
const LANE_STEP_MS = 20_000
/** Values packed in one go: a few milliseconds in which nothing else runs. */
const VALUES_AT_ONCE = 5_000
const SEGMENTS_AT_ONCE = 250

/** Seals what the journal holds: values into segments, thing events into their table, and the cursor with them. */
export function createStoreConsumer(options: StoreOptions): Consumer {
  return { name: 'store', open: lane => new StoreLane(lane, options) }
}

const WRITE = sql`insert into telemetry_unmerged (hour) select unnest($1::int[]) on conflict (hour) do update set sealed_at = excluded.sealed_at`

const ENSURE_PARTITIONS = sql`select ensure_telemetry_partition($1)`

class StoreLane implements LaneConsumer {
  // The journal keeps what is not sealed; sealing at every stop would make many small segments.
  readonly writesOnStop = false
  private readings = new ReadingsBuffer()
  private events: StoredEvent[] = []
  private firstArrivedAt = 0
  private readonly limits: StoreLimits
  /** Share of `limits.values` at which this lane is sealed the first time. */
  private turn: number

  constructor(
    private readonly lane: number,
    private readonly options: StoreOptions,
  ) {
    this.limits = { ...LIMITS, ...options.limits }
    // Lanes fill at the same rate: every second one begins half a turn ahead, so that they never seal at once.
    this.turn = lane % 2 === 1 ? 0.5 : 1
  }

  take(rows: readonly JournalRow[]): void {
    for (const row of rows) {
      if (row.kind !== JournalKind.property && row.kind !== JournalKind.event) continue
      if (this.isEmpty) this.firstArrivedAt = row.arrivedAt
      if (row.kind === JournalKind.property) this.readings.add(row)
      else this.events.push(toEvent(this.lane, row))
    }
  }

  dueInMs(): number | null {
    if (this.isEmpty) return null
    const { rows, values, devices } = this.readings
    const { limits } = this
    if (values + this.events.length >= limits.values * this.turn) return 0
    if (rows >= limits.leastRows && rows >= limits.rowsPerDevice * devices) return 0
    const hourEnd = (Math.floor(this.firstArrivedAt / HOUR_MS) + 1) * HOUR_MS
    return Math.max(0, hourEnd + limits.afterHourMs + this.lane * LANE_STEP_MS - this.options.clock.now())
  }

  async write(client: pg.ClientBase, upTo: { seq: number }): Promise<void> {
    const numbers = await propertyNumbers(client, this.readings.names())
    const hours = await this.ensurePartitions()
    await this.copySegments(client, numbers, upTo.seq, hours)
    await writeEvents(client, this.events)
    await runOn(client, WRITE, [[...hours].sort((a, b) => a - b)])
  }

  written(): void {
    this.turn = 1
    this.reset()
  }

  reset(): void {
    this.readings = new ReadingsBuffer()
    this.events = []
  }

  private get isEmpty(): boolean {
    return this.readings.rows === 0 && this.events.length === 0
  }

  private async copySegments(
    client: pg.ClientBase,
    numbers: DevicePropertyNumbers,
    segment: number,
    hours: ReadonlySet<number>,
  ): Promise<void> {
    const copy = new SegmentCopy(client)
    const pace = new Pace()
    let segments: Segment[] = []
    let values = 0
    for (const { device, property, readings } of this.readings.byProperty()) {
      const number = numbers.of(device, property)
      if (number === null) continue
      for (const made of toSegments({ device, property: number, segment }, readings))
        if (hours.has(made.hour)) segments.push(made)
      values += readings.times.length
      if (values < VALUES_AT_ONCE && segments.length < SEGMENTS_AT_ONCE) continue
      await copy.add(segments)
      await pace.rest()
      segments = []
      values = 0
    }
    await copy.add(segments)
    await copy.end()
  }

  /** @returns the hours that there is a place for */
  private async ensurePartitions(): Promise<Set<number>> {
    const hours = new Set(this.readings.hours)
    const months = new Map<string, number[]>()
    for (const hour of hours) {
      const month = new Date(hour * HOUR_MS).toISOString().slice(0, 7)
      const list = months.get(month)
      if (list) list.push(hour)
      else months.set(month, [hour])
    }
    for (const [month, of] of months) {
      try {
        await runOn(this.options.db, ENSURE_PARTITIONS, [of[0]])
      } catch (error) {
        // Older than any retention: only rows that waited for months can be.
        if ((error as { code?: string }).code !== '22003') throw error
        this.options.logger.warn({ month }, 'values of a month beyond the kept ones are left out')
        for (const hour of of) hours.delete(hour)
      }
    }
    return hours
  }
}
