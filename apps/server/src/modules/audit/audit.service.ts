import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { AuditChainView, AuditDetail, AuditView, auditContract } from '@thingwright/contracts/audit.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import * as repo from './audit.repo.ts'
import words from './audit.texts.json' with { type: 'json' }

type ListAudit = QueryOf<(typeof auditContract)['list']>
type AuditPage = ResponseOf<(typeof auditContract)['list']>
type ExportAudit = QueryOf<(typeof auditContract)['export']>
type Filters = ResponseOf<(typeof auditContract)['filters']>

export interface AuditDeps {
  database: Database
  /** What is known of an address and of a User-Agent. */
  placeOf(ip: string): 'this_machine' | 'intranet' | 'unknown'
  clientOf(userAgent: string): string
  retentionDays(tenantId: string): Promise<number>
  /** Puts a task into the queue within the transaction (modules/tasks). */
  startTask(
    scope: TenantScope,
    ctx: Ctx,
    task: { kind: string; title: { zh: string; en: string }; input: unknown; total?: number },
  ): Promise<{ id: string }>
}

export interface AuditService {
  /** The operation log of the company, newest first unless asked otherwise. */
  list(ctx: Ctx, input: ListAudit): Promise<AuditPage>
  /** @throws AppError audit.not_found */
  get(ctx: Ctx, id: string): Promise<AuditDetail>
  filters(ctx: Ctx): Promise<Filters>
  export(ctx: Ctx, input: ExportAudit): Promise<StreamReply>
  chain(ctx: Ctx): Promise<AuditChainView>
  /** Starts the verification of the company's chain in the background. */
  verify(ctx: Ctx): Promise<{ taskId: string }>
}

/** The task that makes every hash of a company's chain again. */
export const VERIFY_TASK = 'audit.verify'

export function createAuditService(deps: AuditDeps): AuditService {
  const { database } = deps

  function toView({ position: _, at, userAgent, ...row }: repo.AuditRow): AuditView {
    return {
      ...row,
      at: at.toISOString(),
      place: row.ip === null ? null : deps.placeOf(row.ip),
      client: userAgent === null ? null : deps.clientOf(userAgent),
    }
  }

  const service: AuditService = {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const { descending } = parseSort(input.sort, ['at'], '-at')
        const after = readPosition(input.cursor)
        const filter = filterOf(input)
        const rows = await readFrom(input.cursor, () => repo.listAudit(scope, filter, descending, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await repo.countAudit(scope, filter) } : {}),
        }
      }),

    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.findAudit(scope, id)
        if (!row) throw new AppError('audit.not_found')
        const { seq, hash, ...line } = row
        return {
          ...toView(line),
          userAgent: row.userAgent,
          link: seq === null || hash === null ? null : { seq, hash: hash.toString('hex') },
        }
      }),

    filters: ctx => database.withTenant(ctx, repo.auditFilters),

    async export(ctx, { format, ...filters }) {
      const text = words[ctx.locale]
      return listExport<AuditView>(database, ctx, {
        action: 'audit.export',
        objectType: 'audit',
        format,
        filters,
        fileName: `${text.operationLog}-${dayOf(ctx.now)}`,
        columns: [
          { key: 'at', title: text.at, type: 'time', value: row => row.at },
          { key: 'actor', title: text.actor, value: row => row.actorName },
          { key: 'action', title: text.action, value: row => row.action },
          { key: 'objectType', title: text.objectType, value: row => row.objectType },
          { key: 'objectName', title: text.objectName, value: row => row.objectName },
          { key: 'objectId', title: text.objectId, value: row => row.objectId },
          { key: 'result', title: text.result, value: row => text.results[row.result] },
          { key: 'ip', title: text.ip, value: row => row.ip },
          { key: 'client', title: text.client, value: row => row.client },
          { key: 'before', title: text.before, value: row => row.before },
          { key: 'after', title: text.after, value: row => row.after },
          { key: 'requestId', title: text.requestId, value: row => row.requestId },
          { key: 'id', title: text.id, value: row => row.id },
        ],
        rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
      })
    },

    chain: async ctx => {
      const retentionDays = await deps.retentionDays(ctx.tenantId)
      return database.withTenant(ctx, async scope => {
        const facts = await repo.chainFacts(scope, 31)
        return {
          seq: facts.seq,
          head: facts.hash?.toString('hex') ?? null,
          linkedAt: facts.linkedAt?.toISOString() ?? null,
          pending: facts.pending,
          cutAt: facts.cutAt,
          retentionDays,
          checkpoints: facts.checkpoints.map(({ at, seq, hash }) => ({
            at: at.toISOString(),
            seq,
            hash: hash.toString('hex'),
          })),
        }
      })
    },

    verify: ctx =>
      database.withTenant(ctx, async scope => {
        const { seq } = await repo.chainFacts(scope, 0)
        await recordAudit(scope, ctx, { action: 'audit.verify', objectType: 'audit', after: { upTo: seq } })
        const title = { zh: words.zh.verifyTask, en: words.en.verifyTask }
        const { id } = await deps.startTask(scope, ctx, { kind: VERIFY_TASK, title, input: {}, total: seq })
        return { taskId: id }
      }),
  }
  return service
}

function filterOf({ q, sort: _, ...input }: Omit<ListAudit, 'limit' | 'cursor' | 'total'>): repo.AuditFilter {
  const { actorId, action, objectType, objectId, result, ip, from, to } = input
  const given = { actorId, action, objectType, objectId, result, ip, from, to }
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')),
    ...(q ? { needle: normaliseForSearch(q) } : {}),
  }
}

function readPosition(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}
