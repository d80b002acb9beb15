import { describe, expect, it } from 'vitest'
import { assign, START, Stage } from '../testing/rules.ts'
import { divide, type Effect, type Input, LaneMerge, TriggerEngine } from './index.ts'

const above = { kind: 'above', property: 'p', high: 80 }
const general = (condition: object, more: object = {}) => assign({ kind: 'general', condition, ...more })
const row = (seq: number, second: number, p: unknown, more: object = {}): Input =>
  ({
    lane: 0,
    seq,
    arrived: START + second * 1_000,
    kind: 'property',
    device: 1,
    ts: START + second * 1_000,
    values: { p },
    ...more,
  }) as Input

describe('a rule that was switched off and on between two looks', () => {
  const again = (times: number) => assign(above, { switchedOff: times })

  it('raises again under another id, from what it knows', () => {
    const engine = new TriggerEngine(START)
    engine.setRule(again(0))
    const ids = engine.take([row(1, 1, 99)]).map(effect => 'alarm' in effect && effect.alarm)
    const effects = engine.setRule(again(1))
    expect(effects.map(({ kind }) => kind)).toEqual(['cleared', 'raised'])
    ids.push(...effects.filter(({ kind }) => kind === 'raised').map(effect => 'alarm' in effect && effect.alarm))
    expect(new Set(ids).size).toBe(2)
  })

  it('raises again where the program was killed in between', () => {
    const engine = new TriggerEngine(START)
    engine.setRule(again(0))
    engine.take([row(1, 1, 99)])
    const kept = JSON.parse(JSON.stringify(engine.snapshot()))
    const same = TriggerEngine.restore(kept, [again(0)])
    expect(same.take([row(2, 2, 99)])).toEqual([])
    const other = TriggerEngine.restore(kept, [again(1)])
    expect(other.take([row(2, 2, 99)]).map(({ kind }) => kind)).toEqual(['raised'])
  })
})

describe('what is judged', () => {
  it('is no value that is older than what was judged, none that is marked late, none that is not trusted', () => {
    const stage = new Stage(assign(above)).value(10, { p: 1 })
    stage
      .value(11, { p: 99 }, { ts: START + 9_999 })
      .value(12, { p: 99 }, { late: true })
      .value(13, { p: 99 }, { bad: true })
    expect(stage.take()).toEqual([])
    expect(stage.value(14, { p: 99 }, { ts: START + 10_001 }).take()).toEqual(['raised@14'])
  })

  it('is a row once, however often it is told', () => {
    const engine = new TriggerEngine(START)
    engine.setRule(assign({ ...above, repeatSeconds: 0 }))
    expect(engine.take([row(1, 1, 99), row(1, 1, 99)]).map(effect => effect.kind)).toEqual(['raised'])
    expect(engine.take([row(1, 2, 1)])).toEqual([])
  })

  it('is handed out as a list of its own each time', () => {
    const engine = new TriggerEngine(START)
    const first = engine.setRule(assign(above))
    expect(first).toEqual([])
    expect(engine.take([row(1, 1, 99)])).toHaveLength(1)
    // What was handed out before does not grow with what is judged later.
    expect(first).toEqual([])
  })

  it('is the whole of a row at once', () => {
    const both = { type: 'all', of: ['p', 'q'].map(property => ({ type: 'compare', property, op: 'gt', value: 5 })) }
    const stage = new Stage(general({ type: 'any', of: [both, { type: 'not', of: { type: 'any', of: both.of } }] }))
    expect(stage.value(1, { p: 1, q: 9 }).take()).toEqual([])
    expect(stage.value(2, { p: 9, q: 1 }).take()).toEqual([])
    expect(stage.value(3, { p: 9, q: 9 }).take()).toEqual(['raised@3'])
  })

  it('is also the value of another device', () => {
    const stage = new Stage(
      general({ type: 'compare', property: 'p', op: 'gt', with: { property: 'limit', device: 'd7' } }),
    )
    expect(stage.value(1, { p: 9 }).take()).toEqual([])
    expect(stage.value(2, { limit: 8 }, { device: 7 }).take()).toEqual(['raised@2'])
    expect(stage.value(3, { limit: 9 }, { device: 7 }).take()).toEqual(['cleared@3'])
  })

  it.each([
    ['ne', { value: 'a' }, 'b', 'a'],
    ['starts', { value: 'ab' }, 'abc', 'bab'],
    ['ends', { value: 'ab' }, 'cab', 'abc'],
    ['contains', { value: 'ab' }, 'cabc', 'cba'],
    ['in', { values: [1, 'x'] }, 'x', 2],
    ['not_in', { values: [1, 'x'] }, 2, 1],
    ['gte', { value: 5 }, 5, 4],
    ['lte', { value: 5 }, 5, 6],
  ])('by %s', (op, against, good, bad) => {
    const stage = new Stage(general({ type: 'compare', property: 'p', op, ...against }))
    expect(stage.value(1, { p: bad }).value(2, { p: good }).value(3, { p: bad }).take()).toEqual([
      'raised@2',
      'cleared@3',
    ])
  })
})

