import type { Property } from '@thingwright/thing-model/model'
import { describe, expect, it } from 'vitest'
import { sampleOf, varied } from './sample-value.ts'

const property = (dataType: object) => ({ identifier: 'a', name: 'a', access: 'r', dataType }) as unknown as Property

describe('values of a simulated device', () => {
  it.each([
    [{ type: 'bool' }, false],
    [{ type: 'int32', min: 0, max: 9 }, 5],
    [{ type: 'double', min: -40, max: 60 }, 10],
    [{ type: 'double', min: 30 }, 30],
    [{ type: 'int64' }, '20'],
    [{ type: 'enum', items: [{ value: 3 }, { value: 4 }] }, 3],
    [{ type: 'string' }, ''],
    [{ type: 'struct', fields: [] }, undefined],
  ])('%o begin with %s', (dataType, value) => expect(sampleOf(property(dataType))).toBe(value))

  it('stay within their bounds and their type while they vary', () => {
    const bounded = property({ type: 'int32', min: 0, max: 10 })
    expect(varied(bounded, 10, 1)).toBe(10)
    expect(varied(bounded, 5, 0)).toBe(5)
    expect(varied(property({ type: 'double' }), 20, 1)).toBe(21)
    expect(varied(property({ type: 'bool' }), true, 1)).toBe(true)
  })
})
