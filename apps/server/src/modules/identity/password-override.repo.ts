import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const UPDATE_LOGINS = sql<{
  id: string
  tenant_id: string
}>`update logins set password_hash = $2, token_epoch = token_epoch + 1, version = version + 1, updated_at = now() where lower(username) = lower($1) returning id, tenant_id`

const UPDATE_REFRESH_FAMILIES = sql`update refresh_families set revoked_at = now(), revoked_reason = 'password_reset' where login_id = $1 and revoked_at is null`

const DELETE_SIGN_IN_FAILURES = sql`delete from sign_in_failures where login_id = $1`

/** Sets a login's password and ends its sessions. @returns undefined: there is no such login */
export async function setPassword(
  scope: SystemScope,
  username: string,
  hash: string,
): Promise<{ id: string; tenant_id: string } | undefined> {
  const login = (await scope.run(UPDATE_LOGINS, [username, hash])).rows[0]
  if (!login) return undefined
  await scope.run(UPDATE_REFRESH_FAMILIES, [login.id])
  await scope.run(DELETE_SIGN_IN_FAILURES, [login.id])
  return login
}
