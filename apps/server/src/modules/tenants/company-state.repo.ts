import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { TenantStatus } from './tenants.service.ts'

export interface TermRow {
  id: string
  name: string
  status: TenantStatus
  expiresAt: Date | null
  graceEndsAt: Date | null
  graceDays: number | null
  timeZone: string
}

type Scope = Pick<SystemScope, 'run'>

const COMPANIES_TO_LOOK_AT = sql<{
  id: string
}>`select id from tenants where kind = 'company' and status in ('trial', 'active', 'grace') and expires_at <= $1
  order by expires_at, id`

/** Companies whose term has ended or ends before `until`. */
export async function companiesToLookAt(scope: Scope, until: Date): Promise<string[]> {
  const { rows } = await scope.run(COMPANIES_TO_LOOK_AT, [until])
  return rows.map(row => row.id)
}

const LOCK_TERM = sql<TermRow>`select id, name, status, expires_at as "expiresAt", grace_ends_at as "graceEndsAt", grace_days as "graceDays",
    time_zone as "timeZone"
  from tenants where id = $1 for update skip locked`

/** The company, held until the transaction ends; undefined when another process is at it. */
export async function lockTerm(scope: Scope, id: string): Promise<TermRow | undefined> {
  const { rows } = await scope.run(LOCK_TERM, [id])
  return rows[0]
}

const SET_TERM = sql`update tenants set status = $2, grace_ends_at = $3, version = version + 1, updated_at = now() where id = $1`

export async function setTerm(
  scope: Scope,
  id: string,
  term: { status: TenantStatus; graceEndsAt: Date | null },
): Promise<void> {
  await scope.run(SET_TERM, [id, term.status, term.graceEndsAt])
}

const TELL_ONCE = sql`insert into tenant_warnings (tenant_id, kind, about) values ($1, $2, $3)
  on conflict (tenant_id, kind) do update set about = excluded.about, told_at = now() where tenant_warnings.about <> excluded.about`

/** Whether this is to be told: false when it was told already. `about` says what exactly; another value is news. */
export async function tellOnce(scope: Scope, tenantId: string, kind: string, about: string): Promise<boolean> {
  const { rowCount } = await scope.run(TELL_ONCE, [tenantId, kind, about])
  return rowCount === 1
}

const SET_STATE = sql`update tenants set status = $2, status_before = $3, frozen_reason = $4, expires_at = $5, grace_ends_at = $6,
  grace_days = $7, version = version + 1, updated_at = now() where id = $1`

/** As the operators want it. */
export async function setCompanyState(
  scope: Scope,
  id: string,
  change: {
    status: string
    statusBefore: string | null
    frozenReason: string | null
    expiresAt: Date | null
    graceEndsAt: Date | null
    graceDays: number | null
  },
): Promise<void> {
  await scope.run(SET_STATE, [
    id,
    change.status,
    change.statusBefore,
    change.frozenReason,
    change.expiresAt,
    change.graceEndsAt,
    change.graceDays,
  ])
}

const SET_SETTINGS = sql`update tenants set settings = $2, updated_at = now() where id = $1`

export async function setCompanySettings(scope: Scope, id: string, settings: object): Promise<void> {
  await scope.run(SET_SETTINGS, [id, JSON.stringify(settings)])
}
