import {
  type DryRunInput,
  type DryRunView,
  MAX_DRY_RUN_DAYS,
  MAX_DRY_RUN_DEVICES,
} from '@thingwright/contracts/triggers.contract'
import { type Program, propertyOf, TriggerEngine } from '@thingwright/rules'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { DryRunAnswer, type DryRunTask, type Judged, programOf } from './dry-run-judge.ts'
import { dryRunOfObjects } from './dry-run-objects.ts'
import type { DryRunThreads, Hand } from './dry-run-threads.ts'
import type { ObjectFactsPort } from './object-facts.port.ts'
import { fencedBy } from './trigger-fences.ts'
import { otherDevices, refuse } from './trigger-rule.ts'
import { thingsOf, watchedOf } from './trigger-scope.ts'
import type { TriggersService } from './triggers.service.ts'

/** What was recorded of devices, for a run over the past. */
export interface Past {
  /** Latest values of a device. */
  latest(ctx: Ctx, deviceId: string): Promise<{ identifier: string; value: unknown; ts: number; quality: string }[]>
  link(ctx: Ctx, deviceId: string): Promise<boolean | undefined>
  /** Values of a property in a stretch, oldest first, with their quality, page by page; null: its history is not kept. */
  values(
    ctx: Ctx,
    deviceId: string,
    identifier: string,
    from: number,
    to: number,
  ): AsyncIterable<[number, unknown, string][] | null>
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
  threads: DryRunThreads
  /** Of cards, gateways and cameras. */
  objects: ReadonlyMap<ObjectFactsPort['kind'], ObjectFactsPort>
}

export interface DryRuns {
  /** Acts on nothing and writes nothing. @throws AppError trigger.rule_invalid, trigger.dry_run_range, trigger.dry_run_rows … */
  run(ctx: Ctx, input: DryRunInput): Promise<DryRunView>
}

const DAY_MS = 86_400_000

export function createDryRuns({ database, triggers, past, threads, objects }: DryRunDeps): DryRuns {
  return {
    async run(ctx, input) {
      const asked = await database.withTenant(ctx, async scope => {
        if ((input.id === undefined) === (input.trigger === undefined)) throw new AppError('trigger.dry_run_what')
        const checked =
          input.trigger !== undefined
            ? await triggers.checked(scope, input.trigger as Record<string, unknown>)
            : await (async () => {
                const row = await triggers.row(scope, input.id!)
                return { rule: row.document, devices: await watchedOf(scope, row.document.scope) }
              })()
        if (checked.rule.kind === 'object') {
          const at = { now: ctx.now, isPast: input.from !== undefined }
          return { kind: 'objects' as const, view: await dryRunOfObjects(scope, checked.rule, objects, at) }
        }
        const otherIds = otherDevices(checked.rule)
        const others = otherIds.length > 0 ? await watchedOf(scope, { deviceIds: otherIds }) : []
        const things = await thingsOf(scope, checked.rule, checked.devices, others)
        return {
          kind: 'devices' as const,
          ...checked,
          others,
          fenced: await fencedBy(scope, checked.rule, things, checked.devices, others),
        }
      })
      if (asked.kind === 'objects') return asked.view
      const { rule, devices, others, fenced } = asked
      const wanted = input.deviceIds ? devices.filter(({ id }) => input.deviceIds!.includes(id)) : devices
      const looked = wanted.slice(0, MAX_DRY_RUN_DEVICES)
      const moreDevices = wanted.length - looked.length
      const named = ({ id, num, name }: (typeof devices)[number]) => ({ id, num, name })
      const from = input.from === undefined ? ctx.now : timeOf(input.from)
      const to = input.from === undefined || input.to === undefined ? ctx.now : timeOf(input.to)
      const task: DryRunTask = {
        rule,
        devices: looked.map(named),
        others: others.map(named),
        fences: fenced.fences,
        positionOf: fenced.around.positionOf ?? new Map(),
        from,
        to,
      }
      const compiled = programOf(task)
      if (!compiled.ok) return refuse(compiled.problems)
      const run = new Run(ctx, past, task, compiled.program)
      if (input.from === undefined) return { ...(await run.onLast()), from, to, moreDevices, missing: [] }
      if (!(to > from) || to - from > MAX_DRY_RUN_DAYS * DAY_MS)
        throw new AppError('trigger.dry_run_range', { params: { days: MAX_DRY_RUN_DAYS } })
      const judged = await threads.run(task, hand => run.read(hand), ctx.gone?.())
      return { ...judged, rows: run.rows, from, to, moreDevices, missing: [...run.missing] }
    },
  }
}

