import { UNTOLD, type Watch } from './directory.ts'
import { FALSE, type Memory, newMemory, TRUE, UNKNOWN } from './memory.ts'
import { isMoment, type Program } from './program.ts'
import type { Part } from './snapshot-pass.ts'
import { Timer, type Timers } from './timers.ts'

/** What an instance needs of the engine: the time of the lane, and its timers. */
export interface LaneTime {
  readonly now: number
  readonly timers: Timers
}

/** Conditions that a value or a timer has just told something of; large enough for any rule. */
const touched = new Uint8Array(64)

/** A rule as it is judged for one device. */
export class Instance {
  readonly truth: number[]
  readonly memory: (Memory | null)[]
  readonly timers: (Timer | null)[]
  /** It holds: it was raised, or waits for its hours. */
  on = false
  private wantsAll: boolean
  /** Where it looks. */
  readonly watches: Watch[] = []
  queued = false
  /** Places of which something was told since the last {@link evaluate}. */
  readonly told: number[] = []
  private hasMoment = false
  /** Nothing has happened yet: what is known already is judged, and counts as nothing seen. */
  private isFirst = false

  constructor(
    readonly program: Program,
    readonly device: number,
    now: number,
    onTimer: (instance: Instance, place: number) => void,
    private readonly rule: Part,
  ) {
    const { nodes } = program
    this.truth = nodes.map(node => (isMoment(node) || node.type === 'no_data' ? FALSE : UNKNOWN))
    this.memory = nodes.map(node => newMemory(node.type, now))
    this.timers = nodes.map((node, place) =>
      ['held', 'repeated', 'no_data', 'stuck', 'tick'].includes(node.type)
        ? new Timer(`${program.rule}/${device}/${node.key}`, 0, () => onTimer(this, place))
        : null,
    )
    this.wantsAll = program.counts
  }

  /** It wants to see values that change nothing: to count them, or because it holds. */
  get eager(): boolean {
    return this.wantsAll
  }

  set eager(wantsAll: boolean) {
    this.wantsAll = wantsAll
    if (wantsAll) this.forgetTold()
  }

  /** The next answer of each condition is passed on, also when it is the same as before. */
  forgetTold(): void {
    for (const watch of this.watches) watch.told = UNTOLD
  }

  /** Called before something of it changes that belongs into snapshots. */
  changes(): void {
    this.rule.changes()
  }

  /** Something was told of a leaf. */
  tell(place: number, truth: number): void {
    this.truth[place] = truth
    this.told.push(place)
  }

  /** As {@link tell}, of what is over in the same moment. */
  tellMoment(place: number): void {
    this.tell(place, TRUE)
    this.hasMoment = true
  }

  /** Tells it of everything that is known when its rule is set. */
  tellKnown(): void {
    const { nodes } = this.program
    for (let i = 0; i < nodes.length; i++) if (nodes[i]!.children.length === 0) this.told.push(i)
    this.isFirst = true
  }

  /** Works out what follows from what was told. @returns whether the raising condition was told of something */
  evaluate(time: LaneTime): boolean {
    touched.fill(0, 0, this.truth.length)
    for (const place of this.told) touched[place] = 1
    this.told.length = 0
    this.propagate(time)
    this.isFirst = false
    return touched[this.program.raise] === 1
  }

  /** What was true for a moment is so no longer. */
  endMoment(time: LaneTime): void {
    if (!this.hasMoment) return
    this.hasMoment = false
    const { nodes } = this.program
    for (let i = 0; i < nodes.length; i++) if (isMoment(nodes[i]!)) this.truth[i] = FALSE
    touched.fill(0, 0, this.truth.length)
    this.propagate(time)
  }

  private propagate(time: LaneTime): void {
    const { truth, program } = this
    const { nodes } = program
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!
      const { children } = node
      if (children.length === 0) continue
      for (const child of children) if (touched[child] === 1) touched[i] = 1
      switch (node.type) {
        case 'all':
          truth[i] = all(truth, children)
          break
        case 'any':
          truth[i] = any(truth, children)
          break
        case 'not':
          truth[i] = negated(truth[children[0]!]!)
          break
        case 'held':
          truth[i] = this.held(i, truth[children[0]!]!, node.ms, time)
          break
        case 'repeated':
          truth[i] = this.repeated(i, truth[children[0]!]!, !this.isFirst && touched[children[0]!] === 1, node, time)
          break
        default:
          // A leaf has no children: its truth was judged when its input came.
          break
      }
    }
  }

  /** Becomes true by its timer alone, never by a value: so it is the same whether values come or not. */
  private held(i: number, inner: number, ms: number, time: LaneTime): number {
    const m = this.memory[i]
    if (m?.of !== 'held') return UNKNOWN
    if (inner !== TRUE) {
      if (m.since >= 0) time.timers.disarm(this.timers[i]!)
      m.since = -1
      m.done = false
      return inner
    }
    if (m.since < 0) {
      m.since = time.now
      time.timers.arm(this.timers[i]!, time.now + ms)
    }
    return m.done ? TRUE : FALSE
  }

  /** Counts what was told; the window closes by its timer. */
  private repeated(
    i: number,
    inner: number,
    isTold: boolean,
    node: { times: number; ms: number },
    time: LaneTime,
  ): number {
    const m = this.memory[i]
    if (m?.of !== 'repeated') return UNKNOWN
    if (node.ms === 0) {
      if (isTold && inner === TRUE) m.run = Math.min(m.run + 1, node.times)
      else if (isTold && inner === FALSE) m.run = 0
      return m.run >= node.times ? TRUE : FALSE
    }
    if (isTold && inner === TRUE) {
      m.hits.push(time.now)
      if (m.hits.length > node.times) m.hits.shift()
      if (m.hits.length === node.times && time.now - m.hits[0]! < node.ms) {
        m.open = true
        time.timers.arm(this.timers[i]!, m.hits[0]! + node.ms)
      }
    }
    return m.open ? TRUE : FALSE
  }
}

function all(truth: readonly number[], children: readonly number[]): number {
  let answer = TRUE
  for (const child of children) {
    if (truth[child] === FALSE) return FALSE
    if (truth[child] === UNKNOWN) answer = UNKNOWN
  }
  return answer
}

function any(truth: readonly number[], children: readonly number[]): number {
  let answer = FALSE
  for (const child of children) {
    if (truth[child] === TRUE) return TRUE
    if (truth[child] === UNKNOWN) answer = UNKNOWN
  }
  return answer
}

function negated(truth: number): number {
  return truth === UNKNOWN ? UNKNOWN : truth === TRUE ? FALSE : TRUE
}
