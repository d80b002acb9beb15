import type { SystemScope } from '../../lib/database/database.ts'
import type { SortOrder } from '../../lib/lists/paging.ts'
import { type ListPosition, listSql } from '../../lib/sql/list.ts'
import { holdable, part, type SqlPart, sql } from '../../lib/sql/statement.ts'
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

const LATEST = part`(select v.status from company_verifications v where v.tenant_id = t.id order by v.submitted_at desc, v.id desc limit 1)`
const COLUMNS = part`${COMPANY_COLUMNS}, t.status_before as "statusBefore",
  coalesce((select used from tenant_usage u where u.tenant_id = t.id and u.kind = 'devices'), 0)::float8 as devices,
  (coalesce((select used from tenant_usage u where u.tenant_id = t.id and u.kind = 'members'), 0)
    + (select count(*) from invitations i where i.tenant_id = t.id and i.accepted_at is null and i.revoked_at is null)
  )::float8 as members,
  (select max(l.last_login_at) from logins l where l.tenant_id = t.id) as "lastActivityAt"`

const holds = (column: SqlPart) => part`strpos(lower(normalize(${column}, NFKC)), $1) > 0`

const LIST = listSql<CompanyListRow, CompanyFilter, (typeof COMPANY_SORTS)[number]>({
  columns: COLUMNS,
  from: part`tenants t`,
  where: part`t.kind = 'company'`,
  filters: {
    status: part`t.status = $1`,
    verification: { unverified: part`${LATEST} is null`, other: part`${LATEST} = $1` },
    needle: part`(${holds(part`t.name`)} or ${holds(part`t.app_id`)} or ${holds(part`t.contact_name`)}
      or ${holds(part`t.contact_phone`)}
      or exists (select 1 from logins l where l.tenant_id = t.id and ${holds(part`l.username`)}))`,
  },
  sorts: {
    createdAt: { by: part`t.created_at`, type: 'timestamptz' },
    name: { by: part`t.name`, type: 'text' },
    // A company without an end comes after all that end.
    expiresAt: { by: part`coalesce(t.expires_at, 'infinity')`, type: 'timestamptz' },
  },
  id: { by: part`t.id`, type: 'uuid' },
})

/** Without what is empty. */
const asked = ({ status, verification, needle }: CompanyFilter): CompanyFilter => ({
  ...(status ? { status } : {}),
  ...(verification ? { verification } : {}),
  ...(needle ? { needle } : {}),
})

export async function listCompanies(
  scope: SystemScope,
  filter: CompanyFilter,
  sort: CompanySort,
  after: ListPosition | null,
  limit: number,
): Promise<CompanyListRow[]> {
  return (await scope.run(...LIST.page({ filter: asked(filter), sort, after, limit }))).rows
}

export async function countCompanies(scope: SystemScope, filter: CompanyFilter): Promise<number> {
  return (await scope.run(...LIST.count(asked(filter)))).rows[0]!.n
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
