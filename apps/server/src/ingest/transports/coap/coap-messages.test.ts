import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { BlockStore } from './block-store.ts'
import {
  blockOption,
  blockValue,
  type CoapMessage,
  decodeMessage,
  encodeMessage,
  OptionNumber,
  uintOption,
  uintValue,
  unknownCritical,
  urlOf,
} from './message.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map(array => Buffer.from(array))
const message = fc.record({
  type: fc.constantFrom(0, 1, 2, 3),
  code: fc.integer({ min: 1, max: 255 }),
  messageId: fc.integer({ min: 0, max: 0xffff }),
  token: bytes(8),
  options: fc.array(fc.record({ number: fc.integer({ min: 0, max: 2_000 }), value: bytes(400) }), { maxLength: 20 }),
  payload: bytes(1_024),
}) as fc.Arbitrary<CoapMessage>

describe('CoAP messages', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(message, sent => {
        const read = decodeMessage(encodeMessage(sent))
        const options = sent.options
          .map((option, i) => ({ option, i }))
          .sort((a, b) => a.option.number - b.option.number || a.i - b.i)
          .map(({ option }) => option)
        expect(read).toEqual({ ...sent, options })
      }),
      { numRuns: 200 },
    )
  })

  it('are refused and never thrown at when the bytes are none', () => {
    fc.assert(
      fc.property(bytes(64), any => void decodeMessage(any)),
      { numRuns: 2_000 },
    )
    for (const hex of ['', '40', '80010000', '49010000', '40000000ff', '40010000ff', '40010000d0', '40010000f1'])
      expect(decodeMessage(Buffer.from(hex, 'hex'))).toBeNull()
  })

  it('carry numbers, blocks and addresses in their options', () => {
    for (const value of [0, 1, 255, 256, 65_535, 65_536, 0xffffff, 0xffffffff])
      expect(uintOption({ options: [{ number: 6, value: uintValue(value) }] }, 6)).toBe(value)
    const block = { num: 1_000, more: true, szx: 6 }
    expect(blockOption({ options: [{ number: 27, value: blockValue(block) }] }, 27)).toEqual(block)
    expect(blockOption({ options: [{ number: 27, value: Buffer.from([7]) }] }, 27)).toBe(false)
    const text = (number: number, value: string) => ({ number, value: Buffer.from(value) })
    const options = [text(11, 'device'), text(11, 'a b/c'), text(15, 'token=x'), text(15, 'y=1')]
    expect(urlOf({ options })).toBe('/device/a%20b%2Fc?token=x&y=1')
    expect(unknownCritical({ options: [...options, text(OptionNumber.observe, '')] })).toBe(false)
    expect(unknownCritical({ options: [text(9, '')] })).toBe(true)
    expect(unknownCritical({ options: [text(2_048, '')] })).toBe(false)
  })
})

describe('requests in blocks', () => {
  const block = (num: number, more: boolean, payload: Buffer): CoapMessage => ({
    type: 0,
    code: 2,
    messageId: 1,
    token: Buffer.alloc(0),
    options: [{ number: OptionNumber.block1, value: blockValue({ num, more, szx: 2 }) }],
    payload,
  })
  const part = Buffer.alloc(64, 1)

  it('are put together in order, each sender and resource apart', () => {
    const store = new BlockStore(() => 0)
    expect(store.add('a', block(0, true, part))).toMatchObject({ kind: 'more' })
    expect(store.add('b', block(0, true, part))).toMatchObject({ kind: 'more' })
    expect(store.add('a', block(1, true, part))).toMatchObject({ kind: 'more' })
    expect(store.add('a', block(2, false, Buffer.from('end')))).toMatchObject({
      kind: 'whole',
      payload: Buffer.concat([part, part, Buffer.from('end')]),
    })
  })

  it('are refused out of order, cut short, without an end, and beyond the bounds', () => {
    const store = new BlockStore(() => 0)
    expect(store.add('a', block(1, true, part))).toEqual({ kind: 'refused', why: 'incomplete' })
    expect(store.add('a', block(0, true, part.subarray(1)))).toEqual({ kind: 'refused', why: 'malformed' })
    let why: unknown
    for (let num = 0; why === undefined && num < 2_000; num++) {
      const added = store.add('a', block(num, true, part))
      if (added.kind === 'refused') why = added.why
    }
    expect(why).toBe('too_large')
  })

  it('that rest make room for others when there are too many', () => {
    let now = 0
    const store = new BlockStore(() => now)
    for (let i = 0; i < 1_000; i++) store.add(`k${i}`, block(0, true, part))
    expect(store.add('late', block(0, true, part))).toEqual({ kind: 'refused', why: 'busy' })
    now = 61_000
    expect(store.add('late', block(0, true, part))).toMatchObject({ kind: 'more' })
  })
})
