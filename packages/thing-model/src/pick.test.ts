import { describe, expect, it } from 'vitest'
import { compileModel } from './compile.ts'
import { parseModel } from './parse.ts'
import { MOST_FAULTS } from './pick.ts'

const property = (identifier: string, dataType: object, access = 'r') => ({
  identifier,
  name: identifier,
  dataType,
  access,
})
const field = (identifier: string, dataType: object, required = false) => ({
  identifier,
  name: identifier,
  dataType,
  required,
})
const parsed = parseModel({
  properties: [
    property('t', { type: 'double', min: -40, max: 125 }),
    property('n', { type: 'int32' }),
    property('list', { type: 'array', element: { type: 'int32' } }),
    property('axis', { type: 'struct', fields: [field('x', { type: 'int32' }, true), field('y', { type: 'int32' })] }),
    property('place', { type: 'geo' }),
    property('doc', { type: 'json' }),
    property('hidden', { type: 'int32' }, 'w'),
  ],
  events: [
    {
      identifier: 'alert',
      name: 'alert',
      level: 'error',
      params: [field('why', { type: 'string' }, true), field('t', { type: 'double' })],
    },
  ],
  services: [],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const model = compileModel(parsed.model)

function picked(json: string) {
  const made = model.pickProperties(JSON.parse(json), false)
  if (!made.ok) throw new Error(made.reason)
  return [made.values, ...made.faults.map(({ reason, path }) => `${reason} ${path}`)]
}

describe('of a post with bad values', () => {
  it.each([
    ['{"t":21.5,"n":null}', [{ t: 21.5 }]],
    ['{"t":21.5,"n":"x"}', [{ t: 21.5 }, 'property_type n']],
    ['{"t":999,"n":1}', [{ n: 1 }, 'property_range t']],
    ['{"t":1,"hidden":1}', [{ t: 1 }, 'property_unknown hidden']],
    ['{"t":1,"nope":1}', [{ t: 1 }, 'property_unknown nope']],
    ['{"list":[1,"x"],"n":1}', [{ n: 1 }, 'property_type list[1]']],
    ['{"axis":{"x":1,"y":"b"}}', [{ axis: { x: 1 } }, 'property_type axis.y']],
    ['{"axis":{"x":"b","y":1},"n":1}', [{ n: 1 }, 'property_type axis.x']],
    ['{"axis":{"x":1,"y":null}}', [{ axis: { x: 1 } }]],
    ['{"place":{"lng":null,"lat":null,"alt":null},"n":1}', [{ n: 1 }]],
    ['{"place":{"lng":120,"lat":30,"alt":"high"}}', [{ place: { lng: 120, lat: 30 } }, 'property_type place.alt']],
    ['{"doc":null}', [{ doc: null }]],
  ])('%s the good ones are kept and the others listed', (json, left) => expect(picked(json)).toEqual(left))

  it('lists no more than some of very many, and says how many there were', () => {
    const made = model.pickProperties(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1])), false)
    expect(made).toMatchObject({ ok: true, values: {}, faultCount: 500 })
    expect(made.ok && made.faults).toHaveLength(MOST_FAULTS)
  })

  it('an event lives without what it does not require', () => {
    expect(model.pickEvent('alert', { why: 'hot', t: 'x' })).toMatchObject({
      values: { why: 'hot' },
      faults: [{ path: 't' }],
    })
    expect(model.pickEvent('alert', { why: 1, t: 2 })).toMatchObject({
      ok: false,
      reason: 'property_type',
      path: 'why',
    })
    expect(model.pickEvent('alert', { why: null })).toMatchObject({ ok: false, path: 'why' })
  })
})
