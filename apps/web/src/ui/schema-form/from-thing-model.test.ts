import { type DataType, defaultValue, parseModel } from '@thingwright/thing-model'
import { expect, it } from 'vitest'
import { fieldOfType, fieldsOfParams } from './from-thing-model.ts'
import { validateField } from './validate.ts'

const field = (type: unknown, more = {}) => {
  const parsed = parseModel({ properties: [{ identifier: 'p', name: 'p', access: 'rw', dataType: type }] })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return fieldOfType({ key: 'p', label: 'P', ...more }, parsed.model.properties[0]!.dataType, { english: true })
}

it('gives each data type its control with its bounds and unit', () => {
  expect(field({ type: 'double', min: 0, max: 5, step: 0.5 }, { unit: 'm' })).toMatchObject({
    kind: 'number',
    min: 0,
    max: 5,
    step: 0.5,
    unit: 'm',
  })
  expect(field({ type: 'int32' })).toMatchObject({ kind: 'number', integer: true, min: -2147483648, max: 2147483647 })
  expect(field({ type: 'int64', max: '9007199254740993' })).toMatchObject({ kind: 'int64', max: '9007199254740993' })
  expect(field({ type: 'string', maxLength: 7 }, { widget: 'color' })).toMatchObject({ kind: 'color' })
  expect(field({ type: 'array', element: { type: 'geo' }, maxItems: 3 })).toMatchObject({
    kind: 'array',
    maxItems: 3,
    element: { kind: 'geo' },
  })
})

it('speaks the language that is shown, else the one there is', () => {
  const items = [
    { value: 0, name: '关', ename: 'Off' },
    { value: 1, name: '开' },
  ]
  expect(field({ type: 'enum', items })).toMatchObject({ options: [{ label: 'Off' }, { label: '开' }] })
  const [param] = fieldsOfParams(
    [{ identifier: 'n', name: '数量', dataType: { type: 'int32' }, unit: '个', required: true }],
    { english: true },
  )
  expect(param).toMatchObject({ key: 'n', label: '数量', required: true, unit: '个' })
})

it.each<DataType>([
  { type: 'bool' },
  { type: 'int32', min: 5, max: 9 },
  { type: 'int64', min: '9007199254740993' },
  { type: 'float' },
  { type: 'double', max: -1 },
  { type: 'string', maxLength: 3 },
  { type: 'enum', items: [{ value: 'a', name: 'A' }] },
  { type: 'date' },
  { type: 'geo' },
  { type: 'json' },
  { type: 'bytes' },
  { type: 'array', element: { type: 'string' } },
  { type: 'struct', fields: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, required: true }] },
])('accepts the value a $type begins with', type => {
  const given = fieldOfType({ key: 'p', label: 'P' }, type, { english: false })
  expect([...validateField(given, defaultValue(type), 'p')]).toEqual([])
})
