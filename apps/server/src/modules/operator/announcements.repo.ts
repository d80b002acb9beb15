import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, type SqlPart, sql } from '../../lib/sql/statement.ts'

export interface AnnouncementRow {
  id: string
  status: 'draft' | 'published' | 'withdrawn'
  level: 'info' | 'warning' | 'error'
  titleZh: string
  titleEn: string
  textZh: string
  textEn: string
  statuses: string[] | null
  tenantIds: string[] | null
  publishedAt: Date | null
  expiresAt: Date | null
  createdBy: string
  version: number
  createdAt: Date
  position: string
}

export interface AnnouncementText {
  level: AnnouncementRow['level']
  titleZh: string
  titleEn: string
  textZh: string
  textEn: string
  statuses: string[] | null
  tenantIds: string[] | null
  expiresAt: Date | null
}

const COLUMNS = part`id, status, level, title_zh as "titleZh", title_en as "titleEn", text_zh as "textZh", text_en as "textEn",
  statuses, tenant_ids as "tenantIds", published_at as "publishedAt", expires_at as "expiresAt",
  created_by as "createdBy", version, created_at as "createdAt", created_at::text as position`

const list = (condition: SqlPart) => sql<AnnouncementRow>`select ${COLUMNS} from announcements
  where $1::timestamptz is not null and ${condition}
    and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
  order by created_at desc, id desc limit $4`

const LIST = {
  all: list(part`true`),
  draft: list(part`status = 'draft'`),
  withdrawn: list(part`status = 'withdrawn'`),
  published: list(part`status = 'published' and (expires_at is null or expires_at > $1)`),
  expired: list(part`status = 'published' and expires_at <= $1`),
}

export async function listAnnouncements(
  scope: SystemScope,
  status: Exclude<keyof typeof LIST, 'all'> | undefined,
  now: Date,
  after: readonly [string, string] | null,
  limit: number,
): Promise<AnnouncementRow[]> {
  return (await scope.run(LIST[status ?? 'all'], [now, after?.[0] ?? null, after?.[1] ?? null, limit])).rows
}

const FIND_ANNOUNCEMENT = holdable(
  sql<AnnouncementRow>`select ${COLUMNS} from announcements where id = $1`,
  part`for update`,
)

export async function findAnnouncement(
  scope: SystemScope,
  id: string,
  lock = false,
): Promise<AnnouncementRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_ANNOUNCEMENT.held : FIND_ANNOUNCEMENT.free, [id])
  return rows[0]
}

const values = (text: AnnouncementText) => [
  text.level,
  text.titleZh,
  text.titleEn,
  text.textZh,
  text.textEn,
  text.statuses,
  text.tenantIds,
  text.expiresAt,
]

const INSERT_ANNOUNCEMENT = sql`insert into announcements (id, created_by, level, title_zh, title_en, text_zh, text_en, statuses, tenant_ids, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

export async function insertAnnouncement(
  scope: SystemScope,
  id: string,
  createdBy: string,
  text: AnnouncementText,
): Promise<void> {
  await scope.run(INSERT_ANNOUNCEMENT, [id, createdBy, ...values(text)])
}

const UPDATE_ANNOUNCEMENT = sql`update announcements set level = $2, title_zh = $3, title_en = $4, text_zh = $5, text_en = $6, statuses = $7,
  tenant_ids = $8, expires_at = $9, version = version + 1, updated_at = now() where id = $1`

export async function updateAnnouncement(scope: SystemScope, id: string, text: AnnouncementText): Promise<void> {
  await scope.run(UPDATE_ANNOUNCEMENT, [id, ...values(text)])
}

const SET_STATUS = sql`update announcements set status = $2, published_at = coalesce($3, published_at), version = version + 1,
  updated_at = now() where id = $1`

export async function setStatus(
  scope: SystemScope,
  id: string,
  status: AnnouncementRow['status'],
  publishedAt: Date | null,
): Promise<void> {
  await scope.run(SET_STATUS, [id, status, publishedAt])
}

const DELETE_ANNOUNCEMENT = sql`delete from announcements where id = $1`

export async function deleteAnnouncement(scope: SystemScope, id: string): Promise<void> {
  await scope.run(DELETE_ANNOUNCEMENT, [id])
}

const AUDIENCE_OF = sql<{
  id: string
}>`select id from tenants where kind = 'company' and ($1::text[] is null or status = any ($1))
  and ($2::uuid[] is null or id = any ($2)) order by id`

/** Companies for which an announcement is meant. */
export async function audienceOf(
  scope: SystemScope,
  audience: Pick<AnnouncementRow, 'statuses' | 'tenantIds'>,
): Promise<string[]> {
  const { rows } = await scope.run(AUDIENCE_OF, [audience.statuses, audience.tenantIds])
  return rows.map(row => row.id)
}

const CURRENT_ANNOUNCEMENTS = sql<AnnouncementRow>`select ${COLUMNS} from announcements where status = 'published' and (expires_at is null or expires_at > $1)
  order by published_at desc limit 5`

/** What a company's consoles show now; the policy lets it see nothing else. */
export async function currentAnnouncements(scope: TenantScope, now: Date): Promise<AnnouncementRow[]> {
  const { rows } = await scope.run(CURRENT_ANNOUNCEMENTS, [now])
  return rows
}
