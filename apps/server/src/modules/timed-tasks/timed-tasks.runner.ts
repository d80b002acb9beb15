import type { StepScope, TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import { recordAudits } from '../../lib/audit.ts'
import { type Actor, type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { createTicker } from '../../lib/ticker.ts'
import type { CommandIntake } from '../commands/index.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { authoriseDevices } from '../devices/index.ts'
import { type Decision, decide, needsSun } from './due.ts'
import * as repo from './runs.repo.ts'
import { stepsOf } from './runs.service.ts'
import { scenesById } from './scenes.repo.ts'
import { type Target, targetsOf } from './targets.repo.ts'
import { surroundings } from './timed-tasks.service.ts'

export interface RunnerDeps {
  database: Database
  intake: Pick<CommandIntake, 'put' | 'putSame'>
  gateway: Pick<GatewayPort, 'wake'>
  /** The rights of an owner now; null: he may no longer act; undefined: no member made it. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
  now(): number
}

export interface TimedTaskRunner {
  start(): void
  stop(): Promise<void>
  /** Looks at once instead of with the next tick. */
  wake(): void
  /** Everything that is due, once: tasks become runs, runs are carried out. */
  tick(): Promise<void>
  /** Only the first half. @returns tasks whose run was due */
  claim(): Promise<number>
}

const TICK_MS = 200
/** Tasks that become runs in one transaction. */
const CLAIMED = 500
/** Runs that are taken at once, and carried out beside each other. */
const TAKEN = 200
const BESIDE = 4
/** Loops that turn tasks into runs: while the database writes for one, the next runs of another are worked out. */
const CLAIMING = 3
/** Runs of one owner that are carried out in one transaction. */
const TOGETHER = 40
/** Devices whose commands are put into the queue in one transaction. */
const CHUNK = 100
const MAX_TRIES = 5
const LEASE_MS = 60_000
/** How long a command of a schedule may wait for a device that is not there, ms. */
const WAITS_MS = 600_000
const SHORTEST_MS = 30_000

/** Lets timed tasks and scenes run, once each, however many processes look: rows are taken under a lock, and each device's command is written with the note that it had it. */
export function createTimedTaskRunner(deps: RunnerDeps): TimedTaskRunner {
  const { database, logger } = deps

  async function claim(): Promise<number> {
    return database.withSystemScope('timed-tasks', async scope => {
      const now = deps.now()
      const due = await repo.dueTasks(scope, new Date(now), CLAIMED)
      if (due.length === 0) return 0
      const known = new Map<string, Decision>()
      const runs: repo.NewRun[] = []
      const steps: repo.NewStep[] = []
      const next: Parameters<typeof repo.advance>[1][number][] = []
      for (const task of due) {
        const decision = await decisionOf(scope, task, now, known)
        if (decision === null) {
          next.push({ id: task.id, next: null, fault: { code: 'timed_task.never_runs' }, ran: false, now })
          continue
        }
        const used = [...task.actions, ...task.offActions].flatMap(({ sceneId }) => sceneId ?? [])
        const scenes = new Map((await scenesById(scope, task.tenantId, used)).map(scene => [scene.id, scene]))
        const add = (at: number, edge: 'on' | 'off' | undefined, missed: number, leftOut: boolean) => {
          const id = newId(now)
          runs.push({
            id,
            tenantId: task.tenantId,
            taskId: task.id,
            sceneId: null,
            name: task.name,
            cause: 'schedule',
            edge: edge ?? null,
            ownerId: task.ownerId,
            byName: task.ownerName,
            dueAt: at,
            missed,
            state: leftOut ? 'skipped' : 'pending',
            fault: leftOut ? { code: 'timed_task.too_late' } : null,
            nextAt: leftOut ? null : now,
            expiresAt: decision.next,
          })
          if (!leftOut)
            steps.push(...stepsOf(task.tenantId, id, edge === 'off' ? task.offActions : task.actions, scenes, now))
        }
        if (decision.leftOut) add(decision.leftOut.at, decision.leftOut.edge, decision.missed, true)
        for (const [place, { at, edge }] of decision.run.entries())
          add(at, edge, place === 0 ? decision.missed : 0, false)
        next.push({ id: task.id, next: decision.next, fault: null, ran: decision.run.length > 0, now })
      }
      await repo.insertRuns(scope, runs, steps)
      await repo.advance(scope, next)
      return due.length
    })
  }

  /** @param known what was worked out in this round: many tasks that are due together have the same schedule */
  async function decisionOf(
    scope: Parameters<typeof repo.dueTasks>[0],
    task: repo.DueRow,
    now: number,
    known: Map<string, Decision>,
  ): Promise<Decision | null> {
    const due = task.nextRun.getTime()
    const isPlain = task.calendarId === null && !needsSun(task.schedule)
    const key = isPlain ? JSON.stringify([task.schedule, due, task.misfire, task.misfireMinutes]) : ''
    const same = known.get(key)
    if (isPlain && same) return same
    try {
      const decision = decide({ ...task, due }, now, await surroundings(scope, task.tenantId, task))
      if (isPlain) known.set(key, decision)
      return decision
    } catch (error) {
      // A schedule of an older version that is no longer read.
      if ((error as { severity?: string }).severity) throw error
      logger.warn({ err: error, task: task.id }, 'a timed task could not be worked out')
      return null
    }
  }

  async function carryOut(run: repo.TakenRun): Promise<void> {
    const system = <T>(work: (scope: Parameters<typeof repo.endRun>[0]) => Promise<T>) =>
      database.withSystemScope('timed-tasks', work)
    if (run.attempts > MAX_TRIES) {
      await system(scope => repo.endRun(scope, run.id, 'failed', { code: 'server.error' }))
      return
    }
    const owner = run.ownerId === null ? undefined : await deps.ownerNow(run.tenantId, run.ownerId)
    if (owner === null) {
      await system(async scope => {
        await repo.endRun(scope, run.id, 'skipped', { code: 'timed_task.owner_gone' })
        if (run.taskId && run.cause === 'schedule')
          await repo.setFault(scope, run.taskId, { code: 'timed_task.owner_gone' })
      })
      return
    }
    if (owner && owner.kind !== 'system' && !owner.permissions.has('device:command')) {
      await system(scope => repo.endRun(scope, run.id, 'skipped', { code: 'timed_task.needs_command' }))
      return
    }
    for (const step of run.steps) {
      if (step.result !== 'pending') continue
      const dueAt = Date.parse(step.dueAt)
      if (dueAt > deps.now()) {
        await system(scope => repo.waitFor(scope, run.id, new Date(dueAt)))
        return
      }
      const fault = step.action.kind === 'command' ? await command(run, step, owner) : null
      await system(scope =>
        repo.endStep(scope, step.id, step.action.kind === 'delay' ? 'done' : fault ? 'failed' : null, fault),
      )
    }
    await system(scope => repo.endRun(scope, run.id, null, null))
  }

  /** Puts the command of a step into the queue of each of its devices. @returns why nothing could be done */
  async function command(
    run: repo.TakenRun,
    step: repo.TakenRun['steps'][number],
    owner: Actor | undefined,
  ): Promise<repo.NewResult['fault']> {
    let above = -1
    let seen = 0
    for (;;) {
      const last = await chunk(run, step, owner, above)
      if (last.count === 0) break
      seen += last.count
      above = last.num
      if (last.count < CHUNK) break
      await database.withSystemScope('timed-tasks', scope => repo.hold(scope, run.id, new Date(deps.now() + LEASE_MS)))
    }
    return seen === 0 ? { code: 'device.not_found' } : null
  }

  async function chunk(
    run: repo.TakenRun,
    step: repo.TakenRun['steps'][number],
    owner: Actor | undefined,
    above: number,
  ): Promise<{ count: number; num: number }> {
    return database.withTenant(seenBy(run, owner), async scope => {
      const found = await targetsOf(scope, step.action.scope as StepScope, above, CHUNK)
      if (found.length > 0) await putCommands(scope, [{ run, step, found }], owner)
      return { count: found.length, num: found.at(-1)?.num ?? above }
    })
  }

  /** Puts commands of one owner into the queues of their devices, in the caller's transaction: who had his is left out. */
  async function putCommands(scope: TenantScope, parts: readonly Part[], owner: Actor | undefined): Promise<void> {
    const [{ run: first }] = parts as [Part]
    const now = deps.now()
    const ctx: Ctx = {
      ...systemContext(first.tenantId, 'timed_task', now),
      ...(owner ? { actor: owner } : {}),
      requestId: first.id,
    }
    const had = await repo.withResults(
      scope,
      parts.map(({ step }) => step.id),
    )
    const left = parts.flatMap(({ run, step, found }) =>
      found.filter(({ id }) => !had.has(`${step.id} ${id}`)).map(({ id }) => ({ run, step, id })),
    )
    const { devices } = await authoriseDevices(scope, [...new Set(left.map(({ id }) => id))])
    const byId = new Map(devices.map(device => [device.id, device]))
    const orders = left.flatMap(({ run, step, id }): Order[] => {
      const device = byId.get(id)
      return device ? [{ run, step, device, input: { ...step.action.command!, ...expiryOf(run, now) } }] : []
    })
    const results: (repo.NewResult & { stepId: string })[] = []
    const changed: { device: number; id: string }[] = []
    const note = ({ step, device }: Order, outcome: Omit<repo.NewResult, 'deviceId' | 'deviceName'>) =>
      results.push({ stepId: step.id, deviceId: device.id, deviceName: device.name, ...outcome })
    const put = (order: Order, { row, superseded }: { row: { id: string }; superseded: string[] }) => {
      note(order, { result: 'done', fault: null, commandId: row.id })
      for (const id of [row.id, ...superseded]) changed.push({ device: order.device.num, id })
    }
    const together = new Set<Order>()
    for (const same of sameOrders(orders)) {
      const [{ device, input }] = same as [Order]
      const all = same.map(order => order.device)
      try {
        const written = await deps.intake.putSame(scope, ctx, device.productId, all, input, ORIGIN)
        for (const order of same) {
          const done = written.get(order.device.num)
          if (!done) continue
          put(order, done)
          together.add(order)
        }
      } catch (error) {
        // Each of them is told so by itself.
        if (!isAppError(error)) throw error
      }
    }
    for (const order of orders) {
      if (together.has(order)) continue
      const { groupIds, tags } = order.step.action.scope as StepScope
      try {
        put(order, await deps.intake.put(scope, ctx, order.device, order.input, ORIGIN))
      } catch (error) {
        if (!isAppError(error)) throw error
        const isForeign = (groupIds !== undefined || tags !== undefined) && isUnknownHere(error.code, error.params)
        const fault = { code: error.code, params: error.params }
        note(order, { result: isForeign ? 'skipped' : 'failed', fault, commandId: null })
      }
    }
    await repo.insertResults(scope, results)
    await recordAudits(
      scope,
      ctx,
      parts.flatMap(({ run, step }) => {
        const done = results.filter(({ stepId, result }) => stepId === step.id && result === 'done').length
        if (done === 0) return []
        const { kind, identifier = null } = step.action.command!
        return [
          {
            action: 'command.create',
            objectType: run.taskId ? 'timed_task' : 'scene',
            objectId: run.taskId ?? run.sceneId!,
            objectName: run.name,
            after: { runId: run.id, kind, identifier, devices: done },
          },
        ]
      }),
    )
    if (changed.length > 0) {
      scope.afterCommit(() => deps.gateway.wake([...new Set(changed.map(({ device }) => device))]))
      scope.tell('commands.changed', { commands: changed })
    }
  }

  async function carryOutSafely(run: repo.TakenRun): Promise<void> {
    try {
      await carryOut(run)
    } catch (error) {
      // It is taken again when its minute is over.
      logger.warn({ err: error, run: run.id }, 'a run of a timed task stopped')
    }
  }

  /** Small runs of one owner in one transaction; where that does not go, each by itself: who had a command does not get it again. */
  async function carryOutTogether(runs: readonly repo.TakenRun[]): Promise<void> {
    const [first] = runs
    const ended: repo.TakenRun[] = []
    try {
      const owner = first!.ownerId === null ? undefined : await deps.ownerNow(first!.tenantId, first!.ownerId)
      const mayAct = owner !== null && (!owner || owner.kind === 'system' || owner.permissions.has('device:command'))
      if (mayAct && runs.length > 1) {
        const reached = await database.withTenant(seenBy(first!, owner), async scope => {
          const steps = runs.map(run => ({ run, step: pendingOf(run)[0]!, found: [] as Target[] }))
          const idsOf = ({ step }: Part) => (step.action.scope as StepScope).deviceIds ?? []
          const wanted = [...new Set(steps.flatMap(idsOf))]
          const all = new Map(
            (await targetsOf(scope, { deviceIds: wanted }, -1, wanted.length)).map(target => [target.id, target]),
          )
          const parts = steps
            .map(part => ({ ...part, found: [...new Set(idsOf(part))].flatMap(id => all.get(id) ?? []) }))
            .filter(({ found }) => found.length > 0)
          if (parts.length > 0) await putCommands(scope, parts, owner)
          return parts.map(({ run }) => run)
        })
        await database.withSystemScope('timed-tasks', scope =>
          repo.endTogether(
            scope,
            reached.map(run => ({ runId: run.id, stepId: pendingOf(run)[0]!.id })),
          ),
        )
        ended.push(...reached)
      }
    } catch (error) {
      logger.debug({ err: error }, 'runs of timed tasks are carried out one by one')
    }
    for (const run of runs) if (!ended.includes(run)) await carryOutSafely(run)
  }

  async function work(): Promise<void> {
    const runs = await database.withSystemScope('timed-tasks', scope =>
      repo.takeRuns(scope, new Date(deps.now()), TAKEN),
    )
    const parts = partsOf(runs, deps.now())
    let place = 0
    const one = async () => {
      for (;;) {
        const part = parts[place++]
        if (!part || ticker.isStopping()) return
        await carryOutTogether(part)
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, one))
    if (runs.length === TAKEN) await work()
  }

  async function tick(): Promise<void> {
    await Promise.all(
      Array.from({ length: CLAIMING }, async () => {
        while ((await claim()) === CLAIMED);
      }),
    )
    await work()
  }

  const ticker = createTicker({
    everyMs: TICK_MS,
    work: tick,
    onError: error => logger.warn({ err: error }, 'timed tasks could not be looked at; trying again'),
  })

  return { start: ticker.start, stop: ticker.stop, wake: ticker.wake, tick, claim }
}

/** Devices of a step that are to get its command. */
interface Part {
  run: repo.TakenRun
  step: repo.TakenRun['steps'][number]
  found: readonly Target[]
}

/** One command for one device. */
interface Order extends Omit<Part, 'found'> {
  device: AuthorisedDevice
  input: NonNullable<TimedAction['command']> & { expiresAt?: string }
}

const ORIGIN = { source: 'timed_task' } as const

/** Orders that are the same command for devices of one product. A device with several keeps its order among them: it is in none. */
function sameOrders(orders: readonly Order[]): Order[][] {
  const times = new Map<string, number>()
  for (const { device } of orders) times.set(device.id, (times.get(device.id) ?? 0) + 1)
  const alike = new Map<string, Order[]>()
  for (const order of orders) {
    if (times.get(order.device.id) !== 1) continue
    const key = `${order.device.productId} ${JSON.stringify(order.input)}`
    const own = alike.get(key)
    if (own) own.push(order)
    else alike.set(key, [order])
  }
  return [...alike.values()].filter(({ length }) => length > 1)
}

const pendingOf = (run: repo.TakenRun) => run.steps.filter(({ result }) => result === 'pending')

/** The caller with whose permissions the devices of a run are read. */
function seenBy(run: repo.TakenRun, owner: Actor | undefined) {
  return { tenantId: run.tenantId, ...(owner ? { actor: owner } : {}) }
}

/** What is carried out beside each other: runs of one owner that are a command for few devices together, each other by itself. */
function partsOf(runs: readonly repo.TakenRun[], now: number): repo.TakenRun[][] {
  const parts: repo.TakenRun[][] = []
  const open = new Map<string, repo.TakenRun[]>()
  for (const run of runs) {
    const [step, ...more] = pendingOf(run)
    const isSmall =
      more.length === 0 &&
      run.attempts <= 1 &&
      step?.action.kind === 'command' &&
      Date.parse(step.dueAt) <= now &&
      (step.action.scope?.deviceIds?.length ?? TOGETHER) < TOGETHER
    const key = `${run.tenantId} ${run.ownerId}`
    const part = isSmall ? open.get(key) : undefined
    if (part && part.length < TOGETHER) part.push(run)
    else {
      const fresh = [run]
      parts.push(fresh)
      if (isSmall) open.set(key, fresh)
    }
  }
  return parts
}

/** A command of a schedule does not outlive the next edge of it; one by hand waits as long as the product says. */
function expiryOf(run: repo.TakenRun, now: number): { expiresAt?: string } {
  if (run.cause !== 'schedule') return {}
  const until = Math.min(now + Math.max(WAITS_MS, run.misfireMinutes * 60_000), run.expiresAt?.getTime() ?? Infinity)
  return { expiresAt: new Date(Math.max(until, now + SHORTEST_MS)).toISOString() }
}

/** A device of a group that has no such property or service: it was not meant. */
function isUnknownHere(code: string, params: Record<string, unknown>): boolean {
  return (
    code === 'command.service_unknown' || (code === 'command.params_invalid' && params.reason === 'property_unknown')
  )
}
