import type { BodyOf, QueryOf } from '@thingwright/contracts'
import {
  MAX_TIMED_TASKS,
  type NextRuns,
  type ScheduleInput,
  type TimedAction,
  type TimedRunView,
  type TimedTaskView,
  type timedTasksContract,
} from '@thingwright/contracts/timed-tasks.contract'
import { nextRuns, parseSchedule, type Schedule, type Surroundings } from '@thingwright/schedules'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { type ActionChecks, type Flaw, refuse } from './actions.ts'
import { needsSun } from './due.ts'
import { faultView, positionOf, type RunsService } from './runs.service.ts'
import * as targets from './targets.repo.ts'
import * as repo from './timed-tasks.repo.ts'

type Contract = typeof timedTasksContract
interface Page<T> {
  items: T[]
  nextCursor: string | null
  total?: number
}

export interface TimedTasksDeps {
  database: Database
  checks: ActionChecks
  runs: RunsService
  /** Zone of the company's clocks. */
  timeZone(tenantId: string): Promise<string>
}

export interface TimedTasksService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<Page<TimedTaskView>>
  /** @throws AppError timed_task.invalid with every field that is wrong, timed_task.limit, timed_task.needs_command */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<TimedTaskView>
  /** @throws AppError timed_task.invalid */
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<NextRuns>
  batch(
    ctx: Ctx,
    input: BodyOf<Contract['batch']>,
  ): Promise<{ done: number; failed: { id: string; code: string; message: string }[] }>
  get(ctx: Ctx, id: string): Promise<TimedTaskView>
  /** @throws AppError timed_task.not_found, version.conflict, timed_task.invalid */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<TimedTaskView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** @throws AppError timed_task.never_runs when nothing comes any more */
  setEnabled(ctx: Ctx, id: string, enabled: boolean): Promise<TimedTaskView>
  run(ctx: Ctx, id: string, edge: 'on' | 'off' | undefined): Promise<TimedRunView>
  next(ctx: Ctx, id: string, count: number): Promise<NextRuns>
  /** Works the next runs of a calendar's tasks out anew, in the transaction that changed it. */
  calendarChanged(scope: TenantScope, calendarId: string, now: number): Promise<void>
}

/** What a schedule is worked out with. @param run a transaction that sees the company */
export async function surroundings(
  run: Runner,
  tenantId: string,
  task: {
    schedule: Schedule
    calendarId: string | null
    actions: readonly TimedAction[]
    offActions: readonly TimedAction[]
  },
): Promise<Surroundings> {
  const calendar = task.calendarId === null ? undefined : await targets.calendarOf(run, tenantId, task.calendarId)
  const position = needsSun(task.schedule)
    ? await targets.positionOf(run, tenantId, [...task.actions, ...task.offActions])
    : undefined
  return { ...(calendar ? { calendar } : {}), ...(position ? { position } : {}) }
}

/** @throws AppError timed_task.needs_command: who may not send commands must not have them sent */
export function requireCommand({ actor }: Ctx): void {
  if (actor.kind !== 'system' && !actor.permissions.has('device:command'))
    throw new AppError('timed_task.needs_command')
}

const DEFAULT_MISFIRE_MINUTES = 30

