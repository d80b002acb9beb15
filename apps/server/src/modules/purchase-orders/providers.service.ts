import type { BodyOf } from '@thingwright/contracts'
import { ONLINE_PROVIDERS, type OnlineProvider } from '@thingwright/contracts/money.words'
import type { PaymentProviderView, paymentProvidersContract } from '@thingwright/contracts/payment-providers.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type PaymentClient, type PaymentClientFactory, PaymentError } from './payment.port.ts'
import { accessOf, checkedAccess, forgetsTest, providerView } from './provider-access.ts'
import * as repo from './providers.repo.ts'

type Contract = typeof paymentProvidersContract

export interface ProvidersService {
  list(ctx: Ctx): Promise<{ items: PaymentProviderView[] }>
  /** @throws AppError payment_provider.key_missing, .key_unreadable, .key_own, .address_blocked, version.conflict */
  set(ctx: Ctx, kind: OnlineProvider, input: BodyOf<Contract['set']>): Promise<PaymentProviderView>
  /** What the provider says stands in the answer: a wrong key is a state, not an error of the request. */
  test(ctx: Ctx, kind: OnlineProvider): Promise<PaymentProviderView>
  /** @throws AppError payment_provider.in_use */
  remove(ctx: Ctx, kind: OnlineProvider): Promise<{ ok: boolean }>
  /** With the keys as they are now; null: none were entered. */
  client(kind: OnlineProvider): Promise<PaymentClient | null>
  notifyUrl(kind: OnlineProvider): string
}

export interface ProvidersDeps {
  database: Database
  box: CryptoBox
  clients: PaymentClientFactory
  outboundAllow: readonly string[]
  addresses(): { httpUrl: string }
}

/** The providers of payments as the operator of the platform sets them up. */
export function createProvidersService(deps: ProvidersDeps): ProvidersService {
  const { database, box } = deps
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)
  const contextOf = (kind: OnlineProvider) => `payment-provider:${kind}`
  const open = (row: repo.ProviderRow) => accessOf(box, row, contextOf(row.kind))
  const made = new Map<OnlineProvider, { version: number; client: PaymentClient }>()
  const notifyUrl = (kind: OnlineProvider) => `${deps.addresses().httpUrl}/callbacks/pay/${kind}`

  function clientOf(row: repo.ProviderRow): PaymentClient {
    const kept = made.get(row.kind)
    if (kept?.version === row.version) return kept.client
    const client = deps.clients(row.kind, { baseUrl: row.baseUrl, ...row.settings, ...open(row) })
    made.set(row.kind, { version: row.version, client })
    return client
  }

  const toView = (kind: OnlineProvider, row: repo.ProviderRow | undefined): PaymentProviderView =>
    providerView(kind, row, row && open(row), notifyUrl(kind))

  async function known(scope: SystemScope, kind: OnlineProvider): Promise<repo.ProviderRow> {
    const row = await repo.findProvider(scope, kind)
    if (!row) throw new AppError('payment_provider.not_found')
    return row
  }

  const shown = ({ enabled, baseUrl, settings }: repo.ProviderRow) => ({ enabled, baseUrl, ...settings })
  const note = (scope: SystemScope, ctx: Ctx, verb: 'set' | 'test' | 'remove', kind: OnlineProvider, values: object) =>
    recordAudit(scope, ctx, {
      action: `payment_provider.${verb}`,
      objectType: 'payment_provider',
      objectId: kind,
      objectName: kind,
      ...values,
    })

  return {
    notifyUrl,
    list: () =>
      system(async scope => {
        const rows = await repo.allProviders(scope)
        return {
          items: ONLINE_PROVIDERS.map(kind =>
            toView(
              kind,
              rows.find(row => row.kind === kind),
            ),
          ),
        }
      }),

    set: (ctx, kind, { version, ...input }) =>
      system(async scope => {
        const before = await repo.findProvider(scope, kind)
        const old = before && { row: before, secrets: open(before) }
        const { secrets, changed, ...values } = checkedAccess(kind, input, old, deps.outboundAllow)
        const next = { ...values, secretsCipher: box.seal(JSON.stringify(secrets), contextOf(kind)) }
        const stored = before
          ? await repo.updateProvider(scope, next, { version, forgets: forgetsTest(before, next, changed) })
          : await repo.insertProvider(scope, next)
        if (!stored || (!before && version !== 0))
          throw new AppError('version.conflict', { params: { current: toView(kind, before) } })
        const after = await known(scope, kind)
        await note(scope, ctx, 'set', kind, {
          ...(before ? { before: shown(before) } : {}),
          after: { ...shown(after), ...(changed.length > 0 ? { secrets: changed } : {}) },
        })
        return toView(kind, after)
      }),

    async test(ctx, kind) {
      const row = await system(scope => known(scope, kind))
      let said = ''
      let state: 'ok' | 'failed' = 'ok'
      try {
        await clientOf(row).test()
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error
        said = error.message
        state = 'failed'
      }
      return system(async scope => {
        await repo.noteTest(scope, kind, state, said, new Date(ctx.now))
        await note(scope, ctx, 'test', kind, {
          after: { state, ...(said ? { said } : {}) },
          result: state === 'failed' ? 'failed' : 'ok',
        })
        return toView(kind, await known(scope, kind))
      })
    },

    remove: (ctx, kind) =>
      system(async scope => {
        const row = await known(scope, kind)
        const open = await repo.openWith(scope, kind)
        if (open > 0) throw new AppError('payment_provider.in_use', { params: { count: open } })
        await repo.removeProvider(scope, kind)
        made.delete(kind)
        await note(scope, ctx, 'remove', kind, { before: shown(row) })
        return { ok: true }
      }),

    async client(kind) {
      const row = await system(scope => repo.findProvider(scope, kind))
      return row ? clientOf(row) : null
    },
  }
}
