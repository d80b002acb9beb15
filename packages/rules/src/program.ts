import { compileComparison, ordered, type Test } from './compare.ts'
import type { FenceShape } from './fence.ts'
import { generalForm } from './kinds.ts'
import { isMomentary } from './parse-condition.ts'
import type { RuleProblem } from './problems.ts'
import type { Action, Comparison, Condition, FenceWhen, RuleDocument } from './rule.ts'
import { type Calendar, Schedule } from './schedule.ts'

/** What a rule needs to know of the world when it is compiled. */
export interface Surroundings {
  /** The number of a device by its id; undefined: there is none. */
  numberOf(deviceId: string): number | undefined
  calendar(id: string): Calendar | undefined
  /** A geofence, with the devices that it is for (absent: all); undefined: there is none. Each change has another version. */
  fence?(id: string): { shape: FenceShape; version: number; devices?: ReadonlySet<number> } | undefined
  /** The property in which a device says where it is. */
  positionOf?: ReadonlyMap<number, string>
}

/** A rule as the engine is given it. */
export interface Rule {
  id: string
  version: number
  /** How often it was switched off: what it knew before counts no more. Absent: never. */
  switchedOff?: number
  document: RuleDocument
}

type Of<T extends Condition['type']> = Extract<Condition, { type: T }>

/** A place in a rule's conditions. Children stand before their parents. */
export type Node = {
  /** The condition itself, written down: what is the same in a changed rule keeps its memory. */
  key: string
  children: number[]
  /** The device that a leaf looks at; null: that for which the rule is judged. */
  device: number | null
} & (
  | { type: 'all' | 'any' | 'not' }
  | { type: 'held'; ms: number }
  | { type: 'repeated'; times: number; ms: number }
  | { type: 'compare'; property: string; test: Test; other: { property: string; device: number | null } | null }
  | { type: 'presence'; wanted: 0 | 1 }
  | { type: 'event'; identifier: string; where: { param: string; test: Test }[] }
  | { type: 'command_failed'; command: string | null }
  | {
      type: 'geofence'
      /** null: that in which the device says where it is. */
      property: string | null
      when: FenceWhen
      shape: FenceShape
      devices: ReadonlySet<number> | null
    }
  | { type: 'tick'; ms: number }
  | { type: 'signal'; name: string }
  | { type: 'no_data'; property: string | null; ms: number }
  | { type: 'rate'; property: string; test: (a: number, b: number) => boolean; perMinute: number }
  | { type: 'jump'; property: string; by: number }
  | { type: 'stuck'; property: string; ms: number; tolerance: number }
  | { type: 'deviation'; property: string; ms: number; sigmas: number; samples: number }
)
export type NodeType = Node['type']

/** A rule, ready to be judged. */
export interface Program {
  rule: string
  version: number
  /** How often it was switched off. Each time its alarms were cleared, and it begins anew. */
  switchedOff: number
  nodes: Node[]
  /** Place of the condition that raises. */
  raise: number
  /** Place of the condition that clears. */
  clear: number | 'when_false' | 'manual'
  /** Holds for a moment and has no alarm: every time is one of its own. */
  pulse: boolean
  /** Holds for a moment: outside the active hours it is lost, not kept for later. */
  momentary: boolean
  /** Every value counts, not only one that changes something. */
  counts: boolean
  perScope: boolean
  level: number | null
  actions: Action[]
  /** May set off what sets it off. */
  guarded: boolean
  schedule: Schedule | null
  quietMs: number
  repeatMs: number
  /** What it looks at; a property that is null is that of {@link positionOf}. */
  sources: { property: string | null; device: number | null }[]
  /** In which property a device says where it is; empty where no condition asks. */
  positionOf: ReadonlyMap<number, string>
  /** Another one where geofences, or what they are held against, are others. */
  places: string
}

export type CompileResult = { ok: true; program: Program } | { ok: false; problems: RuleProblem[] }

const TRUE_FOR_A_MOMENT: readonly NodeType[] = ['event', 'command_failed', 'tick', 'signal']

/** Whether a node holds for a moment only. */
export function isMoment(node: Node): boolean {
  return TRUE_FOR_A_MOMENT.includes(node.type)
}

/** Makes a rule ready to be judged. @returns what is wrong when it names what is not there */
export function compileRule(rule: Rule, around: Surroundings): CompileResult {
  const { document } = rule
  const { condition, clear } = generalForm(document)
  const compiler = new Compiler(around)
  const raise = compiler.add(condition, 'condition')
  const clearing = typeof clear === 'string' ? clear : compiler.add(clear, 'clear')
  const { nodes, problems, sources } = compiler
  if (problems.length > 0) return { ok: false, problems }
  const { active, alarm, actions = [] } = document
  const momentary = isMomentary(condition)
  return {
    ok: true,
    program: {
      rule: rule.id,
      version: rule.version,
      switchedOff: rule.switchedOff ?? 0,
      nodes,
      raise,
      clear: clearing,
      pulse: momentary && !alarm && clearing === 'manual',
      momentary,
      counts: nodes.some(node => node.type === 'repeated'),
      perScope: document.per === 'scope',
      level: alarm?.level ?? null,
      actions,
      guarded: actions.some(action => ['command', 'scene', 'webhook'].includes(action.kind)),
      schedule: active
        ? new Schedule(active, active.calendarId === undefined ? undefined : around.calendar(active.calendarId))
        : null,
      quietMs: (document.quietSeconds ?? 0) * 1_000,
      repeatMs: (document.repeatSeconds ?? 60) * 1_000,
      sources,
      positionOf: compiler.asksPosition ? (around.positionOf ?? new Map()) : new Map(),
      places: compiler.places(),
    },
  }
}

