import { describe, expect, it } from 'vitest'
import { modelOf, modelWith } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { compileModel } from './compile.ts'
import { alongLine, MASK, mapDown, mapNumber, maskSecrets, reversed } from './mapping.ts'

const line = { x1: 0, y1: 0, x2: 4095, y2: 100 }

describe('a linear mapping', () => {
  it.each([
    [{ x1: 0, y1: 0, x2: 1000, y2: 100 }, 235, 23.5],
    [{ x1: 4, y1: 0, x2: 20, y2: 1.6 }, 12, 0.8],
    [{ x1: 0, y1: 100, x2: 100, y2: 0 }, 30, 70],
    // Beyond its two points the line goes on.
    [{ x1: 0, y1: 0, x2: 10, y2: 1 }, 30, 3],
    [{ x1: 0, y1: 0, x2: 3, y2: 0.3 }, 1, 0.1],
  ])('%j of %d is %d, without noise in the last digits', (map, x, y) => {
    expect(alongLine(map, x)).toBe(y)
  })

  it('rounds for whole types and leaves what is no number to the check', () => {
    expect(mapNumber(line, { type: 'int32' }, 2048)).toBe(50)
    expect(mapNumber(line, { type: 'double' }, 2047.5)).toBe(50)
    expect(mapNumber(line, { type: 'double' }, '7')).toBe('7')
    expect(mapNumber(line, { type: 'double' }, null)).toBe(null)
  })

  it('walked back and forth gives what went in', () => {
    const coordinate = fc.integer({ min: -100_000, max: 100_000 }).map(n => n / 10)
    fc.assert(
      fc.property(coordinate, coordinate, coordinate, coordinate, coordinate, (x1, y1, x2, y2, x) => {
        fc.pre(Math.abs(x1 - x2) > 1 && Math.abs(y1 - y2) > 1)
        const map = { x1, y1, x2, y2 }
        const back = alongLine(reversed(map), alongLine(map, x))
        expect(Math.abs(back - x)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(x), Math.abs(x1), Math.abs(x2)))
      }),
    )
  })
})

describe('a property set on its way down', () => {
  const model = modelOf({
    properties: [
      {
        identifier: 'valve',
        dataType: { type: 'double' },
        access: 'rw',
        mapping: { up: line, down: { x1: 0, y1: 0, x2: 100, y2: 4095 } },
      },
      { identifier: 'read', dataType: { type: 'double' }, access: 'rw', mapping: { up: line } },
      { identifier: 'on', dataType: { type: 'bool' }, access: 'rw' },
    ],
  })

  it('maps what has a downward line, and nothing else', () => {
    const params = { valve: 50, read: 50, on: true, other: 1 }
    const expected = { valve: 2047.5, read: 50, on: true, other: 1 }
    expect(mapDown(model, params)).toEqual(expected)
    expect(mapDown(compileModel(model), params)).toEqual(expected)
    expect(params.valve).toBe(50)
  })

  it('is the same object when nothing is mapped', () => {
    const params = { on: true }
    expect(mapDown(model, params)).toBe(params)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('valve', 'read', 'on', '__proto__'), fc.jsonValue()), params => {
        expect(typeof mapDown(model, params)).toBe('object')
      }),
    )
  })
})

describe('a password', () => {
  it('may be set and never reported', () => {
    const model = compileModel(modelWith({ type: 'password' }, 'w'))
    expect(model.checkPropertySet({ p: 'geheim' })).toMatchObject({ ok: true })
    expect(model.checkProperties({ p: 'geheim' })).toMatchObject({ reason: 'property_unknown' })
  })

  it('is masked wherever it stands', () => {
    const fields = [
      { identifier: 'wifi', dataType: { type: 'struct' as const, fields: modelWithFields() } },
      { identifier: 'n', dataType: { type: 'int32' as const } },
    ]
    expect(maskSecrets(fields, { wifi: { ssid: 'a', key: 'b' }, n: 1, extra: 2 })).toEqual({
      wifi: { ssid: 'a', key: MASK },
      n: 1,
      extra: 2,
    })
    expect(maskSecrets(fields, null)).toBe(null)
  })
})

function modelWithFields() {
  return [
    { identifier: 'ssid', name: 's', dataType: { type: 'string' as const } },
    { identifier: 'key', name: 'k', dataType: { type: 'password' as const } },
  ]
}
