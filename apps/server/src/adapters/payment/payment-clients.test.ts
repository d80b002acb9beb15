import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Alipay, startAlipay } from '../../../../../tools/simulators/alipay/alipay.ts'
import { startWechatPay, type WechatPay } from '../../../../../tools/simulators/wechatpay/wechatpay.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import type { OpenPayment, ProviderAccess } from '../../modules/purchase-orders/payment.port.ts'
import { createAlipay } from './alipay.ts'
import { createWechatPay } from './wechatpay.ts'

let wechat: WechatPay
let alipay: Alipay
beforeAll(async () => {
  ;[wechat, alipay] = await Promise.all([startWechatPay(), startAlipay()])
})
afterAll(() => Promise.all([wechat.close(), alipay.close()]))

const outbound = createOutbound({ allow: ['127.0.0.1/32'], timeoutMs: 1_000 })
const needs = { outbound, now: Date.now }
const wechatAccess = (more: Partial<ProviderAccess> = {}): ProviderAccess => ({
  baseUrl: wechat.url,
  ...wechat.merchant,
  platformKeyId: wechat.platform.keyId,
  platformKey: wechat.platform.publicKey,
  ...more,
})
const alipayAccess = (more: Partial<ProviderAccess> = {}): ProviderAccess => ({
  baseUrl: alipay.url,
  ...alipay.app,
  merchantId: '',
  serial: '',
  platformKeyId: '',
  apiKey: '',
  platformKey: alipay.publicKey,
  ...more,
})
let count = 0
const payment = (more: Partial<OpenPayment> = {}): OpenPayment => ({
  no: `P20261126000000${++count}`,
  amountFen: 801,
  subject: '短信 100 条',
  form: 'code',
  expiresAt: new Date(Date.now() + 30 * 60_000),
  notifyUrl: 'http://127.0.0.1:9/callbacks/pay/wechat',
  returnUrl: 'http://127.0.0.1:9/cost/order',
  ...more,
})

describe('WeChat Pay', () => {
  it('opens, queries, closes and refunds, each side knowing the other by its key', async () => {
    const client = createWechatPay(wechatAccess(), needs)
    const first = payment()
    const { codeUrl } = await client.open(first)
    expect(codeUrl).toMatch(/^weixin:\/\/wxpay/)
    expect((await client.open(first)).codeUrl).toBe(codeUrl)
    expect(await client.query(first.no)).toEqual({ state: 'open' })
    await wechat.pay(codeUrl!, { lost: true })
    expect(await client.query(first.no)).toEqual({
      state: 'paid',
      amountFen: 801,
      providerNo: wechat.trades.get(first.no)!.transactionId,
    })
    await expect(client.close(first.no)).rejects.toMatchObject({ code: 'ORDERPAID', again: false })
    const refund = {
      paymentNo: first.no,
      refundNo: 'R1000001',
      amountFen: 300,
      totalFen: 801,
      reason: 'x',
      notifyUrl: first.notifyUrl,
    }
    expect(await client.refund(refund)).toMatchObject({ state: 'done', amountFen: 300 })
    expect(await client.refund(refund)).toMatchObject({ state: 'done', amountFen: 300 })
    expect(await client.queryRefund(refund)).toMatchObject({ state: 'done', amountFen: 300 })
    expect(await client.queryRefund({ ...refund, refundNo: 'R1000009' })).toMatchObject({ state: 'unknown' })
    await expect(client.refund({ ...refund, refundNo: 'R1000002', amountFen: 502 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    const second = payment()
    await client.open(second)
    await client.close(second.no)
    expect(await client.query(second.no)).toEqual({ state: 'closed' })
    expect(await client.query('P20261126999')).toEqual({ state: 'unknown' })
    await client.test()
    expect(wechat.faults).toEqual([])
  })

  it('is not believed when another key signed, and says what is wrong with ours', async () => {
    wechat.behave('forged')
    await expect(createWechatPay(wechatAccess(), needs).test()).rejects.toMatchObject({ code: 'signature' })
    wechat.behave('well')
    await expect(createWechatPay(wechatAccess({ platformKeyId: 'PUB_KEY_ID_9' }), needs).test()).rejects.toMatchObject({
      code: 'signature',
    })
    const { privateKey } = alipay.app
    await expect(createWechatPay(wechatAccess({ privateKey }), needs).test()).rejects.toMatchObject({
      code: 'SIGN_ERROR',
      again: false,
    })
    wechat.behave('broken')
    await expect(createWechatPay(wechatAccess(), needs).query('P1000000')).rejects.toMatchObject({ again: true })
    wechat.behave('silent')
    await expect(createWechatPay(wechatAccess(), needs).query('P1000000')).rejects.toMatchObject({
      code: 'unreachable',
      again: true,
    })
    wechat.behave('well')
    const closed = createOutbound({ allow: [], timeoutMs: 1_000 })
    await expect(createWechatPay(wechatAccess(), { ...needs, outbound: closed }).test()).rejects.toMatchObject({
      code: 'unreachable',
    })
    wechat.faults.length = 0
  })
})

describe('Alipay', () => {
  it('opens as a code and as a page, queries, closes and refunds', async () => {
    const client = createAlipay(alipayAccess(), needs)
    const first = payment()
    const { codeUrl } = await client.open(first)
    expect(codeUrl).toMatch(/^https:\/\/qr\.alipay\.com/)
    expect(await client.query(first.no)).toEqual({ state: 'unknown' })
    await alipay.pay(codeUrl!, { lost: true })
    expect(await client.query(first.no)).toMatchObject({ state: 'paid', amountFen: 801 })
    await expect(client.close(first.no)).rejects.toMatchObject({ code: 'ACQ.TRADE_STATUS_ERROR' })
    const refund = { paymentNo: first.no, refundNo: 'R1', amountFen: 300, totalFen: 801, reason: 'x', notifyUrl: '' }
    expect(await client.queryRefund(refund)).toMatchObject({ state: 'unknown' })
    expect(await client.refund(refund)).toMatchObject({ state: 'done' })
    expect(await client.refund(refund)).toMatchObject({ state: 'processing' })
    expect(await client.queryRefund(refund)).toMatchObject({ state: 'done', amountFen: 300 })
    const second = payment({ form: 'page' })
    const { pageUrl } = await client.open(second)
    const page = await fetch(pageUrl!)
    expect(await page.text()).toContain('8.01')
    expect(await client.query(second.no)).toEqual({ state: 'open' })
    await client.close(second.no)
    expect(await client.query(second.no)).toEqual({ state: 'closed' })
    await client.test()
    expect(alipay.faults).toEqual([])
  })

  it('is not believed when another key signed, and says what is wrong with ours', async () => {
    alipay.behave('forged')
    await expect(createAlipay(alipayAccess(), needs).test()).rejects.toMatchObject({ code: 'signature' })
    alipay.behave('well')
    const { privateKey } = wechat.merchant
    await expect(createAlipay(alipayAccess({ privateKey }), needs).test()).rejects.toMatchObject({
      code: 'isv.invalid-signature',
    })
  })
})