export function createTimedTasksService(deps: TimedTasksDeps): TimedTasksService {
  const { database, checks, runs } = deps

  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.ListedTask> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('timed_task.not_found')
    return row
  }

  async function view(scope: TenantScope, ctx: Ctx, row: repo.ListedTask): Promise<TimedTaskView> {
    return toView(row, ctx, await targets.namesOf(scope, [...row.actions, ...row.offActions]))
  }

  const one = async (scope: TenantScope, ctx: Ctx, id: string) => view(scope, ctx, await known(scope, id))

  /** Reads a schedule. @throws AppError timed_task.invalid */
  async function scheduleOf(ctx: Ctx, input: ScheduleInput): Promise<Schedule> {
    const zone = input.zone ?? (await deps.timeZone(ctx.tenantId))
    const result = parseSchedule({ ...input, zone })
    if (result.ok) return result.schedule
    refuse(
      result.problems.map(({ path, code, params }) => ({
        path: path ? `schedule.${path}` : 'schedule',
        code: `schedule.${code}` as Flaw['code'],
        params,
      })),
    )
    throw new AppError('timed_task.invalid')
  }

  interface Wanted {
    schedule: Schedule
    calendarId: string | null
    actions: readonly TimedAction[]
    offActions: readonly TimedAction[]
  }

  /** The next run. @throws AppError timed_task.invalid where there is none, with the field that it fails by */
  async function nextOf(scope: TenantScope, ctx: Ctx, wanted: Wanted): Promise<Date> {
    const around = await surroundings(scope, scope.tenantId, wanted)
    if (needsSun(wanted.schedule) && !around.position)
      refuse([{ path: 'schedule.event', code: 'timed_task.no_position' }])
    const [next] = nextRuns(wanted.schedule, ctx.now, 1, around)
    if (!next) refuse([neverRuns(wanted.schedule)])
    return new Date(next!.at)
  }

  /** What is wrong beside the schedule. */
  async function flawsOf(scope: TenantScope, ctx: Ctx, wanted: Wanted): Promise<Flaw[]> {
    const flaws = await checks.check(scope, ctx, wanted.actions, 'actions')
    const isPair = wanted.schedule.kind === 'pair'
    if (isPair && wanted.offActions.length === 0) flaws.push({ path: 'offActions', code: 'timed_task.off_missing' })
    else if (isPair) flaws.push(...(await checks.check(scope, ctx, wanted.offActions, 'offActions')))
    else if (wanted.offActions.length > 0) flaws.push({ path: 'offActions', code: 'timed_task.off_of_pair' })
    if (wanted.calendarId !== null && !(await targets.calendarOf(scope, scope.tenantId, wanted.calendarId)))
      flaws.push({ path: 'calendarId', code: 'calendar.not_found' })
    return flaws
  }

  const sceneIds = ({ actions, offActions }: Wanted) => [
    ...new Set([...actions, ...offActions].flatMap(({ sceneId }) => sceneId ?? [])),
  ]

  async function enable(scope: TenantScope, ctx: Ctx, before: repo.TaskRow, enabled: boolean): Promise<void> {
    let nextRun = before.nextRun
    if (enabled)
      try {
        nextRun = await nextOf(scope, ctx, before)
      } catch (error) {
        if (isAppError(error) && error.code === 'timed_task.invalid') throw new AppError('timed_task.never_runs')
        throw error
      }
    await repo.update(scope, before.id, { enabled, nextRun, ...(enabled ? { fault: null } : {}) })
    await recordAudit(scope, ctx, {
      action: enabled ? 'timed_task.enable' : 'timed_task.disable',
      objectType: 'timed_task',
      objectId: before.id,
      objectName: before.name,
      before: { enabled: before.enabled },
      after: { enabled },
    })
  }

  const service: TimedTasksService = {
    async list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.TASK_SORTS, '-createdAt')
      const after = positionOf(query.cursor)
      const filter: repo.TaskFilter = {
        ...(query.q ? { q: repo.containing(query.q) } : {}),
        ...(query.state ? { state: query.state } : {}),
        ...(query.kind ? { kind: query.kind } : {}),
        ...(query.deviceId ? { deviceId: query.deviceId } : {}),
        ...(query.sceneId ? { sceneId: query.sceneId } : {}),
        ...(query.userId ? { userId: query.userId } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const names = await targets.namesOf(
          scope,
          page.flatMap(row => [...row.actions, ...row.offActions]),
        )
        return {
          items: page.map(row => toView(row, ctx, names)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    async create(ctx, input) {
      requireCommand(ctx)
      const schedule = await scheduleOf(ctx, input.schedule)
      return database.withTenant(ctx, async scope => {
        if ((await repo.count(scope)) >= MAX_TIMED_TASKS)
          throw new AppError('timed_task.limit', { params: { limit: MAX_TIMED_TASKS } })
        const { actions, offActions = [], calendarId = null, enabled = true } = input
        const wanted = { schedule, calendarId, actions, offActions }
        refuse(await flawsOf(scope, ctx, wanted))
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          description: input.description ?? '',
          kind: schedule.kind,
          ...wanted,
          sceneIds: sceneIds(wanted),
          misfire: input.misfire ?? 'skip',
          misfireMinutes: input.misfireMinutes ?? DEFAULT_MISFIRE_MINUTES,
          enabled,
          fault: null,
          nextRun: await nextOf(scope, ctx, wanted),
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await recordAudit(scope, ctx, {
          action: 'timed_task.create',
          objectType: 'timed_task',
          objectId: id,
          objectName: input.name,
          after: { enabled, schedule, actions, offActions },
        })
        return one(scope, ctx, id)
      })
    },

    async preview(ctx, { schedule: input, calendarId = null, actions = [], count = 10 }) {
      const schedule = await scheduleOf(ctx, input)
      return database.withTenant(ctx, async scope => {
        const wanted = { schedule, calendarId, actions, offActions: [] }
        const around = await surroundings(scope, scope.tenantId, wanted)
        if (needsSun(schedule) && !around.position) refuse([{ path: 'schedule.event', code: 'timed_task.no_position' }])
        const items = nextRuns(schedule, ctx.now, count, around)
        if (items.length === 0) refuse([neverRuns(schedule)])
        return toRuns(items, schedule.zone)
      })
    },

    async batch(ctx, { ids, action }) {
      const failed: { id: string; code: string; message: string }[] = []
      for (const id of ids) {
        try {
          if (action === 'remove') await service.remove(ctx, id)
          else await service.setEnabled(ctx, id, action === 'enable')
        } catch (error) {
          if (!isAppError(error)) throw error
          failed.push({ id, code: error.code, message: errorText(ctx.locale, error.code, error.params) })
        }
      }
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'timed_task.batch',
          objectType: 'timed_task',
          after: { action, tasks: ids.length, failed: failed.length },
        }),
      )
      return { done: ids.length - failed.length, failed }
    },

    get: (ctx, id) => database.withTenant(ctx, scope => one(scope, ctx, id)),

    async update(ctx, id, input) {
      const given = input.schedule && (await scheduleOf(ctx, input.schedule))
      return database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: await view(scope, ctx, before) } })
        const schedule = given ?? before.schedule
        const wanted: Wanted = {
          schedule,
          calendarId: input.calendarId === undefined ? before.calendarId : input.calendarId,
          actions: input.actions ?? before.actions,
          offActions: input.offActions ?? (schedule.kind === 'pair' ? before.offActions : []),
        }
        const enabled = input.enabled ?? before.enabled
        const isOther =
          given !== undefined ||
          input.actions !== undefined ||
          input.offActions !== undefined ||
          input.calendarId !== undefined ||
          (enabled && !before.enabled)
        if (isOther) {
          requireCommand(ctx)
          refuse(await flawsOf(scope, ctx, wanted))
        }
        await repo.update(scope, id, {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
          ...(input.misfire === undefined ? {} : { misfire: input.misfire }),
          ...(input.misfireMinutes === undefined ? {} : { misfireMinutes: input.misfireMinutes }),
          ...(isOther
            ? {
                ...wanted,
                kind: schedule.kind,
                sceneIds: sceneIds(wanted),
                nextRun: await nextOf(scope, ctx, wanted),
                // Whatever was wrong is looked at again.
                fault: null,
              }
            : {}),
          enabled,
        })
        const after = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'timed_task.update',
          objectType: 'timed_task',
          objectId: id,
          objectName: after.name,
          before: documented(before),
          after: documented(after),
        })
        return view(scope, ctx, after)
      })
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'timed_task.remove',
          objectType: 'timed_task',
          objectId: id,
          objectName: before.name,
          before: documented(before),
        })
        return { ok: true }
      }),

    setEnabled: (ctx, id, enabled) =>
      database.withTenant(ctx, async scope => {
        if (enabled) requireCommand(ctx)
        await enable(scope, ctx, await known(scope, id, true), enabled)
        return one(scope, ctx, id)
      }),

    run: (ctx, id, edge) =>
      database.withTenant(ctx, async scope => {
        requireCommand(ctx)
        const task = await known(scope, id)
        const isPair = task.kind === 'pair'
        if (edge === 'off' && !isPair) throw new AppError('timed_task.not_a_pair')
        const side = isPair ? (edge ?? 'on') : null
        const runId = await runs.begin(scope, ctx, {
          taskId: id,
          name: task.name,
          edge: side,
          actions: side === 'off' ? task.offActions : task.actions,
        })
        await recordAudit(scope, ctx, {
          action: 'timed_task.run',
          objectType: 'timed_task',
          objectId: id,
          objectName: task.name,
          after: { runId, ...(side ? { edge: side } : {}) },
        })
        return runs.get(scope, ctx, runId)
      }),

    next: (ctx, id, count) =>
      database.withTenant(ctx, async scope => {
        const task = await known(scope, id)
        const around = await surroundings(scope, scope.tenantId, task)
        return toRuns(nextRuns(task.schedule, ctx.now, count, around), task.schedule.zone)
      }),

    async calendarChanged(scope, calendarId, now) {
      for (const task of await repo.ofCalendar(scope, calendarId)) {
        const [next] = nextRuns(task.schedule, now, 1, await surroundings(scope, scope.tenantId, task))
        await repo.setNext(scope, task.id, next ? new Date(next.at) : null)
      }
    },
  }
  return service
}

