import {
  type DryRunInput,
  type DryRunView,
  MAX_DRY_RUN_DAYS,
  MAX_DRY_RUN_DEVICES,
} from '@thingwright/contracts/triggers.contract'
import {
  type Cause,
  compileRule,
  type Effect,
  type Input,
  type Program,
  propertyOf,
  type RuleDocument,
  TriggerEngine,
} from '@thingwright/rules'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { fencedBy } from './trigger-fences.ts'
import { otherDevices, refuse } from './trigger-rule.ts'
import { thingsOf, watchedOf } from './trigger-scope.ts'
import type { WatchedDevice } from './triggers.repo.ts'
import type { TriggersService } from './triggers.service.ts'

/** What was recorded of devices, for a run over the past. */
export interface Past {
  /** Latest values of a device. */
  latest(ctx: Ctx, deviceId: string): Promise<{ identifier: string; value: unknown; ts: number; quality: string }[]>
  link(ctx: Ctx, deviceId: string): Promise<boolean | undefined>
  /** Values of a property in a stretch, oldest first, with their quality; null: its history is not kept. */
  values(
    ctx: Ctx,
    deviceId: string,
    identifier: string,
    from: number,
    to: number,
  ): Promise<[number, unknown, string][] | null>
  events(
    ctx: Ctx,
    deviceId: string,
    from: number,
    to: number,
  ): Promise<{ ts: number; identifier: string; params: object }[]>
  links(ctx: Ctx, deviceId: string, from: number, to: number): Promise<{ at: number; isOnline: boolean }[]>
}

export interface DryRunDeps {
  database: Database
  triggers: Pick<TriggersService, 'checked' | 'row'>
  past: Past
}

export interface DryRuns {
  /** Acts on nothing and writes nothing. @throws AppError trigger.rule_invalid, trigger.dry_run_range */
  run(ctx: Ctx, input: DryRunInput): Promise<DryRunView>
}

const DAY_MS = 86_400_000
const SLICE = 500
const MAX_ALARMS = 2_000
const MAX_ACTIONS = 1_000

export function createDryRuns({ database, triggers, past }: DryRunDeps): DryRuns {
  return {
    async run(ctx, input) {
      const { rule, devices, others, fenced } = await database.withTenant(ctx, async scope => {
        if ((input.id === undefined) === (input.trigger === undefined)) throw new AppError('trigger.dry_run_what')
        const checked =
          input.trigger !== undefined
            ? await triggers.checked(scope, input.trigger as Record<string, unknown>)
            : await (async () => {
                const row = await triggers.row(scope, input.id!)
                return { rule: row.document, devices: await watchedOf(scope, row.document.scope) }
              })()
        const otherIds = otherDevices(checked.rule)
        const others = otherIds.length > 0 ? await watchedOf(scope, { deviceIds: otherIds }) : []
        const things = await thingsOf(scope, checked.rule, checked.devices, others)
        return { ...checked, others, fenced: await fencedBy(scope, checked.rule, things, checked.devices, others) }
      })
      const wanted = input.deviceIds ? devices.filter(({ id }) => input.deviceIds!.includes(id)) : devices
      const looked = wanted.slice(0, MAX_DRY_RUN_DEVICES)
      const numbers = new Map([...others, ...looked].map(({ id, num }) => [id, num]))
      const compiled = compileRule(
        { id: 'dry-run', version: 1, document: rule },
        { numberOf: id => numbers.get(id), calendar: () => undefined, ...fenced.around },
      )
      if (!compiled.ok) refuse(compiled.problems)
      const run = new Run(ctx, past, rule, compiled.program, looked, others)
      const more = wanted.length - looked.length
      if (input.from === undefined) return { ...(await run.onLast()), moreDevices: more }
      const from = timeOf(input.from)
      const to = input.to === undefined ? ctx.now : timeOf(input.to)
      if (!(to > from) || to - from > MAX_DRY_RUN_DAYS * DAY_MS)
        throw new AppError('trigger.dry_run_range', { params: { days: MAX_DRY_RUN_DAYS } })
      return { ...(await run.over(from, to)), moreDevices: more }
    },
  }
}

class Run {
  private readonly names: ReadonlyMap<number, WatchedDevice>
  private rows = 0

  constructor(
    private readonly ctx: Ctx,
    private readonly past: Past,
    private readonly rule: RuleDocument,
    private readonly program: Program,
    private readonly devices: readonly WatchedDevice[],
    others: readonly WatchedDevice[],
  ) {
    this.names = new Map([...others, ...devices].map(device => [device.num, device]))
  }

  /** As it would be if it began now. */
  async onLast(): Promise<Omit<DryRunView, 'moreDevices'>> {
    const { ctx } = this
    const latest = new Map<number, Map<string, { value: unknown; ts: number }>>()
    const links = new Map<number, boolean>()
    for (const { num, id } of this.names.values()) {
      const values = await this.past.latest(ctx, id)
      latest.set(num, new Map(values.filter(({ quality }) => quality !== 'bad').map(one => [one.identifier, one])))
      const link = await this.past.link(ctx, id)
      if (link !== undefined) links.set(num, link)
      this.rows += values.length
    }
    const engine = new TriggerEngine(ctx.now)
    const effects = engine.setRule(
      { program: this.program, targets: this.devices.map(({ num }) => num) },
      { latest: (device, property) => latest.get(device)?.get(property), isOnline: device => links.get(device) },
    )
    return this.answer(effects, ctx.now, ctx.now, [])
  }

