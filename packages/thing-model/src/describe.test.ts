import { describe, expect, it } from 'vitest'
import { modelWith } from '../testing/arbitraries.ts'
import { describeType } from './describe.ts'
import { parseModel } from './parse.ts'
import { SENSOR_KINDS, sensorKind, sensorKindOf, sensorKinds } from './sensor-kinds.ts'

describe('a type in one line', () => {
  it.each([
    [{ type: 'bool' }, 'bool'],
    [{ type: 'int32', min: 0, max: 100, step: 5 }, 'int32 0..100 step 5'],
    [{ type: 'double', min: -40 }, 'double -40..'],
    [{ type: 'string', maxLength: 20 }, 'string <=20'],
    [{ type: 'enum', items: [{ value: 0, name: 'off' }, { value: 'x' }] }, 'enum(0=off, x)'],
    [{ type: 'array', element: { type: 'float' }, maxItems: 3 }, 'array<float> <=3'],
    [{ type: 'struct', fields: [{ identifier: 'a', dataType: { type: 'geo' } }] }, 'struct{a: geo}'],
    [{ type: 'file', kind: 'image' }, 'file(image)'],
  ])('%j', (dataType, line) => {
    expect(describeType(modelWith(dataType).properties[0]!.dataType)).toBe(line)
  })
})

describe('sensor kinds', () => {
  it('are eight, each a valid property and found again from it', () => {
    expect(sensorKinds().map(kind => kind.kind)).toEqual([...SENSOR_KINDS])
    for (const kind of sensorKinds()) {
      expect(parseModel({ properties: [{ identifier: 'p', name: 'P', ...kind }] })).toMatchObject({ ok: true })
      expect(sensorKindOf(kind)).toBe(kind.kind)
    }
  })
  it('are copies', () => {
    sensorKind('number').dataType = { type: 'bool' }
    expect(sensorKind('number').dataType).toEqual({ type: 'double' })
  })
  it('leave types of the full editor alone', () => {
    expect(sensorKindOf({ dataType: { type: 'json' }, access: 'r' })).toBeNull()
  })
})
