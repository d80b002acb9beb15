import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { ProductIdentityView, productIdentityContract } from '@thingwright/contracts/device-identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newProductSecret } from '../../lib/crypto/device-credentials.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { replaceProductSecret, storeProductIdentity } from '../products/index.ts'
import { changedAccess, toAccess } from './access.ts'
import * as repo from './product-identity.repo.ts'

type Contract = typeof productIdentityContract

export interface ProductIdentityDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget'>
  /** Seals device and product secrets. */
  secrets: CryptoBox
}

export interface ProductIdentityService {
  get(ctx: Ctx, id: string): Promise<ProductIdentityView>
  set(ctx: Ctx, id: string, input: BodyOf<Contract['set']>): Promise<ProductIdentityView>
  rotateSecret(
    ctx: Ctx,
    id: string,
    input: BodyOf<Contract['rotateSecret']>,
  ): Promise<ResponseOf<Contract['rotateSecret']>>
}

const DEFAULT_OVERLAP_SECONDS = 86_400

/** How devices of a product get in: registration, the product's secret, topic rights, limit of flow. */
export function createProductIdentityService({
  database,
  gateway,
  secrets,
}: ProductIdentityDeps): ProductIdentityService {
  async function locked(scope: TenantScope, id: string): Promise<repo.ProductIdentityRow> {
    const row = await repo.findProductIdentity(scope, id, true)
    if (row) return row
    if (scope.limited && (await repo.findProductIdentity(scope, id))) throw new AppError('scope.outside')
    throw new AppError('product.not_found')
  }

  async function view(scope: TenantScope, row: repo.ProductIdentityRow, now: number): Promise<ProductIdentityView> {
    const until = row.previousSecretUntil
    return {
      registration: row.registration,
      hasSecret: row.hasSecret,
      previousSecretUntil: until && until.getTime() > now ? until.toISOString() : null,
      waiting: await repo.countWaiting(scope, row.id),
      ...toAccess(row.access),
    }
  }

  const facts = (row: repo.ProductIdentityRow) => ({ registration: row.registration, ...toAccess(row.access) })

  return {
    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.findProductIdentity(scope, id)
        if (!row) throw new AppError('product.not_found')
        return view(scope, row, ctx.now)
      }),

    set: (ctx, id, { registration, ...change }) =>
      database.withTenant(ctx, async scope => {
        const before = await locked(scope, id)
        const after = {
          ...before,
          registration: registration ?? before.registration,
          access: changedAccess(before.access, change),
        }
        await storeProductIdentity(scope, id, after)
        await recordAudit(scope, ctx, {
          action: 'product.identity',
          objectType: 'product',
          objectId: id,
          objectName: before.name,
          before: facts(before),
          after: facts(after),
        })
        scope.afterCommit(() => gateway.forget({ product: before.num }))
        return view(scope, after, ctx.now)
      }),

    rotateSecret: (ctx, id, { overlapSeconds = DEFAULT_OVERLAP_SECONDS }) =>
      database.withTenant(ctx, async scope => {
        const row = await locked(scope, id)
        const secret = newProductSecret(secrets, id)
        const until = row.hasSecret && overlapSeconds > 0 ? new Date(ctx.now + overlapSeconds * 1000) : null
        await replaceProductSecret(scope, id, secret, until)
        await recordAudit(scope, ctx, {
          action: 'product.rotate_secret',
          objectType: 'product',
          objectId: id,
          objectName: row.name,
          after: { overlapSeconds: until ? overlapSeconds : 0 },
        })
        return { productSecret: secret.shown, previousSecretUntil: until?.toISOString() ?? null }
      }),
  }
}