class Compiler {
  readonly nodes: Node[] = []
  readonly problems: RuleProblem[] = []
  readonly sources: { property: string | null; device: number | null }[] = []
  asksPosition = false
  private readonly known = new Map<string, number>()
  private readonly fences = new Map<string, string>()

  constructor(private readonly around: Surroundings) {}

  /** @returns the place; what is written twice stands once */
  add(condition: Condition, path: string): number {
    if (condition.type === 'geofence' && condition.seconds !== undefined) {
      const { seconds, ...of } = condition
      return this.add({ type: 'held', of, seconds }, path)
    }
    const key = JSON.stringify(condition)
    const known = this.known.get(key)
    if (known !== undefined) return known
    const children =
      condition.type === 'all' || condition.type === 'any'
        ? condition.of.map((child, i) => this.add(child, `${path}.of[${i}]`))
        : condition.type === 'not' || condition.type === 'held' || condition.type === 'repeated'
          ? [this.add(condition.of, `${path}.of`)]
          : []
    const device = 'device' in condition ? this.device(condition.device, `${path}.device`) : null
    if (condition.type === 'geofence') this.source(condition.property ?? null, device)
    else if ('property' in condition && condition.property !== undefined) this.source(condition.property, device)
    const node = { key, children, device, ...this.own(condition, path) } as Node
    this.nodes.push(node)
    this.known.set(key, this.nodes.length - 1)
    return this.nodes.length - 1
  }

  private own(condition: Condition, path: string): object {
    switch (condition.type) {
      case 'all':
      case 'any':
      case 'not':
        return { type: condition.type }
      case 'held':
        return { type: 'held', ms: condition.seconds * 1_000 }
      case 'repeated':
        return { type: 'repeated', times: condition.times, ms: (condition.seconds ?? 0) * 1_000 }
      case 'compare':
        return this.compare(condition, path)
      case 'online':
      case 'offline':
        return { type: 'presence', wanted: condition.type === 'online' ? 1 : 0 }
      case 'event':
        return {
          type: 'event',
          identifier: condition.identifier,
          where: (condition.where ?? []).map((one: { param: string } & Comparison) => ({
            param: one.param,
            test: compileComparison(one),
          })),
        }
      case 'command_failed':
        return { type: 'command_failed', command: condition.command ?? null }
      case 'geofence':
        return this.geofence(condition, path)
      case 'tick':
        return { type: 'tick', ms: condition.seconds * 1_000 }
      case 'button':
      case 'api':
        return { type: 'signal', name: `${condition.type}:${condition.key}` }
      case 'no_data':
        return { type: 'no_data', property: condition.property ?? null, ms: condition.seconds * 1_000 }
      case 'rate':
        return {
          type: 'rate',
          property: condition.property,
          test: ordered(condition.op),
          perMinute: condition.perMinute,
        }
      case 'jump':
        return { type: 'jump', property: condition.property, by: condition.by }
      case 'stuck':
        return {
          type: 'stuck',
          property: condition.property,
          ms: condition.seconds * 1_000,
          tolerance: condition.tolerance ?? 0,
        }
      case 'deviation':
        return {
          type: 'deviation',
          property: condition.property,
          ms: condition.seconds * 1_000,
          sigmas: condition.sigmas,
          samples: condition.samples ?? 10,
        }
    }
  }

  private compare(condition: Of<'compare'>, path: string): object {
    const other = condition.with && {
      property: condition.with.property,
      device: this.device(condition.with.device, `${path}.with.device`),
    }
    if (other) this.source(other.property, other.device)
    return { type: 'compare', property: condition.property, test: compileComparison(condition), other: other ?? null }
  }

  private geofence({ fence: id, when, property }: Of<'geofence'>, path: string): object {
    const fence = this.around.fence?.(id)
    if (!fence) this.problems.push({ path: `${path}.fence`, code: 'fence_unknown', params: { fence: id } })
    const devices = fence?.devices ?? null
    this.asksPosition ||= property === undefined
    this.fences.set(id, JSON.stringify([fence?.version, fence?.shape, devices && [...devices].sort((a, b) => a - b)]))
    return { type: 'geofence', property: property ?? null, when, shape: fence?.shape, devices }
  }

  /** @returns a text of a few characters, for it is kept with every rule's memory */
  places(): string {
    if (this.fences.size === 0) return ''
    const positions = this.asksPosition ? [...(this.around.positionOf ?? [])].sort(([a], [b]) => a - b) : []
    return digest(JSON.stringify([[...this.fences].sort(([a], [b]) => (a < b ? -1 : 1)), positions]))
  }

  private device(id: string | undefined, path: string): number | null {
    if (id === undefined) return null
    const number = this.around.numberOf(id)
    if (number === undefined) this.problems.push({ path, code: 'device_unknown', params: { device: id } })
    return number ?? 0
  }

  private source(property: string | null, device: number | null): void {
    if (!this.sources.some(one => one.property === property && one.device === device))
      this.sources.push({ property, device })
  }
}

/** The property that a source means for a device; undefined: the device does not say where it is. */
export function propertyOf(program: Program, property: string | null, device: number): string | undefined {
  return property ?? program.positionOf.get(device)
}

/** Two numbers of 32 bits by FNV-1a, from either end: texts that differ have others but for one case in ten to the nineteenth. */
function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x811c9dc5]
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(text.length - 1 - i), 0x01000193)
  }
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`
}
