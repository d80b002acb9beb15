import { type Actor, type Ctx, systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { createTicker } from '../../lib/ticker.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TasksModule } from '../tasks/index.ts'
import { decide } from '../timed-tasks/index.ts'
import { REPORT_TASK } from './report-task.ts'
import words from './report-words.json' with { type: 'json' }
import type { Fault } from './reports.repo.ts'
import * as repo from './runs.repo.ts'

export interface ReportRunnerDeps {
  database: Database
  tasks: { service: Pick<TasksModule['service'], 'startIn'> }
  inbox: Inbox
  /** The permissions of an owner now; null: he may no longer act; undefined: no member of the company. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
  now(): number
}

export interface ReportRunner {
  start(): void
  stop(): Promise<void>
  wake(): void
  /** Everything that is due, once: reports become runs, runs become tasks. */
  tick(): Promise<void>
  /** Only the first half. @returns reports whose run was due */
  claim(): Promise<number>
}

const TICK_MS = 1_000
const CLAIMED = 100
const STARTED = 50
/** Faults with which a report does not run any more until a person changes it. */
const LASTING = new Set(['report.owner_gone', 'permission.denied', 'scope.whole_company', 'auth.login_frozen'])

/** Lets reports run on time, once each, however many processes look: rows are taken under a lock, and a run is begun in the transaction that queues its task. */
export function createReportRunner(deps: ReportRunnerDeps): ReportRunner {
  const { database, logger } = deps

  const system = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) =>
    database.withSystemScope('reports', work)

  function claim(): Promise<number> {
    return system(async scope => {
      const now = deps.now()
      const due = await repo.dueReports(scope, new Date(now), CLAIMED)
      for (const report of due) {
        const { run, leftOut, missed, next } = decide({ ...report, due: report.nextRun.getTime() }, now, {})
        const add = (at: number, isLeftOut: boolean) =>
          repo.insertRun(scope, {
            id: newId(now),
            tenantId: report.tenantId,
            reportId: report.id,
            cause: 'schedule',
            byName: '',
            dueAt: new Date(at),
            missed: isLeftOut ? Math.max(0, missed - 1) : missed,
            state: isLeftOut ? 'skipped' : 'pending',
            fault: isLeftOut ? { code: 'report.too_late' } : null,
            finishedAt: isLeftOut ? new Date(now) : null,
          })
        const last = run.at(-1)
        if (last) await add(last.at, false)
        else if (leftOut) await add(leftOut.at, true)
        await repo.advance(scope, report.id, next === null ? null : new Date(next))
      }
      return due.length
    })
  }

  /** Queues the task of a run. */
  async function begin(run: repo.WaitingRun): Promise<void> {
    const owner = run.ownerId === null ? null : await deps.ownerNow(run.tenantId, run.ownerId)
    if (!owner) return fail(run, { code: 'report.owner_gone' })
    const now = deps.now()
    const ctx: Ctx = {
      ...systemContext(run.tenantId, 'report', now),
      actor: owner,
      locale: run.locale,
      requestId: run.id,
    }
    try {
      await database.withTenant(ctx, async scope => {
        if (!(await repo.holdWaiting(scope, run.id))) return
        const title = (locale: 'zh' | 'en') => words[locale].task.replace('{name}', run.name)
        const { id } = await deps.tasks.service.startIn(scope, ctx, {
          kind: REPORT_TASK,
          title: { zh: title('zh'), en: title('en') },
          input: { runId: run.id },
        })
        await repo.begin(scope, run.id, id, new Date(now))
      })
    } catch (error) {
      // He has as many tasks as he may have: it begins when one of them has ended.
      if (isAppError(error) && error.code === 'task.too_many') return
      throw error
    }
  }

  /** Ends a failed run; its owner gets a notice, and a report that cannot go on is switched off. */
  async function fail(run: { id: string; tenantId: string; reportId: string }, fault: Fault): Promise<void> {
    const known = LASTING.has(fault.code) && fault.code === 'auth.login_frozen' ? { code: 'report.owner_gone' } : fault
    await system(async scope => {
      if (!(await repo.endRun(scope, run.id, 'failed', known, new Date(deps.now())))) return
      if (!LASTING.has(known.code)) return
      await repo.setFault(scope, run.reportId, known)
      const name = (await repo.nameOf(scope, run.reportId)) ?? ''
      const title = (locale: 'zh' | 'en') => words[locale].failedTitle.replace('{name}', name).slice(0, 200)
      const text = (locale: 'zh' | 'en') => errorText(locale, known.code, known.params ?? {})
      await deps.inbox.notify(scope, {
        tenantId: run.tenantId,
        to: { permission: 'report:write' },
        kind: 'report.failed',
        title: { zh: title('zh'), en: title('en') },
        text: { zh: text('zh'), en: text('en') },
        link: `/stat/reports?report=${run.reportId}`,
        level: 'error',
      })
    })
  }

  async function tick(): Promise<void> {
    while ((await claim()) === CLAIMED);
    for (const run of await system(scope => repo.waitingRuns(scope, STARTED)))
      await begin(run).catch((error: unknown) =>
        logger.warn({ err: error, run: run.id }, 'a report could not be begun; trying again'),
      )
    for (const run of await system(scope => repo.stoppedRuns(scope, STARTED)))
      await fail(run, { code: run.code ?? 'report.stopped', ...(run.params ? { params: run.params } : {}) })
  }

  const ticker = createTicker({
    everyMs: TICK_MS,
    work: tick,
    onError: error => logger.warn({ err: error }, 'reports could not be looked at; trying again'),
  })

  return { start: ticker.start, stop: ticker.stop, wake: ticker.wake, tick, claim }
}
