import { describe, expect, it } from 'vitest'
import { modelOf } from '../testing/arbitraries.ts'
import { diffModels } from './diff.ts'

const one = (fields: object) =>
  modelOf({ properties: [{ identifier: 'p', name: 'P', dataType: { type: 'double' }, access: 'rw', ...fields }] })
const service = (fields: object) => modelOf({ services: [{ identifier: 's', name: 'S', ...fields }] })
const param = (identifier: string, required = false) => ({ identifier, dataType: { type: 'bool' }, required })
const enumOf = (...values: number[]) => ({ dataType: { type: 'enum', items: values.map(value => ({ value })) } })

describe('the difference of two models', () => {
  it('is empty for equal models, whatever the order', () => {
    const properties = [
      { identifier: 'a', dataType: { type: 'bool' } },
      { identifier: 'b', dataType: { type: 'bool' } },
    ]
    expect(diffModels(modelOf({ properties }), modelOf({ properties: properties.toReversed() }))).toEqual({
      added: [],
      removed: [],
      changed: [],
      breaking: false,
    })
  })

  it('tells added from removed, by kind', () => {
    const a = modelOf({ properties: [{ identifier: 'x', dataType: { type: 'bool' } }] })
    const b = modelOf({ events: [{ identifier: 'x', level: 'info' }] })
    const diff = diffModels(a, b)
    expect(diff.removed).toMatchObject([{ kind: 'property', identifier: 'x', breaking: ['removed'] }])
    expect(diff.added).toMatchObject([{ kind: 'event', identifier: 'x', breaking: [] }])
    expect(diff.breaking).toBe(true)
  })

  it.each([
    ['a new name', one({}), one({ name: 'Q' }), ['name'], []],
    ['a new unit', one({}), one({ unit: 'm' }), ['unit'], []],
    ['a wider range', one({}), one({ dataType: { type: 'double', max: 5 } }), ['dataType'], []],
    ['another type', one({}), one({ dataType: { type: 'int32' } }), ['dataType'], ['type_changed']],
    ['an enum value more', one(enumOf(1)), one(enumOf(1, 2)), ['dataType'], []],
    ['an enum value less', one(enumOf(1, 2)), one(enumOf(1)), ['dataType'], ['enum_value_removed']],
    ['less access', one({}), one({ access: 'r' }), ['access'], ['access_narrowed']],
    ['more access', one({ access: 'r' }), one({ access: 'rw' }), ['access'], []],
    [
      'another element',
      one({ dataType: { type: 'array', element: { type: 'bool' } } }),
      one({ dataType: { type: 'array', element: { type: 'json' } } }),
      ['dataType'],
      ['type_changed'],
    ],
    [
      'a field less',
      one({ dataType: { type: 'struct', fields: [param('a'), param('b')] } }),
      one({ dataType: { type: 'struct', fields: [param('a')] } }),
      ['dataType'],
      ['removed'],
    ],
    ['an optional input more', service({}), service({ input: [param('a')] }), ['input'], []],
    ['a required input more', service({}), service({ input: [param('a', true)] }), ['input'], ['param_required']],
    ['a required output more', service({}), service({ output: [param('a', true)] }), ['output'], []],
  ])('%s', (_name, a, b, attributes, breaking) => {
    const diff = diffModels(a, b)
    expect(diff.changed).toMatchObject([{ change: 'changed', attributes, breaking }])
    expect(diff.breaking).toBe(breaking.length > 0)
  })
})
