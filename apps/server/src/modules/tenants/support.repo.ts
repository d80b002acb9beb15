import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface SupportGrantRow {
  id: string
  tenantId: string
  mayWrite: boolean
  grantedByName: string
  grantedAt: Date
  expiresAt: Date
  endedAt: Date | null
}

const COLUMNS = part`id, tenant_id as "tenantId", may_write as "mayWrite", granted_by_name as "grantedByName",
  granted_at as "grantedAt", expires_at as "expiresAt", ended_at as "endedAt"`

const LIST_GRANTS = sql<SupportGrantRow>`select ${COLUMNS} from support_grants order by granted_at desc, id desc limit $1`

export async function listGrants(scope: TenantScope, limit: number): Promise<SupportGrantRow[]> {
  const { rows } = await scope.run(LIST_GRANTS, [limit])
  return rows
}

const INSERT_GRANT = sql<SupportGrantRow>`insert into support_grants (id, tenant_id, may_write, granted_by, granted_by_name, granted_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`

export async function insertGrant(
  scope: TenantScope,
  grant: { id: string; mayWrite: boolean; grantedBy: string; grantedByName: string; grantedAt: Date; expiresAt: Date },
): Promise<SupportGrantRow> {
  const { rows } = await scope.run(INSERT_GRANT, [
    grant.id,
    scope.tenantId,
    grant.mayWrite,
    grant.grantedBy,
    grant.grantedByName,
    grant.grantedAt,
    grant.expiresAt,
  ])
  return rows[0]!
}

const END_GRANT = sql<SupportGrantRow>`update support_grants set ended_at = coalesce(ended_at, $2) where id = $1 returning ${COLUMNS}`

/** Ends what is still running; undefined when there is no such access. */
export async function endGrant(scope: TenantScope, id: string, at: Date): Promise<SupportGrantRow | undefined> {
  const { rows } = await scope.run(END_GRANT, [id, at])
  return rows[0]
}

const END_ALL_GRANTS = sql`update support_grants set ended_at = $1 where ended_at is null and expires_at > $1`

export async function endAllGrants(scope: TenantScope, at: Date): Promise<void> {
  await scope.run(END_ALL_GRANTS, [at])
}

const RUNNING_GRANT = sql<SupportGrantRow>`select ${COLUMNS} from support_grants where tenant_id = $1 and ended_at is null and expires_at > $2
  order by granted_at desc limit 1`

/** The access that is good now, if any. */
export async function runningGrant(
  scope: Pick<SystemScope, 'run'>,
  tenantId: string,
  at: Date,
): Promise<SupportGrantRow | undefined> {
  const { rows } = await scope.run(RUNNING_GRANT, [tenantId, at])
  return rows[0]
}

const GRANT_FOR_SESSION = sql<
  SupportGrantRow & { appId: string; companyName: string; status: string }
>`select g.id, g.tenant_id as "tenantId", g.may_write as "mayWrite", g.granted_by_name as "grantedByName",
    g.granted_at as "grantedAt", g.expires_at as "expiresAt", g.ended_at as "endedAt",
    t.app_id as "appId", t.name as "companyName", t.status
  from support_grants g join tenants t on t.id = g.tenant_id
  where g.id = $1 and g.ended_at is null and g.expires_at > $2`

/** What a support session stands on: the access and the company, or undefined when it is over. */
export async function grantForSession(
  scope: Pick<SystemScope, 'run'>,
  id: string,
  at: Date,
): Promise<(SupportGrantRow & { appId: string; companyName: string; status: string }) | undefined> {
  const { rows } = await scope.run(GRANT_FOR_SESSION, [id, at])
  return rows[0]
}
