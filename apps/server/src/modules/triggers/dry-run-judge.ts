import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import {
  type Cause,
  compileRule,
  type Effect,
  type Input,
  type Program,
  type RuleDocument,
  type Surroundings,
  TriggerEngine,
} from '@thingwright/rules'

/** A device as the answer names it. */
export interface NamedDevice {
  id: string
  num: number
  name: string
}

/** Input of a dry run; a plain value, so that it can be passed to a worker thread. */
export interface DryRunTask {
  rule: RuleDocument
  devices: readonly NamedDevice[]
  /** Devices that conditions name besides. */
  others: readonly NamedDevice[]
  fences: ReadonlyMap<string, NonNullable<ReturnType<NonNullable<Surroundings['fence']>>>>
  positionOf: ReadonlyMap<number, string>
  from: number
  to: number
}

/** Recorded rows of one device in order of their time; the next part of a series goes on where the last one ended. */
export type SeriesPart = { series: number; device: number; ts: number[] } & (
  | { kind: 'property'; property: string; values: unknown[]; bad: boolean[] }
  | { kind: 'event'; identifiers: string[]; params: object[] }
  | { kind: 'presence'; online: boolean[] }
)

/** The answer without the parts that only the caller knows. */
export type Judged = Omit<DryRunView, 'from' | 'to' | 'moreDevices' | 'missing' | 'rows'>

const SLICE = 500
const MAX_ALARMS = 2_000
const MAX_ACTIONS = 1_000

/** The rule of a task, ready to be judged. @returns null where it cannot be compiled, which the caller has seen before */
export function programOf(task: Pick<DryRunTask, 'rule' | 'devices' | 'others' | 'fences' | 'positionOf'>) {
  const numbers = new Map([...task.others, ...task.devices].map(({ id, num }) => [id, num]))
  return compileRule(
    { id: 'dry-run', version: 1, document: task.rule },
    {
      numberOf: id => numbers.get(id),
      calendar: () => undefined,
      fence: id => task.fences.get(id),
      positionOf: task.positionOf,
    },
  )
}

/** Judges recorded rows by the engine under a clock of its own. Each part that is added is kept until it is judged. */
export class DryRunJudge {
  private readonly series = new Map<number, { at: number; in: number; parts: SeriesPart[] }>()

  constructor(
    private readonly task: DryRunTask,
    private readonly program: Program,
  ) {}

  add(part: SeriesPart): void {
    if (part.ts.length === 0) return
    const known = this.series.get(part.series)
    if (known) known.parts.push(part)
    else this.series.set(part.series, { at: 0, in: 0, parts: [part] })
  }

  judge(): Judged {
    const { task, program } = this
    const engine = new TriggerEngine(task.from)
    const answer = new DryRunAnswer(task)
    answer.take(engine.setRule({ program, targets: task.devices.map(({ num }) => num) }))
    this.merge(slice => answer.take(engine.take(slice)))
    answer.take(engine.advance(task.to))
    return answer.judged()
  }

  /** All series in order of time, and of their numbers where it is the same; values of one device and moment are one row. */
  private merge(take: (slice: Input[]) => void): void {
    const heap = new Heap()
    for (const [number, { parts }] of this.series) heap.push(parts[0]!.ts[0]!, number)
    let slice: Input[] = []
    let seq = 0
    let held = null as PropertyRow | null
    for (let number = heap.first(); number !== undefined; number = heap.first()) {
      const series = this.series.get(number)!
      const part = series.parts[series.in]!
      const i = series.at++
      const ts = part.ts[i]!
      const { device } = part
      if (series.at === part.ts.length) {
        // Frees rows that were judged.
        series.parts[series.in] = EMPTY
        series.in++
        series.at = 0
      }
      const next = series.parts[series.in]
      if (next) heap.replaceFirst(next.ts[series.at]!)
      else heap.dropFirst()
      if (part.kind === 'property') {
        const bad = part.bad[i] === true
        if (held !== null && held.ts === ts && held.device === device && held.bad === bad) {
          ;(held.values as Record<string, unknown>)[part.property] = part.values[i]
          continue
        }
        if (slice.length >= SLICE) {
          take(slice)
          slice = []
        }
        const values: Record<string, unknown> = {}
        values[part.property] = part.values[i]
        held = { lane: 0, seq: ++seq, arrived: ts, device, kind: 'property', ts, values, bad }
        slice.push(held)
      } else {
        held = null
        const at = { lane: 0, seq: ++seq, arrived: ts, device }
        slice.push(
          part.kind === 'event'
            ? { ...at, kind: 'event', identifier: part.identifiers[i]!, params: { ...part.params[i] } }
            : { ...at, kind: part.online[i] ? 'online' : 'offline' },
        )
      }
    }
    take(slice)
  }
}

