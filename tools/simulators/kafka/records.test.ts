import { describe, expect, it } from 'vitest'
import { readBatch } from './records.ts'
import { crc32c, WireWriter } from './wire.ts'

const zigzag = (n: number) => (n < 0 ? -2 * n - 1 : 2 * n)

/** A batch as the record format 2 describes it, written here by hand. */
function batch(
  values: string[],
  over: { crc?: number; count?: number; magic?: number; attributes?: number } = {},
): Buffer {
  const records = values.map((value, n) => {
    const body = new WireWriter().i8(0).uvarint(0).uvarint(zigzag(n))
    body.uvarint(zigzag(3)).raw(Buffer.from('key'))
    body.uvarint(zigzag(Buffer.byteLength(value))).raw(Buffer.from(value))
    body
      .uvarint(zigzag(1))
      .uvarint(zigzag(2))
      .raw(Buffer.from('id'))
      .uvarint(zigzag(1))
      .raw(Buffer.from(String(n)))
    const bytes = body.bytes()
    return Buffer.concat([new WireWriter().uvarint(zigzag(bytes.length)).bytes(), bytes])
  })
  const count = over.count ?? values.length
  const checked = new WireWriter()
    .i16(over.attributes ?? 0)
    .i32(count - 1)
    .i64(1000n)
    .i64(1000n)
    .i64(-1n)
    .i16(-1)
    .i32(-1)
    .i32(count)
    .raw(Buffer.concat(records))
    .bytes()
  const rest = new WireWriter()
    .i32(0)
    .i8(over.magic ?? 2)
    .i32((over.crc ?? crc32c(checked)) | 0)
    .raw(checked)
    .bytes()
  return new WireWriter().i64(0n).i32(rest.length).raw(rest).bytes()
}

describe('the broker’s own reading of a batch', () => {
  it('knows the checksum of RFC 3720', () => {
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43)
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  })

  it('takes what is right', () => {
    expect(readBatch(batch(['温度', '']), 't', 2, 40)).toEqual([
      { topic: 't', partition: 2, offset: 40, key: 'key', value: '温度', headers: { id: '0' } },
      { topic: 't', partition: 2, offset: 41, key: 'key', value: '', headers: { id: '1' } },
    ])
  })

  it.each([
    ['a wrong checksum', batch(['a'], { crc: 1 }), /checksum/],
    ['an old format', batch(['a'], { magic: 1 }), /record format 1/],
    ['a compression', batch(['a'], { attributes: 2 }), /compressed/],
    ['more records than there are', batch(['a'], { count: 2 }), /end too early/],
    ['fewer records than there are', batch(['a', 'b'], { count: 1 }), /behind the last record/],
    ['a cut', batch(['a']).subarray(0, -1), /says that it has/],
  ])('refuses %s', (_name, bytes, why) => {
    expect(() => readBatch(bytes, 't', 0, 0)).toThrow(why)
  })
})
