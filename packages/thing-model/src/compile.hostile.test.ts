import { describe, expect, it } from 'vitest'
import { anyDataType, modelOf, modelWith, validValue } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { compileModel } from './compile.ts'
import { defaultValue } from './default-value.ts'
import { DATA_TYPES, LIMITS } from './model.ts'

const REPORTED = DATA_TYPES.filter(type => type !== 'password')

/** One property of every type that can be reported, named after it. */
const everything = compileModel(
  modelOf({
    // A password cannot be reported.
    properties: REPORTED.map(type => ({
      identifier: `p_${type}`,
      dataType: {
        type,
        items: [{ value: 1 }],
        fields: [{ identifier: 'f', dataType: { type: 'json' } }],
        element: { type: 'json' },
      },
      access: 'rw',
    })),
  }),
)

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + close.repeat(depth))

describe('hostile values', () => {
  const hostile: [string, unknown][] = [
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['10,000 nested arrays', nested(10_000, '[', ']')],
    ['10,000 nested objects', JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)],
    ['NUL', '\0'],
    ['half a pair', '\ud800'],
    ['own __proto__', JSON.parse('{"__proto__":{"polluted":true}}')],
    ['bigint', 1n],
    ['function', () => 1],
    ['symbol', Symbol('x')],
    ['undefined', undefined],
  ]
  it.each(hostile)('%s is refused by every type', (_name, value) => {
    for (const type of REPORTED) {
      expect(everything.checkProperties({ [`p_${type}`]: value }), type).toMatchObject({ ok: false })
    }
  })

  it('nesting in a json value stops at the limit, not one level before', () => {
    const model = compileModel(modelWith({ type: 'json' }))
    expect(model.checkProperties({ p: nested(LIMITS.jsonDepth, '[', ']') })).toMatchObject({ ok: true })
    expect(model.checkProperties({ p: nested(LIMITS.jsonDepth + 1, '[', ']') })).toMatchObject({ reason: 'too_large' })
  })

  it('10,000 unknown keys are refused at the first', () => {
    const values = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]))
    expect(everything.checkProperties(values)).toMatchObject({ reason: 'property_unknown', path: 'k0' })
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', ''])(
    'the key "%s" is unknown and pollutes nothing',
    key => {
      const values = JSON.parse(`{${JSON.stringify(key)}:{"polluted":true}}`) as unknown
      expect(everything.checkProperties(values)).toMatchObject({ reason: 'property_unknown' })
      expect(everything.checkPropertySet(values)).toMatchObject({ reason: 'property_unknown' })
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )

  it('the refusal itself can be stored, whatever the key was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), key => {
        const result = everything.checkProperties({ [key]: 1 })
        if (result.ok) return
        expect(result.path.includes('\0')).toBe(false)
        expect(result.path.isWellFormed()).toBe(true)
        expect(result.path.length).toBeLessThan(600)
      }),
    )
  })

  it('nothing that JSON can carry makes a checker throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...REPORTED.map(type => `p_${type}`)), fc.jsonValue()), values => {
        expect(typeof everything.checkProperties(values).ok).toBe('boolean')
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('for every type', () => {
  const typedValue = anyDataType.chain(dataType => fc.tuple(fc.constant(dataType), validValue(dataType)))

  it('a value in normal form is stored exactly as sent', () => {
    fc.assert(
      fc.property(typedValue, ([dataType, value]) => {
        const sent = JSON.stringify({ p: value })
        const result = compileModel(modelWith(dataType)).checkProperties(JSON.parse(sent))
        expect(result.ok && JSON.stringify(result.values), JSON.stringify([dataType, result])).toBe(sent)
      }),
      { numRuns: 500 },
    )
  })

  it('what was taken once is taken again unchanged, and its text can be stored', () => {
    fc.assert(
      fc.property(anyDataType, fc.jsonValue(), (dataType, value) => {
        const model = compileModel(modelWith(dataType))
        const first = model.checkProperties({ p: value })
        if (!first.ok) return
        const again = model.checkProperties(first.values)
        expect(again.ok && again.values).toBe(first.values)
        expect(JSON.stringify(first.values)).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('the default value passes the checker', () => {
    fc.assert(
      fc.property(anyDataType, dataType => {
        const result = compileModel(modelWith(dataType)).checkProperties({ p: defaultValue(dataType) })
        expect(result, JSON.stringify(dataType)).toMatchObject({ ok: true })
      }),
    )
  })
})
