import { compared, concerns, presenceOf, silence } from './answers.ts'
import type { Device, Slot, Watch } from './directory.ts'
import { Holder, type HolderWorld } from './holder.ts'
import { Instance } from './instance.ts'
import type { Cause, Effect, Input, Target } from './io.ts'
import { KnownDevices, type Seed } from './known-devices.ts'
import { FALSE, judgeDeviation, judgeFence, judgeJump, judgeRate, judgeStuck, TRUE, UNKNOWN } from './memory.ts'
import { type Node, type Program, propertyOf } from './program.ts'
import { Running } from './running.ts'
import { type InstanceState, type RuleState, SNAPSHOT_FORMAT, type Snapshot } from './snapshot.ts'
import { type Passes, SnapshotPass } from './snapshot-pass.ts'
import { type Timer, Timers } from './timers.ts'

/** A rule with the devices that it is judged for. */
export interface Assignment {
  program: Program
  targets: readonly number[]
}

/** Up to where everything was acted on before, by lane, and the moment up to which timers were. */
export interface ActedUpTo {
  seqs: ReadonlyMap<number, number>
  at: number
}

/**
 * Judges rules over what happens in a lane, or in several that were merged (ADR 47). It has no clock and does nothing: it
 * is told what happened, in order, and says what follows. The same told again comes to the same.
 */
export class TriggerEngine implements HolderWorld {
  readonly timers = new Timers()
  /** Lane time: that of the clock, less what it stood still. */
  now: number
  stood = 0
  position = { lane: 0, seq: 0 }
  private graceUntil = 0
  private readonly seqs = new Map<number, number>()
  private readonly passes: Passes = { running: 0 }
  private pass: SnapshotPass | null = null
  private passNumber = 0
  private readonly devices = new KnownDevices(this.passes)
  private readonly rules = new Map<string, Running>()
  private readonly queue: Instance[] = []
  private effects: Effect[] = []
  private settled = 0
  private by: Cause['by'] = 'rule'
  private acted: ActedUpTo | null = null

  /** @param at epoch ms at which the lane begins */
  constructor(at: number) {
    this.now = at
  }

  /** Takes what happened. @returns what follows, in order */
  take(inputs: readonly Input[]): Effect[] {
    for (const input of inputs) this.takeOne(input)
    return this.handOut()
  }

  /** Nothing with an arrival before this moment (epoch ms) will come any more: what is due until then is due now. */
  advance(to: number): Effect[] {
    this.advanceTo(to - this.stood)
    return this.handOut()
  }

  /** What was acted on before is judged and not told again. */
  replayUntil(acted: ActedUpTo): void {
    this.acted = acted
  }

  /**
   * Begins to judge a rule, or goes on with another version of it or other devices: what the two have in common keeps its
   * memory, alarms stay open.
   * @param seed values from before the engine knew the device
   */
  setRule(assignment: Assignment, seed?: Seed): Effect[] {
    this.pass?.finish()
    const before = this.rules.get(assignment.program.rule)
    // It was off for a moment in which nothing looked at it.
    const isAnew = before !== undefined && before.program.switchedOff !== assignment.program.switchedOff
    if (isAnew) this.clearAll(before)
    const state = before && !isAnew ? before.state() : undefined
    const left = before ? this.drop(before) : []
    this.add(assignment, state, seed, true)
    this.devices.prune(left)
    return this.handOut()
  }

  /** Judges a rule no longer; its alarms are cleared. */
  removeRule(id: string): Effect[] {
    const rule = this.rules.get(id)
    if (!rule) return []
    this.pass?.finish()
    this.clearAll(rule)
    this.devices.prune(this.drop(rule))
    return this.handOut()
  }

  private clearAll({ holders }: Running): void {
    this.by = 'rule'
    for (const [target, holder] of holders) holder.clear(typeof target === 'number' ? target : 0)
  }

  /** Everything it knows but the rules themselves. */
  snapshot(): Snapshot {
    return structuredClone(this.known())
  }

  /**
   * Begins a snapshot of this moment as JSON, which may be read while the engine goes on. Devices and rules that have not
   * changed since the last one are taken from that.
   */
  beginSnapshot(): SnapshotPass {
    this.pass?.finish()
    this.pass = new SnapshotPass(
      this.passes,
      ++this.passNumber,
      this.head(),
      this.devices.devices.values(),
      this.rules.values(),
    )
    return this.pass
  }

  /** The snapshot with what the engine itself goes on changing in it. */
  private known(): Snapshot {
    return {
      ...this.head(),
      devices: this.devices.save(),
      rules: [...this.rules.values()].map(rule => rule.state()),
    }
  }

