import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ERROR_STATUS } from '@thingwright/contracts/errors'
import type { OnlineProvider } from '@thingwright/contracts/money.words'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Alipay, startAlipay } from '../../../../../tools/simulators/alipay/alipay.ts'
import { startWechatPay, type WechatPay } from '../../../../../tools/simulators/wechatpay/wechatpay.ts'
import { createPaymentClients } from '../../app/payment-providers.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { moneyFixture } from './purchase-orders.fixtures.ts'
import type { PurchaseOrdersModule } from './purchase-orders.module.ts'

const ALLOW = ['127.0.0.1/32']
const MINUTE = 60_000

let m: Management
let money: PurchaseOrdersModule
let wechat: WechatPay
let alipay: Alipay
let operator: Ctx
/** Where the providers' notices come in. */
let door: Server
let httpUrl = ''
let shift = 0
const now = () => Date.now() + shift

beforeAll(async () => {
  ;[m, wechat, alipay] = await Promise.all([management(), startWechatPay({ now }), startAlipay()])
  door = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const kind = request.url?.split('/').at(-1) as OnlineProvider
      const body = kind === 'wechat' ? text : Object.fromEntries(new URLSearchParams(text))
      money.online
        .take(kind, { headers: request.headers, body })
        .then(() => response.end('success'))
        .catch((error: unknown) => {
          response.writeHead(error instanceof AppError ? ERROR_STATUS[error.code] : 500).end()
        })
    })
  })
  await new Promise<void>(done => door.listen(0, '127.0.0.1', done))
  httpUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  money = moneyFixture(m.database, {
    now,
    paymentClients: createPaymentClients({ outboundAllow: ALLOW, now: Date.now }),
    outboundAllow: ALLOW,
    addresses: () => ({ httpUrl }),
  })
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  await money.catalogue.create(operator, {
    sku: 'sms-100',
    kind: 'sms',
    spec: { units: 100, gift: 0, months: 12 },
    priceFen: 801,
    name: '短信 100 条',
    ename: '100 messages',
    text: '',
    etext: '',
    state: 'published',
    position: 0,
  })
  const { privateKey, ...merchant } = wechat.merchant
  await money.providers.set(operator, 'wechat', {
    version: 0,
    enabled: true,
    baseUrl: wechat.url,
    ...merchant,
    privateKey,
    platformKeyId: wechat.platform.keyId,
    platformKey: wechat.platform.publicKey,
  })
  // Alipay's tool gives out bare text.
  const bare = (pem: string) => pem.replaceAll(/-----.*?-----|\s/g, '')
  await money.providers.set(operator, 'alipay', {
    version: 0,
    enabled: true,
    baseUrl: alipay.url,
    appId: alipay.app.appId,
    privateKey: bare(alipay.app.privateKey),
    platformKey: bare(alipay.publicKey),
  })
}, 120_000)
afterAll(async () => {
  await Promise.all([wechat.close(), alipay.close()])
  door.close()
})
afterEach(() => {
  wechat.behave('well')
  alipay.behave('well')
  wechat.refundsEnd('SUCCESS')
  expect([...wechat.faults, ...alipay.faults]).toEqual([])
})

const at = (ctx: Ctx): Ctx => ({ ...ctx, now: now() })
const fresh = () => company(m.db)
const ordered = (own: Company) => money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })
async function opened(own: Company, provider: OnlineProvider, form?: 'code' | 'page') {
  const { id } = await ordered(own)
  const order = await money.orders.pay(at(own.ctx), id, { provider, ...(form ? { form } : {}) })
  return { id, payment: order.payments[0]! }
}
const stateOf = async (own: Company, id: string) => (await money.orders.get(at(own.ctx), id)).state
const wallet = async (own: Company) =>
  (
    await m.db.superuser.query(
      'select available_fen as available, frozen_fen as frozen from wallets where tenant_id = $1',
      [own.id],
    )
  ).rows[0]
const movements = async (own: Company) =>
  (await m.db.superuser.query('select count(*)::int as n from ledger_transactions where tenant_id = $1', [own.id]))
    .rows[0].n