type PropertyRow = Extract<Input, { kind: 'property' }>

const EMPTY: SeriesPart = { series: -1, device: -1, ts: [], kind: 'presence', online: [] }

/** Series by the time of their next row, and by their numbers. */
class Heap {
  private readonly ts: number[] = []
  private readonly of: number[] = []

  push(ts: number, series: number): void {
    let i = this.ts.length
    this.ts.push(ts)
    this.of.push(series)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!this.before(i, parent)) return
      this.swap(i, parent)
      i = parent
    }
  }

  /** The series whose next row is the earliest; undefined: there is none. */
  first(): number | undefined {
    return this.of[0]
  }

  /** Its next row is at another time. */
  replaceFirst(ts: number): void {
    this.ts[0] = ts
    this.sink()
  }

  dropFirst(): void {
    this.swap(0, this.ts.length - 1)
    this.ts.pop()
    this.of.pop()
    this.sink()
  }

  private sink(): void {
    const { length } = this.ts
    for (let i = 0; ; ) {
      const left = 2 * i + 1
      const right = left + 1
      let first = i
      if (left < length && this.before(left, first)) first = left
      if (right < length && this.before(right, first)) first = right
      if (first === i) return
      this.swap(i, first)
      i = first
    }
  }

  private before(a: number, b: number): boolean {
    return this.ts[a]! < this.ts[b]! || (this.ts[a] === this.ts[b] && this.of[a]! < this.of[b]!)
  }

  private swap(a: number, b: number): void {
    const [ts, of] = [this.ts[a]!, this.of[a]!]
    this.ts[a] = this.ts[b]!
    this.of[a] = this.of[b]!
    this.ts[b] = ts
    this.of[b] = of
  }
}

/** Collects results of a run as they come. A rule that changes often has too many to keep them all. */
export class DryRunAnswer {
  private readonly names: ReadonlyMap<number, NamedDevice>
  private readonly alarms: Judged['alarms'] = []
  private readonly open = new Map<string | number, Judged['alarms'][number]>()
  private readonly actions: Judged['actions'] = []
  private readonly counts = { notices: 0, commands: 0, alarms: 0 }
  private pausedAt: number | null = null

  constructor(private readonly task: Pick<DryRunTask, 'rule' | 'devices' | 'others'>) {
    this.names = new Map([...task.others, ...task.devices].map(device => [device.num, device]))
  }

  take(effects: readonly Effect[]): void {
    for (const effect of effects) this.takeOne(effect)
  }

  private takeOne(effect: Effect): void {
    const { open, counts } = this
    const { cause, target } = effect
    const device = this.names.get(target === 'scope' ? cause.device : target)
    if (effect.kind === 'raised') {
      const alarm = {
        deviceId: device?.id ?? null,
        deviceName: device?.name ?? null,
        level: effect.level,
        raisedAt: cause.at,
        clearedAt: null,
        count: 1,
        raiseValues: this.valuesOf(cause),
        clearValues: [],
      }
      open.set(target, alarm)
      if (counts.alarms++ < MAX_ALARMS) this.alarms.push(alarm)
    } else if (effect.kind === 'repeated') {
      const alarm = open.get(target)
      if (alarm) alarm.count = effect.count
    } else if (effect.kind === 'cleared') {
      const alarm = open.get(target)
      if (alarm) Object.assign(alarm, { clearedAt: cause.at, clearValues: this.valuesOf(cause), count: effect.count })
      open.delete(target)
    } else if (effect.kind === 'paused') this.pausedAt ??= cause.at
    else {
      const kind = this.task.rule.actions?.[effect.index]?.kind ?? ''
      if (kind === 'notify') counts.notices++
      if (kind === 'command') counts.commands++
      if (this.actions.length < MAX_ACTIONS)
        this.actions.push({ deviceId: device?.id ?? null, at: cause.at, index: effect.index, kind })
    }
  }

  judged(): Judged {
    const { counts } = this
    return {
      devices: this.task.devices.length,
      alarms: this.alarms,
      notices: counts.notices,
      commands: counts.commands,
      actions: this.actions,
      pausedAt: this.pausedAt,
      moreAlarms: Math.max(0, counts.alarms - MAX_ALARMS),
    }
  }

  private valuesOf(cause: Cause): Judged['alarms'][number]['raiseValues'] {
    return cause.values.map(({ device, property, value, ts }) => ({
      deviceId: this.names.get(device)?.id ?? null,
      property,
      value,
      ts,
    }))
  }
}