  private head(): Omit<Snapshot, 'devices' | 'rules'> {
    return {
      format: SNAPSHOT_FORMAT,
      now: this.now,
      stood: this.stood,
      graceUntil: this.graceUntil,
      last: { ...this.position },
      seqs: [...this.seqs],
    }
  }

  /**
   * Goes on where a snapshot was taken. Rules that have changed since are taken as changed in that moment; those that are
   * gone are left out.
   */
  static restore(snapshot: Snapshot, rules: readonly Assignment[], seed?: Seed): TriggerEngine {
    const engine = new TriggerEngine(snapshot.now)
    engine.stood = snapshot.stood
    engine.graceUntil = snapshot.graceUntil
    engine.position = { ...snapshot.last }
    for (const [lane, seq] of snapshot.seqs) engine.seqs.set(lane, seq)
    engine.devices.load(snapshot.devices)
    const states = new Map(snapshot.rules.map(state => [state.id, state]))
    for (const assignment of rules) {
      const state = states.get(assignment.program.rule)
      const { version, places, switchedOff } = assignment.program
      const kept = state && (state.switchedOff ?? 0) === switchedOff ? state : undefined
      engine.add(assignment, kept, seed, kept?.version !== version || (kept.places ?? '') !== places)
    }
    return engine
  }

  // What happened

  private takeOne(input: Input): void {
    if (input.kind === 'property' || input.kind === 'event' || input.kind === 'online' || input.kind === 'offline') {
      if (input.seq <= (this.seqs.get(input.lane) ?? 0)) return
      this.seqs.set(input.lane, input.seq)
    }
    if (input.kind === 'outage') {
      this.standStill(input.from, input.arrived, input.graceMs)
      return
    }
    const at = input.arrived - this.stood
    if (at >= this.timers.next) this.advanceTo(at)
    else if (at > this.now) this.now = at
    this.position.lane = input.lane
    this.position.seq = input.seq
    this.by = 'row'
    switch (input.kind) {
      case 'property':
        this.takeValues(input)
        break
      case 'event':
        this.takeEvent(input)
        break
      case 'online':
      case 'offline':
        this.takePresence(input.device, input.kind === 'online' ? 1 : 0)
        break
      case 'command_failed':
        this.tellMoments(this.devices.get(input.device)?.failed, node => {
          return node.type === 'command_failed' && (node.command === null || node.command === input.command)
        })
        break
      case 'button':
      case 'api':
        for (const { instance, place } of this.devices.signals.get(`${input.kind}:${input.key}`) ?? [])
          if (input.device === undefined || input.device === instance.device) this.tellMoment(instance, place)
        break
      case 'cleared':
        this.clearedByHand(input.rule, input.target)
        return
      case 'resumed':
        this.changes(input.rule)
        for (const [target, holder] of this.rules.get(input.rule)?.holders ?? [])
          if (input.target === 'all' || input.target === target) holder.resume()
        return
    }
    this.settle()
  }

  private takeValues(row: Extract<Input, { kind: 'property' }>): void {
    const device = this.devices.get(row.device)
    if (!device) return
    this.seen(device)
    const { values, ts } = row
    const isJudged = !row.bad && !row.late
    for (const property in values) {
      const slot = device.slots.get(property)
      if (!slot) continue
      slot.at = this.now
      if (slot.alive.length > 0) this.notSilent(slot.alive)
      if (!isJudged || ts < slot.ts) continue
      const value = values[property]
      // The same once more, from a device that had no answer.
      if (ts === slot.ts && value === slot.value) continue
      slot.value = value
      slot.ts = ts
      for (const watch of slot.watches) this.judge(watch, slot)
    }
  }

  private takeEvent(row: Extract<Input, { kind: 'event' }>): void {
    const device = this.devices.get(row.device)
    if (!device) return
    this.seen(device)
    if (row.late) return
    this.tellMoments(
      device.events.get(row.identifier),
      node =>
        node.type === 'event' && node.where.every(({ param, test }) => test(row.params[param], undefined) === true),
    )
  }

  private takePresence(number: number, presence: 0 | 1): void {
    const device = this.devices.get(number)
    if (!device || device.presence === presence) return
    device.changes()
    device.presence = presence
    for (const { instance, place } of device.presenceWatches)
      this.tell(instance, place, presenceOf(instance, place, presence))
  }

  private seen(device: Device): void {
    device.changes()
    device.at = this.now
    if (device.alive.length > 0) this.notSilent(device.alive)
  }