const mismatches = async (own: Company) =>
  (await money.desk.reconciliation(now())).items.filter(({ tenantId }) => tenantId === own.id)
const asked = async (payment: { id: string }) =>
  (await m.db.superuser.query('select state, ask_at, reason from payments where id = $1', [payment.id])).rows[0]

describe('an order that is paid by a code', () => {
  it('of WeChat Pay is given when its notice comes, however often it comes', async () => {
    const own = await fresh()
    const order = await ordered(own)
    expect(order.ways).toEqual(['balance', 'wechat', 'alipay', 'transfer'])
    const paying = await money.orders.pay(at(own.ctx), order.id, { provider: 'wechat' })
    const [payment] = paying.payments
    expect(payment).toMatchObject({ state: 'pending', codeUrl: expect.stringMatching(/^weixin:/), amountFen: 801 })
    // Somebody presses twice.
    const again = await money.orders.pay(at(own.ctx), order.id, { provider: 'wechat' })
    expect(again.payments).toHaveLength(1)
    expect(await wechat.pay(payment!.codeUrl!)).toBe(200)
    expect(await stateOf(own, order.id)).toBe('completed')
    expect(await Promise.all([wechat.notify(payment!.no), wechat.notify(payment!.no)])).toEqual([200, 200])
    expect(await movements(own)).toBe(1)
    expect(await mismatches(own)).toEqual([])
  })

  it('of Alipay, or on its page, too', async () => {
    const own = await fresh()
    const first = await opened(own, 'alipay')
    expect(await alipay.pay(first.payment.codeUrl!)).toBe('success')
    expect(await stateOf(own, first.id)).toBe('completed')
    const second = await opened(own, 'alipay', 'page')
    expect(second.payment).toMatchObject({ codeUrl: null, pageUrl: expect.stringContaining(alipay.url) })
    const again = await money.orders.pay(at(own.ctx), second.id, { provider: 'alipay', form: 'page' })
    expect(again.payments).toHaveLength(1)
    await (await fetch(second.payment.pageUrl!)).text()
    expect(await alipay.pay(second.payment.no)).toBe('success')
    expect(await alipay.notify(second.payment.no)).toBe('success')
    expect(await stateOf(own, second.id)).toBe('completed')
    expect(await movements(own)).toBe(2)
    expect(await mismatches(own)).toEqual([])
  })

  it('tops up the balance in the same way', async () => {
    const own = await fresh()
    const { id } = await money.orders.recharge(at(own.ctx), 12_345)
    const { payments } = await money.orders.pay(at(own.ctx), id, { provider: 'wechat' })
    await wechat.pay(payments[0]!.codeUrl!)
    expect(await wallet(own)).toEqual({ available: 12_345, frozen: 0 })
    expect((await money.orders.recharges(at(own.ctx), {})).items[0]).toMatchObject({
      state: 'succeeded',
      provider: 'wechat',
    })
  })
})