describe('conditions', () => {
  it('rate: change in a minute, by the times of the device', () => {
    const stage = new Stage(general({ type: 'rate', property: 'p', op: 'gt', perMinute: 6 }))
    stage
      .value(0, { p: 0 })
      .value(10, { p: 1 })
      .value(11, { p: 2.001 }, { ts: START + 20_000 })
    expect(stage.take()).toEqual(['raised@11'])
    expect(stage.value(40, { p: 3 }).take()).toEqual(['cleared@40'])
  })

  it('stuck: values come and do not differ, by timer', () => {
    const stage = new Stage(general({ type: 'stuck', property: 'p', seconds: 60, tolerance: 0.5 })).value(0, { p: 10 })
    expect(stage.value(30, { p: 10.5 }).until(59.999).take()).toEqual([])
    expect(stage.until(60).take()).toEqual(['raised@60'])
    expect(stage.value(61, { p: 10.51 }).take()).toEqual(['cleared@61'])
    expect(stage.until(200).take()).toEqual([])
    expect(stage.value(201, { p: 10.51 }).take()).toEqual(['raised@201'])
  })

  it('deviation: far from its own average, once enough is known', () => {
    const stage = new Stage(general({ type: 'deviation', property: 'p', seconds: 600, sigmas: 3, samples: 20 }))
    for (let i = 0; i < 20; i++) stage.value(i, { p: 10 + (i % 2) })
    expect(stage.take()).toEqual([])
    expect(stage.value(20, { p: 11.9 }).take()).toEqual([])
    expect(stage.value(21, { p: 30 }).take()).toEqual(['raised@21'])
    expect(stage.value(22, { p: 10 }).take()).toEqual(['cleared@22'])
  })

  it('no data: from the last that came, late or not', () => {
    const stage = new Stage(general({ type: 'no_data', seconds: 60 })).value(30, { other: 1 }, { late: true })
    expect(stage.until(89.999).take()).toEqual([])
    expect(stage.until(90).take()).toEqual(['raised@90'])
    expect(stage.value(91, {}).take()).toEqual(['cleared@91'])
    expect(stage.until(151).take()).toEqual(['raised@151'])
  })

  it('events: by what they say; each further one counts, and a person clears', () => {
    const where = [{ param: 'code', op: 'gt', value: 5 }]
    const stage = new Stage(general({ type: 'event', identifier: 'fault', where }, { repeatSeconds: 0 }))
    const event = (code: number) => ({ kind: 'event', identifier: 'fault', params: { code } })
    expect(stage.happen(1, event(5)).happen(2, event(6)).happen(3, event(7)).take()).toEqual(['raised@2', 'repeated@3'])
    stage.happen(4, { kind: 'cleared', rule: 'r', target: 1 })
    expect(stage.happen(5, event(6)).take()).toEqual(['raised@5'])
  })

  it('buttons, programs and failed commands act each time where there is no alarm', () => {
    const of = [
      { type: 'button', key: 'k' },
      { type: 'api', key: 'k' },
      { type: 'command_failed', command: 'open' },
    ]
    const stage = new Stage(general({ type: 'any', of }, { alarm: undefined, actions: [{ kind: 'notify' }] }))
    stage.happen(1, { kind: 'button', key: 'k' }).happen(2, { kind: 'api', key: 'k', device: 2 })
    stage.happen(3, { kind: 'api', key: 'k', device: undefined }).happen(4, { kind: 'command_failed', command: 'shut' })
    stage.happen(5, { kind: 'command_failed', command: 'open' })
    expect(stage.take()).toEqual(['raised@1', 'action@1', 'raised@3', 'action@3', 'raised@5', 'action@5'])
  })

  it('tick: at the round times of the clock', () => {
    const stage = new Stage(general({ type: 'tick', seconds: 3600 }, { alarm: undefined })).until(7_200)
    expect(stage.take()).toEqual(['raised@3600', 'raised@7200'])
  })

  it('repeated: so many times in succession, or within a time', () => {
    const of = { type: 'compare', property: 'p', op: 'gt', value: 80 }
    const run = new Stage(general({ type: 'repeated', of, times: 3 }))
    for (const [i, p] of [90, 90, 1, 91, 92, 93].entries()) run.value(i, { p })
    expect(run.take()).toEqual(['raised@5'])
    const within = new Stage(general({ type: 'repeated', of, times: 3, seconds: 10 }))
    within.value(0, { p: 90 }).value(1, { p: 1 }).value(5, { p: 91 }).value(10, { p: 92 })
    expect(within.take()).toEqual([])
    expect(within.value(14.999, { p: 93 }).until(30).take()).toEqual(['raised@14.999', 'cleared@15'])
  })
})

