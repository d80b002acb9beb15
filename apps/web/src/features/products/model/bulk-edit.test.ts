import { type Property, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { bulkEdit, movedTo } from './bulk-edit.ts'

const parsed = parseModel({
  properties: [
    { identifier: 'a', dataType: { type: 'double' }, history: false },
    { identifier: 'b', dataType: { type: 'string' } },
    { identifier: 'c', dataType: { type: 'double' }, group: 'g' },
  ],
})
if (!parsed.ok) throw new Error('model')
const { model } = parsed
const edit = (change: Parameters<typeof bulkEdit>[2], ...identifiers: string[]) => {
  const { model: next, skipped } = bulkEdit(model, identifiers, change)
  return { skipped, of: (id: string) => next.properties.find(p => p.identifier === id) as Property }
}

describe('a change of many properties', () => {
  it('touches only the chosen ones and only what is named', () => {
    const { of } = edit({ group: 'tank', history: true }, 'a', 'b')
    expect(of('a')).toEqual({ ...model.properties[0], group: 'tank', history: undefined })
    expect('history' in of('a')).toBe(false)
    expect(of('b').group).toBe('tank')
    expect(of('c')).toBe(model.properties[2])
  })

  it('takes a field away with an empty text, and gives units to numbers alone', () => {
    expect(edit({ group: '' }, 'c').of('c').group).toBeUndefined()
    const { of } = edit({ unit: 'V' }, 'a', 'b')
    expect([of('a').unit, of('b').unit]).toEqual(['V', undefined])
  })

  it('leaves alone what cannot take it, and says how many', () => {
    const { of, skipped } = edit({ store: { mode: 'deadband', band: 1 } }, 'a', 'b', 'c')
    expect(skipped).toBe(1)
    expect(of('a').store).toEqual({ mode: 'deadband', band: 1 })
    expect(of('b').store).toBeUndefined()
  })
})

describe('an item dragged', () => {
  it.each([
    [0, 2, 'bac'],
    [0, 3, 'bca'],
    [2, 0, 'cab'],
    [1, 1, 'abc'],
    [1, 2, 'abc'],
    [9, 0, 'abc'],
  ])('from %d in front of %d', (from, to, order) => {
    expect(movedTo(['a', 'b', 'c'], from, to).join('')).toBe(order)
  })
})