describe('a notice that is not what it says', () => {
  it('moves nothing: signed by another, of another time, merchant, amount or payment', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'wechat')
    const forge = (forged: Parameters<WechatPay['notify']>[1]) => wechat.notify(payment.no, forged)
    expect(await forge({ key: wechat.merchant.privateKey })).toBe(401)
    expect(await forge({ serial: 'PUB_KEY_ID_1' })).toBe(401)
    expect(await forge({ at: Date.now() - 6 * MINUTE })).toBe(401)
    expect(await forge({ mchid: '1900000002' })).toBe(401)
    expect(await forge({ no: 'P202611260000000000' })).toBe(404)
    expect(await forge({ total: 800 })).toBe(422)
    expect(await forge({ total: 800 })).toBe(422)
    expect(await stateOf(own, id)).toBe('pending')
    expect(await movements(own)).toBe(0)
    // Said once in the operation log, however often it comes.
    const { rows } = await m.db.superuser.query(
      `select count(*)::int as n from audit_logs where tenant_id = $1 and action = 'payment.mismatch'`,
      [own.id],
    )
    expect(rows[0].n).toBe(1)
    expect(await asked(payment)).toMatchObject({
      state: 'pending',
      ask_at: expect.any(Date),
      reason: 'payment.amount_differs',
    })
    // And the right one counts all the same.
    expect(await wechat.pay(payment.codeUrl!)).toBe(200)
    expect(await stateOf(own, id)).toBe('completed')
  })

  it('of Alipay neither', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'alipay')
    const forge = (forged: Parameters<Alipay['notify']>[1]) => alipay.notify(payment.no, forged)
    expect(await forge({ key: alipay.app.privateKey })).toBe('HTTP 401')
    expect(await forge({ values: { app_id: '2021000122671081' } })).toBe('HTTP 401')
    expect(await forge({ values: { total_amount: '8.00' } })).toBe('HTTP 422')
    expect(await forge({ values: { total_amount: '8.011' } })).toBe('HTTP 401')
    expect(await forge({ values: { out_trade_no: 'P202611260000000000' } })).toBe('HTTP 404')
    expect(await stateOf(own, id)).toBe('pending')
    expect(await movements(own)).toBe(0)
  })
})

describe('a notice that does not come', () => {
  it('is asked for after 30 seconds', async () => {
    const own = await fresh()
    const [first, second] = [await opened(own, 'wechat'), await opened(own, 'alipay')]
    await wechat.pay(first.payment.codeUrl!, { lost: true })
    await alipay.pay(second.payment.codeUrl!, { lost: true })
    await money.work(now())
    expect(await stateOf(own, first.id)).toBe('pending')
    shift += 31_000
    await money.work(now())
    expect(await stateOf(own, first.id)).toBe('completed')
    expect(await stateOf(own, second.id)).toBe('completed')
    expect(await mismatches(own)).toEqual([])
  })

  it('is asked for again while the provider does not answer, and is not believed when another signs', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'wechat')
    await wechat.pay(payment.codeUrl!, { lost: true })
    for (const way of ['broken', 'forged'] as const) {
      wechat.behave(way)
      shift += 5 * MINUTE
      await money.work(now())
      expect(await stateOf(own, id)).toBe('pending')
    }
    wechat.behave('well')
    shift += 5 * MINUTE
    await money.work(now())
    expect(await stateOf(own, id)).toBe('completed')
  })
})

describe('an order that nobody pays', () => {
  it('is closed after 30 minutes, at the provider as well', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'wechat')
    shift += 31 * MINUTE
    await money.work(now())
    expect(await stateOf(own, id)).toBe('closed')
    await money.work(now())
    expect(wechat.trades.get(payment.no)!.state).toBe('CLOSED')
    expect(await asked(payment)).toMatchObject({ state: 'closed', ask_at: null })
  })

  it('and was paid in the last moment is given, not closed', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'wechat')
    shift += 29 * MINUTE
    await wechat.pay(payment.codeUrl!, { lost: true })
    shift += 2 * MINUTE
    await money.work(now())
    expect(await stateOf(own, id)).toBe('completed')
  })

  it('and is paid behind its end gives its money to the balance', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'alipay')
    await money.orders.cancel(at(own.ctx), id)
    expect(await alipay.pay(payment.codeUrl!)).toBe('success')
    expect(await stateOf(own, id)).toBe('cancelled')
    expect(await wallet(own)).toMatchObject({ available: 801 })
    expect(await mismatches(own)).toEqual([])
  })

  it('one way is closed there when another is chosen; paid by both, the second goes to the balance', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'wechat')
    const both = await money.orders.pay(at(own.ctx), id, { provider: 'alipay' })
    expect(both.payments.map(({ provider, state }) => [provider, state])).toEqual([
      ['alipay', 'pending'],
      ['wechat', 'closed'],
    ])
    await wechat.pay(payment.codeUrl!)
    expect(await stateOf(own, id)).toBe('completed')
    await alipay.pay(both.payments[0]!.codeUrl!)
    expect(await wallet(own)).toMatchObject({ available: 801 })
    const third = await opened(own, 'wechat')
    await money.orders.pay(at(own.ctx), third.id, { provider: 'balance' })
    await money.work(now())
    expect(wechat.trades.get(third.payment.no)!.state).toBe('CLOSED')
    expect(await mismatches(own)).toEqual([])
  })

  it('another way that was begun is closed there as soon as the order is paid', async () => {
    const own = await fresh()
    const { id, payment } = await opened(own, 'alipay')
    const [begun] = (await money.orders.pay(at(own.ctx), id, { provider: 'wechat' })).payments
    await alipay.pay(payment.codeUrl!)
    expect(await stateOf(own, id)).toBe('completed')
    await money.work(now())
    expect(wechat.trades.get(begun!.no)!.state).toBe('CLOSED')
    expect(await asked(begun!)).toMatchObject({ state: 'closed', ask_at: null })
    expect(await mismatches(own)).toEqual([])
  })

  it('cannot be opened while the provider is away, and can be paid another way', async () => {
    const own = await fresh()
    const { id } = await ordered(own)
    wechat.behave('broken')
    await expect(money.orders.pay(at(own.ctx), id, { provider: 'wechat' })).rejects.toMatchObject({
      code: 'payment.provider_failed',
    })
    wechat.behave('well')
    const { payments } = await money.orders.pay(at(own.ctx), id, { provider: 'wechat' })
    expect(payments.map(({ state }) => state)).toEqual(['pending', 'failed'])
    await expect(money.orders.pay(at(own.ctx), id, { provider: 'simulated' })).rejects.toMatchObject({
      code: 'order.provider_unavailable',
    })
  })
})

