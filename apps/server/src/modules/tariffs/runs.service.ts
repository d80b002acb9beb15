import type { BillingRunView } from '@thingwright/contracts/meter-statements.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { RunningTask, TaskResult, TasksModule } from '../tasks/index.ts'
import { type BillingService, codeOf, createPrices, paramsOf } from './billing.service.ts'
import { monthOf } from './days.ts'
import * as meters from './meters.repo.ts'
import * as repo from './runs.repo.ts'
import words from './tariff-words.json' with { type: 'json' }

export const BILL_TASK = 'meter.bill'

export interface RunsService {
  list(ctx: Ctx): Promise<{ items: BillingRunView[] }>
  /** @throws AppError billing_run.month, billing_run.running, billing_run.no_meters */
  create(ctx: Ctx, input: { month: string }): Promise<BillingRunView>
  /** The work of the task; begun again after its process ended it goes on with the meters that are left. */
  run(task: RunningTask): Promise<TaskResult>
}

export interface RunsDeps {
  database: Database
  tasks: Pick<TasksModule, 'service'>
  billing: BillingService
  timeZone(tenantId: string): Promise<string>
}

interface RunInput {
  runId: string
  month: string
}

const PAGE = 200
/** Meters that are worked on together: while one is written another is read. */
const TOGETHER = 4
const STALE_MS = 86_400_000

export function createRunsService({ database, tasks, billing, timeZone }: RunsDeps): RunsService {
  /** Whether the task of a run that says so still goes on. */
  async function goesOn(ctx: Ctx, { taskId, createdAt }: { taskId: string | null; createdAt: Date }): Promise<boolean> {
    const fresh = ctx.now - createdAt.getTime() < STALE_MS
    if (taskId === null) return fresh
    const task = await tasks.service.get(ctx, taskId).catch(() => null)
    return task ? task.state === 'queued' || task.state === 'running' : fresh
  }

  async function startIn(scope: TenantScope, ctx: Ctx, month: string, count: number): Promise<BillingRunView> {
    const id = newId()
    await repo.insert(scope, { id, tenantId: scope.tenantId, month, byName: actorName(ctx.actor), meters: count })
    const task = await tasks.service.startIn(scope, ctx, {
      kind: BILL_TASK,
      title: { zh: words.task.zh.replace('{month}', month), en: words.task.en.replace('{month}', month) },
      input: { runId: id, month } satisfies RunInput,
      total: count,
    })
    await repo.setTask(scope, id, task.id)
    await recordAudit(scope, ctx, {
      action: 'billing_run.create',
      objectType: 'billing_run',
      objectId: id,
      objectName: month,
      after: { month, meters: count },
    })
    return viewOf((await repo.find(scope, id))!)
  }

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => ({ items: (await repo.list(scope, scope.tenantId)).map(viewOf) })),

    async create(ctx, { month }) {
      const zone = await timeZone(ctx.tenantId)
      if (monthOf(zone, month).to > ctx.now)
        throw new AppError('billing_run.month', {
          params: { month, field: 'month' },
          fields: { month: { code: 'billing_run.month', params: { month } } },
        })
      const open = await database.withTenant(ctx, scope => repo.running(scope, scope.tenantId, month))
      const still = open ? await goesOn(ctx, open) : false
      const isRunning = () => new AppError('billing_run.running', { params: { month } })
      if (still) throw isRunning()
      const { from, before } = daysOf(month)
      try {
        return await database.withTenant(ctx, async scope => {
          if (open) await repo.end(scope, open.id, 'cancelled', 0)
          const count = await meters.countOf(scope, scope.tenantId, from, before)
          if (count === 0) throw new AppError('billing_run.no_meters')
          return startIn(scope, ctx, month, count)
        })
      } catch (error) {
        if (isUniqueViolation(error, 'billing_runs_one')) throw isRunning()
        throw error
      }
    },

    async run(task) {
      const { ctx } = task
      const { runId, month } = task.input as RunInput
      const zone = await timeZone(ctx.tenantId)
      const prices = createPrices(zone)
      const { from, before } = daysOf(month)
      const total = await database.withTenant(ctx, scope => meters.countOf(scope, scope.tenantId, from, before))
      let issued = 0
      let amountFen = 0
      let failed = 0
      let seen = 0
      const one = async (meterId: string) => {
        const billed = await billing.bill(ctx, meterId, { month, zone, runId, prices })
        if (billed.kind === 'issued') {
          issued++
          amountFen += billed.amountFen
        } else if (billed.kind === 'problem') {
          failed++
          const name = await database.withTenant(ctx, async scope => (await meters.find(scope, meterId))?.name)
          task.failed(name ?? meterId, codeOf(billed.problem), paramsOf(billed.problem))
        }
      }
      const isDone = () => task.cancelled()
      let after: string | null = null
      for (;;) {
        const page: string[] = await database.withTenant(ctx, scope =>
          meters.due(scope, scope.tenantId, { after, from, before, month, limit: PAGE }),
        )
        if (page.length === 0 || isDone()) break
        after = page.at(-1)!
        const waiting = page.values()
        await Promise.all(
          Array.from({ length: TOGETHER }, async () => {
            for (const meterId of waiting) {
              if (isDone()) return
              await one(meterId)
              seen++
              task.progress(Math.min(total, task.doneBefore + seen), total)
            }
          }),
        )
      }
      await database.withTenant(ctx, scope => repo.end(scope, runId, isDone() ? 'cancelled' : 'done', failed))
      return { summary: { statements: issued, amountFen, failed }, nothingDone: issued === 0 && failed > 0 }
    },
  }
}

/** First day of a month and of the next one. */
function daysOf(month: string): { from: string; before: string } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: `${month}-01`, before: new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10) }
}

const viewOf = (row: repo.RunData): BillingRunView => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
})
