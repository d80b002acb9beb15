import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { FirmwareVersionCount } from '@thingwright/contracts/firmware.contract'
import type { OtaJobView, otaJobsContract } from '@thingwright/contracts/ota.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { sql } from '../../lib/sql/statement.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { cancelFirmwareCommands } from '../commands/index.ts'
import { authoriseDevice } from '../devices/index.ts'
import { changeJobs } from './campaign-changes.ts'
import { toEvent, toJobView } from './campaign-views.ts'
import * as repo from './jobs.repo.ts'
import type { Happening } from './ota-machine.ts'
import words from './ota-words.json' with { type: 'json' }

type Contract = typeof otaJobsContract
type Batch = BodyOf<Contract['batch']>

export interface JobsService {
  list(
    ctx: Ctx,
    input: QueryOf<Contract['list']>,
  ): Promise<{ items: OtaJobView[]; nextCursor: string | null; total?: number }>
  export(ctx: Ctx, input: QueryOf<Contract['export']>): Promise<StreamReply>
  get(ctx: Ctx, id: string): Promise<ResponseOf<Contract['get']>>
  batch(ctx: Ctx, input: Batch): Promise<{ changed: number; skipped: number }>
  device(ctx: Ctx, deviceId: string, input: QueryOf<Contract['device']>): Promise<ResponseOf<Contract['device']>>
  versions(ctx: Ctx, filter: { productId?: string; module?: string }): Promise<{ items: FirmwareVersionCount[] }>
}

export interface JobsDeps {
  database: Database
  wake(): void
}

const EXPORT_PAGE = 1000
/** Updates of one batch. */
const MAX_BATCH = 100_000

