import type { Actor } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { CommandIntake } from '../commands/index.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { createActionChecks } from './actions.ts'
import { type CalendarsService, createCalendarsService } from './calendars.service.ts'
import { behind, forgetRuns } from './runs.repo.ts'
import { createRunsService, type RunsService } from './runs.service.ts'
import { createScenesService, type ScenesService } from './scenes.service.ts'
import { exportTimedRuns, exportTimedTasks } from './timed-task-export.ts'
import * as repo from './timed-tasks.repo.ts'
import { timedTasksRoutes } from './timed-tasks.routes.ts'
import { createTimedTaskRunner, type TimedTaskRunner } from './timed-tasks.runner.ts'
import { createTimedTasksService, type TimedTasksService } from './timed-tasks.service.ts'
import { type ServicesOf, timedTasksTransfer } from './timed-tasks.transfer.ts'

export interface TimedTasksNeeds {
  database: Database
  intake: CommandIntake
  gateway: Pick<GatewayPort, 'wake'>
  /** Zone of the company's clocks. */
  timeZone(tenantId: string): Promise<string>
  /** The rights of an owner now; null: he may no longer act; undefined: no member made it. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
  now(): number
}

export interface TimedTasksModule extends ModuleParts {
  service: TimedTasksService
  scenes: ScenesService
  calendars: CalendarsService
  log: RunsService
  /** Started in processes with the worker role. */
  runner: TimedTaskRunner
  routes: BoundRoute[]
}

const DAY_MS = 86_400_000
const KEEP_RUNS_DAYS = 90

export function createTimedTasksModule(needs: TimedTasksNeeds): TimedTasksModule {
  const { database } = needs
  const checks = createActionChecks(needs.intake)
  const log = createRunsService({ database })
  const servicesOf: ServicesOf = on => {
    const tasks = createTimedTasksService({ ...needs, database: on, checks, runs: log })
    return {
      tasks,
      scenes: createScenesService({ database: on, checks, runs: log }),
      calendars: createCalendarsService({ database: on, tasks }),
    }
  }
  const { tasks: service, scenes, calendars } = servicesOf(database)
  const runner = createTimedTaskRunner(needs)
  return {
    service,
    scenes,
    calendars,
    log,
    runner,
    routes: timedTasksRoutes({
      tasks: service,
      scenes,
      calendars,
      runs: log,
      exportTasks: (ctx, query) => exportTimedTasks({ database, tasks: service }, ctx, query),
      exportRuns: (ctx, query) => exportTimedRuns({ database, runs: log }, ctx, query),
    }),
    search: [
      {
        kind: 'timed_task',
        permission: 'timed-task:read',
        find: async (ctx, q, limit) =>
          (await service.list(ctx, { q, limit })).items.map(({ id, name, description }) => ({
            id,
            title: name,
            subtitle: description,
            link: `/manage/user/center/timedTasks?task=${id}`,
          })),
      },
      {
        kind: 'scene',
        permission: 'timed-task:read',
        find: async (ctx, q, limit) =>
          (await scenes.list(ctx, { q, limit })).items.map(({ id, name: title, description }) => ({
            id,
            title,
            subtitle: description,
            link: `/manage/user/center/timedTasks?tab=scenes&q=${encodeURIComponent(title)}`,
          })),
      },
    ],
    transferSources: timedTasksTransfer(database, servicesOf),
    owned: [{ kind: 'timed_task', count: repo.countOwned, handOver: repo.handOver }],
    dependents: [
      {
        kind: 'timed_task',
        // Of people who may see a part of the company only: who hands over need not see the tasks.
        ownerChanged: (scope, _, { deviceIds, from, to, toPath, goesAlong, leaves }) =>
          scope.wholeCompany('hand-over', async () => {
            if (goesAlong && to !== null) await repo.goAlong(scope, deviceIds, from, to)
            return repo.pauseOfOthers(scope, deviceIds, toPath, leaves)
          }),
      },
    ],
    hears: { 'timed_tasks.due': () => runner.wake() },
    sweeps: [
      {
        name: 'the log of timed tasks',
        run: now =>
          database.withSystemScope('timed-tasks', scope => forgetRuns(scope, new Date(now - KEEP_RUNS_DAYS * DAY_MS))),
      },
    ],
    runs: [{ name: 'timed tasks', phase: 'work', start: () => runner.start(), stop: () => runner.stop() }],
    async gauges() {
      const { lag, waiting } = await database.withSystemScope('timed-tasks', scope =>
        behind(scope, new Date(needs.now())),
      )
      return { timed_tasks_lag_seconds: lag, timed_task_runs_waiting: waiting }
    },
  }
}
