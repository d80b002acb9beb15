import type { JournalEntry } from '../uplink.ts'

/** Columns of the journal in the order in which rows are encoded. */
export const JOURNAL_COLUMNS =
  'seq, arrived_at, ts, device_ts, device, lane, kind, quality, late, values, raw, refused_reason'

/** PostgreSQL counts microseconds from 2000-01-01. */
export const POSTGRES_EPOCH_MS = 946_684_800_000
const TWO_32 = 4_294_967_296
/** "PGCOPY\n\xff\r\n\0", flags, length of the header extension. */
const SIGNATURE = [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0]
const COPY_DATA = 0x64
const COPY_DONE = 0x63
const HEAD = 5 + SIGNATURE.length
/** End marker of the rows, then the message CopyDone. */
const TAIL = 2 + 5
/** Bytes of a row before its first column of variable presence: count, seq, arrived_at, ts. */
const FIXED = 2 + 3 * 12
/** The columns between device_ts and values. */
const MIDDLE = 8 + 6 + 6 + 6 + 5

/**
 * Writes journal rows in PostgreSQL's binary COPY format into one buffer that is used again for every flush. The same
 * bytes go to the consumers (feed.ts), so a row is encoded once.
 */
export class RowEncoder {
  private buffer: Buffer
  private view: DataView
  private end = HEAD
  private count = 0

  constructor(capacity = 256 * 1024) {
    this.buffer = Buffer.allocUnsafeSlow(capacity)
    this.view = new DataView(this.buffer.buffer, this.buffer.byteOffset, capacity)
    this.buffer.set(SIGNATURE, 5)
  }

  /** Rows encoded since the last `reset`. */
  get rows(): number {
    return this.count
  }

  get bytes(): number {
    return this.end - HEAD
  }

  /** Starts over. What `message` and `body` returned before is overwritten by the rows that follow. */
  reset(): void {
    this.end = HEAD
    this.count = 0
  }

  /** Adds one row. @param arrivedAt epoch ms, not the entry's own: the lane never lets time run backwards */
  add(lane: number, seq: number, arrivedAt: number, entry: JournalEntry): void {
    const { values, raw, refusedReason } = entry
    // Three bytes per UTF-16 unit is the most UTF-8 needs.
    const most = FIXED + 12 + MIDDLE + 12 + (values ? values.length * 3 : 0) + (raw ? raw.length : 0) + 256 + TAIL
    if (this.end + most > this.buffer.length) this.grow(most)
    const { view } = this
    let at = this.end
    view.setInt16(at, 12)
    at = this.int64(at + 2, seq)
    at = this.int64(at, (arrivedAt - POSTGRES_EPOCH_MS) * 1_000)
    at = this.int64(at, entry.ts)
    at = entry.deviceTs === null ? this.null(at) : this.int64(at, entry.deviceTs)
    view.setInt32(at, 4)
    view.setInt32(at + 4, entry.device.num)
    view.setInt32(at + 8, 2)
    view.setInt16(at + 12, lane)
    view.setInt32(at + 14, 2)
    view.setInt16(at + 18, entry.kind)
    view.setInt32(at + 20, 2)
    view.setInt16(at + 24, entry.quality)
    view.setInt32(at + 26, 1)
    view.setUint8(at + 30, entry.late ? 1 : 0)
    at += MIDDLE
    at = values === null ? this.null(at) : this.text(at, values)
    if (raw === null) at = this.null(at)
    else {
      view.setInt32(at, raw.length)
      this.buffer.set(raw, at + 4)
      at += 4 + raw.length
    }
    at = refusedReason === null ? this.null(at) : this.text(at, refusedReason)
    this.end = at
    this.count++
  }

  /** The messages CopyData (with everything since `reset`) and CopyDone, ready for the socket. */
  message(): Buffer {
    const { buffer, view, end } = this
    buffer[0] = COPY_DATA
    view.setInt32(1, end + 2 - 1)
    view.setInt16(end, -1)
    buffer[end + 2] = COPY_DONE
    view.setInt32(end + 3, 4)
    return buffer.subarray(0, end + TAIL)
  }

  /** The encoded rows alone. */
  body(): Buffer {
    return this.buffer.subarray(HEAD, this.end)
  }

  private int64(at: number, value: number): number {
    const high = Math.floor(value / TWO_32)
    this.view.setInt32(at, 8)
    this.view.setInt32(at + 4, high)
    this.view.setUint32(at + 8, value - high * TWO_32)
    return at + 12
  }

  private null(at: number): number {
    this.view.setInt32(at, -1)
    return at + 4
  }

  private text(at: number, text: string): number {
    const length = this.buffer.write(text, at + 4)
    this.view.setInt32(at, length)
    return at + 4 + length
  }

  private grow(more: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.end + more))
    this.buffer.copy(larger, 0, 0, this.end)
    this.buffer = larger
    this.view = new DataView(larger.buffer, larger.byteOffset, larger.length)
  }
}