  private notSilent(watches: readonly Watch[]): void {
    for (const { instance, place } of watches) {
      const m = instance.memory[place]
      if (m?.of !== 'no_data' || !m.silent) continue
      instance.changes()
      m.silent = false
      this.tell(instance, place, FALSE)
      this.timers.arm(instance.timers[place]!, this.now + silence(instance.program.nodes[place]!))
    }
  }

  private tellMoments(watches: readonly Watch[] | undefined, wanted: (node: Node) => boolean): void {
    for (const { instance, place } of watches ?? [])
      if (wanted(instance.program.nodes[place]!)) this.tellMoment(instance, place)
  }

  private tellMoment(instance: Instance, place: number): void {
    instance.tellMoment(place)
    this.enqueue(instance)
  }

  /** A value of a slot that a condition looks at. */
  private judge(watch: Watch, slot: Slot): void {
    if (watch.test !== null) {
      const truth = compared(watch.test, watch.own!, watch.other)
      if (truth === watch.told) return
      const { instance, place } = watch
      this.tell(instance, place, truth)
      if (!instance.eager) watch.told = truth
      return
    }
    const { instance, place } = watch
    const node = instance.program.nodes[place]!
    const m = instance.memory[place] ?? null
    instance.changes()
    const { value, ts } = slot
    if (m?.of === 'values' && node.type === 'rate') this.tell(instance, place, judgeRate(node, m, value, ts))
    else if (m?.of === 'values' && node.type === 'jump') this.tell(instance, place, judgeJump(node.by, m, value))
    else if (m?.of === 'deviation' && node.type === 'deviation')
      this.tell(instance, place, judgeDeviation(node, m, value, ts))
    else if (m?.of === 'fence' && node.type === 'geofence') {
      if (concerns(instance, node)) this.tell(instance, place, judgeFence(node, m, value))
    } else if (m?.of === 'stuck' && node.type === 'stuck') {
      if (judgeStuck(node.tolerance, m, value, this.now)) this.timers.arm(instance.timers[place]!, this.now + node.ms)
      this.tell(instance, place, m.truth)
    }
  }

  private tell(instance: Instance, place: number, truth: number): void {
    if (truth === instance.truth[place] && !instance.eager) return
    instance.tell(place, truth)
    this.enqueue(instance)
  }

  private enqueue(instance: Instance): void {
    if (instance.queued) return
    instance.queued = true
    instance.changes()
    this.queue.push(instance)
  }

  // What follows

  /** Judges every instance that was told something: after all of a row, so that no half of it counts. */
  private settle(): void {
    if (this.queue.length === 0) return
    for (const instance of this.queue) {
      instance.queued = false
      this.judgeInstance(instance)
    }
    this.queue.length = 0
    this.inOrder()
  }

  private judgeInstance(instance: Instance): void {
    const { program, device } = instance
    const isTold = instance.evaluate(this)
    const raise = instance.truth[program.raise]
    if (!instance.on) {
      if (raise === TRUE && isTold) {
        instance.on = this.holder(program, device).enter(device)
        instance.eager = instance.on || program.counts
      }
    } else if (raise === TRUE) {
      if (isTold) this.holder(program, device).occur(device)
    } else if (
      program.clear === 'when_false'
        ? raise === FALSE
        : program.clear !== 'manual' && instance.truth[program.clear] === TRUE
    ) {
      instance.on = false
      instance.eager = program.counts
      this.holder(program, device).leave(device)
    }
    instance.endMoment(this)
  }

  private holder(program: Program, device: number): Holder {
    const running = this.rules.get(program.rule)!
    const { holders } = running
    const target = program.perScope ? 'scope' : device
    let holder = holders.get(target)
    if (!holder) {
      holder = new Holder(program, target, this, running)
      holders.set(target, holder)
    }
    return holder
  }

  private clearedByHand(rule: string, target: Target): void {
    const running = this.rules.get(rule)
    this.changes(rule)
    running?.holders.get(target)?.clearedByHand()
    for (const instance of running?.instances.values() ?? [])
      if (target === 'scope' || instance.device === target) {
        instance.on = false
        // What still holds is raised again by the next value that says so, though it changes nothing.
        instance.eager = true
      }
  }

  /** Called before something of a rule changes that belongs into snapshots. */
  private changes(rule: string): void {
    this.rules.get(rule)?.changes()
  }

