import { createAlipay } from '../adapters/payment/alipay.ts'
import { createWechatPay } from '../adapters/payment/wechatpay.ts'
import { createOutbound } from '../lib/outbound/outbound.ts'
import type { PaymentClientFactory } from '../modules/purchase-orders/payment.port.ts'

const TIMEOUT_MS = 10_000

/** The providers of payments that there are adapters for. */
export function createPaymentClients(options: {
  outboundAllow: readonly string[]
  now(): number
}): PaymentClientFactory {
  const outbound = createOutbound({ allow: options.outboundAllow, timeoutMs: TIMEOUT_MS, keepAlive: true })
  const needs = { outbound, now: options.now }
  return (kind, access) => (kind === 'wechat' ? createWechatPay(access, needs) : createAlipay(access, needs))
}
