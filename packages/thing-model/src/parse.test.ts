import { describe, expect, it } from 'vitest'
import { anyDataType, modelOf, modelWith } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { emptyModel, LIMITS } from './model.ts'
import { parseModel } from './parse.ts'

const property = (fields: object) => ({
  properties: [{ identifier: 'p', name: 'p', dataType: { type: 'double' }, access: 'r', ...fields }],
})
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ identifier: `p${i}`, dataType: { type: 'bool' } }))
const structOf = (depth: number): object =>
  depth === 0
    ? { type: 'bool' }
    : { type: 'struct', fields: [{ identifier: 'f', name: 'f', dataType: structOf(depth - 1) }] }
const arrayOf = (depth: number): object =>
  depth === 0 ? { type: 'bool' } : { type: 'array', element: arrayOf(depth - 1) }

/** `path code` of every problem. */
function problems(input: unknown): string[] {
  const result = parseModel(input)
  return result.ok ? [] : result.problems.map(problem => `${problem.path} ${problem.code}`)
}

describe('a thing model', () => {
  it('may be empty', () => {
    expect(parseModel({})).toEqual({ ok: true, model: emptyModel() })
  })

  it('gets its defaults and loses what we do not know', () => {
    expect(modelOf({ properties: [{ identifier: 't', dataType: { type: 'double', foo: 1 }, bar: 2 }] })).toEqual({
      properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }],
      events: [],
      services: [],
    })
  })

  it('keeps every attribute', () => {
    const model = {
      properties: [
        {
          identifier: 'speed',
          name: '转速',
          ename: 'Speed',
          dataType: { type: 'int32', min: 0, max: 3000, step: 10 },
          unit: 'rpm',
          decimals: 0,
          access: 'rw',
          required: true,
          group: 'motor',
          sort: 3,
          icon: '<svg/>',
          widget: 'slider',
          history: false,
          description: 'd',
        },
      ],
      events: [{ identifier: 'e', name: 'E', ename: 'E', level: 'error', params: [], description: 'd' }],
      services: [
        {
          identifier: 's',
          name: 'S',
          async: true,
          timeoutMs: 5000,
          danger: true,
          input: [{ identifier: 'a', name: 'A', dataType: { type: 'bytes', maxLength: 4 }, required: true }],
          output: [],
        },
      ],
    }
    expect(parseModel(model)).toEqual({ ok: true, model })
  })

  it('reads its own output back unchanged, for every type', () => {
    fc.assert(
      fc.property(anyDataType, dataType => {
        const model = modelWith(dataType)
        expect(parseModel(JSON.parse(JSON.stringify(model)))).toEqual({ ok: true, model })
      }),
      { numRuns: 300 },
    )
  })

  it('holds exactly 500 properties', () => {
    expect(problems({ properties: many(LIMITS.properties) })).toEqual([])
    expect(problems({ properties: many(LIMITS.properties + 1) })).toEqual(['properties too_many'])
  })

  it('nests structs and arrays three deep', () => {
    expect(problems(property({ dataType: structOf(3) }))).toEqual([])
    expect(problems(property({ dataType: structOf(4) }))).toEqual([
      'properties[0].dataType.fields[0].dataType.fields[0].dataType.fields[0].dataType struct_too_deep',
    ])
    expect(problems(property({ dataType: arrayOf(3) }))).toEqual([])
    expect(problems(property({ dataType: arrayOf(4) })).join()).toContain('array_too_deep')
  })

  it('stops at the limit of a type nested 10,000 deep', () => {
    const deep = JSON.parse(
      `${'{"type":"array","element":'.repeat(10_000)}{"type":"bool"}${'}'.repeat(10_000)}`,
    ) as object
    expect(problems(property({ dataType: deep }))).toHaveLength(1)
  })
})

