import type { BodyOf } from '@thingwright/contracts'
import type { accountContract, BrandingView, CompanyView } from '@thingwright/contracts/company.contract'
import type { CompanyRetention } from '@thingwright/contracts/company-settings'
import type { ResponseOf } from '@thingwright/contracts/route'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { checkBranding, NO_BRANDING } from './branding.ts'
import * as repo from './company.repo.ts'
import { readSettings } from './company-settings.ts'
import { takesData } from './company-states.ts'
import { daysLeft } from './days-left.ts'
import { accountState, type TenantsService } from './tenants.service.ts'

type Contract = typeof accountContract

/** The contact shown to a company that is not active; set by the operator for the installation. */
export interface PlatformContact {
  name: string
  phone: string
  email: string
}

export interface CompanyServiceDeps {
  database: Database
  tenants: Pick<TenantsService, 'updateSettings'>
  platformContact(): Promise<PlatformContact>
}

export interface CompanyService {
  get(ctx: Ctx): Promise<CompanyView>
  state(ctx: Ctx): Promise<ResponseOf<Contract['state']>>
  update(ctx: Ctx, input: BodyOf<Contract['update']>): Promise<CompanyView>
  setBranding(ctx: Ctx, input: BodyOf<Contract['setBranding']>): Promise<CompanyView>
  setRetention(ctx: Ctx, input: Partial<CompanyRetention>): Promise<CompanyView>
  /** Branding of any company, by its app id; empty when there is none. */
  branding(appId: string): Promise<BrandingView>
}

export function createCompanyService({ database, tenants, platformContact }: CompanyServiceDeps): CompanyService {
  async function existing(scope: TenantScope, lock = false): Promise<repo.CompanyRow> {
    const row = await repo.findCompany(scope, scope.tenantId, lock)
    if (!row) throw new AppError('auth.token_invalid')
    return row
  }

  function change(ctx: Ctx, version: number, action: string, set: repo.ProfileChange): Promise<CompanyView> {
    return database.withTenant(ctx, async scope => {
      const before = await existing(scope, true)
      if (before.version !== version)
        throw new AppError('version.conflict', { params: { current: toCompanyView(before) } })
      await repo.updateProfile(scope, scope.tenantId, set)
      const after = await existing(scope)
      const facts = (row: repo.CompanyRow) =>
        Object.fromEntries(Object.keys(set).map(key => [key, shortened(row[key as keyof repo.CompanyRow])]))
      await recordAudit(scope, ctx, {
        action,
        objectType: 'company',
        objectId: after.id,
        objectName: after.name,
        before: facts(before),
        after: facts(after),
      })
      return toCompanyView(after)
    })
  }

  return {
    get: ctx => database.withTenant(ctx, async scope => toCompanyView(await existing(scope))),

    async state(ctx) {
      const row = await database.withTenant(ctx, scope => existing(scope))
      return {
        status: row.status,
        accountState: accountState(row.status),
        name: row.name,
        expiresAt: row.expiresAt?.toISOString() ?? null,
        graceEndsAt: row.graceEndsAt?.toISOString() ?? null,
        daysLeft: row.expiresAt && daysLeft(row.expiresAt.getTime(), ctx.now, row.timeZone),
        graceDaysLeft: row.graceEndsAt && daysLeft(row.graceEndsAt.getTime(), ctx.now, row.timeZone),
        frozenReason: row.frozenReason,
        takesData: takesData(row.status),
        contact: await platformContact(),
      }
    },

    async update(ctx, { version, ...input }) {
      if (input.timeZone !== undefined && !isTimeZone(input.timeZone))
        throw new AppError('company.time_zone_unknown', {
          fields: { timeZone: { code: 'company.time_zone_unknown', params: { timeZone: input.timeZone } } },
          params: { timeZone: input.timeZone },
        })
      return change(ctx, version, 'company.update', {
        ...input,
        ...(input.name === undefined ? {} : { name: input.name.trim() }),
      })
    },

    setBranding: async (ctx, { version, ...input }) =>
      change(ctx, version, 'company.branding', { branding: checkBranding(input) }),

    async setRetention(ctx, input) {
      await tenants.updateSettings(ctx, 'retention', input, 'company.retention')
      return database.withTenant(ctx, async scope => toCompanyView(await existing(scope)))
    },

    branding: appId =>
      database.withSystemScope('company-status', async scope => ({
        ...NO_BRANDING,
        ...(await repo.brandingByApp(scope, appId)),
      })),
  }
}

export function toCompanyView(row: repo.CompanyRow): CompanyView {
  return {
    id: row.id,
    appId: row.appId,
    name: row.name,
    status: row.status,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    graceEndsAt: row.graceEndsAt?.toISOString() ?? null,
    timeZone: row.timeZone,
    contactName: row.contactName,
    contactPhone: row.contactPhone,
    contactEmail: row.contactEmail,
    industry: row.industry,
    region: row.region,
    branding: { ...NO_BRANDING, ...row.branding },
    verification: row.verification ?? 'unverified',
    retention: readSettings(row.settings).retention,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}

/** A logo is a hundred kilobytes: its place in the operation log says that there was one. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('logo' in value)) return value
  const { logo, ...rest } = value as { logo: string }
  return { ...rest, logo: logo ? `${logo.slice(0, 30)}… (${logo.length})` : '' }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
