import { describe, expect, it } from 'vitest'
import fc from '../../lib/fast-check.ts'
import { AckReader } from './acks.ts'

const puback = (id: number) => Buffer.from([0x40, 2, id >> 8, id & 0xff])

describe('what a server sends', () => {
  it('is read the same however it is cut', () => {
    const long = Buffer.concat([Buffer.from([0x30, 0xc8, 0x01]), Buffer.alloc(200, 1)])
    const all = Buffer.concat([
      Buffer.from([0x20, 2, 0, 0]),
      puback(1),
      long,
      puback(513),
      Buffer.from([0xd0, 0]),
      puback(2),
    ])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 300 }), sizes => {
        const seen: string[] = []
        const reader = new AckReader(
          id => seen.push(`ack ${id}`),
          (first, body) => seen.push(`${first}:${body.length}`),
        )
        // One buffer for all reads, as the generator has it.
        const shared = Buffer.alloc(64)
        let at = 0
        for (let i = 0; at < all.length; i++) {
          const part = all.subarray(at, at + sizes[i % sizes.length]!)
          part.copy(shared)
          reader.read(shared.subarray(0, part.length))
          at += part.length
        }
        expect(seen).toEqual(['32:2', 'ack 1', '48:200', 'ack 513', '208:0', 'ack 2'])
      }),
    )
  })
})