describe('what is wrong with a model is said with its place', () => {
  it.each([
    ['not an object', 5, ' not_object'],
    ['an array', [], ' not_object'],
    ['properties no list', { properties: {} }, 'properties not_array'],
    ['property no object', { properties: [1] }, 'properties[0] not_object'],
    [
      'identifier missing',
      { properties: [{ dataType: { type: 'bool' } }] },
      'properties[0].identifier identifier_invalid',
    ],
    ['identifier with a digit first', property({ identifier: '1a' }), 'properties[0].identifier identifier_invalid'],
    ['identifier of 65', property({ identifier: 'a'.repeat(65) }), 'properties[0].identifier identifier_invalid'],
    ['identifier with a line break', property({ identifier: 'a\n' }), 'properties[0].identifier identifier_invalid'],
    ['identifier __proto__', property({ identifier: '__proto__' }), 'properties[0].identifier identifier_reserved'],
    ['identifier of the envelope', property({ identifier: 'values' }), 'properties[0].identifier identifier_reserved'],
    ['identifier twice', { properties: [...many(2), ...many(1)] }, 'properties[2].identifier identifier_duplicate'],
    ['name empty', property({ name: '' }), 'properties[0].name text_missing'],
    ['name too long', property({ name: 'n'.repeat(65) }), 'properties[0].name text_too_long'],
    ['name with NUL', property({ name: 'a\0' }), 'properties[0].name text_not_storable'],
    ['name no text', property({ name: 1 }), 'properties[0].name not_text'],
    ['type missing', property({ dataType: {} }), 'properties[0].dataType.type type_unknown'],
    ['type inherited', property({ dataType: { type: 'toString' } }), 'properties[0].dataType.type type_unknown'],
    ['access', property({ access: 'x' }), 'properties[0].access choice_unknown'],
    ['decimals', property({ decimals: 1.5 }), 'properties[0].decimals not_integer'],
    ['history', property({ history: 1 }), 'properties[0].history not_boolean'],
    ['min NaN', property({ dataType: { type: 'double', min: Number.NaN } }), 'properties[0].dataType.min not_number'],
    [
      'min above max',
      property({ dataType: { type: 'int32', min: 2, max: 1 } }),
      'properties[0].dataType.min range_reversed',
    ],
    ['step 0', property({ dataType: { type: 'int32', step: 0 } }), 'properties[0].dataType.step number_out_of_range'],
    [
      'int64 bound unsafe',
      property({ dataType: { type: 'int64', max: 2 ** 53 } }),
      'properties[0].dataType.max not_integer',
    ],
    ['enum without items', property({ dataType: { type: 'enum' } }), 'properties[0].dataType.items items_missing'],
    [
      'enum value twice',
      property({ dataType: { type: 'enum', items: [{ value: 1 }, { value: 1 }] } }),
      'properties[0].dataType.items[1].value item_duplicate',
    ],
    [
      'enum value a bool',
      property({ dataType: { type: 'enum', items: [{ value: true }] } }),
      'properties[0].dataType.items[0].value item_value',
    ],
    [
      'struct without fields',
      property({ dataType: { type: 'struct' } }),
      'properties[0].dataType.fields items_missing',
    ],
    ['array without element', property({ dataType: { type: 'array' } }), 'properties[0].dataType.element not_object'],
    ['event level', { events: [{ identifier: 'e', level: 'fatal' }] }, 'events[0].level choice_unknown'],
    [
      'service time-out',
      { services: [{ identifier: 's', timeoutMs: 1 }] },
      'services[0].timeoutMs number_out_of_range',
    ],
  ])('%s', (_name, input, problem) => {
    expect(problems(input)).toEqual([problem])
  })

  it('lists several problems at once, and at most 100', () => {
    expect(problems({ properties: [1, 2] })).toEqual(['properties[0] not_object', 'properties[1] not_object'])
    expect(problems({ properties: Array.from({ length: 500 }, () => 0) })).toHaveLength(100)
  })

  it('throws at nothing', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 6 }), input => {
        expect(typeof parseModel(input).ok).toBe('boolean')
        expect(typeof parseModel({ properties: [{ identifier: 'a', dataType: input }] }).ok).toBe('boolean')
      }),
      { numRuns: 500 },
    )
  })
})
