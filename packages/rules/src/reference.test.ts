import { describe, expect, it } from 'vitest'
import fc from '../testing/fast-check.ts'
import { reference } from '../testing/reference.ts'
import { assign, START } from '../testing/rules.ts'
import {
  type Condition,
  type Effect,
  generalForm,
  type Input,
  parseRule,
  type Snapshot,
  TriggerEngine,
} from './index.ts'

const limit = fc.integer({ min: 0, max: 4 })
const seconds = fc.integer({ min: 1, max: 6 })
const property = fc.constantFrom('p', 'q')

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ type: fc.constant('compare' as const), property, op: fc.constantFrom('gt', 'lt'), value: limit }),
  fc.tuple(property, limit, limit).map(
    ([of, a, b]): Condition => ({
      type: 'compare',
      property: of,
      op: 'between',
      low: Math.min(a, b),
      high: Math.max(a, b),
    }),
  ),
  fc.record({ type: fc.constantFrom('online' as const, 'offline' as const) }),
  fc.record({ type: fc.constant('no_data' as const), property, seconds }),
  fc.record({ type: fc.constant('no_data' as const), seconds }),
  fc.record({ type: fc.constant('jump' as const), property, by: fc.integer({ min: 1, max: 3 }) }),
)

const condition: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>(tie => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    fc.record({
      type: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('not' as const), of: tie('tree') }),
    fc.record({ type: fc.constant('held' as const), of: tie('tree'), seconds }),
    fc.record(
      { type: fc.constant('repeated' as const), of: tie('tree'), times: fc.integer({ min: 1, max: 3 }), seconds },
      { requiredKeys: ['type', 'of', 'times'] },
    ),
  ),
})).tree

/** What happens after a pause: values that come late, again, or not at all; presence; an outage. */
const happening = fc.record({
  pause: fc.integer({ min: 0, max: 4 }),
  what: fc.oneof(
    { weight: 8, arbitrary: fc.record({ p: limit, q: limit }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.constantFrom('online' as const, 'offline' as const) },
    {
      weight: 1,
      arbitrary: fc.record({ outage: fc.integer({ min: 1, max: 9 }), grace: fc.integer({ min: 0, max: 4 }) }),
    },
    { weight: 1, arbitrary: fc.constant('again' as const) },
  ),
  behind: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) }),
  bad: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

function inputsOf(happenings: (typeof happening extends fc.Arbitrary<infer T> ? T : never)[]): Input[] {
  const inputs: Input[] = []
  let at = START
  for (const [i, { pause, what, behind, bad }] of happenings.entries()) {
    // An outage must have its own seconds, or the order within one would be a matter of taste.
    at += (pause + (inputs.at(-1)?.kind === 'outage' ? 1 : 0)) * 1_000
    const base = { lane: 0, seq: i + 1, arrived: at, device: 1 }
    if (what === 'again') {
      const last = inputs.at(-1)
      if (last && last.kind !== 'outage') inputs.push({ ...last, arrived: at })
    } else if (what === 'online' || what === 'offline') inputs.push({ ...base, kind: what })
    else if ('outage' in what) {
      const from = at + 1_000
      at = from + what.outage * 1_000
      inputs.push({ lane: 0, seq: i, arrived: at, kind: 'outage', from, graceMs: what.grace * 1_000 })
    } else inputs.push({ ...base, kind: 'property', ts: at - behind * 1_000, values: what, bad })
  }
  return inputs
}

const tell = (effects: readonly Effect[]) =>
  effects
    .filter(effect => effect.kind === 'raised' || effect.kind === 'cleared')
    .map(effect => `${effect.kind}@${(effect.cause.at - START) / 1_000}`)

const clearing = fc.oneof(fc.constant(undefined), condition)
const story = fc.array(happening, { maxLength: 40 })

