import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startAlipay } from '../../../../../tools/simulators/alipay/alipay.ts'
import { startWechatPay, type WechatPay } from '../../../../../tools/simulators/wechatpay/wechatpay.ts'
import { createPaymentClients } from '../../app/payment-providers.ts'
import { type TariffHouse, tariffHouse } from '../../app/testing/tariff-house.ts'
import { company, refusal } from '../../db/testing/management.ts'
import { AppError } from '../../lib/errors.ts'

const ALLOW = ['127.0.0.1/32']
let wechat: WechatPay
let alipay: Awaited<ReturnType<typeof startAlipay>>
let h: TariffHouse
let door: Server
/** Notifications that were rejected. */
const refused: string[] = []

beforeAll(async () => {
  // Orders of providers end by the clock of this machine.
  ;[wechat, alipay] = await Promise.all([startWechatPay({ now: () => h?.clock.now ?? Date.now() }), startAlipay()])
  door = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const [kind, tenantId] = request.url!.split('/').slice(-2) as ['wechat' | 'alipay', string]
      const body = kind === 'wechat' ? text : Object.fromEntries(new URLSearchParams(text))
      h.house.merchantPayments
        .take(kind, tenantId, { headers: request.headers, body })
        .then(() => response.end('success'))
        .catch((error: unknown) => {
          refused.push(error instanceof AppError ? error.code : String(error))
          response.writeHead(400).end()
        })
    })
  })
  await new Promise<void>(done => door.listen(0, '127.0.0.1', done))
  const httpUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  h = await tariffHouse({
    paymentClients: createPaymentClients({ outboundAllow: ALLOW, now: Date.now }),
    outboundAllow: ALLOW,
    addresses: () => ({ httpUrl }),
  })
  h.clock.now = Date.now()
  const { merchant, platform } = wechat
  await h.house.merchants.set(h.ctx(), 'wechat', {
    version: 0,
    enabled: true,
    baseUrl: wechat.url,
    ...merchant,
    platformKeyId: platform.keyId,
    platformKey: platform.publicKey,
  })
  await h.house.merchants.set(h.ctx(), 'alipay', {
    version: 0,
    enabled: true,
    baseUrl: alipay.url,
    appId: alipay.app.appId,
    privateKey: alipay.app.privateKey,
    platformKey: alipay.publicKey,
  })
  await h.house.payments.setSettings(h.ctx(), { online: 'merchant', version: 0 })
}, 120_000)
afterAll(async () => {
  await Promise.all([wechat.close(), alipay.close()])
  door.close()
  for (const { stop } of h.house.runs ?? []) await stop()
})
afterEach(() => {
  wechat.behave('well')
  refused.length = 0
})

const balanceOf = async (id: string) => (await h.house.accounts.get(h.ctx(), id)).balanceFen
const stateOf = async (userId: string, id: string) => (await h.house.payments.payment(h.as(userId), id)).state

describe('the merchant account of a company', () => {
  it('books a payment of an end user once, however many notifications arrive', async () => {
    const user = await h.endUser('Anna')
    const payment = await h.house.payments.pay(h.as(user), { amountFen: 5_001, provider: 'wechat' })
    expect(payment).toMatchObject({ way: 'wechat', state: 'pending', codeUrl: expect.stringMatching(/^weixin:/) })
    expect(await balanceOf(user)).toBe(0)
    expect(await wechat.pay(payment.codeUrl!)).toBe(200)
    await wechat.notify(payment.no)
    await wechat.notify(payment.no)
    expect([await stateOf(user, payment.id), await balanceOf(user)]).toEqual(['succeeded', 5_001])
    const other = await h.endUser('other')
    expect(await refusal(h.house.payments.payment(h.as(other), payment.id))).toMatchObject({
      code: 'meter_payment.not_found',
    })
  })

  it('does the same with Alipay', async () => {
    const user = await h.endUser('Ben')
    const payment = await h.house.payments.pay(h.as(user), { amountFen: 1_234, provider: 'alipay' })
    await alipay.pay(payment.no)
    await expect.poll(() => balanceOf(user)).toBe(1_234)
  })

  it('rejects notifications with a foreign signature, another amount or of another company', async () => {
    const user = await h.endUser('Carl')
    const payment = await h.house.payments.pay(h.as(user), { amountFen: 700, provider: 'wechat' })
    await wechat.notify(payment.no, { key: wechat.merchant.privateKey })
    await wechat.notify(payment.no, { total: 699 })
    expect(refused).toEqual(['payment.signature_invalid', 'payment.amount_differs'])
    expect([await stateOf(user, payment.id), await balanceOf(user)]).toEqual(['pending', 0])
    const stranger = await company(h.db)
    expect(
      await refusal(h.house.merchantPayments.take('wechat', stranger.id, { headers: {}, body: '{}' })),
    ).toMatchObject({ code: 'payment.signature_invalid' })
  })

  it('is queried when no notification comes, and closed when it is not paid', async () => {
    const user = await h.endUser('Dora')
    const paid = await h.house.payments.pay(h.as(user), { amountFen: 900, provider: 'wechat' })
    const unpaid = await h.house.payments.pay(h.as(user), { amountFen: 901, provider: 'wechat' })
    await wechat.pay(paid.codeUrl!, { lost: true })
    expect(await balanceOf(user)).toBe(0)
    h.clock.now += 6_000
    await h.house.merchantPayments.askDue(h.clock.now)
    expect([await stateOf(user, paid.id), await balanceOf(user)]).toEqual(['succeeded', 900])
    h.clock.now += 31 * 60_000
    await h.house.merchantPayments.askDue(h.clock.now)
    expect([await stateOf(user, unpaid.id), await balanceOf(user)]).toEqual(['closed', 900])
    expect(wechat.trades.get(unpaid.no)?.state).toBe('CLOSED')
    h.clock.now = Date.now()
  })

  it('never returns its keys, and is not visible to other companies', async () => {
    const { items } = await h.house.merchants.list(h.ctx())
    const shown = JSON.stringify(items)
    for (const secret of [wechat.merchant.apiKey, wechat.merchant.privateKey.slice(60, 120)])
      expect(shown).not.toContain(secret)
    expect(items.map(({ kind, hasKeys }) => [kind, hasKeys])).toEqual([
      ['wechat', true],
      ['alipay', true],
    ])
    expect(await h.house.merchants.test(h.ctx(), 'wechat')).toMatchObject({ test: { state: 'ok' } })
    const stranger = await company(h.db)
    const theirs = await h.house.merchants.list({ ...stranger.ctx, now: h.clock.now })
    expect(theirs.items.every(({ hasKeys }) => !hasKeys)).toBe(true)
    // An end user of the company cannot read its row.
    const rows = await h.db.database.withTenant(h.as(await h.endUser('Eve')), scope =>
      scope.run({ text: 'select * from merchant_accounts' } as never, []),
    )
    expect(rows.rows).toEqual([])
  })
})
