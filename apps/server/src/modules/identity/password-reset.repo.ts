import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const INSERT_PASSWORD_LINK = sql`insert into password_links (id, tenant_id, login_id, token_hash, made_by, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertPasswordLink(
  scope: SystemScope,
  link: {
    id: string
    tenantId: string
    loginId: string
    tokenHash: Buffer
    madeBy: string | null
    at: Date
    expiresAt: Date
  },
): Promise<void> {
  await scope.run(INSERT_PASSWORD_LINK, [
    link.id,
    link.tenantId,
    link.loginId,
    link.tokenHash,
    link.madeBy,
    link.at,
    link.expiresAt,
  ])
}

const RECENT_PASSWORD_LINKS = sql<{
  latest: Date | null
  n: number
}>`select max(created_at) as latest, count(*)::int as n from password_links where login_id = $1 and made_by is not null and created_at > $2`

/** When an administrator had the newest link of a login made, and how many since a time. */
export async function recentPasswordLinks(
  scope: SystemScope,
  loginId: string,
  since: Date,
): Promise<{ latest: Date | null; n: number }> {
  return (await scope.run(RECENT_PASSWORD_LINKS, [loginId, since])).rows[0]!
}

const USE_PASSWORD_LINK = sql<{
  login_id: string
}>`update password_links set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2 returning login_id`

/** Takes a link that is still good; of two at once one gets it. @returns whose password it sets */
export async function usePasswordLink(scope: SystemScope, tokenHash: Buffer, at: Date): Promise<string | null> {
  return (await scope.run(USE_PASSWORD_LINK, [tokenHash, at])).rows[0]?.login_id ?? null
}

const END_PASSWORD_LINKS = sql`update password_links set used_at = $2 where login_id = $1 and used_at is null`

/** No link of the login is good any more. */
export async function endPasswordLinks(scope: SystemScope, loginId: string, at: Date): Promise<void> {
  await scope.run(END_PASSWORD_LINKS, [loginId, at])
}
