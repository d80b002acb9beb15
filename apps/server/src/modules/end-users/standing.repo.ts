import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { LineLink } from './standing.ts'

const LINE_OF = sql<LineLink>`select coalesce(u.rights, p.rights, '{}') as rights, p.menu_keys as "menuKeys",
    coalesce(u.device_quota, p.device_quota) as "deviceQuota", l.state, u.expires_at as "expiresAt"
  from end_users me join end_users u on u.id = any (me.path) join logins l on l.id = u.id
  left join user_packages p on p.id = u.package_id
  where me.id = $1 order by cardinality(u.path)`

const MEDIA_QUOTA = sql<{ bytes: number | null }>`select coalesce(u.media_quota, p.media_quota)::float8 as bytes
  from end_users u left join user_packages p on p.id = u.package_id where u.id = $1`

/** Bytes that an end user's materials may have; null: neither he nor his package has a quota, or the caller does not see him. */
export async function mediaQuotaOf(scope: Pick<SystemScope, 'run'>, id: string): Promise<number | null> {
  return (await scope.run(MEDIA_QUOTA, [id])).rows[0]?.bytes ?? null
}

/** From the top down to the end user himself; in whichever scope asks, he must be seen with those above him. */
export async function lineOf(scope: Pick<SystemScope, 'run'>, id: string): Promise<LineLink[]> {
  return (await scope.run(LINE_OF, [id])).rows
}
