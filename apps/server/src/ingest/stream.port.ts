import type { JournalRow, LaneBatch } from './lanes.port.ts'

/**
 * Where a reader stands in a lane. Only the stream that gave it out can read it: with another stream behind this port
 * it holds something else.
 */
export interface StreamPosition {
  readonly lane: number
  readonly seq: number
  /** Epoch ms; bounds the partitions that are looked at. */
  readonly arrivedAt: number
}

/** Messages in order of commit, per lane, kept until every consumer is past them. */
export interface Stream {
  readonly lanes: readonly number[]
  /** Before the first message of a lane. */
  start(lane: number): StreamPosition
  /** Position of the last message of every lane. */
  heads(): Promise<ReadonlyMap<number, StreamPosition>>
  /** Messages after a position, at most `limit`, oldest first. */
  read(after: StreamPosition, limit: number): Promise<JournalRow[]>
  /** Position of a row just read or fed. */
  at(lane: number, row: Pick<JournalRow, 'seq' | 'arrivedAt'>): StreamPosition
  /** Whether a fed batch follows a position without a gap (null: it is older, nothing of it is new). */
  follows(position: StreamPosition, batch: Pick<LaneBatch, 'lane' | 'first' | 'last'>): boolean | null
}