export function createJobsService(deps: JobsDeps): JobsService {
  const { database } = deps

  async function page(
    scope: TenantScope,
    input: repo.JobFilter & { cursor?: string; sort?: string },
    limit: number,
  ): Promise<{ items: OtaJobView[]; nextCursor: string | null }> {
    const { cursor, sort, ...filter } = input
    const order = parseSort(sort, repo.JOB_SORTS, '-createdAt')
    const after = decodeCursor(cursor, 2)
    if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
    const rows = await readFrom(cursor, () =>
      repo.listJobs(scope, filter, order, after as [string, string] | null, limit + 1),
    )
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      items: shown.map(toJobView),
      nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
    }
  }

  return {
    list: (ctx, { limit = 20, total, ...input }) =>
      database.withTenant(ctx, async scope => {
        const { cursor: _, sort: __, ...filter } = input
        return {
          ...(await page(scope, input, limit)),
          ...(total === '1' ? { total: await repo.countJobs(scope, filter) } : {}),
        }
      }),

    export(ctx, { format, ...filter }) {
      const text = words[ctx.locale]
      const named = (table: Record<string, string>, key: string | null) => (key === null ? '' : (table[key] ?? key))
      return listExport<OtaJobView>(database, ctx, {
        format,
        fileName: `${text.updates}-${dayOf(ctx.now)}`,
        action: 'ota_job.export',
        objectType: 'ota_job',
        filters: filter,
        columns: [
          { key: 'deviceNo', title: text.deviceNo, value: row => row.deviceNo },
          { key: 'deviceName', title: text.deviceName, value: row => row.deviceName },
          { key: 'campaign', title: text.campaign, value: row => row.campaignName },
          { key: 'module', title: text.module, value: row => row.module },
          { key: 'fromVersion', title: text.fromVersion, value: row => row.fromVersion ?? '' },
          { key: 'toVersion', title: text.toVersion, value: row => row.toVersion },
          { key: 'state', title: text.state, value: row => named(text.states, row.state) },
          { key: 'percent', title: text.percent, value: row => row.percent },
          { key: 'attempt', title: text.attempt, value: row => row.attempt },
          { key: 'errorCode', title: text.reason, value: row => row.errorCode ?? '' },
          { key: 'message', title: text.message, value: row => row.message ?? '' },
          { key: 'notifiedAt', title: text.notifiedAt, type: 'time', value: row => row.notifiedAt },
          { key: 'finishedAt', title: text.finishedAt, type: 'time', value: row => row.finishedAt },
        ],
        rows: everyJob(cursor =>
          database.withTenant(ctx, scope => page(scope, { ...filter, ...(cursor ? { cursor } : {}) }, EXPORT_PAGE)),
        ),
      })
    },

    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.findShownJob(scope, id)
        if (!row) throw new AppError('ota_job.not_found')
        return { job: toJobView(row), events: (await repo.eventsOfJob(scope, id)).map(toEvent) }
      }),

    batch: (ctx, { action, ids, filter }) =>
      database.withTenant(ctx, async scope => {
        // A whole company is never meant by leaving everything out.
        if (!ids && !filter?.campaignId) throw new AppError('ota_job.filter_required')
        const chosen: repo.JobSelector = ids ? { ids } : (filter ?? {})
        const fitting = { ...chosen, fits: action }
        const all = await repo.countSelected(scope, chosen)
        if ((await repo.countSelected(scope, fitting)) > MAX_BATCH)
          throw new AppError('ota_campaign.too_many', { params: { limit: MAX_BATCH } })
        if (action === 'cancel') {
          const taken = await cancelFirmwareCommands(scope, await repo.queuedNotices(scope, chosen))
          if (taken.length > 0) scope.tell('commands.changed', { commands: taken })
        }
        const campaigns = action === 'retry' ? await repo.campaignsOfJobs(scope, fitting) : []
        const changed =
          action === 'refresh'
            ? await repo.hurryJobs(scope, fitting, ctx.now)
            : await changeJobs(scope, fitting, ctx.now, () => HAPPENINGS[action])
        await reopen(scope, campaigns, ctx.now)
        await recordAudit(scope, ctx, {
          action: 'ota_job.batch',
          objectType: 'ota_job',
          ...(ids?.length === 1 ? { objectId: ids[0] } : {}),
          after: { action, changed, ...(ids ? { ids: ids.slice(0, 100) } : { filter }) },
        })
        scope.afterCommit(deps.wake)
        return { changed, skipped: all - changed }
      }),

    device: (ctx, deviceId, { limit = 50, cursor }) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const before = Number(decodeCursor(cursor, 1)?.[0] ?? Number.NaN)
        if (cursor && !Number.isSafeInteger(before)) throw new AppError('request.cursor_invalid')
        const events = await repo.eventsOfDevice(scope, device.num, cursor ? before : null, limit + 1)
        const order = { key: 'createdAt', descending: true } as const
        const open = await repo.listJobs(scope, { deviceId, open: '1' }, order, null, 50)
        const closed = await repo.listJobs(scope, { deviceId, open: '0' }, order, null, 10)
        return {
          modules: (await repo.modulesOf(scope, device.num, device.productId)).map(row => ({
            ...row,
            reportedAt: row.reportedAt.toISOString(),
            changedAt: row.changedAt.toISOString(),
          })),
          jobs: [...open, ...closed].map(toJobView),
          events: events.slice(0, limit).map(toEvent),
          nextCursor: events.length > limit ? encodeCursor([events[limit - 1]!.id]) : null,
        }
      }),

    versions: (ctx, filter) =>
      database.withTenant(ctx, async scope => ({ items: await repo.versionCounts(scope, filter) })),
  }
}

const HAPPENINGS: Readonly<Record<Exclude<Batch['action'], 'refresh'>, Happening>> = {
  confirm: { kind: 'confirmed' },
  reject: { kind: 'refused' },
  retry: { kind: 'again' },
  cancel: { kind: 'cancelled', code: 'by_person' },
}

const REOPEN = sql`update ota_campaigns c set state = 'running', state_reason = null, ended_at = null, version_no = version_no + 1,
    next_at = to_timestamp($2::float8 / 1000), counted_from = to_timestamp($2::float8 / 1000)
  where c.state = 'completed' and c.id = any ($1::uuid[])
    and exists (select 1 from ota_jobs j where j.campaign_id = c.id and j.finished_at is null)`

/** Campaigns that had come to their end go on for those that are tried again. */
async function reopen(scope: TenantScope, campaignIds: readonly string[], now: number): Promise<void> {
  if (campaignIds.length === 0) return
  await scope.run(REOPEN, [campaignIds, now])
}

async function* everyJob(
  next: (cursor?: string) => Promise<{ items: OtaJobView[]; nextCursor: string | null }>,
): AsyncGenerator<OtaJobView> {
  let cursor: string | null | undefined
  do {
    const page = await next(cursor ?? undefined)
    yield* page.items
    cursor = page.nextCursor
  } while (cursor)
}
