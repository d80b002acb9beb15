import type { BodyOf } from '@thingwright/contracts'
import type { OnlineProvider } from '@thingwright/contracts/money.words'
import type { PaymentProviderView, paymentProvidersContract } from '@thingwright/contracts/payment-providers.contract'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { AppError } from '../../lib/errors.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { fingerprint, privatePem, publicPem } from './provider-keys.ts'
import type { ProviderRow, ProviderSettings } from './providers.repo.ts'

/** Where providers answer when nothing else is said. */
const HOSTS: Readonly<Record<OnlineProvider, string>> = {
  wechat: 'https://api.mch.weixin.qq.com',
  alipay: 'https://openapi.alipay.com/gateway.do',
}
const NEEDED = {
  wechat: ['appId', 'merchantId', 'serial', 'platformKeyId', 'privateKey', 'platformKey', 'apiKey'],
  alipay: ['appId', 'privateKey', 'platformKey'],
} as const
const SECRETS = ['privateKey', 'platformKey', 'apiKey'] as const

/** What is secret of a provider's keys. */
export interface ProviderSecrets {
  privateKey: string
  platformKey: string
  apiKey: string
}

/** The secrets of a row. @param context what they were sealed for */
export const accessOf = (box: CryptoBox, row: ProviderRow, context: string): ProviderSecrets =>
  JSON.parse(box.open(row.secretsCipher, context).toString('utf8')) as ProviderSecrets

/**
 * What was entered, over what there is.
 * @param before with its secrets
 * @returns `changed`: secrets that are others now
 * @throws AppError payment_provider.key_missing, .key_unreadable, .key_own, .address_blocked
 */
export function checkedAccess(
  kind: OnlineProvider,
  { enabled, ...input }: Omit<BodyOf<(typeof paymentProvidersContract)['set']>, 'version'>,
  before: { row: ProviderRow; secrets: ProviderSecrets } | undefined,
  outboundAllow: readonly string[],
) {
  const row = before?.row
  const old = before?.secrets
  const values = {
    appId: input.appId?.trim() ?? row?.settings.appId ?? '',
    merchantId: input.merchantId?.trim() ?? row?.settings.merchantId ?? '',
    serial: (input.serial?.trim() ?? row?.settings.serial ?? '').toUpperCase(),
    platformKeyId: input.platformKeyId?.trim() ?? row?.settings.platformKeyId ?? '',
    privateKey: input.privateKey ? privatePem(input.privateKey) : (old?.privateKey ?? ''),
    platformKey: input.platformKey ? publicPem(input.platformKey) : (old?.platformKey ?? ''),
    apiKey: input.apiKey ?? old?.apiKey ?? '',
  }
  for (const field of NEEDED[kind]) if (values[field] === '') throw wrong(field, 'payment_provider.key_missing')
  // The usual mistake: one's own public key in place of the provider's.
  if (fingerprint(values.privateKey) === fingerprint(values.platformKey))
    throw wrong('platformKey', 'payment_provider.key_own')
  const baseUrl = input.baseUrl ?? row?.baseUrl ?? HOSTS[kind]
  if (baseUrl !== HOSTS[kind] && baseUrl !== row?.baseUrl) checkAddress(outboundAllow, baseUrl)
  const { privateKey, platformKey, apiKey, ...settings } = values
  return {
    kind,
    enabled: enabled ?? row?.enabled ?? false,
    baseUrl,
    settings,
    secrets: { privateKey, platformKey, apiKey },
    changed: SECRETS.filter(key => old?.[key] !== values[key] && values[key] !== ''),
  }
}

/** Whether the last test was of other keys. */
export const forgetsTest = (
  before: ProviderRow,
  next: { baseUrl: string; settings: ProviderSettings },
  changed: readonly string[],
): boolean =>
  changed.length > 0 ||
  before.baseUrl !== next.baseUrl ||
  (Object.keys(next.settings) as (keyof ProviderSettings)[]).some(key => before.settings[key] !== next.settings[key])

/** What may be shown: of keys their fingerprints only. */
export const providerView = (
  kind: OnlineProvider,
  row: ProviderRow | undefined,
  secrets: ProviderSecrets | undefined,
  callbackUrl: string,
): PaymentProviderView => ({
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
  callbackUrl,
  test: row?.testState ? { state: row.testState, said: row.testSaid, at: row.testedAt!.toISOString() } : null,
  version: row?.version ?? 0,
})

function checkAddress(allow: readonly string[], text: string): void {
  try {
    checkServiceUrl(allow, text)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw wrong('baseUrl', 'payment_provider.address_blocked', { reason: error.message })
  }
}

function wrong(
  field: string,
  code: 'payment_provider.key_missing' | 'payment_provider.key_own' | 'payment_provider.address_blocked',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError(code, { params, fields: { [field]: { code, params } } })
}
