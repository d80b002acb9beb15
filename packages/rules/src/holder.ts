import type { LaneTime } from './instance.ts'
import type { Effect, Target } from './io.ts'
import type { Program } from './program.ts'
import type { HolderState, RaisedState } from './snapshot.ts'
import type { Part } from './snapshot-pass.ts'
import { Timer } from './timers.ts'

/** More raises than this within the time, and a rule that acts is taken to set itself off. */
const GUARD = { times: 5, ms: 10_000 }

/** What a holder needs of the engine. */
export interface HolderWorld extends LaneTime {
  /** How much later the clock is than the lane. */
  readonly stood: number
  readonly position: { lane: number; seq: number }
  /** Hands out an effect; who hands it out adds the cause. */
  emit(program: Program, target: Target, device: number, effect: Partial<Effect> & { kind: Effect['kind'] }): void
}

/** One alarm-to-be: opens and closes the alarm of a device, or of the whole scope, and says which actions are due. */
export class Holder {
  /** Devices for which the condition holds. */
  readonly members = new Set<number>()
  private raised: RaisedState | null = null
  private recent: number[] = []
  private lastRaisedAt: number | null = null
  private last: HolderState['last'] = null
  private paused = false
  private scheduled: HolderState['scheduled'] = []
  /** Waits for the active hours, or for the end of the quiet time. */
  private readonly opening: Timer
  private readonly delays: Timer
  private device = 0

  constructor(
    readonly program: Program,
    readonly target: Target,
    private readonly world: HolderWorld,
    rule: Part,
  ) {
    const timer = (name: string, fire: () => void) =>
      new Timer(`${program.rule}/${target}/${name}`, 1, () => {
        rule.changes()
        fire()
      })
    this.opening = timer('opening', () => this.tryRaise())
    this.delays = timer('delays', () => this.runDelayed())
  }

  /** The condition has begun to hold for a device. @returns whether that is to be kept: a moment outside the hours is lost */
  enter(device: number): boolean {
    const isFirst = !this.members.has(device)
    this.members.add(device)
    this.device = device
    if (this.raised) {
      if (isFirst || this.program.perScope) this.occur(device)
      return true
    }
    const isRaised = this.tryRaise()
    if (this.program.pulse) {
      this.raised = null
      this.members.delete(device)
      return false
    }
    if (!isRaised && this.program.momentary) {
      this.members.delete(device)
      return false
    }
    return true
  }

  /** It was seen once more. */
  occur(device: number): void {
    this.device = device
    const { raised, world, program } = this
    if (!raised) {
      if (this.opening.due === 0) this.tryRaise()
      return
    }
    raised.count++
    if (world.now - raised.toldAt < program.repeatMs) return
    raised.toldAt = world.now
    world.emit(program, this.target, device, { kind: 'repeated', alarm: raised.alarm, count: raised.count })
  }

  /** It no longer holds for a device. */
  leave(device: number): void {
    this.members.delete(device)
    this.device = device
    if (this.members.size > 0) return
    this.world.timers.disarm(this.opening)
    this.clear(device)
  }

  /** Ends what is open. */
  clear(device: number): void {
    const { raised, world, program } = this
    if (!raised) return
    this.raised = null
    world.emit(program, this.target, device, { kind: 'cleared', alarm: raised.alarm, count: raised.count })
    this.run('clear', raised.alarm)
  }

  /** Somebody cleared it by hand: nothing more is to be done about it. */
  clearedByHand(): void {
    this.raised = null
    this.members.clear()
    this.scheduled = []
    this.world.timers.disarm(this.opening)
    this.world.timers.disarm(this.delays)
  }

  resume(): void {
    this.paused = false
    this.recent = []
  }

  /** The clock has moved away from the lane: what waits for an hour of it waits anew. */
  clockMoved(): void {
    if (this.opening.due > 0) this.waitForOpening()
  }

