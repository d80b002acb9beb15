import type { BodyOf } from '@thingwright/contracts'
import type { BrandingView } from '@thingwright/contracts/company.contract'
import type { endUsersContract } from '@thingwright/contracts/end-users.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, customerOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import * as repo from './own-branding.repo.ts'

export interface OwnBrandingDeps {
  database: Database
  company(tenantId: string): Promise<{ appId: string }>
  /** The looks of the company with this app id. */
  companyBranding(appId: string): Promise<BrandingView>
  /** Looks as they may be stored. @throws AppError company.colour_unreadable, company.logo_invalid */
  checkBranding(given: BrandingView): BrandingView
}

export interface OwnBranding {
  /** What the caller's console looks like: the company's looks with those of the line above and the own ones. */
  get(ctx: Ctx): Promise<{ own: BrandingView; shown: BrandingView; mayChange: boolean }>
  /** @throws AppError permission.denied for whoever was not granted it, and as `checkBranding` */
  set(
    ctx: Ctx,
    input: BodyOf<(typeof endUsersContract)['setOwnBranding']>,
  ): Promise<{ own: BrandingView; shown: BrandingView; mayChange: boolean }>
}

const NONE: BrandingView = { title: '', titleEn: '', logo: '', colour: null }
const RIGHT = 'branding'

/** Looks of a company with those of a line put over them, as far down as everybody was granted looks of their own. */
export function shownBranding(company: BrandingView, line: readonly repo.BrandedLink[]): BrandingView {
  let shown = company
  for (const { rights, branding } of line) {
    if (!rights.includes(RIGHT)) break
    // A title in one language only stands for both.
    const titles = branding?.title || branding?.titleEn ? { title: branding.title, titleEn: branding.titleEn } : {}
    shown = {
      ...shown,
      ...titles,
      ...(branding?.logo ? { logo: branding.logo } : {}),
      ...(branding?.colour ? { colour: branding.colour } : {}),
    }
  }
  return shown
}

export function createOwnBranding(deps: OwnBrandingDeps): OwnBranding {
  const { database } = deps

  async function get(ctx: Ctx) {
    const { appId } = await deps.company(ctx.tenantId)
    const company = await deps.companyBranding(appId)
    const customer = customerOf(ctx.actor)
    if (!customer) return { own: NONE, shown: company, mayChange: false }
    // An end user cannot read the end users above, whose branding is inherited.
    const line = await database.withSystemScope('sign-in', scope => repo.brandedLine(scope, customer.id))
    return {
      own: { ...NONE, ...line.at(-1)?.branding },
      shown: shownBranding(company, line),
      mayChange: customer.rights.includes(RIGHT),
    }
  }

  return {
    get,
    async set(ctx, input) {
      const customer = customerOf(ctx.actor)
      if (!customer?.rights.includes(RIGHT)) throw new AppError('permission.denied', { params: { permission: RIGHT } })
      const branding = deps.checkBranding(input)
      await database.withTenant(ctx, async scope => {
        const before = await repo.setBranding(scope, customer.id, branding)
        if (!before) throw new AppError('end_user.not_found')
        const facts = ({ logo, ...rest }: BrandingView) => ({ ...rest, logo: logo !== '' })
        await recordAudit(scope, ctx, {
          action: 'end_user.branding',
          objectType: 'end_user',
          objectId: customer.id,
          objectName: before.name,
          before: before.branding ? facts(before.branding) : null,
          after: facts(branding),
        })
      })
      return get(ctx)
    },
  }
}
