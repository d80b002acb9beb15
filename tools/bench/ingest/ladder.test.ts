import { describe, expect, it } from 'vitest'
import { bestRate, judge, type Step } from './ladder.ts'
import type { Window } from './window.ts'

const window = (over: Partial<Window> = {}): Window => ({
  rate: 10_000,
  sent: 10_000,
  acknowledged: 10_000,
  cpu: { seconds: 5, cores: 0.5, microsPerMessage: 50, parts: {} },
  postgresMicrosPerValue: 4,
  generatorMicros: 15,
  pubackMs: { n: 100_000, p50: 8, p99: 40, p999: 80, max: 100 },
  backlog: [80, 90],
  generatorLateMs: 4,
  drainMs: 20,
  problems: [],
  pssMb: 200,
  walBytesPerMessage: 300,
  consumerLag: 2_000,
  ...over,
})

describe('a rate is sustained', () => {
  it('when everything keeps up', () => {
    expect(judge(window())).toMatchObject({ sustained: true, why: '' })
  })

  it.each([
    ['fewer are acknowledged than sent', { acknowledged: 9_700 }],
    ['the backlog grows', { backlog: [100, 6_000] as [number, number] }],
    ['acknowledgements take too long', { pubackMs: { n: 1e5, p50: 500, p99: 1_200, p999: 1_300, max: 1_400 } }],
    ['messages are never acknowledged', { drainMs: null }],
    ['a consumer falls behind', { consumerLag: 300_000 }],
    ['a connection is lost', { problems: ['connection closed'] }],
    ['the generator had no CPU', { generatorLateMs: 900 }],
  ])('but not when %s', (_, over) => {
    const step = judge(window(over))
    expect(step.sustained).toBe(false)
    expect(step.why).not.toBe('')
  })

  it('and the best rate is the highest of these', () => {
    const step = (rate: number, sustained: boolean): Step => ({ ...window({ rate }), sustained, why: '' })
    expect(bestRate([step(1_000, true), step(5_000, false), step(5_000, true), step(9_000, false)])).toBe(5_000)
    expect(bestRate([step(1_000, false)])).toBe(0)
  })
})