describe('raising', () => {
  it('tells what goes on at most so often, and counts', () => {
    const stage = new Stage(assign({ ...above, repeatSeconds: 10 }))
    for (let i = 0; i <= 25; i++) stage.value(i, { p: 90 + i })
    expect(stage.take()).toEqual(['raised@0', 'repeated@10', 'repeated@20'])
  })

  it('waits for what shakes, and clears with the condition', () => {
    const stage = new Stage(assign({ ...above, antiShake: { times: 2, seconds: 10 } }))
    expect(stage.value(0, { p: 90 }).value(1, { p: 1 }).value(20, { p: 91 }).take()).toEqual([])
    expect(stage.value(21, { p: 92 }).until(60).take()).toEqual(['raised@21'])
    expect(stage.value(61, { p: 1 }).take()).toEqual(['cleared@61'])
  })

  it('keeps quiet for a time after the last', () => {
    const stage = new Stage(assign({ ...above, quietSeconds: 60 }))
      .value(0, { p: 90 })
      .value(1, { p: 1 })
      .value(2, { p: 90 })
    expect(stage.until(59.999).take()).toEqual(['raised@0', 'cleared@1'])
    expect(stage.until(60).take()).toEqual(['raised@60'])
  })

  it('waits for the active hours, clears outside of them', () => {
    // It is Monday, 16:00 in Shanghai.
    const active = { zone: 'Asia/Shanghai', periods: [{ days: [1], from: '16:30', to: '17:00' }] }
    const stage = new Stage(assign({ ...above, active })).value(60, { p: 90 })
    expect(stage.until(1_799).take()).toEqual([])
    expect(stage.until(1_800).take()).toEqual(['raised@1800'])
    expect(stage.value(3_700, { p: 1 }).value(3_701, { p: 90 }).until(90_000).take()).toEqual(['cleared@3700'])
  })

  it('once for a whole scope', () => {
    const stage = new Stage(assign({ ...above, per: 'scope', repeatSeconds: 0 }, { targets: [1, 2] }))
    stage.value(1, { p: 90 }).value(2, { p: 90 }, { device: 2 }).value(3, { p: 1 })
    expect(stage.take()).toEqual(['raised@1', 'repeated@2'])
    expect(stage.value(4, { p: 1 }, { device: 2 }).take()).toEqual(['cleared@4'])
  })

  it('says which actions are due, after their delays, over a restart', () => {
    const actions = [
      { kind: 'notify' },
      { kind: 'delay', seconds: 5 },
      { kind: 'webhook' },
      { kind: 'notify', on: 'clear' },
    ]
    const rule = assign({ ...above, actions })
    const stage = new Stage(rule).value(0, { p: 90 }).value(1, { p: 1 })
    expect(stage.take()).toEqual(['raised@0', 'action@0', 'cleared@1', 'action@1'])
    stage.engine = TriggerEngine.restore(JSON.parse(JSON.stringify(stage.engine.snapshot())), [rule])
    expect(stage.until(9).take()).toEqual(['action@5'])
  })

  it('stops what sets itself off, until somebody lets it go on', () => {
    const stage = new Stage(assign({ ...above, actions: [{ kind: 'command' }] }))
    for (let i = 0; i < 7; i++) stage.value(i, { p: 90 }).value(i + 0.5, { p: 1 })
    const kinds = stage.take().filter(text => !text.startsWith('action') && !text.startsWith('cleared'))
    expect(kinds).toEqual(['raised@0', 'raised@1', 'raised@2', 'raised@3', 'raised@4', 'paused@5'])
    stage.happen(8, { kind: 'resumed', rule: 'r', target: 1 })
    expect(stage.value(9, { p: 90 }).take()[0]).toBe('raised@9')
  })

  it('names an alarm after rule, version, target, lane and sequence, and shows what was seen', () => {
    const engine = new TriggerEngine(START)
    engine.setRule(assign(above))
    const [raised] = engine.take([row(7, 3, 90)])
    expect(raised).toEqual({
      kind: 'raised',
      rule: 'r',
      version: 1,
      target: 1,
      alarm: 'r.1/1/0.7',
      level: 3,
      cause: {
        lane: 0,
        seq: 7,
        at: START + 3_000,
        by: 'row',
        device: 1,
        values: [{ device: 1, property: 'p', value: 90, ts: START + 3_000 }],
      },
    })
  })
})

