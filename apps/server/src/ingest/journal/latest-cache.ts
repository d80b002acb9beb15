/** [value, ts, quality] of one property. */
type Reading = [value: unknown, ts: number, quality: number]

interface DeviceState {
  readonly device: number
  readonly readings: Map<string, Reading>
  /** Whether `readings` is everything there is, or only what changed since this state was made. */
  complete: boolean
  dirty: boolean
  /** First change that the table does not hold yet. */
  dirtySeq: number
  dirtyArrivedAt: number
  /** On the monotonic clock. */
  dirtyAt: number
  usedSinceSweep: boolean
}

/** Rows of `latest` to be written, and the position that then holds. */
export interface LatestCheckpoint {
  devices: number[]
  values: string[]
  /** Every row up to `seq` is in the table then; rows after it arrived at `arrivedAt` or later. */
  upTo: { seq: number; arrivedAt: number }
}

export interface LatestCacheOptions {
  /** How long a change may wait for its checkpoint, ms. */
  everyMs: number
  /** Devices that are written together before their time, so that those of one `everyMs` do not come all at once. */
  part: number
  /** Devices kept in memory beyond those with unwritten changes. */
  capacity: number
}

/**
 * The latest values of a lane's devices. Changes are merged here and written behind, each device once per `everyMs`
 * however often it reports: `latest` is a checkpoint of the journal, and readers add the rows after its cursor.
 */
export class LatestCache {
  private readonly states = new Map<number, DeviceState>()
  /** Dirty states, first change first. */
  private dirty: DeviceState[] = []
  private head = 0
  private readonly incomplete = new Set<number>()
  private taken: DeviceState[] = []
  /** When a checkpoint was taken last, on the monotonic clock. */
  private takenAt = 0

  constructor(private readonly options: LatestCacheOptions) {}

  get size(): number {
    return this.states.size
  }

  get dirtyCount(): number {
    return this.dirty.length - this.head
  }

  /** Merges one committed row: per property the newer time wins, of equal times the later row. */
  apply(
    row: { device: number; ts: number; quality: number; seq: number; arrivedAt: number },
    values: Readonly<Record<string, unknown>>,
    nowMs: number,
  ): void {
    const state = this.states.get(row.device) ?? this.add(row.device)
    state.usedSinceSweep = true
    const { readings } = state
    const { ts, quality } = row
    for (const property in values) {
      const reading = readings.get(property)
      if (reading === undefined) readings.set(property, [values[property], ts, quality])
      else if (ts >= reading[1]) {
        reading[0] = values[property]
        reading[1] = ts
        reading[2] = quality
      }
    }
    if (state.dirty) return
    state.dirty = true
    state.dirtySeq = row.seq
    state.dirtyArrivedAt = row.arrivedAt
    state.dirtyAt = nowMs
    this.dirty.push(state)
  }

  /** Devices whose row must be read from the table before they can be written; at most `limit`. */
  missing(limit: number): number[] {
    const devices: number[] = []
    for (const device of this.incomplete) {
      if (devices.push(device) >= limit) break
    }
    return devices
  }

  /** Adds what the table holds of a device; null when it has no row. */
  complete(device: number, stored: Readonly<Record<string, Reading>> | null): void {
    this.incomplete.delete(device)
    const state = this.states.get(device)
    if (!state || state.complete) return
    state.complete = true
    for (const property in stored) {
      const [value, ts, quality] = stored[property]!
      const reading = state.readings.get(property)
      if (reading === undefined || reading[1] < ts) state.readings.set(property, [value, ts, quality])
    }
  }

  /** Whether a checkpoint is due; `all` ignores age. */
  isDue(nowMs: number, all = false): boolean {
    return this.isFirstDue(nowMs, all) || (this.isPartDue(nowMs) && this.dirty[this.head]!.complete)
  }

  private isFirstDue(nowMs: number, all: boolean): boolean {
    const first = this.dirty[this.head]
    return first?.complete === true && (all || nowMs - first.dirtyAt >= this.options.everyMs)
  }

  /**
   * Devices that began to report together would all be written together every `everyMs`, and messages wait for that. So
   * a part of them is written whenever a part's share of that time has passed: a device is still written once per `everyMs`.
   */
  private isPartDue(nowMs: number): boolean {
    const at = this.partDueAt()
    return at !== null && nowMs >= at
  }

