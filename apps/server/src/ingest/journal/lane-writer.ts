import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Arrivals, ReservedArrivals } from '../arrivals.ts'
import { type EncodedBatch, encodeBatch } from '../feed.ts'
import { holdsProperties } from '../uplink.ts'
import type { FlushExtras } from './flush-query.ts'
import { LaneConnection, type LanePosition, type RowIdentity } from './lane-connection.ts'
import type { LaneOwner } from './lane-owner.ts'
import type { LaneItem } from './lane-queue.ts'
import { LatestCache, type LatestCacheOptions, type LatestCheckpoint } from './latest-cache.ts'
import { refusalOf } from './not-storable.ts'
import { RowEncoder } from './row-encoder.ts'
import { faultOf } from './sql-errors.ts'

export interface LaneWriterOptions {
  lane: number
  database: pg.ClientConfig
  logger: Logger
  clock: Clock
  latest: LatestCacheOptions
  /** Gives messages their times; absent: whoever hands them in does. */
  arrivals?: Arrivals
  /** Devices in one checkpoint of `latest`. */
  checkpointRows: number
  /** Stops every wait; what is not written by then is not acknowledged. */
  signal: AbortSignal
  onBatch?: (batch: EncodedBatch) => void
  /** Watches the lane's connections for silence. */
  watch?: (client: pg.Client) => void
  /** In whose name the lane is held. */
  owner?: LaneOwner | null
  /** Whether rows can be written at the moment changed. */
  onFault(faulted: boolean): void
}

export interface WriterCounters {
  rows: number
  flushes: number
  retries: number
  refused: number
}

/** Waiting was ended from outside. */
export class GivenUp extends Error {}

const BACKOFF_MS = [50, 100, 200, 200, 200, 500, 500, 1_000]
const HOUR_MS = 3_600_000

/**
 * Puts items into the journal so that whatever happens to the database, each is there once, rows are numbered without a
 * gap, and `committed` runs after the commit and in order. One call at a time.
 */
export class LaneWriter {
  readonly counters: WriterCounters = { rows: 0, flushes: 0, retries: 0, refused: 0 }
  readonly latest: LatestCache
  private readonly encoder = new RowEncoder()
  private connection: LaneConnection | null = null
  /** Null until the journal was looked at. */
  private last: LanePosition | null = null
  /** Set while a row of `latest` is suspected to be unstorable: they are then written one by one. */
  private suspicious = false

  constructor(private readonly options: LaneWriterOptions) {
    this.latest = new LatestCache(options.latest)
  }

  /** Why the last flush that failed did so. */
  foundDiskFull = false

  get isConnected(): boolean {
    return this.connection?.isAlive === true
  }

  /** Commits items: in one transaction if the data allows it, else halved until the culprit is alone and refused. */
  async write(items: LaneItem[], withLatest = true): Promise<void> {
    let takeLatest = withLatest && !this.suspicious
    for (let attempt = 0; ; attempt++) {
      const first = this.last!.seq + 1
      const { last, hours } = this.encode(items, first)
      const checkpoint = takeLatest ? this.takeCheckpoint(this.options.checkpointRows, false) : null
      const ahead = this.options.arrivals?.toWrite(this.options.lane) ?? null
      try {
        if (!this.connection!.hasPartitions(hours)) await this.ensurePartitions(hours)
        await this.connection!.flush(this.encoder.message(), this.extras(items, checkpoint, ahead))
        if (checkpoint) this.latest.written()
        if (ahead) this.options.arrivals?.written(this.options.lane, ahead)
        this.last = last
        return this.committed(items, first)
      } catch (error) {
        if (checkpoint) this.latest.giveBack()
        this.counters.retries++
        const fault = faultOf(error)
        if (fault === 'lost') {
          if (await this.connect({ first, rows: identities(items) })) return this.committed(items, first)
        } else if (fault === 'data' && checkpoint) {
          takeLatest = false
          this.suspicious = true
        } else if (fault === 'data') return this.isolate(items, error)
        else {
          if (fault === 'no_partition') this.connection!.forgetPartitions()
          // The first time nothing but the partition is wrong.
          if (fault !== 'no_partition' || attempt > 0) await this.pause(error, attempt)
        }
      }
    }
  }