describe('time', () => {
  it('stands still in an outage, and after it there is a grace', () => {
    const stage = new Stage(general({ type: 'no_data', seconds: 60 })).value(0, { p: 1 })
    const outage = {
      lane: 0,
      seq: 1,
      arrived: START + 1_000_000,
      kind: 'outage',
      from: START + 50_000,
      graceMs: 30_000,
    }
    stage.tell(outage as Input)
    expect(stage.until(1_029.999).take()).toEqual([])
    expect(stage.until(1_030).take()).toEqual(['raised@1030'])
    const another = new Stage(general({ type: 'no_data', seconds: 60 })).value(0, { p: 1 }).tell(outage as Input)
    another.value(1_020, { p: 1 })
    expect(another.until(1_079.999).take()).toEqual([])
    expect(another.until(1_080).take()).toEqual(['raised@1080'])
  })

  it('does not go back', () => {
    const stage = new Stage(assign({ kind: 'above_for', property: 'p', high: 80, minutes: 1 })).until(100)
    expect(stage.value(50, { p: 90 }).until(159.999).take()).toEqual([])
    expect(stage.until(160).take()).toEqual(['raised@160'])
  })
})

describe('a changed rule', () => {
  it('keeps what it can: the same condition goes on, the alarm stays open', () => {
    const held = { type: 'held', of: { type: 'compare', property: 'p', op: 'gt', value: 80 }, seconds: 60 }
    const stage = new Stage(general(held)).value(0, { p: 90 }).until(30)
    const other = { type: 'compare', property: 'q', op: 'gt', value: 1 }
    const change = (version: number, condition: object, targets = [1]) =>
      stage.note(stage.engine.setRule(assign({ kind: 'general', condition }, { version, targets })))
    change(2, { type: 'any', of: [held, other] })
    expect(stage.until(60).take()).toEqual(['raised@60'])
    change(3, held)
    expect(stage.take()).toEqual([])
    expect(stage.value(61, { p: 1 }).take()).toEqual(['cleared@61'])
  })

  it('is judged at once by what is known, and clears for devices that left', () => {
    const engine = new TriggerEngine(START)
    const seed = { latest: () => ({ value: 90, ts: START - 5 }), isOnline: () => undefined }
    const kinds = (effects: Effect[]) => effects.map(effect => `${effect.kind} ${effect.target}`)
    expect(kinds(engine.setRule(assign(above, { targets: [1, 2] }), seed))).toEqual(['raised 1', 'raised 2'])
    expect(kinds(engine.setRule(assign({ ...above, high: 70 }, { version: 2, targets: [1] })))).toEqual(['cleared 2'])
    expect(kinds(engine.setRule(assign({ ...above, high: 95 }, { version: 3, targets: [1] })))).toEqual(['cleared 1'])
    expect(kinds(engine.removeRule('r'))).toEqual([])
    expect(engine.take([row(1, 1, 99)])).toEqual([])
  })

  it('is not raised again by a value that changes nothing after a person cleared it, but by the next that holds', () => {
    const stage = new Stage(assign(above)).value(0, { p: 90 }).happen(1, { kind: 'cleared', rule: 'r', target: 1 })
    expect(stage.take()).toEqual(['raised@0'])
    expect(stage.value(2, { q: 1 }).take()).toEqual([])
    expect(stage.value(3, { p: 91 }).take()).toEqual(['raised@3'])
  })
})

