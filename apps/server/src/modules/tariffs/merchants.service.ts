import type { BodyOf } from '@thingwright/contracts'
import type { merchantAccountsContract } from '@thingwright/contracts/merchant-accounts.contract'
import { ONLINE_PROVIDERS, type OnlineProvider } from '@thingwright/contracts/money.words'
import type { PaymentProviderView } from '@thingwright/contracts/payment-providers.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import {
  accessOf,
  checkedAccess,
  forgetsTest,
  type PaymentClient,
  type PaymentClientFactory,
  PaymentError,
  type ProviderRow,
  providerView,
} from '../purchase-orders/index.ts'
import * as repo from './merchants.repo.ts'

type Contract = typeof merchantAccountsContract

/** The company's own accounts at WeChat Pay and Alipay, into which its end users pay. */
export interface MerchantsService {
  list(ctx: Ctx): Promise<{ items: PaymentProviderView[] }>
  /** @throws AppError payment_provider.key_missing, .key_unreadable, .key_own, .address_blocked, version.conflict */
  set(ctx: Ctx, kind: OnlineProvider, input: BodyOf<Contract['set']>): Promise<PaymentProviderView>
  /** Tests the keys at the provider. A wrong key is returned as a result, not thrown. */
  test(ctx: Ctx, kind: OnlineProvider): Promise<PaymentProviderView>
  /** @throws AppError payment_provider.in_use */
  remove(ctx: Ctx, kind: OnlineProvider): Promise<{ ok: boolean }>
  /** Payment methods that end users can choose. */
  kinds(tenantId: string): Promise<OnlineProvider[]>
  /** A client with the current keys; null when no keys were entered. */
  client(tenantId: string, kind: OnlineProvider): Promise<PaymentClient | null>
  notifyUrl(tenantId: string, kind: OnlineProvider): string
}

export interface MerchantsDeps {
  database: Database
  seal(purpose: string): CryptoBox
  paymentClients: PaymentClientFactory
  outboundAllow: readonly string[]
  addresses(): { httpUrl: string }
}

export function createMerchantsService(deps: MerchantsDeps): MerchantsService {
  const { database } = deps
  const box = deps.seal('merchant-accounts')
  const contextOf = (tenantId: string, kind: OnlineProvider) => `merchant-account:${tenantId}:${kind}`
  const notifyUrl = (tenantId: string, kind: OnlineProvider) =>
    `${deps.addresses().httpUrl}/callbacks/pay/${kind}/${tenantId}`
  const secretsOf = (tenantId: string, row: ProviderRow) => accessOf(box, row, contextOf(tenantId, row.kind))
  const clientOf = (tenantId: string, row: ProviderRow) =>
    deps.paymentClients(row.kind, { baseUrl: row.baseUrl, ...row.settings, ...secretsOf(tenantId, row) })
  const viewOf = (tenantId: string, kind: OnlineProvider, row: ProviderRow | undefined) =>
    providerView(kind, row, row && secretsOf(tenantId, row), notifyUrl(tenantId, kind))

  async function known(scope: TenantScope, kind: OnlineProvider): Promise<ProviderRow> {
    const row = await repo.find(scope, scope.tenantId, kind)
    if (!row) throw new AppError('payment_provider.not_found')
    return row
  }
  const shown = ({ enabled, baseUrl, settings }: ProviderRow) => ({ enabled, baseUrl, ...settings })
  const note = (scope: TenantScope, ctx: Ctx, verb: 'set' | 'test' | 'remove', kind: OnlineProvider, values: object) =>
    recordAudit(scope, ctx, {
      action: `merchant_account.${verb}`,
      objectType: 'merchant_account',
      objectId: kind,
      objectName: kind,
      ...values,
    })

  return {
    notifyUrl,
    list: ctx =>
      database.withTenant(ctx, async scope => {
        const rows = await repo.all(scope, scope.tenantId)
        return {
          items: ONLINE_PROVIDERS.map(kind =>
            viewOf(
              scope.tenantId,
              kind,
              rows.find(row => row.kind === kind),
            ),
          ),
        }
      }),

    set: (ctx, kind, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const { tenantId } = scope
        const before = await repo.find(scope, tenantId, kind)
        const old = before && { row: before, secrets: secretsOf(tenantId, before) }
        const { secrets, changed, ...values } = checkedAccess(kind, input, old, deps.outboundAllow)
        const next = { ...values, secretsCipher: box.seal(JSON.stringify(secrets), contextOf(tenantId, kind)) }
        const stored = before
          ? await repo.update(scope, tenantId, next, { version, forgets: forgetsTest(before, next, changed) })
          : version === 0 && (await repo.insert(scope, tenantId, next))
        if (!stored) throw new AppError('version.conflict', { params: { current: viewOf(tenantId, kind, before) } })
        const after = await known(scope, kind)
        await note(scope, ctx, 'set', kind, {
          ...(before ? { before: shown(before) } : {}),
          after: { ...shown(after), ...(changed.length > 0 ? { secrets: changed } : {}) },
        })
        return viewOf(tenantId, kind, after)
      }),

    async test(ctx, kind) {
      const row = await database.withTenant(ctx, scope => known(scope, kind))
      let said = ''
      let state: 'ok' | 'failed' = 'ok'
      try {
        await clientOf(ctx.tenantId, row).test()
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error
        said = error.message
        state = 'failed'
      }
      return database.withTenant(ctx, async scope => {
        await repo.noteTest(scope, scope.tenantId, kind, { state, said, at: new Date(ctx.now) })
        await note(scope, ctx, 'test', kind, {
          after: { state, ...(said ? { said } : {}) },
          result: state === 'failed' ? 'failed' : 'ok',
        })
        return viewOf(scope.tenantId, kind, await known(scope, kind))
      })
    },

    remove: (ctx, kind) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, kind)
        const open = await repo.openWith(scope, scope.tenantId, kind)
        if (open > 0) throw new AppError('payment_provider.in_use', { params: { count: open } })
        await repo.remove(scope, scope.tenantId, kind)
        await note(scope, ctx, 'remove', kind, { before: shown(row) })
        return { ok: true }
      }),

    kinds: tenantId => database.withSystemScope('money', scope => repo.enabledKinds(scope, tenantId)),

    async client(tenantId, kind) {
      const row = await database.withSystemScope('money', scope => repo.find(scope, tenantId, kind))
      return row ? clientOf(tenantId, row) : null
    },
  }
}
