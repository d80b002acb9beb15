import type { BodyOf } from '@thingwright/contracts'
import { ONLINE_PROVIDERS, type OnlineProvider } from '@thingwright/contracts/money.words'
import type { PaymentProviderView, paymentProvidersContract } from '@thingwright/contracts/payment-providers.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { type PaymentClient, type PaymentClientFactory, PaymentError } from './payment.port.ts'
import { fingerprint, privatePem, publicPem } from './provider-keys.ts'
import * as repo from './providers.repo.ts'

type Contract = typeof paymentProvidersContract

/** Where providers answer when nothing else is said. */
const HOSTS: Readonly<Record<OnlineProvider, string>> = {
  wechat: 'https://api.mch.weixin.qq.com',
  alipay: 'https://openapi.alipay.com/gateway.do',
}
const NEEDED = {
  wechat: ['appId', 'merchantId', 'serial', 'platformKeyId', 'privateKey', 'platformKey', 'apiKey'],
  alipay: ['appId', 'privateKey', 'platformKey'],
} as const

interface Secrets {
  privateKey: string
  platformKey: string
  apiKey: string
}

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
  const open = (row: repo.ProviderRow) =>
    JSON.parse(box.open(row.secretsCipher, contextOf(row.kind)).toString('utf8')) as Secrets
  const made = new Map<OnlineProvider, { version: number; client: PaymentClient }>()
  const notifyUrl = (kind: OnlineProvider) => `${deps.addresses().httpUrl}/callbacks/pay/${kind}`

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(deps.outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw wrong('baseUrl', 'payment_provider.address_blocked', { reason: error.message })
    }
  }

  function clientOf(row: repo.ProviderRow): PaymentClient {
    const kept = made.get(row.kind)
    if (kept?.version === row.version) return kept.client
    const client = deps.clients(row.kind, { baseUrl: row.baseUrl, ...row.settings, ...open(row) })
    made.set(row.kind, { version: row.version, client })
    return client
  }

  function toView(kind: OnlineProvider, row: repo.ProviderRow | undefined): PaymentProviderView {
    const secrets = row && open(row)
    return {
      kind,
      enabled: row?.enabled ?? false,
      hasKeys: row !== undefined,
      baseUrl: row?.baseUrl ?? HOSTS[kind],
      appId: row?.settings.appId ?? '',
      merchantId: row?.settings.merchantId ?? '',
      serial: row?.settings.serial ?? '',
      platformKeyId: row?.settings.platformKeyId ?? '',
      privateKey: secrets ? fingerprint(secrets.privateKey) : null,
      platformKey: secrets ? fingerprint(secrets.platformKey) : null,
      apiKey: secrets?.apiKey ? `••••${secrets.apiKey.slice(-4)}` : null,
      callbackUrl: notifyUrl(kind),
      test: row?.testState ? { state: row.testState, said: row.testSaid, at: row.testedAt!.toISOString() } : null,
      version: row?.version ?? 0,
    }
  }

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

    set: (ctx, kind, { version, enabled, ...input }) =>
      system(async scope => {
        const before = await repo.findProvider(scope, kind)
        const old = before && open(before)
        const values = {
          appId: input.appId?.trim() ?? before?.settings.appId ?? '',
          merchantId: input.merchantId?.trim() ?? before?.settings.merchantId ?? '',
          serial: (input.serial?.trim() ?? before?.settings.serial ?? '').toUpperCase(),
          platformKeyId: input.platformKeyId?.trim() ?? before?.settings.platformKeyId ?? '',
          privateKey: input.privateKey ? privatePem(input.privateKey) : (old?.privateKey ?? ''),
          platformKey: input.platformKey ? publicPem(input.platformKey) : (old?.platformKey ?? ''),
          apiKey: input.apiKey ?? old?.apiKey ?? '',
        }
        for (const field of NEEDED[kind]) if (values[field] === '') throw wrong(field, 'payment_provider.key_missing')
        // The usual mistake: one's own public key in place of the provider's.
        if (fingerprint(values.privateKey) === fingerprint(values.platformKey))
          throw wrong('platformKey', 'payment_provider.key_own')
        const baseUrl = input.baseUrl ?? before?.baseUrl ?? HOSTS[kind]
        if (baseUrl !== HOSTS[kind] && baseUrl !== before?.baseUrl) checkAddress(baseUrl)
        const { privateKey, platformKey, apiKey, ...settings } = values
        const next = {
          kind,
          enabled: enabled ?? before?.enabled ?? false,
          baseUrl,
          settings,
          secretsCipher: box.seal(JSON.stringify({ privateKey, platformKey, apiKey }), contextOf(kind)),
        }
        const changed = ['privateKey', 'platformKey', 'apiKey'] as const
        const secrets = changed.filter(key => old?.[key] !== values[key] && values[key] !== '')
        const forgets = secrets.length > 0 || before?.baseUrl !== baseUrl || !same(before?.settings, settings)
        const stored = before
          ? await repo.updateProvider(scope, next, { version, forgets })
          : await repo.insertProvider(scope, next)
        if (!stored || (!before && version !== 0))
          throw new AppError('version.conflict', { params: { current: toView(kind, before) } })
        const after = await known(scope, kind)
        await note(scope, ctx, 'set', kind, {
          ...(before ? { before: shown(before) } : {}),
          after: { ...shown(after), ...(secrets.length > 0 ? { secrets } : {}) },
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

const same = (a: repo.ProviderSettings | undefined, b: repo.ProviderSettings) =>
  a !== undefined && (Object.keys(b) as (keyof repo.ProviderSettings)[]).every(key => a[key] === b[key])

function wrong(
  field: string,
  code: 'payment_provider.key_missing' | 'payment_provider.key_own' | 'payment_provider.address_blocked',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError(code, { params, fields: { [field]: { code, params } } })
}
