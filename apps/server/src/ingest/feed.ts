import { decodeRows } from './journal/row-decoder.ts'
import { RowEncoder } from './journal/row-encoder.ts'
import type { LaneBatch } from './lanes.port.ts'
import type { JournalEntry } from './uplink.ts'

/** One committed flush on its way from the gateway to the consumers. */
export interface EncodedBatch {
  lane: number
  first: number
  last: number
  /** What {@link decodeBatch} reads; made for this flush alone, so it may be kept and sent. */
  buffer: Buffer
}

const MAGIC = 0x7477_4201
const HEAD = 4 + 4 + 8 + 8

/**
 * Puts a head before rows already in the journal's encoding. The rows are copied, once and as bytes.
 * @param rows numbered `first` to `last` without a gap
 */
export function encodeBatch(lane: number, first: number, last: number, rows: Buffer): EncodedBatch {
  const buffer = Buffer.allocUnsafe(HEAD + rows.length)
  buffer.writeUInt32BE(MAGIC, 0)
  buffer.writeUInt32BE(lane, 4)
  buffer.writeDoubleBE(first, 8)
  buffer.writeDoubleBE(last, 16)
  buffer.set(rows, HEAD)
  return { lane, first, last, buffer }
}

/** The same from entries, for whoever has no encoder at hand: tests and simulated lanes. */
export function encodeEntries(lane: number, first: number, entries: readonly JournalEntry[]): EncodedBatch {
  const encoder = new RowEncoder()
  let seq = first
  for (const entry of entries) encoder.add(lane, seq++, entry.arrivedAt, entry)
  return encodeBatch(lane, first, seq - 1, encoder.body())
}

/** Reads a batch. Fixed columns at once; a row's values, bytes and reason when first asked for. @throws when damaged */
export function decodeBatch(bytes: Uint8Array): LaneBatch {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < HEAD || buffer.readUInt32BE(0) !== MAGIC) throw new Error('not a batch of journal rows')
  const lane = buffer.readUInt32BE(4)
  const first = buffer.readDoubleBE(8)
  const last = buffer.readDoubleBE(16)
  const count = last - first + 1
  if (!(count >= 0 && count <= buffer.length)) throw new Error('a batch of journal rows is damaged')
  return { lane, first, last, rows: decodeRows(buffer, HEAD, count) }
}
