import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { type Points, packPoints, SegmentType, unpackPoints } from './segment-body.ts'

const numbers = (values: number[], offsets = values.map((_, i) => i * 1_000)): Points => ({
  type: SegmentType.number,
  offsets,
  values,
  quality: null,
})

const offsets = (length: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 3_599_999 }), { minLength: length, maxLength: length })
    .map(list => list.sort((a, b) => a - b))

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(v => v + 0),
  fc.integer().map(v => v / 100),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 0.1, 1e-7, 123456.7, 2 ** 50, 2 ** 53, 5e-324, 1.7976931348623157e308),
)

describe('a packed segment', () => {
  it('gives back every number bit for bit', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }).chain(v => fc.tuple(fc.constant(v), offsets(v.length))),
        ([v, o]) => {
          expect(unpackPoints(packPoints(numbers(v, o)))).toEqual(numbers(v, o))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('gives back booleans, texts and qualities', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.tuple(fc.boolean(), fc.oneof(fc.json(), fc.constant('"on"')), fc.integer({ min: 0, max: 2 })), {
            minLength: 1,
            maxLength: 40,
          })
          .chain(v => fc.tuple(fc.constant(v), offsets(v.length))),
        ([v, o]) => {
          const bools: Points = { type: SegmentType.bool, offsets: o, values: v.map(([b]) => Number(b)), quality: null }
          const texts: Points = {
            type: SegmentType.json,
            offsets: o,
            values: v.map(([, t]) => t),
            quality: v.map(([, , q]) => q),
          }
          expect(unpackPoints(packPoints(bools))).toEqual(bools)
          expect(unpackPoints(packPoints(texts))).toEqual(texts)
        },
      ),
    )
  })

  it.each([
    [
      'steady readings with one decimal place',
      numbers(Array.from({ length: 720 }, (_, i) => Math.round(215 + 20 * Math.sin(i / 30)) / 10)),
      1.1,
    ],
    [
      'jittering times',
      numbers(
        Array.from({ length: 720 }, (_, i) => i % 50),
        Array.from({ length: 720 }, (_, i) => i * 5_000 + ((i * 7_919) % 40)),
      ),
      2.2,
    ],
    ['a value that does not change', numbers(Array(720).fill(21.53)), 0.05],
    ['a switch', { ...numbers(Array.from({ length: 720 }, (_, i) => i % 2)), type: SegmentType.bool }, 0.2],
  ])('of %s takes at most the promised bytes a value', (_, points, bytes) => {
    expect(packPoints(points).length / points.offsets.length).toBeLessThan(bytes)
  })

  it('that is cut off or longer than it says is refused', () => {
    const body = packPoints(numbers([1, 2, 3]))
    expect(() => unpackPoints(Buffer.concat([body, Buffer.from([0])]))).toThrow('damaged')
    expect(() => unpackPoints(body.subarray(0, body.length - 1))).toThrow()
    expect(() => unpackPoints(Buffer.from([9, 0, 0]))).toThrow('unknown form')
  })
})
