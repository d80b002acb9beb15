import type { JournalRow, LaneBatch } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'

/** Receives what people look at. */
export interface LiveReceiver {
  watches(device: number): boolean
  rows(rows: readonly JournalRow[]): void
  /** Rows were missed: subscribers need the state as it is now. */
  gap(): void
}

/** Hands flushes to the live topics. Its position is in memory only: nobody needs yesterday's patches. */
export function createLiveConsumer(receiver: LiveReceiver): { feed(batch: LaneBatch): void } {
  const next = new Map<number, number>()
  return {
    feed(batch) {
      const expected = next.get(batch.lane)
      next.set(batch.lane, batch.last + 1)
      if (expected !== undefined && batch.first > expected) receiver.gap()
      const rows = batch.rows.filter(
        row => row.kind === JournalKind.online || row.kind === JournalKind.offline || receiver.watches(row.device),
      )
      if (rows.length > 0) receiver.rows(rows)
    },
  }
}