  emit(program: Program, target: Target, device: number, effect: Partial<Effect> & { kind: Effect['kind'] }): void {
    const { lane, seq } = this.position
    const at = this.now + this.stood
    if (this.acted) {
      const upTo = this.acted.seqs.get(lane) ?? 0
      if (seq <= upTo && at <= this.acted.at) return
    }
    const values = program.sources.map(({ property: asked, device: other }) => {
      const number = other ?? device
      const property = propertyOf(program, asked, number) ?? ''
      const slot = this.devices.get(number)?.slots.get(property)
      return { device: number, property, value: slot?.value ?? null, ts: slot && slot.ts > 0 ? slot.ts : 0 }
    })
    const cause: Cause = { lane, seq, at, by: this.by, device, values }
    this.effects.push({ rule: program.rule, version: program.version, target, ...effect, cause } as Effect)
  }

  /** What one moment brings about stands in the order of rules and devices, however they were registered. */
  private inOrder(): void {
    const { effects, settled } = this
    if (effects.length > settled + 1) {
      const part = effects.splice(settled)
      part.sort((a, b) => compare(a.rule, b.rule) || compare(String(a.target), String(b.target)))
      effects.push(...part)
    }
    this.settled = effects.length
  }

  private handOut(): Effect[] {
    this.inOrder()
    const { effects } = this
    this.effects = []
    this.settled = 0
    return effects
  }

  // Time

  private advanceTo(to: number): void {
    while (this.timers.next <= to) {
      const at = this.timers.next
      const due = this.timers.take()
      if (at < this.graceUntil) {
        for (const timer of due) this.timers.arm(timer, this.graceUntil)
        continue
      }
      if (at > this.now) this.now = at
      this.fire(due)
    }
    if (to > this.now) this.now = to
  }

  private fire(due: readonly Timer[]): void {
    this.by = 'timer'
    for (const timer of due) if (timer.rank === 0) timer.fire()
    this.settle()
    for (const timer of due) if (timer.rank === 1) timer.fire()
    this.inOrder()
  }

  private readonly onTimer = (instance: Instance, place: number): void => {
    const node = instance.program.nodes[place]!
    const m = instance.memory[place] ?? null
    if (node.type === 'tick') {
      instance.tellMoment(place)
      this.armTick(instance, place, node.ms)
    } else if (m?.of === 'held') {
      instance.changes()
      m.done = true
      instance.told.push(place)
    } else if (m?.of === 'no_data') {
      const since = Math.max(m.since, this.lastSign(instance, place))
      if (since + silence(node) > this.now) {
        this.timers.arm(instance.timers[place]!, since + silence(node))
        return
      }
      instance.changes()
      m.silent = true
      instance.tell(place, TRUE)
    } else if (m?.of === 'repeated') {
      instance.changes()
      m.open = false
      instance.told.push(place)
    } else if (m?.of === 'stuck') {
      instance.changes()
      m.passed = true
      if (m.seen < 2) return
      m.truth = TRUE
      instance.tell(place, TRUE)
    }
    this.enqueue(instance)
  }

  private lastSign(instance: Instance, place: number): number {
    const node = instance.program.nodes[place]!
    const device = this.devices.get(node.device ?? instance.device)!
    const property = node.type === 'no_data' ? node.property : null
    return property === null ? device.at : (device.slots.get(property)?.at ?? 0)
  }

  private armTick(instance: Instance, place: number, ms: number): void {
    const clock = this.now + this.stood
    this.timers.arm(instance.timers[place]!, (Math.floor(clock / ms) + 1) * ms - this.stood)
  }

  private standStill(from: number, to: number, graceMs: number): void {
    this.pass?.finish()
    this.advanceTo(from - this.stood)
    const begun = Math.max(from, this.now + this.stood)
    if (to <= begun) return
    this.stood += to - begun
    this.graceUntil = this.now + graceMs
    for (const { instances, holders } of this.rules.values()) {
      for (const instance of instances.values())
        for (const [place, node] of instance.program.nodes.entries())
          if (node.type === 'tick') this.armTick(instance, place, node.ms)
      for (const holder of holders.values()) holder.clockMoved()
    }
  }

  // Rules

