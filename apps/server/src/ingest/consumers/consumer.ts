import type pg from 'pg'
import type { JournalRow } from '../lanes.port.ts'

/** Something that reads every lane in order and whose effects are committed together with its cursor. */
export interface Consumer {
  /** Name of the cursor; never changed. */
  readonly name: string
  /** Its part in one lane, with a memory of its own. */
  open(lane: number): LaneConsumer
}

/**
 * A consumer in one lane. Rows are taken into memory; what they come to is written now and then, in the transaction that
 * moves the cursor. Time and state are taken from the rows alone, so that any stretch can be replayed.
 */
export interface LaneConsumer {
  /** Takes rows, oldest first. No input or output. What it throws counts against the rows. */
  take(rows: readonly JournalRow[]): void
  /** How long what was taken may still wait for `write`, ms; null: there is nothing to write, the cursor may move alone. */
  dueInMs(): number | null
  /** Writes what everything taken since the last `written` or `reset` comes to. `upTo` is the last row taken. */
  write(client: pg.ClientBase, upTo: { seq: number }): Promise<void>
  /** It is committed: the memory of it can go, others can be told. */
  written(): void
  /** What was taken and not written will come again. */
  reset(): void
  /** Whether stopping waits for a last write; what is not written then is taken again at the next start. */
  readonly writesOnStop: boolean
}

/** A consumer that handles its rows as they are, a moment after they came. */
export interface RowsConsumer {
  readonly name: string
  /** Rows that wait this long at most are handled together, ms. */
  readonly everyMs: number
  /** Rows of no interest only move the cursor. */
  wants(row: JournalRow): boolean
  /** Effects of some rows of one lane. @returns what to do after the commit (live updates), if anything */
  handle(client: pg.ClientBase, lane: number, rows: readonly JournalRow[]): Promise<(() => void) | undefined>
}

/** More than this is handled at once, whatever the time. */
const MANY_ROWS = 2_000

export function rowsConsumer(consumer: RowsConsumer): Consumer {
  return {
    name: consumer.name,
    open(lane) {
      let rows: JournalRow[] = []
      let since = 0
      let after: (() => void) | undefined
      return {
        writesOnStop: true,
        take(taken) {
          for (const row of taken) {
            if (!consumer.wants(row)) continue
            if (rows.length === 0) since = performance.now()
            rows.push(row)
          }
        },
        dueInMs() {
          if (rows.length === 0) return null
          return rows.length >= MANY_ROWS ? 0 : Math.max(0, since + consumer.everyMs - performance.now())
        },
        async write(client) {
          after = undefined
          if (rows.length > 0) after = await consumer.handle(client, lane, rows)
        },
        written() {
          rows = []
          after?.()
        },
        reset() {
          rows = []
          after = undefined
        },
      }
    },
  }
}
