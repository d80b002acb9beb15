import { describe, expect, it } from 'vitest'
import { aPost } from '../testing/entries.ts'
import { JournalKind, Quality } from '../uplink.ts'
import { decodeRows } from './row-decoder.ts'
import { RowEncoder } from './row-encoder.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const ENTRIES = [
  aPost(1, { t: 21.5 }),
  aPost(2_000_000, { text: '水箱 🚚' }, { ts: NOW - 1, deviceTs: -8.64e15, quality: Quality.uncertain, late: true }),
  aPost(
    3,
    {},
    { kind: JournalKind.refused, values: null, raw: Buffer.from([0, 255, 10]), refusedReason: 'payload_shape' },
  ),
  aPost(4, {}, { ts: 2 ** 40 + 5, deviceTs: 2 ** 32, values: '' }),
]

/** What the consumers and the database are told of a row. */
function seen(row: ReturnType<typeof decodeRows>[number]) {
  const { seq, arrivedAt, device, kind, quality, late, ts, deviceTs, values, raw, refusedReason } = row
  return { seq, arrivedAt, device, kind, quality, late, ts, deviceTs, values, raw, refusedReason }
}
const expected = (entry: (typeof ENTRIES)[number], seq: number) => {
  const { kind, quality, late, ts, deviceTs, values, raw, refusedReason } = entry
  const device = entry.device.num
  return { seq, arrivedAt: NOW + seq, device, kind, quality, late, ts, deviceTs, values, raw, refusedReason }
}

describe('rows of the journal', () => {
  it('come out of their bytes as they went in', () => {
    const encoder = new RowEncoder()
    for (const [seq, entry] of ENTRIES.entries()) encoder.add(1, seq, NOW + seq, entry)
    const body = Buffer.from(encoder.body())
    expect([encoder.rows, encoder.bytes]).toEqual([4, body.length])
    expect(decodeRows(body, 0, 4).map(seen)).toEqual(ENTRIES.map(expected))
    encoder.reset()
    expect([encoder.rows, encoder.bytes]).toEqual([0, 0])
    encoder.add(1, 7, NOW + 7, ENTRIES[0]!)
    expect(decodeRows(Buffer.from(encoder.body()), 0, 1).map(seen)).toEqual([expected(ENTRIES[0]!, 7)])
  })

  it('find room however long one is', () => {
    const encoder = new RowEncoder(1_024)
    const long = [
      aPost(1, { text: '水'.repeat(5_000) }),
      aPost(2, {}, { values: null, raw: Buffer.alloc(60_000, 7) }),
      ...Array.from({ length: 200 }, (_, n) => aPost(n + 3, { n })),
    ]
    for (const [seq, entry] of long.entries()) encoder.add(0, seq, NOW + seq, entry)
    expect(decodeRows(Buffer.from(encoder.body()), 0, long.length).map(seen)).toEqual(long.map(expected))
  })

  it('are sent as one piece of data and its end', () => {
    const encoder = new RowEncoder()
    encoder.add(1, 1, NOW, ENTRIES[0]!)
    const message = encoder.message()
    expect(message.subarray(5, 16).toString('latin1')).toBe('PGCOPY\n\xff\r\n\0')
    expect([message.toString('latin1', 0, 1), message.readInt32BE(1)]).toEqual(['d', message.length - 6])
    expect([...message.subarray(-7)]).toEqual([255, 255, 'c'.charCodeAt(0), 0, 0, 0, 4])
    expect(message.length).toBe(5 + 19 + encoder.bytes + 7)
  })

  it('are not guessed from bytes that are damaged', () => {
    const encoder = new RowEncoder()
    encoder.add(1, 1, NOW, ENTRIES[0]!)
    const body = Buffer.from(encoder.body())
    expect(() => decodeRows(Buffer.concat([body, Buffer.from([0])]), 0, 1)).toThrow('damaged')
    body.writeInt16BE(11, 0)
    expect(() => decodeRows(body, 0, 1)).toThrow('damaged')
  })
})
