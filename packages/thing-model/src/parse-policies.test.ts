import { describe, expect, it } from 'vitest'
import { modelOf } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { compileModel } from './compile.ts'
import { parseModel } from './parse.ts'

function problems(fields: object): string[] {
  const result = parseModel({ properties: [{ identifier: 'p', dataType: { type: 'double' }, ...fields }] })
  return result.ok ? [] : result.problems.map(({ path, code }) => `${path.replace('properties[0].', '')} ${code}`)
}
const kept = (fields: object) =>
  modelOf({ properties: [{ identifier: 'p', dataType: { type: 'double' }, ...fields }] }).properties[0]

describe('what a property does with its values', () => {
  it('is kept as it was set', () => {
    const fields = {
      mapping: { up: { x1: 0, y1: 0, x2: 10, y2: 1 }, down: { x1: 0, y1: 0, x2: 1, y2: 10 } },
      outOfRange: 'bad',
      store: { mode: 'deadband', band: 2, percent: true, maxSeconds: 60 },
      late: 'uncertain',
      default: 3,
      retentionDays: 30,
    }
    expect(kept(fields)).toMatchObject(fields)
  })

  it('leaves out what is usual, so that equal models have equal JSON', () => {
    expect(kept({ mapping: {}, outOfRange: 'refuse', store: { mode: 'every' }, late: 'keep' })).toEqual(kept({}))
    expect(compileModel(modelOf({ properties: [kept({})] })).policies).toBe(null)
  })

  it.each([
    [{ mapping: { up: { x1: 1, y1: 0, x2: 1, y2: 5 } } }, 'mapping.up map_flat'],
    [{ mapping: { up: { x1: 1, y1: 5, x2: 2, y2: 5 } } }, 'mapping.up map_flat'],
    [{ mapping: { down: { x1: 1, y1: 0, x2: 2 } } }, 'mapping.down.y2 not_number'],
    [{ dataType: { type: 'bool' }, mapping: { up: {} } }, 'mapping not_for_type'],
    [{ dataType: { type: 'string' }, outOfRange: 'clamp' }, 'outOfRange not_for_type'],
    [{ outOfRange: 'shout' }, 'outOfRange choice_unknown'],
    [{ store: {} }, 'store.mode choice_unknown'],
    [{ store: { mode: 'interval' } }, 'store.seconds policy_incomplete'],
    [{ store: { mode: 'deadband' } }, 'store.band policy_incomplete'],
    [{ store: { mode: 'deadband', band: -1 } }, 'store.band number_out_of_range'],
    [{ store: { mode: 'deadband', band: 1, maxSeconds: 0 } }, 'store.maxSeconds number_out_of_range'],
    [{ dataType: { type: 'string' }, store: { mode: 'deadband', band: 1 } }, 'store not_for_type'],
    [{ late: 'never' }, 'late choice_unknown'],
    [{ retentionDays: 0 }, 'retentionDays number_out_of_range'],
    [{ default: 'x' }, 'default default_invalid'],
    [{ dataType: { type: 'json' }, default: 'x'.repeat(5_000) }, 'default default_invalid'],
    [{ dataType: { type: 'password' }, access: 'rw' }, 'access password_readable'],
    [{ dataType: { type: 'array', element: { type: 'password' } }, access: 'r' }, 'access password_readable'],
  ])('%j is refused: %s', (fields, problem) => {
    expect(problems(fields)).toContain(problem)
  })

  it('of a password is written only, without a word', () => {
    expect(kept({ dataType: { type: 'password' } })).toMatchObject({ access: 'w' })
  })

  it('may be anything: never an error, and what is taken is taken again unchanged', () => {
    const fields = fc.record(
      {
        mapping: fc.oneof(
          fc.jsonValue(),
          fc.record({ up: fc.record({ x1: fc.integer(), y1: fc.integer(), x2: fc.integer(), y2: fc.integer() }) }),
        ),
        outOfRange: fc.oneof(fc.jsonValue(), fc.constantFrom('ignore', 'bad', 'clamp')),
        store: fc.oneof(
          fc.jsonValue(),
          fc.record({
            mode: fc.constantFrom('change', 'interval', 'deadband'),
            band: fc.jsonValue(),
            seconds: fc.jsonValue(),
          }),
        ),
        late: fc.jsonValue(),
        default: fc.jsonValue(),
        retentionDays: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fields, fc.constantFrom('double', 'int32', 'string', 'json'), (more, type) => {
        const result = parseModel({ properties: [{ identifier: 'p', dataType: { type }, ...more }] })
        if (result.ok) expect(parseModel(JSON.parse(JSON.stringify(result.model)))).toEqual(result)
      }),
      { numRuns: 500 },
    )
  })
})
