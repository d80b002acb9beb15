import type { JournalEntry } from './uplink.ts'

export { LANES, laneOf } from '../lib/journal/journal-lanes.ts'

/** One flush as the consumers get it: consecutive rows of one lane. */
export interface LaneBatch {
  lane: number
  first: number
  last: number
  rows: JournalRow[]
}

/** A journal row as a consumer sees it, from the feed or read back from the journal: the same either way. */
export interface JournalRow {
  seq: number
  arrivedAt: number
  device: number
  kind: number
  quality: number
  late: boolean
  ts: number
  deviceTs: number | null
  /** JSON text; parsed only by consumers that need it. */
  values: string | null
  raw: Buffer | null
  refusedReason: string | null
}

/** The journal's writers: entries in, acknowledged after commit, per lane in order. */
export interface Lanes {
  start(): Promise<void>
  /** `committed` runs after the COMMIT that holds the entries, in order per lane; all entries of one call are in one flush. */
  append(entries: readonly JournalEntry[], committed: () => void, qos2?: { device: number; packetId: number }): void
  hasRoom(lane: number): boolean
  onDrain(lane: number, resume: () => void): void
  /** A device is gone for good: nothing of it is kept in memory. */
  forget(device: number): void
  /** Flushes what was taken, then lets go of the lanes. */
  stop(): Promise<void>
}