describe('a refund', () => {
  const decide = (id: string) => money.refunds.decide(at(operator), id, { accept: true, reason: '' })
  async function bought(own: Company, provider: OnlineProvider) {
    const { id, payment } = await opened(own, provider)
    await (provider === 'wechat' ? wechat.pay(payment.codeUrl!) : alipay.pay(payment.codeUrl!))
    return { id, payment }
  }
  const ask = async (own: Company, id: string, amountFen?: number) => {
    const order = await money.orders.refund(at(own.ctx), id, {
      way: 'origin',
      reason: 'too many',
      ...(amountFen ? { amountFen } : {}),
    })
    return order.refunds[0]!
  }

  it.each(['wechat', 'alipay'] as const)('goes back through %s, a part and then the rest', async provider => {
    const own = await fresh()
    const { id, payment } = await bought(own, provider)
    const first = await ask(own, id, 300)
    expect(await decide(first.id)).toMatchObject({ state: 'done' })
    expect(await money.orders.get(at(own.ctx), id)).toMatchObject({ state: 'partly_refunded', refundedFen: 300 })
    await decide((await ask(own, id)).id)
    expect(await money.orders.get(at(own.ctx), id)).toMatchObject({ state: 'refunded', refundedFen: 801 })
    const there = provider === 'wechat' ? wechat.trades.get(payment.no)! : alipay.trades.get(payment.no)!
    expect(there.refunded).toBe(801)
    expect(await mismatches(own)).toEqual([])
  })

  it('of a part, before the goods were given, leaves them to be given', async () => {
    const own = await fresh()
    const { id } = await bought(own, 'wechat')
    // What a process leaves that was killed between the payment and the goods.
    await m.db.superuser.query('delete from unit_batches where order_id = $1', [id])
    await m.db.superuser.query(
      `update purchase_orders set state = 'paid', completed_at = null, ended_at = null, outcome = null where id = $1`,
      [id],
    )
    expect(await decide((await ask(own, id, 300)).id)).toMatchObject({ state: 'done' })
    expect(await stateOf(own, id)).toBe('paid')
    await money.work(now())
    expect(await money.orders.get(at(own.ctx), id)).toMatchObject({ state: 'completed', refundedFen: 300 })
    const { rows } = await m.db.superuser.query('select left_units from unit_batches where order_id = $1', [id])
    expect(rows).toEqual([{ left_units: 100 }])
    expect(await mismatches(own)).toEqual([])
  })

  it('that takes its time is done when the provider says so, and once', async () => {
    const own = await fresh()
    const { id } = await bought(own, 'wechat')
    wechat.refundsEnd('PROCESSING')
    const refund = await ask(own, id)
    expect(await decide(refund.id)).toMatchObject({ state: 'processing' })
    expect(await stateOf(own, id)).toBe('refunding')
    wechat.refundsEnd('SUCCESS')
    expect(await wechat.notifyRefund(refund.no)).toBe(200)
    expect(await stateOf(own, id)).toBe('refunded')
    expect(await wechat.notifyRefund(refund.no)).toBe(200)
    expect(await movements(own)).toBe(2)
    expect(await mismatches(own)).toEqual([])
  })

  it('is asked for again when the answer was lost, and money goes back once', async () => {
    const own = await fresh()
    const { id, payment } = await bought(own, 'wechat')
    const refund = await ask(own, id)
    wechat.behave('broken')
    expect(await decide(refund.id)).toMatchObject({
      state: 'processing',
      said: expect.stringContaining('SYSTEM_ERROR'),
    })
    wechat.behave('well')
    shift += MINUTE
    await money.work(now())
    expect(await stateOf(own, id)).toBe('refunded')
    expect(wechat.trades.get(payment.no)!.refunded).toBe(801)
  })

  it('that the provider refuses leaves the order as it was, and frees what a top-up had frozen', async () => {
    const own = await fresh()
    const { id } = await money.orders.recharge(at(own.ctx), 5_000)
    const { payments } = await money.orders.pay(at(own.ctx), id, { provider: 'wechat' })
    await wechat.pay(payments[0]!.codeUrl!)
    const refund = await ask(own, id, 2_000)
    expect(await wallet(own)).toEqual({ available: 3_000, frozen: 2_000 })
    wechat.refundsEnd('ABNORMAL')
    expect(await decide(refund.id)).toMatchObject({ state: 'failed', said: 'ABNORMAL' })
    expect(await stateOf(own, id)).toBe('completed')
    expect(await wallet(own)).toEqual({ available: 5_000, frozen: 0 })
    expect(await mismatches(own)).toEqual([])
  })
})

