import type pg from 'pg'
import type { JournalRow } from '../lanes.port.ts'

/** Something that reads every lane in order and whose effects are committed together with its cursor. */
export interface Consumer {
  /** Name of the cursor; never changed. */
  readonly name: string
  /** Rows that wait this long at most are handled together, ms. */
  readonly everyMs: number
  /** Rows of no interest only move the cursor. */
  wants(row: JournalRow): boolean
  /**
   * Effects of some rows of one lane, oldest first, in the transaction that moves the cursor. Time and state are taken
   * from the rows alone, so that any stretch can be replayed.
   * @returns what to do after the commit (live updates), if anything
   */
  handle(client: pg.ClientBase, lane: number, rows: readonly JournalRow[]): Promise<(() => void) | undefined>
}