describe('the engine beside a plain, slow reference', () => {
  it('raises and clears in the same moments, whatever happens', () => {
    fc.assert(
      fc.property(condition, clearing, story, (of, clear, happenings) => {
        const fields = { kind: 'general', condition: of, clear }
        const parsed = parseRule({ format: 1, scope: { tags: ['t'] }, ...fields })
        fc.pre(parsed.ok)
        if (!parsed.ok) return
        const inputs = inputsOf(happenings)
        const end = Math.ceil(((inputs.at(-1)?.arrived ?? START) - START) / 1_000) + 20
        const engine = new TriggerEngine(START)
        const seen = tell(engine.setRule(assign(fields)))
        seen.push(...tell(engine.take(inputs)), ...tell(engine.advance(START + end * 1_000)))
        expect(seen).toEqual(reference(generalForm(parsed.rule), inputs, START, end))
      }),
      { numRuns: 2_000 },
    )
  })

  it('says the same when it is stopped anywhere and goes on from its snapshot', () => {
    fc.assert(
      fc.property(condition, clearing, story, fc.nat(), fc.nat(), (of, clear, happenings, a, b) => {
        const fields = {
          kind: 'general',
          condition: of,
          clear,
          actions: [{ kind: 'delay', seconds: 3 }, { kind: 'notify' }],
        }
        fc.pre(parseRule({ format: 1, scope: { tags: ['t'] }, ...fields }).ok)
        const rules = [assign(fields, { targets: [1, 2] })]
        const inputs = inputsOf(happenings)
        const end = (inputs.at(-1)?.arrived ?? START) + 20_000
        const whole = new TriggerEngine(START)
        const wanted = [...whole.setRule(rules[0]!), ...whole.take(inputs), ...whole.advance(end)]
        const cut = inputs.length ? a % (inputs.length + 1) : 0
        const acted = cut + (inputs.length - cut ? b % (inputs.length - cut + 1) : 0)

        const first = new TriggerEngine(START)
        const seen = [...first.setRule(rules[0]!), ...first.take(inputs.slice(0, cut))]
        const kept = JSON.parse(JSON.stringify(first.snapshot())) as Snapshot
        expect(JSON.parse(JSON.stringify(TriggerEngine.restore(kept, rules).snapshot()))).toEqual(kept)
        // It went on after the snapshot, and was killed.
        seen.push(...first.take(inputs.slice(cut, acted)))
        const second = TriggerEngine.restore(kept, rules)
        const upTo = Math.max(0, ...inputs.slice(0, acted).map(input => input.seq))
        // A row given once more does not move the lane, however late: what counts is how far the engine came.
        second.replayUntil({ seqs: new Map([[0, upTo]]), at: first.now + first.stood })
        const replayed = [...second.take(inputs.slice(cut, acted))]
        expect(replayed).toEqual([])
        seen.push(...second.take(inputs.slice(acted)), ...second.advance(end))
        expect(seen).toEqual(wanted)
        expect(second.snapshot()).toEqual(whole.snapshot())
      }),
      { numRuns: 500 },
    )
  })

  it('writes the same snapshot whether parts of it are taken from the one before or not', () => {
    fc.assert(
      fc.property(condition, clearing, story, fc.array(fc.nat(), { maxLength: 4 }), (of, clear, happenings, looks) => {
        const fields = {
          kind: 'general',
          condition: of,
          clear,
          actions: [{ kind: 'delay', seconds: 3 }, { kind: 'notify' }],
        }
        fc.pre(parseRule({ format: 1, scope: { tags: ['t'] }, ...fields }).ok)
        const engine = new TriggerEngine(START)
        engine.setRule(assign(fields, { targets: [1, 2] }))
        const inputs = inputsOf(happenings)
        const at = new Map(looks.map(look => [look % (inputs.length + 1), look % 6]))
        let pass = engine.beginSnapshot()
        let wanted = JSON.stringify(engine.snapshot())
        let read = ''
        /** Ends the snapshot before, which the engine has gone on from since, and begins one of which some is read at once. */
        const look = (pieces: number) => {
          for (let piece = pass.next(); piece !== undefined; piece = pass.next()) read += piece
          expect(read).toBe(wanted)
          pass = engine.beginSnapshot()
          wanted = JSON.stringify(engine.snapshot())
          read = ''
          for (let i = 0; i < pieces; i++) read += pass.next() ?? ''
        }
        for (const [i, input] of inputs.entries()) {
          const pieces = at.get(i)
          if (pieces !== undefined) {
            look(pieces)
            const byHand = { lane: 1, seq: i + 1, arrived: input.arrived, rule: 'r', target: 1 }
            engine.take([{ ...byHand, kind: pieces % 2 === 0 ? 'cleared' : 'resumed' }])
          }
          engine.take([input])
        }
        look(2)
        engine.advance((inputs.at(-1)?.arrived ?? START) + 20_000)
        look(3)
        engine.setRule(assign(fields, { version: 2, targets: [1, 3] }))
        look(0)
        engine.removeRule(assign(fields).program.rule)
        look(5)
      }),
      { numRuns: 500 },
    )
  })
})
