import type { ResponseOf } from '@thingwright/contracts'
import type { NoticeView, notificationsContract } from '@thingwright/contracts/notifications.contract'
import type { Permission } from '@thingwright/contracts/permissions'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { personIn } from '../../lib/person.ts'
import * as repo from './inbox.repo.ts'

/** What somebody is told in the console. */
export interface Notice {
  tenantId: string
  /** Named logins, all who hold a right when they look, or everybody of the company. */
  to: { loginIds: readonly string[] } | { permission: Permission } | { everyone: true }
  /** What it is about, `noun.verb`. */
  kind: string
  title: { zh: string; en: string }
  text: { zh: string; en: string }
  /** Address in the console, beginning with one slash. */
  link?: string
  level: 'info' | 'warning' | 'error'
}

export interface Inbox {
  /**
   * Puts a notice into inboxes in the transaction of the change it tells of: a change that is rolled back tells nobody.
   * With a tenant scope the notice's company must be the scope's.
   */
  notify(scope: repo.NoticeScope, notice: Notice): Promise<void>
}

export interface InboxService extends Inbox {
  list(
    ctx: Ctx,
    input: { limit?: number; cursor?: string; unread?: '0' | '1' },
  ): Promise<ResponseOf<(typeof notificationsContract)['inbox']>>
  unread(ctx: Ctx): Promise<{ count: number; level: Notice['level'] | null }>
  read(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  readAll(ctx: Ctx): Promise<{ ok: boolean }>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface InboxDeps {
  database: Database
}

/** More unread ones are not counted: the bell says 99+. */
const COUNTED = 100
const GRAVITY = ['info', 'warning', 'error'] as const

export function createInboxService({ database }: InboxDeps): InboxService {
  /** Runs a change of the caller's own marks and tells his other tabs. */
  function mark(ctx: Ctx, work: (...args: [Parameters<typeof repo.markRead>[0], repo.Reader]) => Promise<number>) {
    const reader = readerOf(ctx)
    return database.withTenant(ctx, async scope => {
      const marked = await work(scope, reader)
      if (marked > 0) scope.tell('inbox.changed', { tenantId: ctx.tenantId })
      return marked
    })
  }

  return {
    async notify(scope, notice) {
      const { to } = notice
      if ('loginIds' in to && to.loginIds.length === 0) return
      if (notice.link !== undefined && !/^\/(?!\/)/.test(notice.link))
        throw new Error(`a notice links to an address of the console, not to ${notice.link}`)
      await repo.deleteOld(scope, notice.tenantId)
      await repo.insertNotice(scope, {
        id: newId(),
        tenantId: notice.tenantId,
        kind: notice.kind,
        level: notice.level,
        title: notice.title,
        text: notice.text,
        link: notice.link ?? null,
        loginIds: 'loginIds' in to ? [...new Set(to.loginIds)] : null,
        permission: 'permission' in to ? to.permission : null,
      })
      scope.tell('inbox.changed', { tenantId: notice.tenantId })
    },

    async list(ctx, input) {
      const reader = readerOf(ctx)
      const limit = input.limit ?? 20
      const after = positionOf(input.cursor)
      const rows = await readFrom(input.cursor, () =>
        database.withTenant(ctx, scope => repo.listNotices(scope, reader, input.unread === '1', after, limit + 1)),
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(toView),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
      }
    },

    async unread(ctx) {
      const reader = readerOf(ctx)
      const levels = await database.withTenant(ctx, scope => repo.unreadLevels(scope, reader, COUNTED))
      const gravest = Math.max(-1, ...levels.map(level => GRAVITY.indexOf(level)))
      return { count: levels.length, level: GRAVITY[gravest] ?? null }
    },

    async read(ctx, id) {
      if ((await mark(ctx, (scope, reader) => repo.markRead(scope, reader, id))) === 0)
        throw new AppError('notice.not_found')
      return { ok: true }
    },
    async readAll(ctx) {
      await mark(ctx, (scope, reader) => repo.markRead(scope, reader, null))
      return { ok: true }
    },
    async remove(ctx, id) {
      if ((await mark(ctx, (scope, reader) => repo.markRemoved(scope, reader, id))) === 0)
        throw new AppError('notice.not_found')
      return { ok: true }
    },
  }
}

function readerOf(ctx: Ctx): repo.Reader {
  const { loginId, permissions } = personIn(ctx.actor)
  return { loginId, permissions: [...permissions] }
}

function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [at, id] = values
  if (typeof at !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [at, id]
}

function toView(row: repo.NoticeRow): NoticeView {
  return {
    id: row.id,
    kind: row.kind,
    level: row.level,
    title: { zh: row.title_zh, en: row.title_en },
    text: { zh: row.text_zh, en: row.text_en },
    link: row.link,
    createdAt: row.created_at.toISOString(),
    readAt: row.read_at?.toISOString() ?? null,
  }
}
