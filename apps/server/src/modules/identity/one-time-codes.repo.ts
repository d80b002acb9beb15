import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/** Codes of earlier days are kept for nobody: they are good for minutes, and their rows name phones and mail addresses. */
const KEPT_MS = 24 * 60 * 60_000
/** Rows deleted by one statement. */
const AT_ONCE = 10_000

const DELETE_OLD = [part`sms_codes`, part`mail_codes`].map(
  table => sql`delete from ${table} where id in (select id from ${table} where created_at <= $1 limit ${AT_ONCE})`,
)

/** Deletes codes that were made more than a day ago. @returns how many */
export async function deleteOldCodes(scope: Pick<SystemScope, 'run'>, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  let deleted = 0
  for (const statement of DELETE_OLD) {
    for (let last = AT_ONCE; last === AT_ONCE; deleted += last) {
      last = (await scope.run(statement, [before])).rowCount ?? 0
    }
  }
  return deleted
}
