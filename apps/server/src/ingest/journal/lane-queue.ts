import type { JournalEntry } from '../uplink.ts'

/** What one `append` handed in: stays together and is acknowledged as one. */
export interface LaneItem {
  entries: readonly JournalEntry[]
  committed: () => void
  qos2: { device: number; packetId: number } | undefined
}

export interface LaneQueueLimits {
  /** At most this many rows in one flush (a single larger item still goes whole). */
  flushRows: number
  flushBytes: number
  /** The sockets are held from here on … */
  rows: number
  bytes: number
}

/** A row's columns, index entries and bookkeeping beside its texts. */
const ROW_BYTES = 200

/** Messages taken and not yet in a flush, and the sockets that wait for room. */
export class LaneQueue {
  private items: LaneItem[] = []
  private head = 0
  private waiting: (() => void)[] = []
  rows = 0
  bytes = 0

  constructor(private readonly limits: LaneQueueLimits) {}

  get isEmpty(): boolean {
    return this.rows === 0 && this.head === this.items.length
  }

  get isFull(): boolean {
    return this.rows >= this.limits.rows || this.bytes >= this.limits.bytes
  }

  get hasFullFlush(): boolean {
    return this.rows >= this.limits.flushRows || this.bytes >= this.limits.flushBytes
  }

  push(item: LaneItem): void {
    this.items.push(item)
    this.rows += item.entries.length
    for (const entry of item.entries) this.bytes += bytesOf(entry)
  }

  /** Takes the oldest items that make up one flush: at least one, if there is any. */
  take(): LaneItem[] {
    const from = this.head
    let rows = 0
    let bytes = 0
    while (this.head < this.items.length) {
      const { entries } = this.items[this.head]!
      if (this.head > from && (rows + entries.length > this.limits.flushRows || bytes >= this.limits.flushBytes)) break
      rows += entries.length
      for (const entry of entries) bytes += bytesOf(entry)
      this.head++
    }
    const taken = this.items.slice(from, this.head)
    this.rows -= rows
    this.bytes -= bytes
    if (this.head === this.items.length) {
      this.items = []
      this.head = 0
    } else if (this.head > 4_096) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
    return taken
  }

  wait(resume: () => void): void {
    this.waiting.push(resume)
  }

  /** Lets waiting sockets go on, first come first served, until `isOpen` says no or half of the room is used again. */
  drain(isOpen: () => boolean): void {
    if (this.waiting.length === 0) return
    const waiting = this.waiting
    this.waiting = []
    let next = 0
    while (
      next < waiting.length &&
      isOpen() &&
      this.rows < this.limits.rows / 2 &&
      this.bytes < this.limits.bytes / 2
    ) {
      waiting[next++]!()
    }
    // A caller whose turn came may have to wait again, behind the others.
    if (next < waiting.length) this.waiting = [...waiting.slice(next), ...this.waiting]
  }
}

function bytesOf(entry: JournalEntry): number {
  return ROW_BYTES + (entry.values?.length ?? 0) + (entry.raw?.length ?? 0)
}
