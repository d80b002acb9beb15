import { describe, expect, it } from 'vitest'
import { modelOf } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { compileModel } from './compile.ts'
import { guessType, loosen } from './loosen.ts'

const model = modelOf({
  properties: [
    ['t', { type: 'double' }],
    ['n', { type: 'int32' }],
    ['big', { type: 'int64' }],
    ['on', { type: 'bool' }],
    ['at', { type: 'date' }],
    ['mode', { type: 'enum', items: [{ value: 1 }, { value: 'auto' }] }],
    ['note', { type: 'string' }],
    ['place', { type: 'geo' }],
    ['doc', { type: 'json' }],
    ['axis', { type: 'struct', fields: [{ identifier: 'x', dataType: { type: 'double' } }] }],
    ['list', { type: 'array', element: { type: 'double' } }],
  ].map(([identifier, dataType]) => ({ identifier, dataType, access: 'r' })),
})
const { checkProperties } = compileModel(model)
const taken = (json: string, how = { unknownKeys: true, types: true }) => {
  const sent = JSON.parse(json) as unknown
  const made = loosen(model.properties, sent, how)
  const result = checkProperties(made?.values ?? sent)
  return result.ok ? { ...result.values } : result.reason
}

describe('a post of a device that is not strict', () => {
  it.each([
    ['{"t":"26.5"}', { t: 26.5 }],
    ['{"t":" 1e3 ","n":"-7","big":"2.0"}', { t: 1000, n: -7, big: 2 }],
    ['{"big":"9007199254740993"}', { big: '9007199254740993' }],
    ['{"on":"true"}', { on: true }],
    ['{"on":"FALSE"}', { on: false }],
    ['{"on":"ON"}', { on: true }],
    ['{"on":"off"}', { on: false }],
    ['{"t":null,"n":1}', { n: 1 }],
    ['{"t":"9007199254740992"}', { t: 9_007_199_254_740_992 }],
    ['{"at":"1767225600000"}', { at: 1_767_225_600_000 }],
    ['{"mode":"1"}', { mode: 1 }],
    ['{"mode":"auto"}', { mode: 'auto' }],
    ['{"note":"26.5"}', { note: '26.5' }],
    ['{"place":{"lng":"120.1","lat":"30"}}', { place: { lng: 120.1, lat: 30 } }],
    ['{"n":"5","doc":{"code":"007"}}', { n: 5, doc: { code: '007' } }],
    ['{"axis":{"x":"1"},"list":["1",2]}', { axis: { x: 1 }, list: [1, 2] }],
    ['{"t":1,"more":2,"axis":{"x":1,"y":2}}', { t: 1, axis: { x: 1 } }],
    ['{"__proto__":{"t":1},"t":1}', { t: 1 }],
  ])('%s is taken', (json, values) => expect(taken(json)).toEqual(values))

  it.each([
    ['{"t":"hot"}', 'property_type'],
    ['{"t":""}', 'property_type'],
    ['{"t":"0x10"}', 'property_type'],
    ['{"t":"1e400"}', 'property_type'],
    ['{"n":"1.5"}', 'property_type'],
    ['{"on":"maybe"}', 'property_type'],
    ['{"t":"9007199254740993"}', 'property_range'],
  ])('%s is not', (json, reason) => expect(taken(json)).toBe(reason))

  it('each looseness stands alone', () => {
    expect(taken('{"t":"1"}', { unknownKeys: true, types: false })).toBe('property_type')
    expect(taken('{"t":1,"x":1}', { unknownKeys: false, types: true })).toBe('property_unknown')
  })

  it('says what it left out, down to the field', () => {
    const made = loosen(model.properties, { a: [1], axis: { y: 'z' } }, { unknownKeys: true, types: false })
    expect(made).toEqual({
      values: { axis: {} },
      unknown: [
        ['a', [1]],
        ['axis.y', 'z'],
      ],
    })
  })

  it('whatever comes, nothing is thrown, and what needed no change is left alone', () => {
    fc.assert(
      fc.property(fc.jsonValue(), sent => {
        const before = JSON.stringify(sent)
        const made = loosen(model.properties, sent, { unknownKeys: true, types: true })
        expect(JSON.stringify(sent)).toBe(before)
        if (made) expect(loosen(model.properties, made.values, { unknownKeys: true, types: true })).toBeNull()
      }),
    )
  })
})

describe('the type of an unknown key', () => {
  it.each([
    [[1, 2.5], 'double'],
    [['26.5', '27'], 'double'],
    [[true], 'bool'],
    [['on', 'off'], 'string'],
    [[{ lng: 1, lat: 2 }], 'geo'],
    [[1, 'x'], 'json'],
    [[{ a: 1 }], 'json'],
    [[], 'json'],
  ])('%j is %s', (samples, type) => expect(guessType(samples).type).toBe(type))
})
