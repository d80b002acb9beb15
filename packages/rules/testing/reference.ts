import type { Condition, GeneralForm, Input } from '../src/index.ts'

/**
 * What a rule comes to for device 1, worked out the plain way: for every second all answers anew, from nothing but the list
 * of what happened and of earlier answers. It knows only whole seconds, and no engine.
 */
export function reference(form: GeneralForm, inputs: readonly Input[], start: number, seconds: number): string[] {
  const seen: string[] = []
  const history = new History()
  const judge = new Judge(history)
  let on = false
  let next = 0
  let graceUntil = -1
  let stood = 0
  for (let clock = 0; clock <= seconds; clock++) {
    const outage = inputs[next]?.kind === 'outage' ? inputs[next] : undefined
    if (outage?.kind === 'outage' && outage.from === start + clock * 1_000) {
      // Timers of the last moment before it fire; then nothing does.
      if (clock - stood >= graceUntil) step(clock, null)
      const lasted = (outage.arrived - outage.from) / 1_000
      stood += lasted
      clock += lasted - 1
      graceUntil = clock + 1 - stood + outage.graceMs / 1_000
      next++
      continue
    }
    if (clock - stood >= graceUntil) step(clock, null)
    while (inputs[next] && inputs[next]!.kind !== 'outage' && inputs[next]!.arrived === start + clock * 1_000)
      step(clock, inputs[next++]!)
  }
  return seen

  function step(clock: number, input: Input | null): void {
    history.now = clock - stood
    const told = input ? history.take(input) : new Set<string>(clock === 0 ? ['time', 'first'] : ['time'])
    if (told.size === 0) return
    const raise = judge.answer(form.condition, told)
    const clear = typeof form.clear === 'string' ? undefined : judge.answer(form.clear, told)
    judge.endStep(form, told)
    if (!on && raise.truth === true && raise.told) {
      on = true
      seen.push(`raised@${clock}`)
    } else if (on && raise.truth !== true) {
      if (form.clear === 'when_false' ? raise.truth === false : clear?.truth === true) {
        on = false
        seen.push(`cleared@${clock}`)
      }
    }
  }
}

type Truth = boolean | undefined

/** Everything that was judged, and when things were heard of. */
class History {
  now = 0
  readonly values = new Map<string, { value: unknown; ts: number; at: number }[]>()
  readonly heard = new Map<string, number>()
  online: Truth
  private readonly taken = new Set<number>()

  /** @returns names of what was told: properties, `online`; what is new about being heard counts as `heard` */
  take(input: Input): Set<string> {
    const told = new Set<string>()
    if (!('device' in input) || input.device !== 1 || this.taken.has(input.seq)) return told
    this.taken.add(input.seq)
    if (input.kind === 'online' || input.kind === 'offline') {
      const online = input.kind === 'online'
      if (online !== this.online) told.add('online')
      this.online = online
    }
    if (input.kind !== 'property') return told
    told.add('heard')
    this.heard.set('', this.now)
    for (const [property, value] of Object.entries(input.values)) {
      this.heard.set(property, this.now)
      const list = this.values.get(property) ?? []
      this.values.set(property, list)
      const last = list.at(-1)
      if (input.late || input.bad || (last && (input.ts < last.ts || (input.ts === last.ts && value === last.value))))
        continue
      list.push({ value, ts: input.ts, at: this.now })
      told.add(property)
    }
    return told
  }
}

/** Answers of conditions, with what each answered in earlier steps. */
class Judge {
  /** By condition: every step's answer with its time. */
  private readonly past = new Map<string, { at: number; truth: Truth; told: boolean; timer: boolean }[]>()

  constructor(private readonly history: History) {}

  answer(condition: Condition, told: ReadonlySet<string>): { truth: Truth; told: boolean } {
    const answer = this.work(condition, told)
    // What is known when the rule is set is told of once.
    return told.has('first') ? { ...answer, told: true } : answer
  }

