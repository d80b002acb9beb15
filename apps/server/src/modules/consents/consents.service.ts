import type { ConsentView } from '@thingwright/contracts/consents.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { personId } from '../../lib/person.ts'
import { consentsOf, recordConsent } from '../tenants/index.ts'

export interface ConsentsService {
  /**
   * What the caller agreed to. Due is a document of which he agreed to an earlier version only: who was never asked
   * (a login made by the installation itself) is not asked now either.
   */
  mine(ctx: Ctx): Promise<{
    items: ConsentView[]
    due: { document: string; version: string; agreedVersion: string }[]
  }>
  /** @throws AppError consent.version_unknown for anything but the version in force */
  give(ctx: Ctx, input: { document: string; version: string }): Promise<{ ok: boolean }>
}

/** @param documents version in force by document */
export function createConsentsService(
  database: Database,
  documents: Readonly<Record<string, string>>,
): ConsentsService {
  return {
    async mine(ctx) {
      const loginId = loginOf(ctx)
      const given = await database.withTenant(ctx, scope => consentsOf(scope, { tenantId: ctx.tenantId, loginId }))
      const items = given.map(({ document, version, at, ip }) => ({ document, version, at, ip }))
      return {
        items,
        due: Object.entries(documents).flatMap(([document, version]) => {
          const agreed = items.filter(item => item.document === document).map(item => item.version)
          // Versions are days, so the order of texts is the order of time.
          const agreedVersion = agreed.sort().at(-1)
          return agreedVersion !== undefined && agreedVersion < version ? [{ document, version, agreedVersion }] : []
        }),
      }
    },

    give: (ctx, { document, version }) =>
      database.withTenant(ctx, async scope => {
        if (!Object.hasOwn(documents, document) || documents[document] !== version)
          throw new AppError('consent.version_unknown')
        const loginId = loginOf(ctx)
        const at = new Date(ctx.now)
        await recordConsent(scope, { tenantId: ctx.tenantId, loginId, document, version, at, ip: ctx.ip ?? null })
        await recordAudit(scope, ctx, {
          action: 'consent.give',
          objectType: 'consent',
          objectName: document,
          after: { document, version },
        })
        return { ok: true }
      }),
  }
}

function loginOf(ctx: Ctx): string {
  return personId(ctx.actor)
}
