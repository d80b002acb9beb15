import type pg from 'pg'
import { inBackground } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import { SilentConnections } from '../lib/database/silent-connections.ts'
import type { Logger } from '../lib/log.ts'
import type { Arrivals } from './arrivals.ts'
import type { EncodedBatch } from './feed.ts'
import { Lane } from './journal/lane.ts'
import type { LaneOwner } from './journal/lane-owner.ts'
import { LANES, type Lanes, laneOf } from './lanes.port.ts'
import type { JournalEntry } from './uplink.ts'

export interface LanesOptions {
  /** Connection of the telemetry role. */
  database: pg.ClientConfig
  logger: Logger
  clock: Clock
  /** Gives messages their times; learns here which are taken, and has them written. */
  arrivals?: Arrivals
  /** In whose name lanes are held; an earlier life's connections are then ended instead of waited for. */
  owner?: LaneOwner
  /** Gets every committed flush, in order per lane. The buffer is this flush's own: it may be kept and sent. */
  onBatch?: (batch: EncodedBatch) => void
  /** Free part of the database's volume, 0 to 1. Below 5 % nothing is written and nothing acknowledged. */
  freeDiskRatio?: () => number | Promise<number>
  diskProbeMs?: number
  /** A message waits at most this long for others to share its flush, ms. */
  collectMs?: number
  flushRows?: number
  /** Messages and bytes taken per lane before the sockets are held. */
  maxRows?: number
  maxBytes?: number
  /** How far `latest` may lag behind the journal, ms; readers add the rows in between. */
  latestEveryMs?: number
  /** Devices per lane whose latest values stay in memory. */
  latestDevices?: number
  /** How long `stop` tries to store what was taken. */
  stopTimeoutMs?: number
}

/** Sums over the lanes, since start; `queued` is the present number. */
export interface LaneCounters {
  rows: number
  flushes: number
  retries: number
  /** Messages that passed the checks and that PostgreSQL would not store. */
  refused: number
  queued: number
}

/** Reasons why lanes cannot write at present. */
export interface LaneStates {
  /** 1: too little room is left on the disk, or the database found none. */
  disk_full_state: number
  /** Lanes that cannot write, for whatever reason. */
  faulted_state: number
}

/**
 * A row for each device that reported: with many devices the largest part of what a message costs beyond its own row, so
 * seldom. What it has not written yet a restart reads from the journal, and so do readers.
 */
const LATEST_EVERY_MS = 10_000
/** Devices written together before their time: few enough that the messages of one flush do not wait for them. */
const LATEST_PART = 100
const DISK_LOW = 0.05
/** Room must be a little more than that again, so that the lanes do not flutter. */
const DISK_WELL = 0.055

/** The journal's writers of this process, one per lane. */
export function createLanes(options: LanesOptions): Lanes & { counters(): LaneCounters; states(): LaneStates } {
  const { database, logger, clock, onBatch } = options
  const silent = new SilentConnections(database, {
    onEnded: backend => logger.warn({ backend }, 'a connection to the database was silent; it was ended'),
  })
  const lanes = Array.from(
    { length: LANES },
    (_, lane) =>
      new Lane({
        lane,
        database,
        logger,
        clock,
        collectMs: options.collectMs ?? 10,
        checkpointRows: 500,
        limits: {
          flushRows: options.flushRows ?? 4_000,
          flushBytes: 4 * 1024 * 1024,
          rows: options.maxRows ?? 16_000,
          bytes: options.maxBytes ?? 32 * 1024 * 1024,
        },
        latest: {
          everyMs: options.latestEveryMs ?? LATEST_EVERY_MS,
          capacity: options.latestDevices ?? 50_000,
          part: LATEST_PART,
        },
        ...(onBatch ? { onBatch } : {}),
        owner: options.owner ?? null,
        watch: client => silent.watch(client),
        ...(options.arrivals ? { arrivals: options.arrivals } : {}),
      }),
  )
  let diskTimer: NodeJS.Timeout | null = null
  let diskLow = false

  async function probeDisk(free: () => number | Promise<number>): Promise<void> {
    let ratio: number
    try {
      ratio = await free()
    } catch (error) {
      return logger.warn({ err: error }, 'free disk space could not be read')
    }
    const low = ratio < (diskLow ? DISK_WELL : DISK_LOW)
    if (low === diskLow) return
    diskLow = low
    if (low)
      logger.error(
        { freePercent: Math.round(ratio * 1_000) / 10 },
        'ALARM: the disk is nearly full, messages are no longer stored nor acknowledged',
      )
    else logger.warn('there is room on the disk again, messages are stored')
    for (const lane of lanes) lane.setDiskLow(low)
  }

  return {
    async start() {
      const free = options.freeDiskRatio
      if (free) {
        await probeDisk(free)
        diskTimer = setInterval(
          () => inBackground('reading free disk space', probeDisk(free)),
          options.diskProbeMs ?? 2_000,
        )
        diskTimer.unref()
      }
      await Promise.all(lanes.map(lane => lane.start()))
    },
    append(entries: readonly JournalEntry[], committed, qos2) {
      const first = entries[0]
      if (!first) throw new Error('append without entries')
      lanes[laneOf(first.device.num)]!.append({ entries, committed, qos2 })
    },
    hasRoom: lane => lanes[lane]!.hasRoom,
    onDrain: (lane, resume) => lanes[lane]!.onDrain(resume),
    forget(device) {
      lanes[laneOf(device)]!.forget(device)
    },
    async stop() {
      if (diskTimer) clearInterval(diskTimer)
      await Promise.all(lanes.map(lane => lane.stop(options.stopTimeoutMs ?? 8_000)))
    },
    states: () => ({
      disk_full_state: Number(diskLow || lanes.some(lane => lane.isDiskFull)),
      faulted_state: lanes.filter(lane => lane.isFaulted).length,
    }),
    counters() {
      const sum: LaneCounters = { rows: 0, flushes: 0, retries: 0, refused: 0, queued: 0 }
      for (const lane of lanes) {
        sum.rows += lane.counters.rows
        sum.flushes += lane.counters.flushes
        sum.retries += lane.counters.retries
        sum.refused += lane.counters.refused
        sum.queued += lane.queued
      }
      return sum
    },
  }
}
