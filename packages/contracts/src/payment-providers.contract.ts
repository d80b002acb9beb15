import { type Static, Type } from 'typebox'
import { IsoTime, Nullable, Ok, Words } from './common.ts'
import { ONLINE_PROVIDERS } from './money.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const
const tag = 'Operator'
const base = '/api/v1/operator/payment-providers'
const read = { tag, permission: 'operator:use' } as const
const write = { tag, permission: 'operator:write' } as const
const KindParams = Type.Object({ kind: Words(ONLINE_PROVIDERS) })

export const PaymentProviderView = Type.Object({
  kind: Words(ONLINE_PROVIDERS),
  /** Offered to those who pay. */
  enabled: Type.Boolean(),
  hasKeys: Type.Boolean(),
  baseUrl: Type.String(),
  appId: Type.String(),
  merchantId: Type.String({ description: 'WeChat Pay only, as the two below' }),
  serial: Type.String({ description: 'Serial number of the merchant certificate' }),
  platformKeyId: Type.String({ description: 'ID of the public key of WeChat Pay' }),
  privateKey: Nullable(Type.String({ description: 'Fingerprint of its public half; the key is never told again' })),
  platformKey: Nullable(Type.String({ description: 'Fingerprint of the public key of the provider' })),
  apiKey: Nullable(Type.String({ description: 'Masked APIv3 key' })),
  callbackUrl: Type.String({ description: 'Where the provider tells of payments' }),
  test: Nullable(Type.Object({ state: Words(['ok', 'failed']), said: Type.String(), at: IsoTime })),
  version: Type.Integer(),
})
export type PaymentProviderView = Static<typeof PaymentProviderView>

const Pem = Type.String({ minLength: 100, maxLength: 8_000 })

/** The keys of a provider; what is left out stays as it is. */
export const ProviderInput = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    baseUrl: Type.Optional(Type.String({ maxLength: 300, pattern: '^https?://[^\\s]+$' })),
    appId: Type.Optional(Type.String({ pattern: '^\\s*[0-9A-Za-z]{10,32}\\s*$' })),
    merchantId: Type.Optional(Type.String({ pattern: '^\\s*\\d{8,12}\\s*$' })),
    serial: Type.Optional(Type.String({ pattern: '^\\s*[0-9A-Fa-f]{8,64}\\s*$' })),
    platformKeyId: Type.Optional(Type.String({ pattern: '^\\s*[0-9A-Za-z_]{8,80}\\s*$' })),
    privateKey: Type.Optional(Pem),
    platformKey: Type.Optional(Pem),
    apiKey: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{32}$', description: '32 letters and digits' })),
    version: Type.Integer({ minimum: 0 }),
  },
  closed,
)

/** The providers of payments, as the operator of the platform sets them up. */
export const paymentProvidersContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'WeChat Pay and Alipay, with or without keys',
    response: Type.Object({ items: Type.Array(PaymentProviderView) }),
  }),
  set: route({
    ...write,
    method: 'PUT',
    path: `${base}/{kind}`,
    summary: 'Enters or changes the keys; what is left out stays as it is. Version 0: there were none',
    audit: 'payment_provider.set',
    params: KindParams,
    body: ProviderInput,
    response: PaymentProviderView,
  }),
  test: route({
    ...write,
    method: 'POST',
    path: `${base}/{kind}/test`,
    summary: 'Asks the provider for a payment that does not exist: whether both sides know the keys of each other',
    audit: 'payment_provider.test',
    params: KindParams,
    response: PaymentProviderView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{kind}`,
    summary: 'Forgets the keys; not while payments or refunds are open that need them',
    audit: 'payment_provider.remove',
    params: KindParams,
    response: Ok,
  }),
}

const notice = { method: 'POST', tag: 'Money', permission: 'public', produces: 'text/plain' } as const

/** What providers of payments tell this server. Nothing counts but what their keys signed. */
export const paymentNoticesContract = {
  wechat: route({
    ...notice,
    path: '/callbacks/pay/wechat',
    summary: 'A payment or a refund at WeChat Pay, API v3',
    audit: { none: 'the payment has lines of its own' },
    body: Type.String({ maxLength: 65_536 }),
    response: Type.String(),
  }),
  alipay: route({
    ...notice,
    path: '/callbacks/pay/alipay',
    summary: 'A payment at Alipay; the answer `success` ends it',
    audit: { none: 'the payment has lines of its own' },
    body: Type.Record(Type.String(), Type.String({ maxLength: 16_384 })),
    response: Type.String(),
  }),
}
