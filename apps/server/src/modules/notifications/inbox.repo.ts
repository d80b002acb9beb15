import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

/** Either scope writes a notice: a service in its own company's, the operator's desk in that of the system. */
export type NoticeScope = Pick<TenantScope & SystemScope, 'run' | 'afterCommit' | 'tell'>

export interface NoticeRow {
  id: string
  kind: string
  level: 'info' | 'warning' | 'error'
  title_zh: string
  title_en: string
  text_zh: string
  text_en: string
  link: string | null
  created_at: Date
  read_at: Date | null
  /** The time as PostgreSQL prints it, with its microseconds. */
  position: string
}

/** The reader: notices to everybody count from the day on which his login was made. */
export interface Reader {
  loginId: string
  permissions: readonly string[]
}

/** Notices are kept this long. */
export const KEPT = part`interval '180 days'`

/** What is in a reader's inbox. $1 company, $2 login, $3 rights. */
const MINE = part`from notices n left join notice_reads r on r.notice_id = n.id and r.login_id = $2
  where n.tenant_id = $1 and n.created_at > now() - ${KEPT} and r.removed_at is null
    and ($2 = any (n.login_ids)
      -- What is for whoever holds a right is for people of the company, not for its customers.
      or (n.login_ids is null and (select kind from logins where id = $2) is distinct from 'end_user' and (n.permission is null or n.permission = any ($3::text[]))
        and n.created_at >= coalesce((select created_at from logins where id = $2), '-infinity')))`

const mine = (scope: TenantScope, reader: Reader): unknown[] => [scope.tenantId, reader.loginId, reader.permissions]

const INSERT_NOTICE = sql`insert into notices (id, tenant_id, kind, level, title_zh, title_en, text_zh, text_en, link, login_ids, permission)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

export async function insertNotice(
  scope: NoticeScope,
  row: {
    id: string
    tenantId: string
    kind: string
    level: string
    title: { zh: string; en: string }
    text: { zh: string; en: string }
    link: string | null
    loginIds: readonly string[] | null
    permission: string | null
  },
): Promise<void> {
  await scope.run(INSERT_NOTICE, [
    row.id,
    row.tenantId,
    row.kind,
    row.level,
    row.title.zh,
    row.title.en,
    row.text.zh,
    row.text.en,
    row.link,
    row.loginIds,
    row.permission,
  ])
}

const DELETE_OLD = sql`delete from notices where tenant_id = $1 and created_at < now() - ${KEPT}`

/** Clears what nobody is shown any more; called with every new notice, so that the table does not grow for ever. */
export async function deleteOld(scope: NoticeScope, tenantId: string): Promise<void> {
  await scope.run(DELETE_OLD, [tenantId])
}

const list = (
  unread: SqlPart,
  position: SqlPart,
) => sql<NoticeRow>`select n.id, n.kind, n.level, n.title_zh, n.title_en,
    n.text_zh, n.text_en, n.link, n.created_at, r.read_at, n.created_at::text as position
  ${MINE} ${unread} ${position} order by n.created_at desc, n.id desc limit $4`
const UNREAD = part`and r.read_at is null`
const AFTER = part`and (n.created_at, n.id) < ($5::timestamptz, $6::uuid)`
const LIST = { all: list(part``, part``), unread: list(UNREAD, part``) }
const LIST_AFTER = { all: list(part``, AFTER), unread: list(UNREAD, AFTER) }

export async function listNotices(
  scope: TenantScope,
  reader: Reader,
  unreadOnly: boolean,
  after: readonly [at: string, id: string] | null,
  limit: number,
): Promise<NoticeRow[]> {
  const statement = (after ? LIST_AFTER : LIST)[unreadOnly ? 'unread' : 'all']
  return (await scope.run(statement, [...mine(scope, reader), limit, ...(after ?? [])])).rows
}

const UNREAD_LEVELS = sql<{
  level: NoticeRow['level']
}>`select n.level ${MINE} ${UNREAD} order by n.created_at desc, n.id desc limit $4`

/** Levels of the unread notices, newest first, at most `limit`. */
export async function unreadLevels(scope: TenantScope, reader: Reader, limit: number): Promise<NoticeRow['level'][]> {
  const { rows } = await scope.run(UNREAD_LEVELS, [...mine(scope, reader), limit])
  return rows.map(row => row.level)
}

const mark = (
  which: SqlPart,
) => sql`insert into notice_reads (notice_id, login_id, tenant_id) select n.id, $2, $1 ${MINE} ${which}
  on conflict (login_id, notice_id) do update set read_at = notice_reads.read_at`
const MARK_ONE = mark(part`and n.id = $4`)
const MARK_ALL = mark(UNREAD)

/** Marks the reader's notices: one, or all that are unread. Returns how many were in the inbox. */
export async function markRead(scope: TenantScope, reader: Reader, id: string | null): Promise<number> {
  const { rowCount } = id
    ? await scope.run(MARK_ONE, [...mine(scope, reader), id])
    : await scope.run(MARK_ALL, mine(scope, reader))
  return rowCount ?? 0
}

const MARK_REMOVED = sql`insert into notice_reads (notice_id, login_id, tenant_id, removed_at) select n.id, $2, $1, now() ${MINE} and n.id = $4
  on conflict (login_id, notice_id) do update set removed_at = excluded.removed_at`

/** Takes a notice out of the reader's inbox. Returns 0 when it was not in it. */
export async function markRemoved(scope: TenantScope, reader: Reader, id: string): Promise<number> {
  const { rowCount } = await scope.run(MARK_REMOVED, [...mine(scope, reader), id])
  return rowCount ?? 0
}