  /** Writes changes to `latest` without rows. @param all whether they are due or not */
  async checkpoint(all: boolean): Promise<void> {
    const checkpoint = this.takeCheckpoint(this.suspicious ? 1 : this.options.checkpointRows, all)
    if (!checkpoint) return
    try {
      await this.connection!.flush(null, this.extras([], checkpoint))
      this.latest.written()
      // One went well: all others may go together again, until one fails.
      if (this.suspicious && this.latest.dirtyCount === 0) this.suspicious = false
    } catch (error) {
      const fault = faultOf(error)
      if (fault === 'data' && this.suspicious) {
        this.options.logger.error({ err: error, device: checkpoint.devices[0] }, 'latest values cannot be stored')
        this.latest.written()
        return
      }
      this.latest.giveBack()
      if (fault === 'lost') await this.connect()
      else if (fault === 'data') this.suspicious = true
      else await this.pause(error, 3)
    }
  }

  /** Whether a checkpoint must be written by {@link checkpoint} because it will not ride along with rows. */
  wantsOwnCheckpoint(nowMs: number): boolean {
    return this.suspicious && this.latest.isDue(nowMs)
  }

  /** Reads stored rows that the next checkpoints need. */
  async loadLatest(): Promise<void> {
    const devices = this.latest.missing(this.options.checkpointRows)
    await this.quietly(connection => connection.loadLatest(this.latest, devices))
  }

  /** Makes the partitions of now and the next hour. */
  async makePartitionsAhead(): Promise<void> {
    const hour = Math.floor(Math.max(this.options.clock.now(), this.last?.arrivedAt ?? 0) / HOUR_MS)
    await this.quietly(connection => connection.ensurePartitions([hour, hour + 1]))
  }

  /**
   * Connects until it works and takes over where the journal ends. What `latest` lacks is rebuilt, unless nobody but we
   * can have written since: then we still know it.
   * @param inFlight the flush whose commit nobody told us about
   * @returns whether that flush had been committed
   * @throws GivenUp
   */
  async connect(inFlight?: { first: number; rows: RowIdentity[] }): Promise<boolean> {
    const { options } = this
    options.onFault(true)
    for (let attempt = 0; ; attempt++) {
      await this.connection?.close()
      this.connection = null
      if (options.signal.aborted) throw new GivenUp()
      try {
        const connection = await LaneConnection.open(
          options.database,
          options.lane,
          options.logger,
          options.signal,
          options,
        )
        this.connection = connection
        const committed = await this.takeOver(connection, inFlight)
        await this.makePartitionsAhead()
        if (!connection.isAlive) continue
        if (attempt > 0) options.logger.info({ attempts: attempt }, 'the lane writes again')
        inBackground(
          'watching the connection of a lane',
          connection.lost.then(() => {
            if (this.connection === connection) options.onFault(true)
          }),
        )
        options.onFault(false)
        return committed
      } catch (error) {
        if (attempt === 0) options.logger.warn({ err: error }, 'the lane has no database; nothing is acknowledged')
        await this.sleep(attempt)
      }
    }
  }

  private async takeOver(
    connection: LaneConnection,
    inFlight: { first: number; rows: RowIdentity[] } | undefined,
  ): Promise<boolean> {
    const { seq, arrivedAt } = await connection.position()
    const committed =
      inFlight !== undefined && seq >= inFlight.first && (await connection.holds(inFlight.first, inFlight.rows))
    const expected = committed ? inFlight.first + inFlight.rows.length - 1 : this.last?.seq
    if (seq !== expected) {
      if (expected !== undefined)
        this.options.logger.warn({ expected, found: seq }, 'another process wrote this lane meanwhile')
      this.latest.clear()
      await connection.replayLatest(this.latest, performance.now())
      const { arrivals, lane } = this.options
      arrivals?.begin(lane, arrivedAt, await connection.arrivalsAhead(arrivedAt))
    }
    this.last = { seq, arrivedAt: Math.max(arrivedAt, this.last?.arrivedAt ?? 0) }
    return committed
  }

  async close(): Promise<void> {
    const { connection } = this
    this.connection = null
    await connection?.close()
  }

  private encode(items: LaneItem[], first: number): { last: LanePosition; hours: number[] } {
    const { encoder, options } = this
    encoder.reset()
    let seq = first
    let { arrivedAt } = this.last!
    const hours: number[] = []
    let nextHourAt = 0
    for (const { entries } of items) {
      for (const entry of entries) {
        // The clock may be set back; within a lane time never runs backwards.
        if (entry.arrivedAt > arrivedAt) arrivedAt = entry.arrivedAt
        if (arrivedAt >= nextHourAt) {
          const hour = Math.floor(arrivedAt / HOUR_MS)
          hours.push(hour)
          nextHourAt = (hour + 1) * HOUR_MS
        }
        encoder.add(options.lane, seq++, arrivedAt, entry)
      }
    }
    return { last: { seq: seq - 1, arrivedAt }, hours }
  }

