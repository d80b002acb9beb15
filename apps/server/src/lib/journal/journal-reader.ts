import type pg from 'pg'

/** A row of the journal as a module may know it. */
export interface ReadRow {
  seq: number
  arrivedAt: number
  /** Number of the device. */
  device: number
  /** One of `READ_KIND`. */
  kind: number
  /** It came after newer ones of its device. */
  late: boolean
  /** The time that the values count for, epoch milliseconds. */
  ts: number
  /** JSON text. */
  values: string | null
}

/** Kinds of rows that modules read. */
export const READ_KIND = { property: 1, event: 2, reply: 3, online: 4, offline: 5, refused: 6, latest: 7 } as const

/**
 * A module that reads what devices said, in the order of each lane. Its effects are committed together with its place in
 * the journal, so each row counts once; time and state are taken from the rows alone, because any stretch may come again.
 */
export interface JournalReader {
  /** Name of its place in the journal; never changed. */
  readonly name: string
  /** Rows that wait this long at most are handled together, ms. */
  readonly everyMs: number
  /** Rows of no interest only move its place. */
  wants(row: ReadRow): boolean
  /**
   * Effects of some rows of one lane, as the role of the device path, which sees no company: tables are granted to it.
   * @returns what to do after the commit, if anything
   */
  handle(client: pg.ClientBase, lane: number, rows: readonly ReadRow[]): Promise<(() => void) | undefined>
}
