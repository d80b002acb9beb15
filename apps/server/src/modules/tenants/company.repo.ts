import type { BrandingView } from '@thingwright/contracts/company.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { updateOf } from '../../lib/sql/writes.ts'
import { COMPANY_COLUMNS } from './company.views.ts'
import type { TenantStatus } from './tenants.service.ts'

export interface CompanyRow {
  id: string
  appId: string
  name: string
  kind: 'platform' | 'company'
  status: TenantStatus
  expiresAt: Date | null
  graceEndsAt: Date | null
  graceDays: number | null
  frozenReason: string | null
  timeZone: string
  contactName: string
  contactPhone: string
  contactEmail: string
  industry: string
  region: string
  branding: Partial<BrandingView>
  settings: unknown
  verification: 'in_review' | 'verified' | 'rejected' | null
  version: number
  createdAt: Date
}

type Scope = Pick<TenantScope, 'run'>

const FIND_COMPANY = holdable(
  sql<CompanyRow>`select ${COMPANY_COLUMNS} from tenants t where t.id = $1`,
  part`for update of t`,
)

export async function findCompany(scope: Scope, id: string, lock = false): Promise<CompanyRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_COMPANY.held : FIND_COMPANY.free, [id])
  return rows[0]
}

export interface ProfileChange {
  name?: unknown
  contactName?: unknown
  contactPhone?: unknown
  contactEmail?: unknown
  industry?: unknown
  region?: unknown
  timeZone?: unknown
  branding?: unknown
}

const UPDATE_PROFILE = updateOf<ProfileChange>(
  part`tenants`,
  {
    name: 'name',
    contactName: 'contact_name',
    contactPhone: 'contact_phone',
    contactEmail: 'contact_email',
    industry: 'industry',
    region: 'region',
    timeZone: 'time_zone',
    branding: { json: 'branding' },
  },
  { always: part`version = version + 1, updated_at = now()`, where: part`id = $1`, given: 1 },
)

/** Writes the change and raises the version. */
export async function updateProfile(scope: Scope, id: string, change: ProfileChange): Promise<void> {
  await scope.run(...UPDATE_PROFILE.of(change, id))
}

const BRANDING_BY_APP = sql<{ branding: Partial<BrandingView> }>`select branding from tenants where app_id = $1`

export async function brandingByApp(scope: Scope, appId: string): Promise<Partial<BrandingView> | undefined> {
  const { rows } = await scope.run(BRANDING_BY_APP, [appId])
  return rows[0]?.branding
}
