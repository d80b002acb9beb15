import type { SystemScope } from '../../lib/database.ts'

/** Codes of earlier days are kept for nobody: they are good for minutes, and their rows name phones and mail addresses. */
const KEPT_MS = 24 * 60 * 60_000
/** Rows deleted by one statement. */
const AT_ONCE = 10_000

/** Deletes codes that were made more than a day ago. @returns how many */
export async function deleteOldCodes(scope: Pick<SystemScope, 'query' | 'run'>, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  let deleted = 0
  for (const table of ['sms_codes', 'mail_codes']) {
    for (let last = AT_ONCE; last === AT_ONCE; deleted += last) {
      const { rowCount } = await scope.query(
        `delete from ${table} where id in (select id from ${table} where created_at <= $1 limit ${AT_ONCE})`,
        [before],
      )
      last = rowCount ?? 0
    }
  }
  return deleted
}
