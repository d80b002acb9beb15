import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import {
  REPORT_LIMITS,
  type ReportRunView,
  type ReportView,
  type reportsContract,
} from '@thingwright/contracts/reports.contract'
import { nextRuns, type Schedule } from '@thingwright/schedules'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { flawsOfRecipients, flawsOfSource, refuse, resolveRecipients, scheduleOf } from './report-checks.ts'
import { columnsOf, periodOf, type SourceDeps } from './report-sources.ts'
import { documented, positionOf, toRun, toView } from './report-views.ts'
import * as repo from './reports.repo.ts'
import * as runs from './runs.repo.ts'

type Contract = typeof reportsContract

export interface ReportsDeps extends SourceDeps {
  database: Database
  /** A run waits. */
  wake(): void
}

export interface ReportsService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError report.invalid with every field that is wrong, report.limit, permission.denied */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<ReportView>
  /** One of a company's file: what its list holds here is asked when it runs, because a trial of the file leaves nothing. */
  bring(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<ReportView>
  /** @throws AppError as the list would answer the caller */
  columns(ctx: Ctx, input: BodyOf<Contract['columns']>): Promise<ResponseOf<Contract['columns']>>
  /** @throws AppError report.invalid */
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<ResponseOf<Contract['preview']>>
  recipients(ctx: Ctx, q: string | undefined): Promise<ResponseOf<Contract['recipients']>>
  runs(ctx: Ctx, query: QueryOf<Contract['runs']>): Promise<ResponseOf<Contract['runs']>>
  get(ctx: Ctx, id: string): Promise<ReportView>
  /** @throws AppError report.not_found, version.conflict, report.invalid */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<ReportView>
  setEnabled(ctx: Ctx, id: string, enabled: boolean): Promise<ReportView>
  run(ctx: Ctx, id: string): Promise<ReportRunView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

const MISFIRE_MINUTES = 720
const RECIPIENTS_SHOWN = 200
const RUNS_SHOWN = 5

export function createReportsService(deps: ReportsDeps): ReportsService {
  const { database } = deps

  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.ReportRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('report.not_found')
    return row
  }

  const zoneOf = (ctx: Ctx) => database.withTenant(ctx, async scope => (await repo.companyOf(scope)).zone)

  async function views(scope: TenantScope, ctx: Ctx, rows: readonly repo.ReportRow[]): Promise<ReportView[]> {
    const found = await repo.named(
      scope,
      rows.flatMap(row => row.recipients.flatMap(({ id }) => id ?? [])),
      [],
    )
    return rows.map(row => toView(row, ctx, found))
  }

  const one = async (scope: TenantScope, ctx: Ctx, id: string) =>
    (await views(scope, ctx, [await known(scope, id)]))[0]!

  function nextOf(schedule: Schedule, now: number): Date {
    const [next] = nextRuns(schedule, now, 1)
    if (!next) refuse({ schedule: { code: 'timed_task.never_runs' } })
    return new Date(next!.at)
  }

  return {
    async list(ctx, query) {
      const limit = query.limit ?? 20
      const filter: repo.ReportFilter = {
        ...(query.q ? { q: repo.containing(query.q) } : {}),
        ...(query.state ? { state: query.state } : {}),
        ...(query.kind ? { kind: query.kind } : {}),
        ...(query.format ? { format: query.format } : {}),
      }
      const sort = parseSort(query.sort, repo.REPORT_SORTS, '-createdAt')
      const after = positionOf(query.cursor)
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: await views(scope, ctx, page),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    async create(ctx, input) {
      const { source, period = null } = input
      const { zone } = scheduleOf(input.schedule, await zoneOf(ctx))
      refuse({
        ...(await flawsOfSource(deps, ctx, source, period, zone)),
        ...(await database.withTenant(ctx, scope => flawsOfRecipients(scope, input.recipients))),
      })
      return this.bring(ctx, input)
    },

    async bring(ctx, input) {
      const schedule = scheduleOf(input.schedule, await zoneOf(ctx))
      const { source, recipients, period = null, enabled = true } = input
      return database.withTenant(ctx, async scope => {
        if ((await repo.count(scope)) >= REPORT_LIMITS.reports)
          throw new AppError('report.limit', { params: { limit: REPORT_LIMITS.reports } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          description: input.description ?? '',
          source,
          kind: source.kind,
          format: input.format,
          schedule,
          locale: input.locale ?? ctx.locale,
          period,
          recipients,
          misfire: input.misfire ?? 'once',
          misfireMinutes: input.misfireMinutes ?? MISFIRE_MINUTES,
          enabled,
          fault: null,
          nextRun: nextOf(schedule, ctx.now),
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'report.create',
          objectType: 'report',
          objectId: id,
          objectName: row.name,
          after: documented(row),
        })
        return (await views(scope, ctx, [row]))[0]!
      })
    },

    async columns(ctx, { source, locale }) {
      if (source.kind !== 'list' || !source.list) {
        refuse({ 'source.list': { code: 'report.field_missing' } })
        return { columns: [], hasPeriod: false }
      }
      const columns = await columnsOf(deps.api, { ...ctx, locale: locale ?? ctx.locale }, source)
      return {
        columns: columns.map(({ key, title }) => ({ key, title })),
        hasPeriod: periodOf(deps.api, source.list) !== null,
      }
    },

    async preview(ctx, input) {
      const schedule = scheduleOf(input.schedule, await zoneOf(ctx))
      return {
        items: nextRuns(schedule, ctx.now, RUNS_SHOWN).map(({ at }) => ({
          at: new Date(at).toISOString(),
          edge: null,
        })),
        zone: schedule.zone,
      }
    },

    recipients: (ctx, q) =>
      database.withTenant(ctx, async scope => ({
        items: await repo.reachable(scope, repo.containing(q?.trim() ?? ''), RECIPIENTS_SHOWN),
      })),

    async runs(ctx, query) {
      const limit = query.limit ?? 20
      const after = positionOf(query.cursor)
      const filter: runs.RunFilter = {
        ...(query.reportId ? { reportId: query.reportId } : {}),
        ...(query.state ? { state: query.state } : {}),
      }
      const { rows } = await readFrom(query.cursor, () =>
        database.withTenant(ctx, scope =>
          scope.run(...runs.RUNS.page({ filter, sort: { key: 'dueAt', descending: true }, after, limit: limit + 1 })),
        ),
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(row => toRun(row, ctx)),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
      }
    },

    get: (ctx, id) => database.withTenant(ctx, scope => one(scope, ctx, id)),

    async update(ctx, id, input) {
      const given = input.schedule && scheduleOf(input.schedule, await zoneOf(ctx))
      const stored = await database.withTenant(ctx, scope => known(scope, id))
      const source = input.source ?? stored.source
      const period = input.period === undefined ? stored.period : input.period
      const schedule = given ?? stored.schedule
      const isOther = input.source !== undefined || input.period !== undefined || input.recipients !== undefined
      const flaws = isOther ? await flawsOfSource(deps, ctx, source, period, schedule.zone) : {}
      return database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: (await views(scope, ctx, [before]))[0] } })
        const recipients = input.recipients ?? before.recipients
        refuse({ ...flaws, ...(input.recipients ? await flawsOfRecipients(scope, recipients) : {}) })
        const enabled = input.enabled ?? before.enabled
        await repo.update(scope, id, {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
          ...(input.format === undefined ? {} : { format: input.format }),
          ...(input.locale === undefined ? {} : { locale: input.locale }),
          ...(input.misfire === undefined ? {} : { misfire: input.misfire }),
          ...(input.misfireMinutes === undefined ? {} : { misfireMinutes: input.misfireMinutes }),
          ...(given || (enabled && !before.enabled) ? { schedule, nextRun: nextOf(schedule, ctx.now) } : {}),
          // What others may see of it is made with his permissions from now on, and not with those of who made it.
          ...(isOther
            ? {
                source,
                kind: source.kind,
                period,
                recipients,
                fault: null,
                ownerId: ownerIdOf(ctx.actor),
                ownerName: actorName(ctx.actor),
              }
            : {}),
          enabled,
        })
        const after = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'report.update',
          objectType: 'report',
          objectId: id,
          objectName: after.name,
          before: documented(before),
          after: documented(after),
        })
        return (await views(scope, ctx, [after]))[0]!
      })
    },

    setEnabled: (ctx, id, enabled) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        await repo.update(scope, id, {
          enabled,
          ...(enabled ? { nextRun: nextOf(before.schedule, ctx.now), fault: null } : {}),
        })
        await recordAudit(scope, ctx, {
          action: enabled ? 'report.enable' : 'report.disable',
          objectType: 'report',
          objectId: id,
          objectName: before.name,
          before: { enabled: before.enabled },
          after: { enabled },
        })
        return one(scope, ctx, id)
      }),

    run: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const report = await known(scope, id)
        const runId = newId(ctx.now)
        await runs.insertRun(scope, {
          id: runId,
          tenantId: scope.tenantId,
          reportId: id,
          cause: 'manual',
          byName: actorName(ctx.actor),
          dueAt: new Date(ctx.now),
          missed: 0,
          state: 'pending',
          fault: null,
          finishedAt: null,
        })
        await recordAudit(scope, ctx, {
          action: 'report.run',
          objectType: 'report',
          objectId: id,
          objectName: report.name,
          after: { runId, recipients: (await resolveRecipients(scope, report.recipients)).length },
        })
        scope.afterCommit(deps.wake)
        const { rows } = await scope.run(
          ...runs.RUNS.page({
            filter: { id: runId },
            sort: { key: 'dueAt', descending: true },
            after: null,
            limit: 1,
          }),
        )
        return toRun(rows[0]!, ctx)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'report.remove',
          objectType: 'report',
          objectId: id,
          objectName: before.name,
          before: documented(before),
        })
        return { ok: true }
      }),
  }
}
