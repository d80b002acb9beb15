import { describe, expect, it } from 'vitest'
import fc from '../lib/testing/fast-check.ts'
import { decodeBatch, encodeEntries } from './feed.ts'
import { aPost } from './testing/entries.ts'
import type { JournalEntry } from './uplink.ts'

const ms = fc.integer({ min: -8.64e15, max: 8.64e15 })
const entry = fc
  .record({
    device: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    kind: fc.integer({ min: 1, max: 6 }),
    quality: fc.integer({ min: 0, max: 2 }),
    late: fc.boolean(),
    // Microseconds from 2000 stay whole numbers of 53 bits for this long.
    arrivedAt: fc.integer({ min: 0, max: 4e12 }),
    ts: ms,
    deviceTs: fc.option(ms),
    values: fc.option(fc.string({ unit: 'grapheme' }).map(text => JSON.stringify({ text }))),
    raw: fc.option(fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes))),
    refusedReason: fc.option(fc.constantFrom('json_invalid', 'too_large')),
  })
  .map(({ device, ...rest }) => aPost(device, {}, rest as Partial<JournalEntry>))

describe('a fed batch', () => {
  it('says of every row what went in', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), fc.integer({ min: 1, max: 2 ** 50 }), (entries, first) => {
        const { lane, rows, ...batch } = decodeBatch(encodeEntries(1, first, entries).buffer)
        expect({ lane, ...batch }).toEqual({ lane: 1, first, last: first + entries.length - 1 })
        expect(
          rows.map(row => ({
            seq: row.seq,
            arrivedAt: row.arrivedAt,
            device: row.device,
            kind: row.kind,
            quality: row.quality,
            late: row.late,
            ts: row.ts,
            deviceTs: row.deviceTs,
            values: row.values,
            raw: row.raw,
            refusedReason: row.refusedReason,
          })),
        ).toEqual(
          entries.map(({ device, properties, ...rest }, i) => ({ ...rest, device: device.num, seq: first + i })),
        )
      }),
    )
  })

  it('survives the way between processes, where it arrives as bytes of a larger buffer', () => {
    const { buffer } = encodeEntries(0, 1, [aPost(2, { a: '值' })])
    const around = new Uint8Array(buffer.length + 20)
    around.set(buffer, 7)
    expect(decodeBatch(around.subarray(7, 7 + buffer.length)).rows[0]!.values).toBe('{"a":"值"}')
  })

  it('that is damaged is refused, whatever the damage', () => {
    const { buffer } = encodeEntries(0, 1, [aPost(2, { a: 1 }), aPost(4, { b: 2 })])
    expect(() => decodeBatch(Buffer.alloc(0))).toThrow()
    expect(() => decodeBatch(buffer.subarray(0, buffer.length - 1))).toThrow()
    expect(() => decodeBatch(Buffer.concat([buffer, Buffer.from([0])]))).toThrow('damaged')
    for (const at of [0, 8, 16, 24]) {
      const spoilt = Buffer.from(buffer)
      spoilt[at]! ^= 0x55
      expect(() => decodeBatch(spoilt)).toThrow()
    }
  })
})