class Run {
  rows = 0
  readonly missing = new Set<DryRunView['missing'][number]>(['arrival'])

  constructor(
    private readonly ctx: Ctx,
    private readonly past: Past,
    private readonly task: DryRunTask,
    private readonly program: Program,
  ) {}

  private get named() {
    return new Map([...this.task.others, ...this.task.devices].map(device => [device.num, device]))
  }

  /** Judges the last values, as if the trigger began now. */
  async onLast(): Promise<Judged & { rows: number }> {
    const { ctx, task, program } = this
    const latest = new Map<number, Map<string, { value: unknown; ts: number }>>()
    const links = new Map<number, boolean>()
    for (const { num, id } of this.named.values()) {
      const values = await this.past.latest(ctx, id)
      latest.set(num, new Map(values.filter(({ quality }) => quality !== 'bad').map(one => [one.identifier, one])))
      const link = await this.past.link(ctx, id)
      if (link !== undefined) links.set(num, link)
      this.rows += values.length
    }
    const engine = new TriggerEngine(ctx.now)
    const answer = new DryRunAnswer(task)
    answer.take(
      engine.setRule(
        { program, targets: task.devices.map(({ num }) => num) },
        { latest: (device, property) => latest.get(device)?.get(property), isOnline: device => links.get(device) },
      ),
    )
    return { ...answer.judged(), rows: this.rows }
  }

  /** Passes recorded values of the time range to the run, series by series. Times of arrival are not recorded. */
  async read(hand: Hand): Promise<void> {
    const { ctx, program, task, missing } = this
    const { from, to } = task
    const wanted = new Map<number, Set<string>>()
    const want = (device: number | null, asked: string | null) => {
      for (const num of device === null ? task.devices.map(one => one.num) : [device]) {
        const property = propertyOf(program, asked, num)
        if (property !== undefined) wanted.set(num, (wanted.get(num) ?? new Set()).add(property))
      }
    }
    for (const { property, device } of program.sources) want(device, property)
    const types = new Set(program.nodes.map(({ type }) => type))
    if (types.has('command_failed')) missing.add('commands')
    if (types.has('signal')) missing.add('signals')
    let series = 0
    for (const [device, { id }] of this.named) {
      for (const property of wanted.get(device) ?? []) {
        series++
        for await (const page of this.past.values(ctx, id, property, from, to)) {
          if (page === null) {
            missing.add('rows')
            continue
          }
          this.rows += page.length
          hand({
            series,
            device,
            kind: 'property',
            property,
            ts: page.map(([ts]) => ts),
            values: page.map(([, value]) => value),
            bad: page.map(([, , quality]) => quality === 'bad'),
          })
        }
      }
      if (types.has('event')) {
        const events = await this.past.events(ctx, id, from, to)
        this.rows += events.length
        hand({
          series: ++series,
          device,
          kind: 'event',
          ts: events.map(({ ts }) => ts),
          identifiers: events.map(({ identifier }) => identifier),
          params: events.map(({ params }) => params),
        })
      }
      if (types.has('presence')) {
        const links = await this.past.links(ctx, id, from, to)
        this.rows += links.length
        hand({
          series: ++series,
          device,
          kind: 'presence',
          ts: links.map(({ at }) => at),
          online: links.map(({ isOnline }) => isOnline),
        })
      }
    }
  }
}

/** @throws AppError request.validation */
function timeOf(value: number | string): number {
  const ms = typeof value === 'number' ? value : /^-?\d+$/.test(value) ? Number(value) : Date.parse(value)
  if (!Number.isFinite(ms))
    throw new AppError('request.validation', { fields: { from: { code: 'telemetry.time_invalid' } } })
  return ms
}