  private tryRaise(): boolean {
    const { world, program } = this
    if (this.members.size === 0 || this.raised || this.paused) return false
    if (this.waitForOpening()) return false
    if (program.guarded) {
      this.recent = this.recent.filter(at => world.now - at <= GUARD.ms)
      if (this.recent.length >= GUARD.times) {
        this.paused = true
        world.emit(program, this.target, this.device, { kind: 'paused' })
        return false
      }
      this.recent.push(world.now)
    }
    this.lastRaisedAt = world.now
    const alarm = this.newId()
    this.raised = { alarm, toldAt: world.now, count: 1 }
    world.emit(program, this.target, this.device, { kind: 'raised', alarm, level: program.level })
    this.run('raise', alarm)
    return true
  }

  /** @returns whether it is not yet time */
  private waitForOpening(): boolean {
    const { world, program } = this
    world.timers.disarm(this.opening)
    if (program.quietMs > 0 && this.lastRaisedAt !== null && world.now < this.lastRaisedAt + program.quietMs) {
      if (!program.momentary) world.timers.arm(this.opening, this.lastRaisedAt + program.quietMs)
      return true
    }
    if (!program.schedule || program.schedule.isActive(world.now + world.stood)) return false
    const start = program.schedule.nextStart(world.now + world.stood)
    if (start !== null && !program.momentary) world.timers.arm(this.opening, start - world.stood)
    return true
  }

  private newId(): string {
    const { lane, seq } = this.world.position
    const times = this.last?.lane === lane && this.last.seq === seq ? this.last.times + 1 : 0
    this.last = { lane, seq, times }
    const { rule, version, places, switchedOff } = this.program
    // Where a fence came to a device that does not move, or a rule was switched off and on, the same row raises again.
    const moment = `${version}${places === '' ? '' : `-${places}`}${switchedOff === 0 ? '' : `-off${switchedOff}`}`
    const id = `${rule}.${moment}/${this.target}/${lane}.${seq}`
    return times > 0 ? `${id}.${times}` : id
  }

  private run(on: 'raise' | 'clear', alarm: string): void {
    const { world, program } = this
    let at = world.now
    for (const [index, action] of program.actions.entries()) {
      if ((action.on ?? 'raise') !== on) continue
      if (action.kind === 'delay') at += (action.seconds ?? 0) * 1_000
      else if (at === world.now) world.emit(program, this.target, this.device, { kind: 'action', alarm, index })
      else this.scheduled.push({ at, index, alarm })
    }
    this.armDelays()
  }

  private runDelayed(): void {
    const { world, program } = this
    const due = this.scheduled.filter(one => one.at <= world.now)
    this.scheduled = this.scheduled.filter(one => one.at > world.now)
    for (const { alarm, index } of due) world.emit(program, this.target, this.device, { kind: 'action', alarm, index })
    this.armDelays()
  }

  private armDelays(): void {
    if (this.scheduled.length > 0) this.world.timers.arm(this.delays, Math.min(...this.scheduled.map(one => one.at)))
    else this.world.timers.disarm(this.delays)
  }

  /** @returns null when there is nothing to remember */
  save(): HolderState | null {
    const { raised, recent, lastRaisedAt, last, paused, scheduled } = this
    if (!raised && lastRaisedAt === null && !paused && scheduled.length === 0) return null
    return { raised, recent, lastRaisedAt, last, paused, scheduled, device: this.device }
  }

  /** @param isSame the rule has not changed, so that its actions stand where they stood */
  load(state: HolderState, isSame: boolean): void {
    const { raised, recent, lastRaisedAt, last, paused, scheduled } = structuredClone(state)
    this.raised = raised
    this.lastRaisedAt = lastRaisedAt
    this.last = last
    this.device = state.device
    if (!isSame) return
    this.recent = recent
    this.paused = paused
    this.scheduled = scheduled
    this.armDelays()
  }

  /** After {@link load}, when the members are known again. */
  goOn(): void {
    if (this.members.size > 0 && !this.raised && !this.paused) this.waitForOpening()
  }
}