  /** As it would have been in a stretch of recorded time. */
  async over(from: number, to: number): Promise<Omit<DryRunView, 'moreDevices'>> {
    const missing = new Set<DryRunView['missing'][number]>(['arrival'])
    const inputs = await this.recorded(from, to, missing)
    const engine = new TriggerEngine(from)
    const effects = engine.setRule({ program: this.program, targets: this.devices.map(({ num }) => num) })
    for (let i = 0; i < inputs.length; i += SLICE) {
      effects.push(...engine.take(inputs.slice(i, i + SLICE)))
      // Others are served between two slices.
      if (i + SLICE < inputs.length) await new Promise(resolve => setImmediate(resolve))
    }
    effects.push(...engine.advance(to))
    return this.answer(effects, from, to, [...missing])
  }

  /** What is kept, in order of its time: when it had arrived is not. */
  private async recorded(from: number, to: number, missing: Set<DryRunView['missing'][number]>): Promise<Input[]> {
    const { ctx, program } = this
    const wanted = new Map<number, Set<string>>()
    const want = (device: number | null, asked: string | null) => {
      for (const num of device === null ? this.devices.map(one => one.num) : [device]) {
        const property = propertyOf(program, asked, num)
        if (property !== undefined) wanted.set(num, (wanted.get(num) ?? new Set()).add(property))
      }
    }
    for (const { property, device } of program.sources) want(device, property)
    const types = new Set(program.nodes.map(({ type }) => type))
    if (types.has('command_failed')) missing.add('commands')
    if (types.has('signal')) missing.add('signals')
    const found: (Input & { order: number })[] = []
    let order = 0
    const at = (ts: number) => ({ lane: 0, seq: 0, arrived: ts, order: order++ })
    for (const [num, { id }] of this.names) {
      for (const property of wanted.get(num) ?? []) {
        const values = await this.past.values(ctx, id, property, from, to)
        if (values === null) missing.add('rows')
        for (const [ts, value, quality] of values ?? []) {
          this.rows++
          found.push({
            ...at(ts),
            kind: 'property',
            device: num,
            ts,
            values: { [property]: value },
            ...(quality === 'bad' ? { bad: true } : {}),
          })
        }
      }
      if (types.has('event'))
        for (const { ts, identifier, params } of await this.past.events(ctx, id, from, to)) {
          this.rows++
          found.push({ ...at(ts), kind: 'event', device: num, identifier, params: { ...params } })
        }
      if (types.has('presence'))
        for (const link of await this.past.links(ctx, id, from, to)) {
          this.rows++
          found.push({ ...at(link.at), kind: link.isOnline ? 'online' : 'offline', device: num })
        }
    }
    found.sort((a, b) => a.arrived - b.arrived || a.order - b.order)
    return merged(found)
  }

  private answer(
    effects: readonly Effect[],
    from: number,
    to: number,
    missing: DryRunView['missing'],
  ): Omit<DryRunView, 'moreDevices'> {
    const alarms: DryRunView['alarms'] = []
    const open = new Map<string | number, DryRunView['alarms'][number]>()
    const actions: DryRunView['actions'] = []
    const counts = { notices: 0, commands: 0, alarms: 0 }
    let pausedAt: number | null = null
    for (const effect of effects) {
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
        if (counts.alarms++ < MAX_ALARMS) alarms.push(alarm)
      } else if (effect.kind === 'repeated') {
        const alarm = open.get(target)
        if (alarm) alarm.count = effect.count
      } else if (effect.kind === 'cleared') {
        const alarm = open.get(target)
        if (alarm) Object.assign(alarm, { clearedAt: cause.at, clearValues: this.valuesOf(cause), count: effect.count })
        open.delete(target)
      } else if (effect.kind === 'paused') pausedAt ??= cause.at
      else {
        const kind = this.rule.actions?.[effect.index]?.kind ?? ''
        if (kind === 'notify') counts.notices++
        if (kind === 'command') counts.commands++
        if (actions.length < MAX_ACTIONS)
          actions.push({ deviceId: device?.id ?? null, at: cause.at, index: effect.index, kind })
      }
    }
    return {
      from,
      to,
      devices: this.devices.length,
      rows: this.rows,
      alarms,
      notices: counts.notices,
      commands: counts.commands,
      actions,
      pausedAt,
      missing,
      moreAlarms: Math.max(0, counts.alarms - MAX_ALARMS),
    }
  }

  private valuesOf(cause: Cause): DryRunView['alarms'][number]['raiseValues'] {
    return cause.values.map(({ device, property, value, ts }) => ({
      deviceId: this.names.get(device)?.id ?? null,
      property,
      value,
      ts,
    }))
  }
}

/** Values of one device and moment were one message; rows are numbered anew. */
function merged(found: readonly (Input & { order: number })[]): Input[] {
  const inputs: Input[] = []
  for (const { order: _, ...next } of found) {
    const last = inputs.at(-1)
    if (
      last?.kind === 'property' &&
      next.kind === 'property' &&
      last.device === next.device &&
      last.ts === next.ts &&
      last.bad === next.bad
    )
      inputs[inputs.length - 1] = { ...last, values: { ...last.values, ...next.values } }
    else inputs.push({ ...next, seq: inputs.length + 1 })
  }
  return inputs
}

/** @throws AppError request.validation */
function timeOf(value: number | string): number {
  const ms = typeof value === 'number' ? value : /^-?\d+$/.test(value) ? Number(value) : Date.parse(value)
  if (!Number.isFinite(ms))
    throw new AppError('request.validation', { fields: { from: { code: 'telemetry.time_invalid' } } })
  return ms
}