/** The field that a schedule without runs fails by. */
function neverRuns(schedule: Schedule): Flaw {
  if (schedule.kind === 'once') return { path: 'schedule.at', code: 'timed_task.in_the_past' }
  const field =
    schedule.kind === 'cron'
      ? 'expression'
      : 'dayKind' in schedule && schedule.dayKind && schedule.dayKind !== 'any'
        ? 'dayKind'
        : schedule.kind === 'sun'
          ? 'event'
          : schedule.kind === 'pair'
            ? 'on'
            : 'days'
  return { path: `schedule.${field}`, code: 'timed_task.never_runs' }
}

const documented = ({
  name,
  enabled,
  schedule,
  calendarId,
  actions,
  offActions,
  misfire,
  misfireMinutes,
}: repo.TaskRow) => ({
  name,
  enabled,
  schedule,
  calendarId,
  actions,
  offActions,
  misfire,
  misfireMinutes,
})

function toRuns(items: readonly { at: number; edge?: 'on' | 'off' }[], zone: string): NextRuns {
  return { items: items.map(({ at, edge }) => ({ at: new Date(at).toISOString(), edge: edge ?? null })), zone }
}

function toView(row: repo.ListedTask, { locale }: Ctx, names: Record<string, string>): TimedTaskView {
  const mentioned = JSON.stringify([row.actions, row.offActions])
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    fault: faultView(row.fault, locale),
    kind: row.kind,
    schedule: row.schedule as unknown as TimedTaskView['schedule'],
    calendarId: row.calendarId,
    actions: row.actions,
    offActions: row.offActions,
    names: Object.fromEntries(Object.entries(names).filter(([id]) => mentioned.includes(id))),
    misfire: row.misfire,
    misfireMinutes: row.misfireMinutes,
    nextRunAt: row.state === 'enabled' ? (row.nextRun?.toISOString() ?? null) : null,
    lastRunAt: row.lastRunAt?.toISOString() ?? null,
    lastState: row.lastState,
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
