import { performance } from 'node:perf_hooks'
import { parseRule, type RuleDocument } from '@thingwright/rules'
import { describe, expect, it } from 'vitest'
import { DryRunJudge, type DryRunTask, programOf, type SeriesPart } from './dry-run-judge.ts'
import { DryRunThreads, type Hand } from './dry-run-threads.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 5)

function task(devices: number, days: number, fields: object = {}): DryRunTask {
  const parsed = parseRule({
    format: 1,
    scope: { tags: ['t'] },
    alarm: { level: 3 },
    kind: 'above_for',
    property: 'p',
    high: 80,
    minutes: 3,
    ...fields,
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return {
    rule: parsed.rule as RuleDocument,
    devices: Array.from({ length: devices }, (_, i) => ({ id: `d${i + 1}`, num: i + 1, name: `Device ${i + 1}` })),
    others: [],
    fences: new Map(),
    positionOf: new Map(),
    from: START,
    to: START + days * 86_400_000,
  }
}

/** One value a minute; every hour ten minutes too high. */
const valueAt = (i: number) => (i % 60 < 10 ? 90 : 20 + (i % 7))

function parts(of: DryRunTask, page = 10_000): SeriesPart[] {
  const count = (of.to - of.from) / MINUTE
  return of.devices.flatMap(({ num }): SeriesPart[] =>
    Array.from({ length: Math.ceil(count / page) }, (_, p): SeriesPart => {
      const rows = Array.from({ length: Math.min(page, count - p * page) }, (_, i) => p * page + i)
      return {
        series: num,
        device: num,
        kind: 'property',
        property: 'p',
        ts: rows.map(i => of.from + i * MINUTE),
        values: rows.map(valueAt),
        bad: rows.map(() => false),
      }
    }),
  )
}

const all = (of: SeriesPart[]) => async (hand: Hand) => {
  for (const part of of) hand(part)
}

describe('dry runs in threads', () => {
  it('give the results of the engine, while the process serves other requests', async () => {
    const of = task(100, 7)
    const given = parts(of)
    let handedAt: ReturnType<typeof performance.eventLoopUtilization> | undefined
    const answer = await new DryRunThreads().run(of, async hand => {
      for (const part of given) hand(part)
      handedAt = performance.eventLoopUtilization()
    })
    // A million values were sorted and judged, and the event loop of the process stayed free.
    expect(performance.eventLoopUtilization(handedAt).utilization).toBeLessThan(0.5)
    expect(answer.alarms).toHaveLength(2_000)
    expect(answer.moreAlarms).toBe(100 * 7 * 24 - 2_000)
    const compiled = programOf(of)
    if (!compiled.ok) throw new Error()
    const judge = new DryRunJudge(of, compiled.program)
    for (const part of given) judge.add(part)
    expect(answer).toEqual(judge.judge())
    const [first] = answer.alarms
    // Three minutes after it became too high; good again after ten.
    expect([first!.raisedAt - START, first!.clearedAt! - START]).toEqual([3 * MINUTE, 10 * MINUTE])
  }, 120_000)

  it('take values of one moment as one row, whatever pages and series they come in', async () => {
    const of = task(1, 1, {
      kind: 'general',
      property: undefined,
      high: undefined,
      minutes: undefined,
      condition: {
        type: 'any',
        of: [
          { type: 'all', of: ['p', 'q'].map(property => ({ type: 'compare', property, op: 'gt', value: 5 })) },
          { type: 'event', identifier: 'leak' },
        ],
      },
      clear: 'manual',
    })
    const property = (series: number, name: string, ts: number[], values: number[]): SeriesPart => ({
      series,
      device: 1,
      kind: 'property',
      property: name,
      ts: ts.map(each => START + each),
      values,
      bad: ts.map(() => false),
    })
    const answer = await new DryRunThreads().run(
      of,
      all([
        property(1, 'p', [1, 2], [9, 1]),
        property(1, 'p', [3], [9]),
        property(2, 'q', [1, 2, 3], [1, 9, 9]),
        { series: 3, device: 1, kind: 'event', ts: [START + 4], identifiers: ['other'], params: [{}] },
      ]),
    )
    expect(answer.alarms.map(one => one.raisedAt - START)).toEqual([3])
  }, 60_000)

  it('end with a clear error when too much was recorded, or when they take too long', async () => {
    const of = task(2, 1)
    const few = new DryRunThreads({ rows: 2_000 })
    await expect(few.run(of, all(parts(of)))).rejects.toMatchObject({
      code: 'trigger.dry_run_rows',
      params: { rows: 2_000 },
    })
    const quick = new DryRunThreads({ ms: 1, threads: 1 })
    await expect(quick.run(of, all(parts(of)))).rejects.toMatchObject({ code: 'trigger.dry_run_long' })
    // Its place is free again, and a failed read is told as it is.
    await expect(few.run(of, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
    expect(await few.run(of, all([]))).toMatchObject({ alarms: [], devices: 2 })
  }, 60_000)

  it('wait for a free thread, are rejected when too many wait, and end when their caller goes away', async () => {
    const of = task(1, 1)
    const threads = new DryRunThreads({ threads: 1, waiting: 1 })
    let letGo: () => void = () => undefined
    const first = threads.run(
      of,
      () =>
        new Promise(resolve => {
          letGo = resolve
        }),
    )
    const gone = new AbortController()
    const second = threads.run(of, all([]), gone.signal)
    await expect(threads.run(of, all([]))).rejects.toMatchObject({ code: 'trigger.dry_run_busy' })
    gone.abort()
    await expect(second).rejects.toMatchObject({ code: 'trigger.dry_run_busy' })
    const third = threads.run(of, all(parts(of)))
    letGo()
    expect(await first).toMatchObject({ alarms: [] })
    expect((await third).alarms).toHaveLength(24)
    const leaver = new AbortController()
    const fourth = threads.run(of, () => new Promise(() => undefined), leaver.signal)
    leaver.abort()
    await expect(fourth).rejects.toMatchObject({ code: 'trigger.dry_run_long' })
    expect(await threads.run(of, all([]))).toMatchObject({ alarms: [] })
  }, 60_000)
})
