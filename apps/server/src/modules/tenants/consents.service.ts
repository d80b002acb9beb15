import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'

/** A document that people agree to, in one version. */
export interface Consent {
  document: string
  version: string
  at: string
  ip: string | null
  loginId: string | null
}

const RECORD_CONSENT = sql`insert into consents (id, tenant_id, login_id, document, version, at, ip) values ($1, $2, $3, $4, $5, $6, $7)`

/** Writes down that somebody agreed to a version of a document, in the transaction of what he did. Never changed later. */
export async function recordConsent(
  scope: Pick<TenantScope | SystemScope, 'run'>,
  given: { tenantId: string; loginId: string; document: string; version: string; at: Date; ip: string | null },
): Promise<void> {
  await scope.run(RECORD_CONSENT, [
    newId(given.at.getTime()),
    given.tenantId,
    given.loginId,
    given.document,
    given.version,
    given.at,
    given.ip,
  ])
}

const CONSENTS_OF = sql<{
  document: string
  version: string
  at: Date
  ip: string | null
  login_id: string | null
}>`select document, version, at, ip, login_id from consents where tenant_id = $1 and ($2::uuid is null or login_id = $2) order by at desc, id desc limit $3`

/** What a company's people agreed to, newest first; of one person when named. */
export async function consentsOf(
  scope: Pick<TenantScope | SystemScope, 'run'>,
  of: { tenantId: string; loginId?: string; limit?: number },
): Promise<Consent[]> {
  const { rows } = await scope.run(CONSENTS_OF, [of.tenantId, of.loginId ?? null, of.limit ?? 100])
  return rows.map(row => ({
    document: row.document,
    version: row.version,
    at: row.at.toISOString(),
    ip: row.ip,
    loginId: row.login_id,
  }))
}
