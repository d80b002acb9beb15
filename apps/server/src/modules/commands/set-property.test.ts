import type { Property } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { type ToolContext, ToolProblem, ToolQuestion } from '../../lib/tools/tools.ts'
import { propertyToSet } from './set-property.ts'

const t = {
  locale: 'en',
  say: (key: string, values?: Record<string, unknown>) => `${key} ${JSON.stringify(values)}`,
} as unknown as ToolContext

function property(identifier: string, name: string, over: Partial<Property> = {}): Property {
  return { identifier, name, access: 'rw', dataType: { type: 'bool' }, ...over } as Property
}
const number = { dataType: { type: 'float' } } as Partial<Property>

const chosen = (properties: Property[], text: string | undefined, value: unknown) =>
  propertyToSet(t, properties, text, 'Pump 1', value).identifier
const refusal = (properties: Property[], text: string | undefined, value: unknown) => {
  try {
    return chosen(properties, text, value)
  } catch (error) {
    return error
  }
}

describe('what is switched when nobody names it', () => {
  const lamp = property('lamp', 'Lamp')
  const level = property('level', 'Level', number)

  it('is the only switch, beside whatever else can be set', () => {
    for (const nothing of [undefined, '', '  '])
      expect(chosen([level, lamp], nothing, 'on'), `"${nothing}"`).toBe('lamp')
  })

  it('is of several the one whose identifier means the device itself, the likeliest first', () => {
    expect(chosen([lamp, property('relay', 'Relay'), property('power', 'Main')], undefined, 'on')).toBe('power')
    expect(chosen([lamp, property('relay', 'Relay'), property('switch', 'Main')], undefined, 'on')).toBe('switch')
    expect(chosen([lamp, property('On_Off', 'Main')], undefined, 'off')).toBe('On_Off')
    for (const word of ['onoff', 'state', 'relay', 'enable', 'running'])
      expect(chosen([lamp, property(word, 'Main')], undefined, true), word).toBe(word)
  })

  it('is asked for when several could be meant and none of them means the device', () => {
    expect(refusal([lamp, property('fan', 'Fan')], undefined, 'on')).toBeInstanceOf(ToolQuestion)
  })

  it('is none that only reports', () => {
    expect(chosen([property('power', 'Main', { access: 'r' }), lamp], undefined, 'on')).toBe('lamp')
  })

  it('is nothing when the value switches nothing', () => {
    expect(chosen([level], undefined, '22')).toBe('level')
    expect(refusal([property('power', 'Main'), level], undefined, '22')).toBeInstanceOf(ToolQuestion)
  })
})

describe('what is set by its name', () => {
  const measured = property('temperature', 'Temperature', { ...number, access: 'r' })
  const wanted = property('target_temperature', 'Target temperature', number)

  it('is the wanted one where what is measured has the name', () => {
    expect(chosen([measured, wanted], 'temperature', 20)).toBe('target_temperature')
  })

  it('cannot be what is only measured', () => {
    const refused = refusal([measured, property('lamp', 'Lamp')], 'temperature', 20)
    expect(refused).toBeInstanceOf(ToolProblem)
    expect((refused as Error).message).toContain('readOnly')
  })
})
