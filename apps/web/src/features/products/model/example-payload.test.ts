import { compileModel, type DataType, parseModel } from '@thingwright/thing-model'
import { expect, it } from 'vitest'
import { exampleEvent, examplePosts, exampleValue } from './example-payload.ts'

const TYPES: DataType[] = [
  { type: 'bool' },
  { type: 'int32' },
  { type: 'int32', min: 5, max: 6 },
  { type: 'int32', max: -5 },
  { type: 'int32', min: 1000 },
  { type: 'int64' },
  { type: 'int64', min: '9007199254740993' },
  { type: 'float', min: -1, max: 1 },
  { type: 'double' },
  { type: 'double', max: -40 },
  { type: 'double', min: 500 },
  { type: 'string', maxLength: 1 },
  { type: 'enum', items: [{ value: 'a', name: 'A' }] },
  { type: 'date' },
  { type: 'geo' },
  { type: 'file' },
  { type: 'json' },
  { type: 'bytes' },
  { type: 'array', element: { type: 'int32', max: 3 } },
  { type: 'struct', fields: [{ identifier: 'n', name: 'n', dataType: { type: 'bool' }, required: true }] },
]

const modelOf = (types: DataType[]) => {
  const parsed = parseModel({
    properties: types.map((dataType, at) => ({ identifier: `p${at}`, name: 'p', dataType, access: 'r' })),
    events: [
      {
        identifier: 'e',
        name: 'e',
        params: types.map((dataType, at) => ({ identifier: `q${at}`, name: 'q', dataType })),
      },
    ],
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.model
}

it('examples of every data type are taken by the model they are made from', () => {
  const model = modelOf(TYPES)
  const compiled = compileModel(model)
  const { plain, timed } = examplePosts(model, 1_767_225_600_000)
  expect(compiled.checkProperties(plain)).toMatchObject({ ok: true })
  expect(Object.keys(plain as object)).toHaveLength(TYPES.length)
  expect((timed as { values: unknown }).values).toEqual(plain)
  const event = exampleEvent(model.events[0]!, 1) as { params: unknown }
  expect(compiled.checkEvent('e', event.params)).toMatchObject({ ok: true })
})

it('whole numbers stay whole and bounds are kept', () => {
  expect(exampleValue({ type: 'int32', min: 0, max: 3 })).toBe(2)
  expect(exampleValue({ type: 'double', min: 0, max: 10 }, 0)).toBe(8)
  expect(exampleValue({ type: 'double', min: 0, max: 10 })).toBe(7.5)
})

it('write-only properties are not in a post', () => {
  const parsed = parseModel({ properties: [{ identifier: 'w', name: 'w', access: 'w', dataType: { type: 'bool' } }] })
  if (!parsed.ok) throw new Error('model')
  expect(examplePosts(parsed.model, 0).plain).toEqual({})
})
