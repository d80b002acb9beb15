import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import { describe, expect, it } from 'vitest'
import { FRESH, isWritten, samplesOf, type TemplateBody, templateOf, valuesOf } from './template-form.ts'

const view = (body: TemplateBody) =>
  ({ id: 't', code: 'c', name: 'N', description: 'D', body }) as unknown as CommandTemplateView
const full = {
  params: [
    { identifier: 'speed', name: 'Speed', dataType: { type: 'int32', min: 0, max: 9 }, default: 3 },
    { identifier: 'mode', name: 'Mode', dataType: { type: 'enum', items: [{ value: 1, name: 'x' }] }, unit: 'u' },
    { identifier: 'label', name: 'Label', dataType: { type: 'string', maxLength: 4 }, default: '12' },
  ],
  timeoutMs: 5000,
  retries: 2,
  confirm: 'reply',
  danger: { level: 'pin', text: 'Sure?', roleIds: ['r'] },
  interlock: [
    { identifier: 'p', operator: 'lt', value: 2 },
    { identifier: 'm', operator: 'eq', value: 'auto' },
  ],
  expects: { prefix: '0106', minLength: 8, carriesData: true },
} as unknown as Omit<TemplateBody, 'payload'>

describe('a template in its form', () => {
  it.each([
    { kind: 'hex', template: '01 {{speed:uint8}}', checksum: 'crc16_modbus_lohi', checksumFrom: 1, tail: '0d0a' },
    { kind: 'text', template: 'SET {{speed}}\\r\\n' },
    { kind: 'json', template: { a: '{{speed}}' } },
    { kind: 'property_set', values: { a: '{{speed}}' } },
    { kind: 'service', identifier: 's', values: { b: 1 } },
    { kind: 'modbus', function: 6, address: 16, framing: 'rtu', slave: 3, data: '{{speed:uint16be}}' },
  ] as TemplateBody['payload'][])('comes out as it went in: $kind', payload => {
    const body = { ...full, payload }
    const out = templateOf(valuesOf(view(body)), body)
    expect(out).toMatchObject({ code: 'c', name: 'N', description: 'D' })
    expect(JSON.parse(JSON.stringify(out.body))).toEqual(body)
  })

  it('begins with what is usual and says nothing of what was not asked', () => {
    expect(templateOf({ ...FRESH, code: 'a', name: 'A', template: '01' }).body).toEqual({
      params: [],
      payload: { kind: 'hex', template: '01' },
      retries: 0,
    })
  })

  it('is looked at with parameters that fit', () => {
    expect(samplesOf({ ...full, payload: { kind: 'text', template: 'x' } } as TemplateBody)).toEqual({ mode: 0 })
  })

  it('is looked at as soon as there is something', () => {
    const of = (payload: TemplateBody['payload'], params: TemplateBody['params'] = []) => isWritten({ params, payload })
    expect(of({ kind: 'hex', template: ' ' })).toBe(false)
    expect(of({ kind: 'hex', template: '01' })).toBe(true)
    expect(of({ kind: 'modbus', function: 6, address: 0 })).toBe(false)
    expect(of({ kind: 'modbus', function: 3, address: 0 })).toBe(true)
    expect(of({ kind: 'service', identifier: '', values: {} })).toBe(false)
    expect(of({ kind: 'json', template: {} })).toBe(true)
    expect(of({ kind: 'hex', template: '01' }, [templateOf({ ...FRESH, params: [{}] }).body.params[0]!])).toBe(false)
  })
})