  private partDueAt(): number | null {
    const { everyMs, part } = this.options
    return this.dirtyCount < part ? null : this.takenAt + (everyMs * part) / this.dirtyCount
  }

  /** Whether rows must be loaded now so that the next checkpoint finds its devices complete. */
  wantsRows(nowMs: number, all = false): boolean {
    if (this.incomplete.size === 0) return false
    const first = this.dirty[this.head]
    return (
      all || this.incomplete.size >= 500 || (first !== undefined && nowMs - first.dirtyAt >= this.options.everyMs / 2)
    )
  }

  /** When there will be something to load or to write, on the monotonic clock; null when nothing changed. */
  nextDueAt(): number | null {
    const first = this.dirty[this.head]
    if (!first) return null
    if (!first.complete) return first.dirtyAt + this.options.everyMs / 2
    return Math.min(first.dirtyAt + this.options.everyMs, this.partDueAt() ?? Infinity)
  }

  /**
   * Takes the oldest due changes, at most `limit` devices. Then either `written` or `giveBack`, and no `apply` before.
   * @param last position of the last row applied so far
   */
  take(limit: number, nowMs: number, last: { seq: number; arrivedAt: number }, all = false): LatestCheckpoint | null {
    const devices: number[] = []
    const values: string[] = []
    const early = this.isPartDue(nowMs) ? this.options.part : 0
    while (devices.length < limit) {
      if (!this.isFirstDue(nowMs, all || devices.length < early)) break
      const state = this.dirty[this.head++]!
      this.taken.push(state)
      devices.push(state.device)
      values.push(toJson(state.readings))
    }
    if (devices.length === 0) return null
    this.takenAt = nowMs
    const next = this.dirty[this.head]
    const upTo = next ? { seq: next.dirtySeq - 1, arrivedAt: next.dirtyArrivedAt } : last
    return { devices, values, upTo }
  }

  /** What was taken is in the table. */
  written(): void {
    for (const state of this.taken) state.dirty = false
    this.taken = []
    if (this.head > 1_000 && this.head * 2 > this.dirty.length) {
      this.dirty = this.dirty.slice(this.head)
      this.head = 0
    }
    if (this.states.size > this.options.capacity) this.sweep()
  }

  /** What was taken could not be written: it is first in line again. */
  giveBack(): void {
    this.head -= this.taken.length
    this.taken = []
  }

  /** Drops a device that is gone. */
  forget(device: number): void {
    const state = this.states.get(device)
    if (state && !state.dirty) this.states.delete(device)
  }

  clear(): void {
    this.states.clear()
    this.incomplete.clear()
    this.dirty = []
    this.taken = []
    this.head = 0
  }

  private add(device: number): DeviceState {
    const state: DeviceState = {
      device,
      readings: new Map(),
      complete: false,
      dirty: false,
      dirtySeq: 0,
      dirtyArrivedAt: 0,
      dirtyAt: 0,
      usedSinceSweep: true,
    }
    this.states.set(device, state)
    this.incomplete.add(device)
    return state
  }

  /** Second chance: whoever was not used since the last sweep goes, until a tenth of the room is free. */
  private sweep(): void {
    const goal = this.options.capacity * 0.9
    for (const [device, state] of this.states) {
      if (this.states.size <= goal) return
      if (state.dirty) continue
      if (state.usedSinceSweep) state.usedSinceSweep = false
      else this.states.delete(device)
    }
  }
}

const keys = new Map<string, string>()

/** `"property":` as JSON; the identifiers of all products are few. */
function jsonKey(property: string): string {
  let key = keys.get(property)
  if (key === undefined) {
    if (keys.size > 10_000) keys.clear()
    key = `${JSON.stringify(property)}:[`
    keys.set(property, key)
  }
  return key
}

function toJson(readings: Map<string, Reading>): string {
  let json = '{'
  for (const [property, [value, ts, quality]] of readings) {
    if (json.length > 1) json += ','
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
    json += `${jsonKey(property) + text},${ts},${quality}]`
  }
  return `${json}}`
}
