import type { SystemScope } from '../../lib/database.ts'
import type { SortOrder } from '../../lib/paging.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { COMPANY_COLUMNS } from '../tenants/company.views.ts'

export interface CompanyListRow {
  id: string
  appId: string
  name: string
  kind: 'platform' | 'company'
  status: 'inactive' | 'frozen' | 'expired' | 'trial' | 'active' | 'grace'
  expiresAt: Date | null
  graceEndsAt: Date | null
  graceDays: number | null
  frozenReason: string | null
  statusBefore: 'inactive' | 'expired' | 'trial' | 'active' | 'grace' | null
  timeZone: string
  contactName: string
  contactPhone: string
  contactEmail: string
  industry: string
  region: string
  branding: object
  settings: unknown
  verification: 'in_review' | 'verified' | 'rejected' | null
  version: number
  createdAt: Date
  devices: number
  members: number
  lastActivityAt: Date | null
  position: string
}

export interface CompanyFilter {
  status?: string
  verification?: string
  /** Part of name, app id, contact or a user name, normalised. */
  needle?: string
}

export const COMPANY_SORTS = ['createdAt', 'name', 'expiresAt'] as const
export type CompanySort = SortOrder<(typeof COMPANY_SORTS)[number]>

const SORT = {
  createdAt: { column: 't.created_at', type: 'timestamptz' },
  name: { column: 't.name', type: 'text' },
  // A company without an end comes after all that end.
  expiresAt: { column: `coalesce(t.expires_at, 'infinity')`, type: 'timestamptz' },
} as const

const LATEST = `(select v.status from company_verifications v where v.tenant_id = t.id order by v.submitted_at desc, v.id desc limit 1)`
const COLUMNS = part`${COMPANY_COLUMNS}, t.status_before as "statusBefore",
  coalesce((select used from tenant_usage u where u.tenant_id = t.id and u.kind = 'devices'), 0)::float8 as devices,
  (coalesce((select used from tenant_usage u where u.tenant_id = t.id and u.kind = 'members'), 0)
    + (select count(*) from invitations i where i.tenant_id = t.id and i.accepted_at is null and i.revoked_at is null)
  )::float8 as members,
  (select max(l.last_login_at) from logins l where l.tenant_id = t.id) as "lastActivityAt"`

function conditions(filter: CompanyFilter, params: unknown[]): string[] {
  const param = (value: unknown) => `$${params.push(value)}`
  const where = [`t.kind = 'company'`]
  if (filter.status) where.push(`t.status = ${param(filter.status)}`)
  if (filter.verification === 'unverified') where.push(`${LATEST} is null`)
  else if (filter.verification) where.push(`${LATEST} = ${param(filter.verification)}`)
  if (filter.needle) {
    const needle = param(filter.needle)
    const holds = (column: string) => `strpos(lower(normalize(${column}, NFKC)), ${needle}) > 0`
    where.push(
      `(${['t.name', 't.app_id', 't.contact_name', 't.contact_phone'].map(holds).join(' or ')}
        or exists (select 1 from logins l where l.tenant_id = t.id and ${holds('l.username')}))`,
    )
  }
  return where
}

export async function listCompanies(
  scope: SystemScope,
  filter: CompanyFilter,
  sort: CompanySort,
  after: readonly [key: string, id: string] | null,
  limit: number,
): Promise<CompanyListRow[]> {
  const params: unknown[] = []
  const where = conditions(filter, params)
  const { column, type } = SORT[sort.key]
  const direction = sort.descending ? 'desc' : 'asc'
  if (after)
    where.push(
      `(${column}, t.id) ${sort.descending ? '<' : '>'} ($${params.push(after[0])}::${type}, $${params.push(after[1])}::uuid)`,
    )
  const { rows } = await scope.query<CompanyListRow>(
    `select ${COLUMNS}, (${column})::text as position from tenants t where ${where.join(' and ')}
     order by ${column} ${direction}, t.id ${direction} limit ${limit}`,
    params,
  )
  return rows
}

export async function countCompanies(scope: SystemScope, filter: CompanyFilter): Promise<number> {
  const params: unknown[] = []
  const where = conditions(filter, params)
  const { rows } = await scope.query<{ count: number }>(
    `select count(*) as count from tenants t where ${where.join(' and ')}`,
    params,
  )
  return rows[0]!.count
}

const FIND_COMPANY_BY_ID = holdable(
  sql<CompanyListRow>`select ${COLUMNS}, '' as position from tenants t where t.id = $1`,
  part`for update of t`,
)

export async function findCompanyById(
  scope: SystemScope,
  id: string,
  lock = false,
): Promise<CompanyListRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_COMPANY_BY_ID.held : FIND_COMPANY_BY_ID.free, [id])
  return rows[0]
}

export interface OwnerRow {
  id: string
  username: string
  displayName: string
  phone: string | null
  lastLoginAt: Date | null
}

const OWNERS_OF = sql<OwnerRow>`select l.id, l.username, l.display_name as "displayName", l.phone, l.last_login_at as "lastLoginAt"
  from logins l join login_roles lr on lr.login_id = l.id join roles r on r.id = lr.role_id
  where l.tenant_id = $1 and r.key = 'owner' order by l.created_at, l.id limit 20`

export async function ownersOf(scope: SystemScope, tenantId: string): Promise<OwnerRow[]> {
  const { rows } = await scope.run(OWNERS_OF, [tenantId])
  return rows
}
