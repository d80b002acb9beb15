import { Type } from 'typebox'
import { Id, Ok, Words } from './common.ts'
import { ONLINE_PROVIDERS } from './money.words.ts'
import { PaymentProviderView, ProviderInput } from './payment-providers.contract.ts'
import { route } from './route.ts'

const tag = 'Meters'
const base = '/api/v1/merchant-accounts'
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const write = { tag, permission: 'money:write', wholeCompany: true } as const
const KindParams = Type.Object({ kind: Words(ONLINE_PROVIDERS) })

/** The company's own accounts at WeChat Pay and Alipay, into which its end users pay. */
export const merchantAccountsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'The merchant accounts of the company, with or without keys',
    response: Type.Object({ items: Type.Array(PaymentProviderView) }),
  }),
  set: route({
    ...write,
    method: 'PUT',
    path: `${base}/{kind}`,
    summary: 'Enters or changes the keys; what is left out stays as it is. Version 0: there were none',
    audit: 'merchant_account.set',
    params: KindParams,
    body: ProviderInput,
    response: PaymentProviderView,
  }),
  test: route({
    ...write,
    method: 'POST',
    path: `${base}/{kind}/test`,
    summary: 'Asks the provider for a payment that does not exist: whether both sides know the keys of each other',
    audit: 'merchant_account.test',
    params: KindParams,
    response: PaymentProviderView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{kind}`,
    summary: 'Forgets the keys; not while payments are open that need them',
    audit: 'merchant_account.remove',
    params: KindParams,
    response: Ok,
  }),
}

const notice = { method: 'POST', tag: 'Money', permission: 'public', produces: 'text/plain' } as const
const TenantParams = Type.Object({ tenantId: Id })

/** What providers of payments tell about payments of end users. Nothing counts but what the company's keys signed. */
export const merchantNoticesContract = {
  wechat: route({
    ...notice,
    path: '/callbacks/pay/wechat/{tenantId}',
    summary: 'A payment at the company’s account at WeChat Pay, API v3',
    audit: { none: 'the payment has lines of its own' },
    params: TenantParams,
    body: Type.String({ maxLength: 65_536 }),
    response: Type.String(),
  }),
  alipay: route({
    ...notice,
    path: '/callbacks/pay/alipay/{tenantId}',
    summary: 'A payment at the company’s account at Alipay; the answer `success` ends it',
    audit: { none: 'the payment has lines of its own' },
    params: TenantParams,
    body: Type.Record(Type.String(), Type.String({ maxLength: 16_384 })),
    response: Type.String(),
  }),
}