  private add(
    { program, targets }: Assignment,
    state: RuleState | undefined,
    seed: Seed | undefined,
    isNew: boolean,
  ): void {
    this.by = 'rule'
    const running = new Running(program, this.passes)
    this.rules.set(program.rule, running)
    const isSameShape = state?.perScope === program.perScope
    const known = new Map(isSameShape ? state.instances : [])
    const wanted = new Set(targets)
    for (const [target, held] of state?.holders ?? []) {
      const holder = new Holder(program, target, this, running)
      holder.load(held, state?.version === program.version)
      if (isSameShape && (target === 'scope' || wanted.has(target))) running.holders.set(target, holder)
      else holder.clear(typeof target === 'number' ? target : 0)
    }
    for (const device of wanted) {
      const instance = new Instance(program, device, this.now, this.onTimer, running)
      running.instances.set(device, instance)
      this.devices.register(instance, seed, this.now)
      const before = known.get(device)
      if (before) this.load(instance, before)
      else this.begin(instance)
      this.refresh(instance, isNew)
    }
    for (const [device, before] of known)
      if (before.on && !wanted.has(device)) running.holders.get('scope')?.leave(device)
    for (const holder of running.holders.values()) holder.goOn()
    if (isNew) this.settle()
  }

  /** Timers of an instance that begins. */
  private begin(instance: Instance): void {
    for (const [place, node] of instance.program.nodes.entries()) this.armLeaf(instance, place, node)
  }

  private armLeaf(instance: Instance, place: number, node: Node): void {
    const m = instance.memory[place] ?? null
    if (node.type === 'tick') this.armTick(instance, place, node.ms)
    else if (m?.of === 'no_data') {
      if (!m.silent)
        this.timers.arm(instance.timers[place]!, Math.max(m.since, this.lastSign(instance, place)) + silence(node))
    } else if (m?.of === 'stuck' && node.type === 'stuck') {
      if (m.seen > 0 && !m.passed) this.timers.arm(instance.timers[place]!, m.since + node.ms)
    } else if (m?.of === 'held' && node.type === 'held') {
      if (m.since >= 0 && !m.done) this.timers.arm(instance.timers[place]!, m.since + node.ms)
    } else if (m?.of === 'repeated' && node.type === 'repeated' && m.open)
      this.timers.arm(instance.timers[place]!, m.hits[0]! + node.ms)
  }

  /** Gives an instance the memory of the one before it, condition by condition. */
  private load(instance: Instance, state: InstanceState): void {
    for (const [place, node] of instance.program.nodes.entries()) {
      const m = state.memory[node.key]
      if (m) instance.memory[place] = structuredClone(m)
      this.armLeaf(instance, place, node)
    }
    instance.on = state.on
    instance.eager = state.eager || instance.program.counts
    if (state.on) this.holder(instance.program, instance.device).members.add(instance.device)
  }

  /** Works out the answers of all conditions from what is known. @param isNew and acts on them */
  private refresh(instance: Instance, isNew: boolean): void {
    for (const [place, node] of instance.program.nodes.entries()) {
      const m = instance.memory[place] ?? null
      if (m?.of === 'fence' && node.type === 'geofence') {
        const number = node.device ?? instance.device
        const slot = this.devices.get(number)?.slots.get(propertyOf(instance.program, node.property, number) ?? '')
        // The fence may be another one than that by which the position was judged.
        const isKnown = slot && slot.ts > Number.NEGATIVE_INFINITY && concerns(instance, node)
        instance.truth[place] = isKnown ? judgeFence(node, m, slot.value) : UNKNOWN
      } else if (m && 'truth' in m) instance.truth[place] = m.truth
      else if (m?.of === 'no_data') instance.truth[place] = m.silent ? TRUE : FALSE
      else if (node.type === 'presence')
        instance.truth[place] = presenceOf(instance, place, this.devices.get(node.device ?? instance.device)!.presence)
      else if (node.type === 'compare') {
        const own = this.devices.get(node.device ?? instance.device)!.slots.get(node.property)!
        const other =
          node.other && this.devices.get(node.other.device ?? instance.device)!.slots.get(node.other.property)!
        instance.truth[place] = compared(node.test, own, other)
      }
    }
    instance.forgetTold()
    if (isNew) instance.tellKnown()
    if (isNew) this.enqueue(instance)
    else instance.evaluate(this)
  }

  /** @returns the devices that it looked at */
  private drop({ program, instances, holders }: Running): Iterable<number> {
    this.rules.delete(program.rule)
    const gone = new Set(instances.values())
    const numbers = new Set<number>()
    for (const instance of gone) {
      for (const timer of instance.timers) if (timer) this.timers.disarm(timer)
      for (const node of program.nodes) numbers.add(node.device ?? instance.device)
      for (const node of program.nodes)
        if (node.type === 'compare' && node.other) numbers.add(node.other.device ?? instance.device)
    }
    for (const holder of holders.values()) holder.clearedByHand()
    const names = program.nodes.flatMap(node => (node.type === 'signal' ? [node.name] : []))
    this.devices.forget(gone, numbers, names)
    return numbers
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