  private extras(
    items: LaneItem[],
    checkpoint: LatestCheckpoint | null,
    ahead: ReservedArrivals | null = null,
  ): FlushExtras | null {
    const packetDevices: number[] = []
    const packetIds: number[] = []
    for (const { qos2 } of items) {
      if (!qos2) continue
      packetDevices.push(qos2.device)
      packetIds.push(qos2.packetId)
    }
    if (!checkpoint && !ahead && packetIds.length === 0) return null
    return {
      packetDevices,
      packetIds,
      latestDevices: checkpoint?.devices ?? [],
      latestValues: checkpoint?.values ?? [],
      latestUpTo: checkpoint && { lane: this.options.lane, ...checkpoint.upTo },
      arrivals: ahead && { lane: this.options.lane, ...ahead },
    }
  }

  /** Everything that follows a commit, in the order of the rows. */
  private committed(items: LaneItem[], first: number): void {
    const { encoder, options, counters } = this
    counters.rows += encoder.rows
    counters.flushes++
    options.onFault(false)
    for (const item of items) {
      try {
        item.committed()
      } catch (error) {
        options.logger.error({ err: error }, 'an acknowledgement failed')
      }
    }
    if (options.onBatch && encoder.rows > 0) {
      try {
        options.onBatch(encodeBatch(options.lane, first, first + encoder.rows - 1, encoder.body()))
      } catch (error) {
        options.logger.error({ err: error }, 'a batch could not be handed on; consumers read it from the journal')
      }
    }
    this.mergeLatest(items, first)
  }

  private mergeLatest(items: LaneItem[], first: number): void {
    const now = performance.now()
    let seq = first
    for (const { entries } of items) {
      for (const entry of entries) {
        if (holdsProperties(entry.kind) && entry.values !== null) {
          const { arrivedAt, ts, quality, device } = entry
          const values = entry.properties ?? (JSON.parse(entry.values) as Record<string, unknown>)
          this.latest.apply({ device: device.num, ts, quality, seq, arrivedAt }, values, now)
        }
        seq++
      }
    }
  }

  private async isolate(items: LaneItem[], error: unknown): Promise<void> {
    if (items.length > 1) {
      const half = items.length >> 1
      await this.write(items.slice(0, half), false)
      return this.write(items.slice(half), false)
    }
    const item = items[0]!
    const refusal = refusalOf(item.entries, error)
    const device = item.entries[0]?.device.num
    this.counters.refused++
    if (!refusal) {
      this.options.logger.error({ err: error, device }, 'a message and its refusal cannot be stored; dropped')
      return
    }
    this.options.logger.warn({ err: error, device }, 'a message that cannot be stored was refused')
    return this.write([{ ...item, entries: [refusal] }], false)
  }

  private takeCheckpoint(limit: number, all: boolean): LatestCheckpoint | null {
    return this.latest.take(limit, performance.now(), this.last!, all)
  }

  private async ensurePartitions(hours: readonly number[]): Promise<void> {
    try {
      await this.connection!.ensurePartitions(hours)
    } catch (error) {
      if (faultOf(error) !== 'data') throw error
      // A clock that is days off: nothing is wrong with the messages.
      throw Object.assign(new Error('no partition for the time of arrival', { cause: error }), { code: '53000' })
    }
  }

  /** Nothing was committed and trying again at once would not help. */
  private async pause(error: unknown, attempt: number): Promise<void> {
    const { logger, onFault } = this.options
    const full = (error as { code?: string }).code === '53100'
    this.foundDiskFull = full
    onFault(true)
    if (attempt === 0 || attempt % 10 === 3) {
      logger.error(
        { err: error },
        full ? 'ALARM: the disk is full; nothing is acknowledged' : 'a flush failed; trying again',
      )
    }
    await this.sleep(attempt)
  }

  private async sleep(attempt: number): Promise<void> {
    const ms = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)]
    await delay(ms, undefined, { signal: this.options.signal }).catch(() => {
      throw new GivenUp()
    })
  }

  /** Work whose failure costs nothing but a later try. */
  private async quietly(job: (connection: LaneConnection) => Promise<void>): Promise<void> {
    const { connection } = this
    if (!connection) return
    await job(connection).catch((error: unknown) => {
      if (faultOf(error) !== 'lost') this.options.logger.warn({ err: error }, 'the lane goes on without')
    })
  }
}

function identities(items: readonly LaneItem[]): RowIdentity[] {
  return items.flatMap(({ entries }) => entries.map(({ device, ts }) => ({ device: device.num, ts })))
}