describe('lanes', () => {
  const laneOf = (device: number) => device % 2

  it('judge what lies in them; what crosses them is judged where they are merged', () => {
    const own = divide(assign(above, { targets: [1, 2, 3] }), laneOf)
    expect([...own.lanes].map(([lane, { targets }]) => [lane, targets])).toEqual([
      [1, [1, 3]],
      [0, [2]],
    ])
    expect(own.merged).toBeNull()
    const with7 = { kind: 'general', condition: { type: 'compare', property: 'p', op: 'gt', value: 1, device: 'd7' } }
    const crossing = divide(assign(with7, { targets: [1, 2] }), laneOf)
    expect([...crossing.lanes.keys()]).toEqual([1])
    expect(crossing.merged?.targets).toEqual([2])
    expect(divide(assign({ ...above, per: 'scope' }, { targets: [1, 2] }), laneOf).merged?.targets).toEqual([1, 2])
  })

  it('are merged by arrival, lane and sequence, however they take turns', () => {
    const rows = [0, 1].map(lane => [1, 2, 2, 5].map((second, i) => row(i + 1, second, i, { lane })))
    const merged = (turns: number[]) => {
      const merge = new LaneMerge([0, 1])
      const left = rows.map(list => [...list])
      const out = turns.flatMap(lane => {
        merge.push(lane, left[lane]!.splice(0, 1))
        return merge.take()
      })
      merge.advance(0, START + 9_000)
      merge.advance(1, START + 9_000)
      return [...out, ...merge.take()].map(input => `${(input.arrived - START) / 1_000}:${input.lane}.${input.seq}`)
    }
    const wanted = ['1:0.1', '1:1.1', '2:0.2', '2:0.3', '2:1.2', '2:1.3', '5:0.4', '5:1.4']
    expect(merged([0, 0, 0, 0, 1, 1, 1, 1])).toEqual(wanted)
    expect(merged([1, 0, 1, 0, 1, 1, 0, 0])).toEqual(wanted)
  })
})
