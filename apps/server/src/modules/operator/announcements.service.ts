import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  AnnouncementView,
  announcementsContract,
  operatorContract,
} from '@thingwright/contracts/operator.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { Inbox } from '../notifications/index.ts'
import * as repo from './announcements.repo.ts'

type Contract = typeof operatorContract
type Draft = BodyOf<Contract['createAnnouncement']>

export interface AnnouncementsService {
  list(ctx: Ctx, input: QueryOf<Contract['announcements']>): Promise<ResponseOf<Contract['announcements']>>
  create(ctx: Ctx, input: Draft): Promise<AnnouncementView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['updateAnnouncement']>): Promise<AnnouncementView>
  publish(ctx: Ctx, id: string): Promise<AnnouncementView>
  withdraw(ctx: Ctx, id: string): Promise<AnnouncementView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** What the caller's company is told now. */
  current(ctx: Ctx): Promise<ResponseOf<(typeof announcementsContract)['current']>>
}

export function createAnnouncementsService(deps: { database: Database; inbox: Inbox }): AnnouncementsService {
  const { database, inbox } = deps
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('operator', work)

  async function existing(scope: SystemScope, id: string, lock = false): Promise<repo.AnnouncementRow> {
    const row = await repo.findAnnouncement(scope, id, lock)
    if (!row) throw new AppError('announcement.not_found')
    return row
  }

  /** One change of one announcement in one of the states, with a line in the platform's operation log. */
  function change(
    ctx: Ctx,
    id: string,
    action: string,
    states: readonly repo.AnnouncementRow['status'][],
    work: (scope: SystemScope, before: repo.AnnouncementRow) => Promise<void>,
  ): Promise<AnnouncementView> {
    return system(async scope => {
      const before = await existing(scope, id, true)
      if (!states.includes(before.status)) throw new AppError('announcement.state')
      await work(scope, before)
      const after = await existing(scope, id)
      await audit(scope, ctx, action, after, before)
      return toView(after, ctx.now)
    })
  }

  return {
    list: (ctx, input) =>
      readFrom(input.cursor, () =>
        system(async scope => {
          const limit = input.limit ?? 20
          const after = decodeCursor(input.cursor, 2) as [string, string] | null
          if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
          const rows = await repo.listAnnouncements(scope, input.status, new Date(ctx.now), after, limit + 1)
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return {
            items: page.map(row => toView(row, ctx.now)),
            nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          }
        }),
      ),

    create: (ctx, input) =>
      system(async scope => {
        const id = newId(ctx.now)
        await repo.insertAnnouncement(scope, id, actorName(ctx.actor), toText(ctx, input))
        const row = await existing(scope, id)
        await audit(scope, ctx, 'announcement.create', row, null)
        return toView(row, ctx.now)
      }),

    update: (ctx, id, { version, ...input }) =>
      change(ctx, id, 'announcement.update', ['draft'], async (scope, before) => {
        if (before.version !== version)
          throw new AppError('version.conflict', { params: { current: toView(before, ctx.now) } })
        await repo.updateAnnouncement(scope, id, toText(ctx, input))
      }),

    publish: (ctx, id) =>
      change(ctx, id, 'announcement.publish', ['draft'], async (scope, row) => {
        if (row.expiresAt && row.expiresAt.getTime() <= ctx.now) throw new AppError('announcement.expired')
        await repo.setStatus(scope, id, 'published', new Date(ctx.now))
        for (const tenantId of await repo.audienceOf(scope, row))
          await inbox.notify(scope, {
            tenantId,
            to: { everyone: true },
            kind: 'announcement.published',
            title: { zh: row.titleZh, en: row.titleEn },
            text: { zh: row.textZh, en: row.textEn },
            level: row.level,
          })
      }),

    withdraw: (ctx, id) =>
      change(ctx, id, 'announcement.withdraw', ['published'], scope => repo.setStatus(scope, id, 'withdrawn', null)),

    remove: (ctx, id) =>
      system(async scope => {
        const row = await existing(scope, id, true)
        if (row.status === 'published') throw new AppError('announcement.state')
        await repo.deleteAnnouncement(scope, id)
        await recordAudit(scope, ctx, {
          action: 'announcement.remove',
          objectType: 'announcement',
          objectId: id,
          objectName: row.titleZh,
          before: facts(row),
        })
        return { ok: true }
      }),

    current: ctx =>
      database.withTenant({ tenantId: ctx.tenantId }, async scope => ({
        items: (await repo.currentAnnouncements(scope, new Date(ctx.now))).map(row => {
          const { id, level, title, text, expiresAt } = toView(row, ctx.now)
          return { id, level, title, text, expiresAt, publishedAt: row.publishedAt!.toISOString() }
        }),
      })),
  }
}

function toText(ctx: Ctx, input: Draft): repo.AnnouncementText {
  const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt)
  if (expiresAt && expiresAt.getTime() <= ctx.now)
    throw new AppError('announcement.expired', { fields: { expiresAt: { code: 'announcement.expired' } } })
  return {
    level: input.level,
    titleZh: input.title.zh,
    titleEn: input.title.en,
    textZh: input.text.zh,
    textEn: input.text.en,
    statuses: input.statuses,
    tenantIds: input.tenantIds,
    expiresAt,
  }
}

function audit(
  scope: SystemScope,
  ctx: Ctx,
  action: string,
  row: repo.AnnouncementRow,
  before: repo.AnnouncementRow | null,
): Promise<void> {
  return recordAudit(scope, ctx, {
    action,
    objectType: 'announcement',
    objectId: row.id,
    objectName: row.titleZh,
    before: before && facts(before),
    after: facts(row),
  })
}

function facts(row: repo.AnnouncementRow): Record<string, unknown> {
  const { status, level, titleZh, titleEn, statuses, tenantIds, expiresAt } = row
  return { status, level, titleZh, titleEn, statuses, tenantIds, expiresAt: expiresAt?.toISOString() ?? null }
}

function toView(row: repo.AnnouncementRow, now: number): AnnouncementView {
  const over = row.status === 'published' && row.expiresAt !== null && row.expiresAt.getTime() <= now
  return {
    id: row.id,
    status: over ? 'expired' : row.status,
    level: row.level,
    title: { zh: row.titleZh, en: row.titleEn },
    text: { zh: row.textZh, en: row.textEn },
    statuses: row.statuses as AnnouncementView['statuses'],
    tenantIds: row.tenantIds,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdBy: row.createdBy,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}
