import { describe, expect, it } from 'vitest'
import { assign, Stage } from '../testing/rules.ts'
import { ONE_CLICK_KINDS } from './index.ts'

type Step = [value: unknown, expected: string[]]

/** Values a second apart from 0 on, and what each brings about. */
const VALUES: Record<string, [fields: object, steps: Step[]]> = {
  above: [
    { kind: 'above', property: 'p', high: 80 },
    [
      [80, []],
      [80.000001, ['raised']],
      [80, ['cleared']],
    ],
  ],
  'above with a dead band': [
    { kind: 'above', property: 'p', high: 80, deadBand: 2 },
    [
      [81, ['raised']],
      [78.000001, []],
      [78, ['cleared']],
    ],
  ],
  below: [
    { kind: 'below', property: 'p', low: 5 },
    [
      [5, []],
      [4.999999, ['raised']],
      [5, ['cleared']],
    ],
  ],
  'below with a dead band': [
    { kind: 'below', property: 'p', low: 5, deadBand: 1 },
    [
      [4, ['raised']],
      [5.999999, []],
      [6, ['cleared']],
    ],
  ],
  outside: [
    { kind: 'outside', property: 'p', low: 5, high: 80 },
    [
      [5, []],
      [80, []],
      [4.999999, ['raised']],
      [5, ['cleared']],
      [80.000001, ['raised']],
      [80, ['cleared']],
    ],
  ],
  'outside with a dead band': [
    { kind: 'outside', property: 'p', low: 5, high: 80, deadBand: 2 },
    [
      [81, ['raised']],
      [78.000001, []],
      [6.999999, []],
      [7, ['cleared']],
    ],
  ],
  above_until_below: [
    { kind: 'above_until_below', property: 'p', low: 60, high: 80 },
    [
      [80, []],
      [80.000001, ['raised']],
      [60, []],
      [80, []],
      [59.999999, ['cleared']],
    ],
  ],
  below_until_above: [
    { kind: 'below_until_above', property: 'p', low: 60, high: 80 },
    [
      [60, []],
      [59.999999, ['raised']],
      [80, []],
      [60, []],
      [80.000001, ['cleared']],
    ],
  ],
  between: [
    { kind: 'between', property: 'p', low: 5, high: 80 },
    [
      [4.999999, []],
      [5, ['raised']],
      [80, []],
      [80.000001, ['cleared']],
      [80, ['raised']],
      [4.999999, ['cleared']],
    ],
  ],
  'between with a dead band': [
    { kind: 'between', property: 'p', low: 5, high: 80, deadBand: 2 },
    [
      [5, ['raised']],
      [3, []],
      [82, []],
      [82.000001, ['cleared']],
    ],
  ],
  on: [
    { kind: 'on', property: 'p' },
    [
      [false, []],
      [true, ['raised']],
      [false, ['cleared']],
      [1, ['raised']],
      [0, ['cleared']],
    ],
  ],
  off: [
    { kind: 'off', property: 'p' },
    [
      [true, []],
      [false, ['raised']],
      [true, ['cleared']],
    ],
  ],
  equal: [
    { kind: 'equal', property: 'p', value: 3.5, decimals: 1 },
    [
      [3.44, []],
      [3.46, ['raised']],
      [3.54, []],
      [3.56, ['cleared']],
    ],
  ],
  not_equal: [
    { kind: 'not_equal', property: 'p', value: 'auto' },
    [
      ['auto', []],
      ['manual', ['raised']],
      ['auto', ['cleared']],
    ],
  ],
}

describe('one-click kinds at their exact limits', () => {
  it.each(Object.entries(VALUES))('%s', (_name, [fields, steps]) => {
    const stage = new Stage(assign(fields))
    for (const [second, [value, expected]] of steps.entries()) {
      stage.value(second, { p: value })
      expect([value, stage.take()]).toEqual([value, expected.map(kind => `${kind}@${second}`)])
    }
  })

  const LASTING = [
    ['above_for', { kind: 'above_for', property: 'p', high: 80, minutes: 2 }, 81, 80],
    ['below_for', { kind: 'below_for', property: 'p', low: 5, minutes: 2 }, 4, 5],
    ['outside_for', { kind: 'outside_for', property: 'p', low: 5, high: 80, minutes: 2 }, 81, 80],
  ] as const

  it.each(LASTING)('%s is raised when the minute is reached, with no further message', (_name, fields, bad, good) => {
    const stage = new Stage(assign(fields)).value(0, { p: bad }).until(119.999)
    expect(stage.take()).toEqual([])
    expect(stage.until(120).take()).toEqual(['raised@120'])
    expect(stage.value(121, { p: good }).take()).toEqual(['cleared@121'])
  })

  it.each(LASTING)('%s begins anew after a good value, however short', (_name, fields, bad, good) => {
    const stage = new Stage(assign(fields)).value(0, { p: bad }).value(119.998, { p: good }).value(119.999, { p: bad })
    expect(stage.until(239.998).take()).toEqual([])
    expect(stage.until(239.999).take()).toEqual(['raised@239.999'])
  })

  it.each(LASTING)(
    '%s: the minute that is reached in the moment of a good value was reached',
    (_name, fields, bad, good) => {
      const stage = new Stage(assign(fields)).value(0, { p: bad }).value(120, { p: good })
      expect(stage.take()).toEqual(['raised@120', 'cleared@120'])
    },
  )

  it('offline', () => {
    const stage = new Stage(assign({ kind: 'offline' }))
    expect(stage.until(9).happen(10, { kind: 'offline' }).take()).toEqual(['raised@10'])
    expect(stage.happen(11, { kind: 'online' }).take()).toEqual(['cleared@11'])
  })

  it('offline_for', () => {
    const stage = new Stage(assign({ kind: 'offline_for', minutes: 1 })).happen(10, { kind: 'offline' }).until(69.999)
    expect(stage.take()).toEqual([])
    expect(stage.until(70).take()).toEqual(['raised@70'])
    expect(stage.happen(71, { kind: 'online' }).take()).toEqual(['cleared@71'])
  })

  it('leaves none of them out', () => {
    const tried = new Set([...Object.values(VALUES).map(([fields]) => (fields as { kind: string }).kind)])
    for (const [name] of LASTING) tried.add(name)
    expect([...tried, 'offline', 'offline_for'].sort()).toEqual([...ONE_CLICK_KINDS].sort())
  })
})