describe('the keys of a provider', () => {
  it('are told to nobody again, tested, kept while they are needed', async () => {
    const { items } = await money.providers.list(at(operator))
    const text = JSON.stringify(items)
    for (const secret of [wechat.merchant.apiKey, wechat.merchant.privateKey, 'PRIVATE KEY'])
      expect(text).not.toContain(secret)
    expect(items[0]).toMatchObject({
      kind: 'wechat',
      enabled: true,
      privateKey: expect.stringMatching(/^SHA256:/),
      apiKey: `••••${wechat.merchant.apiKey.slice(-4)}`,
      callbackUrl: `${httpUrl}/callbacks/pay/wechat`,
    })
    for (const kind of ['wechat', 'alipay'] as const)
      expect((await money.providers.test(at(operator), kind)).test).toMatchObject({ state: 'ok' })
    const own = await fresh()
    await opened(own, 'alipay')
    await expect(money.providers.remove(at(operator), 'alipay')).rejects.toMatchObject({
      code: 'payment_provider.in_use',
    })
  })

  it('are refused when they cannot be read, are our own, or lead inside', async () => {
    const [one] = (await money.providers.list(at(operator))).items
    const set = (values: object) => money.providers.set(at(operator), 'wechat', { version: one!.version, ...values })
    await expect(set({ privateKey: 'x'.repeat(200) })).rejects.toMatchObject({
      code: 'payment_provider.key_unreadable',
    })
    await expect(set({ platformKey: wechat.merchant.privateKey })).rejects.toMatchObject({
      code: 'payment_provider.key_unreadable',
    })
    await expect(set({ baseUrl: 'http://10.0.0.1/' })).rejects.toMatchObject({
      code: 'payment_provider.address_blocked',
    })
    await expect(
      money.providers.set(at(operator), 'wechat', { version: one!.version + 1, enabled: false }),
    ).rejects.toMatchObject({ code: 'version.conflict' })
  })
})
