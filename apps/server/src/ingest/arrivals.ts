import type { Clock } from '../lib/clock.ts'
import { LANES, laneOf } from '../lib/journal/journal-lanes.ts'

/** How far a device's times may run ahead of the clock before it is slowed down. */
export const MOST_AHEAD_MS = 120_000
/** A device so little ahead is not written down: after a restart every device of the lane begins beyond it. */
const UNWRITTEN_MS = 1_000
/** Written beyond what was given, so that a device that stays ahead is not written with every flush. */
const RESERVE_MS = 1_000
const CHUNK = 4_096
const PRUNE_FROM = 1_000

/** Devices and the times up to which theirs are taken. */
export interface ReservedArrivals {
  devices: number[]
  until: number[]
}

/**
 * The times of messages whose device says none. Two of them never get the same, however many arrive in a millisecond,
 * whatever the clock does and over restarts: history keeps one value of a property for each time. Who sends faster than
 * a thousand a second for long gets ahead of the clock, and is slowed down once that is minutes.
 */
export class Arrivals {
  /** Last time given by device number, 0 for none in this life; numbers are small and dense, so an array of arrays. */
  private readonly chunks: (Float64Array | undefined)[] = []
  /** Where devices of each lane begin that got none in this life. */
  private readonly floors = new Float64Array(LANES)
  private readonly deviceFloors = new Map<number, number>()
  /** Latest arrival seen; does not go back with the clock. */
  private high = 0
  private reserved = new Map<number, number>()
  private pruneAt = PRUNE_FROM
  /** Of each lane, what its next flush must write. */
  private readonly pending: Map<number, number>[] = Array.from({ length: LANES }, () => new Map())
  /** By gateway: the device below it that is too far ahead. */
  private readonly speakers = new Map<number, number>()
  /** Since when, on the monotonic clock, the wall clock has stood before `high`. */
  private setBackAt: number | null = null

  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Clock,
  ) {}

  /** The time of a message that arrived now. @param speaker the gateway that sent it for the device */
  next(device: number, arrivedAt: number, speaker: number = device): number {
    const chunk = this.chunks[Math.floor(device / CHUNK)] ?? this.newChunk(device)
    const at = device % CHUNK
    const last = chunk[at] || this.floorOf(device)
    const given = arrivedAt > last ? arrivedAt : last + 1
    chunk[at] = given
    if (arrivedAt > this.high) this.high = arrivedAt
    if (given > arrivedAt + UNWRITTEN_MS) this.noteAhead(device, given, speaker)
    return given
  }

  /** Ms until a device may go on, itself and those it speaks for; 0 for nearly all. */
  waitMs(device: number): number {
    const own = this.waitOf(device)
    if (own > 0 || this.speakers.size === 0) return own
    const below = this.speakers.get(device)
    const ms = below === undefined ? 0 : this.waitOf(below)
    if (ms === 0) this.speakers.delete(device)
    return ms
  }

  /** A lane's writer took over where the journal ends. @param lastArrivedAt arrival of the lane's last row, 0 for none */
  begin(lane: number, lastArrivedAt: number, written: ReservedArrivals): void {
    const floor = lastArrivedAt === 0 ? 0 : lastArrivedAt + UNWRITTEN_MS
    this.floors[lane] = floor
    for (const [i, device] of written.devices.entries()) {
      const until = written.until[i]!
      this.deviceFloors.set(device, until)
      if (this.lastOf(device) > 0) this.raise(device, until)
    }
    // Only where another process wrote meanwhile is anything given already.
    for (const [i, chunk] of this.chunks.entries()) {
      if (!chunk) continue
      for (let at = 0; at < CHUNK; at++)
        if (chunk[at]! > 0 && chunk[at]! < floor && laneOf(i * CHUNK + at) === lane) chunk[at] = floor
    }
  }

  /** What a lane's flush has to write; null: nothing. */
  toWrite(lane: number): ReservedArrivals | null {
    const pending = this.pending[lane]!
    return pending.size === 0 ? null : { devices: [...pending.keys()], until: [...pending.values()] }
  }

  /** That was committed. */
  written(lane: number, { devices, until }: ReservedArrivals): void {
    const pending = this.pending[lane]!
    for (const [i, device] of devices.entries()) if (pending.get(device) === until[i]) pending.delete(device)
  }

  private floorOf(device: number): number {
    const lane = this.floors[laneOf(device)]!
    if (this.deviceFloors.size === 0) return lane
    return Math.max(lane, this.deviceFloors.get(device) ?? 0)
  }

  private newChunk(device: number): Float64Array {
    const chunk = new Float64Array(CHUNK)
    this.chunks[Math.floor(device / CHUNK)] = chunk
    return chunk
  }

  private lastOf(device: number): number {
    return this.chunks[Math.floor(device / CHUNK)]?.[device % CHUNK] ?? 0
  }

  private raise(device: number, until: number): void {
    const chunk = this.chunks[Math.floor(device / CHUNK)]!
    if (chunk[device % CHUNK]! < until) chunk[device % CHUNK] = until
  }

  private noteAhead(device: number, given: number, speaker: number): void {
    if (speaker !== device && given > this.high + MOST_AHEAD_MS) this.speakers.set(speaker, device)
    if (given <= (this.reserved.get(device) ?? 0)) return
    const until = given + RESERVE_MS
    this.reserved.set(device, until)
    this.pending[laneOf(device)]!.set(device, until)
    if (this.reserved.size < this.pruneAt) return
    for (const [other, at] of this.reserved) if (at < this.high) this.reserved.delete(other)
    this.pruneAt = Math.max(PRUNE_FROM, this.reserved.size * 2)
  }

  private waitOf(device: number): number {
    const last = this.lastOf(device)
    if (last <= this.high + MOST_AHEAD_MS) return 0
    return Math.max(0, last - MOST_AHEAD_MS - this.reference())
  }

  /** The clock, or where it was set back the time that would have come: nobody waits for an hour to come again. */
  private reference(): number {
    const now = this.clock.now()
    if (now >= this.high) {
      this.setBackAt = null
      return now
    }
    this.setBackAt ??= this.monotonic.now()
    return this.high + this.monotonic.now() - this.setBackAt
  }
}
