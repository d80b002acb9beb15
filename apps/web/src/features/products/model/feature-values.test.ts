import { type DataType, parseModel } from '@thingwright/thing-model'
import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { outgoing, validateFields } from '../../../ui/schema-form/validate.ts'
import { eventFields, propertyFields, serviceFields } from './feature-fields.ts'
import { eventValues, propertyValues, readEvent, readProperty, readService, serviceValues } from './feature-values.ts'

const t = ((key: string) => key) as unknown as TFunction<'products'>
const TYPES: DataType[] = [
  { type: 'bool', trueText: '开', falseText: '关', trueEtext: 'on' },
  { type: 'int32', min: 0, max: 100, step: 5 },
  { type: 'int64', min: '-9007199254740993', max: 5 },
  { type: 'float' },
  { type: 'double', min: -1.5, max: 1.5 },
  { type: 'string', maxLength: 12 },
  {
    type: 'enum',
    items: [
      { value: 1, name: '低' },
      { value: 2, name: '高', ename: 'high' },
    ],
  },
  {
    type: 'enum',
    items: [
      { value: '01', name: 'a' },
      { value: 'b', name: 'b' },
    ],
  },
  { type: 'date' },
  { type: 'geo' },
  { type: 'file', kind: 'image' },
  { type: 'json' },
  { type: 'bytes', maxLength: 4 },
  { type: 'array', element: { type: 'array', element: { type: 'int32', min: 1 } }, maxItems: 3 },
  {
    type: 'struct',
    fields: [
      { identifier: 'a', name: 'a', dataType: { type: 'enum', items: [{ value: 0, name: 'z' }] }, required: true },
      {
        identifier: 'b',
        name: 'b',
        dataType: { type: 'struct', fields: [{ identifier: 'c', name: 'c', dataType: { type: 'double' }, unit: 'm' }] },
      },
    ],
  },
]
const params = TYPES.map((dataType, at) => ({
  identifier: `p${at}`,
  name: `n${at}`,
  dataType,
  ...(at % 2 ? { required: true } : {}),
}))
const parsed = parseModel({
  properties: TYPES.map((dataType, at) => ({
    identifier: `p${at}`,
    name: `n${at}`,
    dataType,
    access: 'rw',
    ...(at === 4 ? { unit: 'm', decimals: 2, history: false, required: true, group: 'g', description: 'd' } : {}),
  })),
  events: [{ identifier: 'e', name: 'e', level: 'warning', params }],
  services: [{ identifier: 's', name: 's', async: true, danger: true, timeoutMs: 1500, input: params, output: params }],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const { model } = parsed

describe('editing a part of a model in its form changes nothing that was not touched', () => {
  it.each(model.properties.map(p => [p.dataType.type, p] as const))('property of type %s', (_, property) => {
    const fields = propertyFields(t, [])
    const values = propertyValues(property)
    expect([...validateFields(fields, values)]).toEqual([])
    const again = parseModel({ properties: [readProperty(outgoing(fields, values))] })
    expect(again).toMatchObject({ ok: true })
    if (again.ok) expect(again.model.properties[0]).toEqual(property)
  })

  it('event', () => {
    const fields = eventFields(t, [])
    const again = parseModel({ events: [readEvent(outgoing(fields, eventValues(model.events[0]!)))] })
    if (!again.ok) throw new Error(JSON.stringify(again.problems))
    expect(again.model.events[0]).toEqual(model.events[0])
  })

  it('service', () => {
    const fields = serviceFields(t, [])
    const again = parseModel({ services: [readService(outgoing(fields, serviceValues(model.services[0]!)))] })
    if (!again.ok) throw new Error(JSON.stringify(again.problems))
    expect(again.model.services[0]).toEqual(model.services[0])
  })
})

describe('the form of a property', () => {
  const fields = propertyFields(t, ['taken'])
  const complaint = (identifier: string) =>
    validateFields(fields, { name: 'n', identifier, access: 'r', dataType: { type: 'bool' } }).get('identifier')

  it('refuses identifiers that are taken, reserved or malformed', () => {
    expect(complaint('taken')).toEqual({ text: 'problem.identifier_duplicate' })
    expect(complaint('values')).toEqual({ text: 'problem.identifier_reserved' })
    expect(complaint('1a')).toEqual({ text: 'problem.identifier_invalid' })
    expect(complaint('fine')).toBeUndefined()
  })

  it('forgets the settings of a type that is no longer chosen', () => {
    const values = { ...propertyValues(model.properties[1]!), dataType: { type: 'string', min: 0, max: 9 } }
    expect(readProperty(outgoing(fields, values)).dataType).toEqual({ type: 'string' })
  })
})
