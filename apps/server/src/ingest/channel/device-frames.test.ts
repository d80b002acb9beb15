import { describe, expect, it } from 'vitest'
import fc from '../../lib/testing/fast-check.ts'
import {
  type DeviceCall,
  type DeviceFrame,
  encodeAnswer,
  encodeCall,
  encodeGone,
  FrameReader,
} from './device-frames.ts'

const header = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map(code => String.fromCharCode(code)),
  maxLength: 200,
})
const call: fc.Arbitrary<DeviceCall> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  url: header,
  authorization: header,
  language: header,
  contentType: header,
  contentEncoding: header,
  httpVersion: fc.constant('1.1'),
  address: header,
  body: fc.uint8Array({ maxLength: 2_000 }).map(bytes => Buffer.from(bytes)),
})
const frame: fc.Arbitrary<DeviceFrame> = fc.oneof(
  fc.record({ type: fc.constant('call' as const), id: fc.nat(), call }),
  fc.record({ type: fc.constant('gone' as const), id: fc.nat() }),
  fc.record({
    type: fc.constant('answer' as const),
    id: fc.nat(),
    answer: fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      retryAfter: fc.nat(100),
      body: fc.string({ unit: 'grapheme' }),
    }),
  }),
)
const encode = (f: DeviceFrame): Buffer =>
  f.type === 'call' ? encodeCall(f.id, f.call) : f.type === 'gone' ? encodeGone(f.id) : encodeAnswer(f.id, f.answer)

describe('frames of device requests', () => {
  it('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }),
        (frames, cuts) => {
          const bytes = Buffer.concat(frames.map(encode))
          const seen: DeviceFrame[] = []
          const reader = new FrameReader(f => seen.push(f))
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = cuts[i % cuts.length]!
            reader.push(bytes.subarray(at, at + size))
            at += size
          }
          expect(
            seen.map(f => (f.type === 'call' ? { ...f, call: { ...f.call, body: Buffer.from(f.call.body) } } : f)),
          ).toEqual(frames)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('refuse what is none, instead of waiting for gigabytes', () => {
    expect(() => new FrameReader(() => undefined).push(Buffer.from([0xff, 0xff, 0xff, 0xff, 1]))).toThrow('not a frame')
    expect(() => new FrameReader(() => undefined).push(Buffer.from([0, 0, 0, 5, 9, 0, 0, 0, 1]))).toThrow(
      'unknown kind',
    )
  })
})