  private work(condition: Condition, told: ReadonlySet<string>): { truth: Truth; told: boolean } {
    const { history } = this
    switch (condition.type) {
      case 'all': {
        const answers = condition.of.map(child => this.answer(child, told))
        const truth = answers.some(a => a.truth === false)
          ? false
          : answers.every(a => a.truth === true)
            ? true
            : undefined
        return { truth, told: answers.some(a => a.told) }
      }
      case 'any': {
        const answers = condition.of.map(child => this.answer(child, told))
        const truth = answers.some(a => a.truth === true)
          ? true
          : answers.every(a => a.truth === false)
            ? false
            : undefined
        return { truth, told: answers.some(a => a.told) }
      }
      case 'not': {
        const inner = this.answer(condition.of, told)
        return { truth: inner.truth === undefined ? undefined : !inner.truth, told: inner.told }
      }
      case 'held': {
        const inner = this.answer(condition.of, told)
        if (inner.truth !== true) return inner
        const steps = [...(this.past.get(keyOf(condition.of)) ?? [])]
        let since = history.now
        // A timer that was fired within the stretch, at least so long after it began.
        const timers: number[] = told.has('time') ? [history.now] : []
        for (const step of steps.reverse()) {
          if (step.truth !== true) break
          since = step.at
          if (step.timer) timers.push(step.at)
        }
        const isDone = timers.some(at => at - since >= condition.seconds)
        const was = this.past.get(keyOf(condition))?.at(-1)?.truth
        return { truth: isDone, told: inner.told || isDone !== (was ?? false) }
      }
      case 'repeated': {
        const inner = this.answer(condition.of, told)
        const steps = [
          ...(this.past.get(keyOf(condition.of)) ?? []),
          { at: history.now, truth: inner.truth, told: inner.told && !told.has('first'), timer: false },
        ].filter(step => step.told)
        let truth: boolean
        if (condition.seconds === undefined) {
          const run = steps.filter(step => step.truth !== undefined).slice(-condition.times)
          truth = run.length === condition.times && run.every(step => step.truth === true)
        } else {
          const hits = steps.filter(step => step.truth === true).slice(-condition.times)
          const isWithin = hits.length === condition.times && history.now - hits[0]!.at < condition.seconds
          const was = this.past.get(keyOf(condition))?.at(-1)?.truth ?? false
          // It opens with what is seen, and closes by time alone.
          truth = told.has('time') ? was && isWithin : was
          if (inner.told && !told.has('first') && inner.truth === true && isWithin) truth = true
        }
        const before = this.past.get(keyOf(condition))?.at(-1)?.truth ?? false
        return { truth, told: inner.told || (told.has('time') && truth !== before) }
      }
      case 'compare': {
        const value = history.values.get(condition.property)?.at(-1)?.value
        const limit = condition.value as number
        const isTold = told.has(condition.property)
        if (typeof value !== 'number') return { truth: undefined, told: isTold }
        if (condition.op === 'gt') return { truth: value > limit, told: isTold }
        if (condition.op === 'lt') return { truth: value < limit, told: isTold }
        return { truth: value >= condition.low! && value <= condition.high!, told: isTold }
      }
      case 'online':
      case 'offline': {
        const truth = history.online === undefined ? undefined : history.online === (condition.type === 'online')
        return { truth, told: told.has('online') }
      }
      case 'no_data': {
        const heard = history.heard.get(condition.property ?? '') ?? 0
        const was = this.past.get(keyOf(condition))?.at(-1)?.truth ?? false
        const isOver = history.now - heard >= condition.seconds
        // Only a timer finds that nothing came; only what comes ends it.
        const truth = told.has('time') ? isOver : was && heard !== history.now
        return { truth, told: truth !== was }
      }
      case 'jump': {
        const list = history.values.get(condition.property)?.map(one => one.value as number) ?? []
        if (list.length < 2) return { truth: undefined, told: told.has(condition.property) }
        return {
          truth: Math.abs(list.at(-1)! - list.at(-2)!) >= condition.by,
          told: told.has(condition.property),
        }
      }
      default:
        throw new Error(`the reference does not know ${condition.type}`)
    }
  }

  /** Keeps the answers of this step, of every condition. */
  endStep(form: GeneralForm, told: ReadonlySet<string>): void {
    const all = new Map<string, Condition>()
    collect(form.condition, all)
    if (typeof form.clear !== 'string') collect(form.clear, all)
    const answers = [...all].map(([key, condition]) => [key, this.answer(condition, told)] as const)
    for (const [key, { truth, told: isTold }] of answers) {
      const list = this.past.get(key) ?? []
      this.past.set(key, list)
      list.push({ at: this.history.now, truth, told: isTold && !told.has('first'), timer: told.has('time') })
    }
  }
}

function keyOf(condition: Condition): string {
  return JSON.stringify(condition)
}

function collect(condition: Condition, into: Map<string, Condition>): void {
  into.set(keyOf(condition), condition)
  if (condition.type === 'all' || condition.type === 'any') for (const child of condition.of) collect(child, into)
  if (condition.type === 'not' || condition.type === 'held' || condition.type === 'repeated')
    collect(condition.of, into)
}
