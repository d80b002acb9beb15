import { describe, expect, it } from 'vitest'
import { modelOf } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { applyOverlay, type ModelOverlay, overlaySize, parseOverlay } from './overlay.ts'

const model = modelOf({
  properties: [
    { identifier: 'temp', name: 'Temperature', dataType: { type: 'double', min: 0, max: 100 }, unit: '°C' },
    { identifier: 'on', name: 'On', dataType: { type: 'bool' }, access: 'rw' },
  ],
})
const read = (value: unknown) => {
  const result = parseOverlay(model, value)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}
const problems = (value: unknown) => {
  const result = parseOverlay(model, value)
  return result.ok ? [] : result.problems.map(({ path, code }) => `${path} ${code}`)
}

describe('what a device has otherwise than its product', () => {
  it('is the difference alone', () => {
    const { overlay, model: own } = read({
      changed: { temp: { max: 150, unit: '°C', name: 'Oven' }, on: { name: 'On' } },
      added: [{ identifier: 'door', dataType: { type: 'bool' } }],
    })
    expect(overlay).toEqual({
      changed: { temp: { max: 150, name: 'Oven' } },
      added: [{ identifier: 'door', name: 'door', dataType: { type: 'bool' }, access: 'r' }],
    })
    expect(overlaySize(overlay)).toBe(2)
    expect(own.properties.map(({ identifier, name }) => `${identifier} ${name}`)).toEqual([
      'temp Oven',
      'on On',
      'door door',
    ])
    expect(own.properties[0]!.dataType).toEqual({ type: 'double', min: 0, max: 150 })
  })

  it('leaves out what is the same in another order', () => {
    const mapped = modelOf({
      properties: [
        {
          identifier: 'p',
          dataType: { type: 'double' },
          store: { mode: 'deadband', band: 1, percent: true, maxSeconds: 9 },
        },
      ],
    })
    const same = { maxSeconds: 9, percent: true, band: 1, mode: 'deadband' }
    expect(parseOverlay(mapped, { changed: { p: { store: same } } })).toMatchObject({ ok: true, overlay: {} })
  })

  it('takes a field away with null', () => {
    expect(read({ changed: { temp: { max: null, unit: null } } }).model.properties[0]).toEqual({
      identifier: 'temp',
      name: 'Temperature',
      dataType: { type: 'double', min: 0 },
      access: 'r',
    })
  })

  it('follows its product: what is not changed is the product’s, also later', () => {
    const { overlay } = read({ changed: { temp: { max: 150 } } })
    const later = modelOf({
      properties: [{ identifier: 'temp', name: 'Heat', dataType: { type: 'double', min: -5, max: 90 } }],
    })
    const applied = applyOverlay(later, overlay)
    expect(applied.ok && applied.model.properties[0]).toMatchObject({ name: 'Heat', dataType: { min: -5, max: 150 } })
  })

  it('loses what the product no longer has, and own properties whose name the product took', () => {
    const overlay: ModelOverlay = {
      changed: { gone: { unit: 'x' } },
      added: [{ ...model.properties[0]!, name: 'mine' }],
    }
    const applied = applyOverlay(model, overlay)
    expect(applied).toEqual({ ok: true, model })
  })

  it.each([
    [{ changed: { nope: { unit: 'x' } } }, 'changed.nope identifier_invalid'],
    [{ changed: { temp: { access: 'rw' } } }, 'changed.temp.access choice_unknown'],
    [{ changed: { temp: { dataType: { type: 'bool' } } } }, 'changed.temp.dataType choice_unknown'],
    [{ changed: { temp: { min: 200 } } }, 'changed.temp.min range_reversed'],
    [{ changed: { on: { store: { mode: 'deadband', band: 1 } } } }, 'changed.on.store not_for_type'],
    [{ added: [{ identifier: 'temp', dataType: { type: 'bool' } }] }, 'added[0].identifier identifier_duplicate'],
    [{ added: [{ identifier: 'x', dataType: { type: 'what' } }] }, 'added[0].dataType.type type_unknown'],
    [[], ' not_object'],
    [{ changed: 5 }, 'changed not_object'],
    [{ changed: ['on'] }, 'changed not_object'],
  ])('%j is refused: %s', (value, problem) => {
    expect(problems(value)).toContain(problem)
  })

  it('may be anything: never an error', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          changed: fc.dictionary(fc.constantFrom('temp', 'on', '__proto__', 'x'), fc.jsonValue()),
          added: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(value, input => {
        const result = parseOverlay(model, input)
        if (result.ok) expect(parseOverlay(model, result.overlay)).toEqual(result)
      }),
      { numRuns: 500 },
    )
  })
})
