import type { Decorator } from 'wechatpay-axios-plugin'
import { type Outbound, OutboundError } from '../../lib/outbound/outbound.ts'
import {
  NoticeError,
  type OpenPayment,
  type PaymentClient,
  PaymentError,
  type PaymentNotice,
  type ProviderAccess,
  type RawNotice,
  type RefundTrade,
  type Trade,
} from '../../modules/purchase-orders/payment.port.ts'

interface Needs {
  outbound: Outbound
  now(): number
}

type Body = Record<string, unknown>
interface Sent {
  status: number
  data: unknown
}

/** Older notices, and those of tomorrow, are sent again by somebody. */
const FRESH_SECONDS = 300
/** It may be done later, with the same request. */
const LATER = new Set(['SYSTEM_ERROR', 'FREQUENCY_LIMITED', 'NOT_ENOUGH', 'BIZERR_NEED_RETRY'])
const UNKNOWN = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST', 'RESOURCE_NOT_EXISTS'])
/** A merchant has no such payment: asked for by the test of the keys. */
const NOBODYS = 'THINGWRIGHTKEYTEST'

const loaded = () => import('wechatpay-axios-plugin')

/** WeChat Pay, API v3, with the merchant's own keys and WeChat Pay's public key (docs/integrations/payments.md). */
export function createWechatPay(access: ProviderAccess, { outbound, now }: Needs): PaymentClient {
  const { appId, merchantId } = access
  let client: Promise<Decorator> | null = null

  /** The library signs, and looks at the signatures of answers; its requests leave through our own guard. */
  const clientOf = () => {
    client ??= loaded().then(({ Decorator }) => {
      const options = {
        baseURL: `${access.baseUrl.replace(/\/$/, '')}/`,
        mchid: merchantId,
        serial: access.serial,
        privateKey: access.privateKey,
        certs: { [access.platformKeyId]: access.platformKey },
        adapter: send,
      }
      return new Decorator(options as unknown as ConstructorParameters<typeof Decorator>[0])
    })
    return client
  }

  async function send(config: AxiosLike) {
    const url = new URL(config.url ?? '', config.baseURL)
    for (const [key, value] of Object.entries(config.params ?? {})) url.searchParams.set(key, String(value))
    const answer = await outbound.fetch(url, {
      method: (config.method ?? 'get').toUpperCase(),
      headers: Object.fromEntries(Object.entries(config.headers.toJSON()).map(([key, value]) => [key, String(value)])),
      body: config.data ?? null,
    })
    return {
      status: answer.status,
      statusText: '',
      headers: Object.fromEntries(answer.headers),
      // Unread: the signature is over these bytes.
      data: await answer.text(),
      config,
      request: {},
    }
  }

  /** @param known codes of an error that is an answer too; it is signed like the others */
  async function ask(method: 'get' | 'post', path: string, body?: Body, known?: ReadonlySet<string>): Promise<Body> {
    const wechat = await clientOf()
    let answer: Sent
    try {
      const config = {
        headers: { 'Wechatpay-Serial': access.platformKeyId },
        // Signatures of these are looked at. Whoever was not recognised is answered without one.
        validateStatus: (status: number) => (status >= 200 && status < 300) || status === 404,
        ...(method === 'get' && body ? { params: body } : {}),
      }
      const data = method === 'get' ? undefined : (body ?? {})
      answer = (await wechat.request(path, method, data as never, config as never)) as Sent
    } catch (error) {
      if (error instanceof OutboundError) throw new PaymentError('unreachable', error.message, true)
      const { code } = error as { code?: string }
      // An answer that nobody signed says nothing: with a wrong key everything fails, and later it may be set right.
      if (code?.startsWith('EV3_RES_')) throw new PaymentError('signature', code, true)
      const cause = (error as Error).cause
      if (cause instanceof OutboundError) throw new PaymentError('unreachable', cause.message, true)
      throw new PaymentError('unreachable', (error as Error).message, true)
    }
    const data = (typeof answer.data === 'object' && answer.data !== null ? answer.data : {}) as Body
    if (answer.status >= 200 && answer.status < 300) return data
    const code = String(data.code ?? `HTTP_${answer.status}`)
    if (known?.has(code)) return { code }
    throw new PaymentError(code, String(data.message ?? '').slice(0, 200), answer.status >= 500 || LATER.has(code))
  }

  function tradeOf(data: Body): Trade {
    if (typeof data.code === 'string' && UNKNOWN.has(data.code)) return { state: 'unknown' }
    switch (data.trade_state) {
      case 'SUCCESS':
      case 'REFUND':
        return { state: 'paid', amountFen: amountOf(data), providerNo: String(data.transaction_id ?? '') }
      case 'CLOSED':
      case 'REVOKED':
      case 'PAYERROR':
        return { state: 'closed' }
      case 'NOTPAY':
      case 'USERPAYING':
      case 'ACCEPT':
        return { state: 'open' }
      default:
        throw new PaymentError('answer', `trade_state ${String(data.trade_state)}`, true)
    }
  }

  function amountOf(data: Body): number {
    const amount = (data.amount ?? {}) as { total?: unknown; currency?: unknown }
    if (!Number.isSafeInteger(amount.total) || (amount.currency ?? 'CNY') !== 'CNY')
      throw new PaymentError('answer', 'amount', true)
    return amount.total as number
  }

  function refundOf(data: Body): RefundTrade {
    if (typeof data.code === 'string' && UNKNOWN.has(data.code))
      return { state: 'unknown', amountFen: null, providerNo: null, said: '' }
    const { refund } = (data.amount ?? {}) as { refund?: unknown }
    const base = {
      amountFen: typeof refund === 'number' ? refund : null,
      providerNo: typeof data.refund_id === 'string' ? data.refund_id : null,
    }
    switch (data.status) {
      case 'SUCCESS':
        return { ...base, state: 'done', said: '' }
      case 'PROCESSING':
        return { ...base, state: 'processing', said: '' }
      default:
        return { ...base, state: 'failed', said: String(data.status) }
    }
  }

  const tradePath = (no: string) => `v3/pay/transactions/out-trade-no/${no}`

  return {
    async open(payment: OpenPayment) {
      if (payment.form !== 'code') throw new PaymentError('form', 'only a code', false)
      const { code_url: codeUrl } = await ask('post', 'v3/pay/transactions/native', {
        appid: appId,
        mchid: merchantId,
        description: payment.subject.slice(0, 40),
        out_trade_no: payment.no,
        time_expire: shanghai(payment.expiresAt),
        notify_url: payment.notifyUrl,
        amount: { total: payment.amountFen, currency: 'CNY' },
      })
      if (typeof codeUrl !== 'string') throw new PaymentError('answer', 'code_url', true)
      return { codeUrl, pageUrl: null }
    },
    query: async no => tradeOf(await ask('get', tradePath(no), { mchid: merchantId }, UNKNOWN)),
    async close(no) {
      await ask('post', `${tradePath(no)}/close`, { mchid: merchantId }, UNKNOWN)
    },
    refund: async refund =>
      refundOf(
        await ask('post', 'v3/refund/domestic/refunds', {
          out_trade_no: refund.paymentNo,
          out_refund_no: refund.refundNo,
          reason: refund.reason.slice(0, 26),
          notify_url: refund.notifyUrl,
          amount: { refund: refund.amountFen, total: refund.totalFen, currency: 'CNY' },
        }),
      ),
    queryRefund: async ({ refundNo }) =>
      refundOf(await ask('get', `v3/refund/domestic/refunds/${refundNo}`, undefined, UNKNOWN)),
    read: notice => readNotice(access, notice, now()),
    async test() {
      await ask('get', tradePath(NOBODYS), { mchid: merchantId }, UNKNOWN)
    },
  }

  async function readNotice(keys: ProviderAccess, { headers, body }: RawNotice, at: number) {
    const { Aes, Formatter, Rsa } = await loaded()
    const one = (name: string) => {
      const value = headers[name]
      return typeof value === 'string' ? value : ''
    }
    const timestamp = one('wechatpay-timestamp')
    if (typeof body !== 'string') throw new NoticeError('the body is no text')
    if (one('wechatpay-serial') !== keys.platformKeyId) throw new NoticeError('signed with another key')
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(at / 1_000 - Number(timestamp)) >= FRESH_SECONDS)
      throw new NoticeError('not of now')
    const signed = Formatter.response(timestamp, one('wechatpay-nonce'), body)
    if (!Rsa.verify(signed, one('wechatpay-signature'), keys.platformKey))
      throw new NoticeError('the signature is wrong')
    let event: string
    let data: Body
    try {
      const outer = JSON.parse(body) as { event_type: string; resource: Record<string, string> }
      event = outer.event_type
      const { ciphertext, nonce, associated_data: aad } = outer.resource
      data = JSON.parse(Aes.AesGcm.decrypt(ciphertext!, keys.apiKey, nonce!, aad ?? '')) as Body
    } catch {
      throw new NoticeError('it cannot be decrypted with the APIv3 key')
    }
    return noticeOf(event, data)
  }

  function noticeOf(event: string, data: Body): PaymentNotice | null {
    if (data.mchid !== merchantId) throw new NoticeError('of another merchant')
    if (event.startsWith('REFUND.')) return { about: 'refund', no: String(data.out_refund_no) }
    if (!event.startsWith('TRANSACTION.')) return null
    if (data.appid !== appId) throw new NoticeError('of another app')
    try {
      return { about: 'payment', no: String(data.out_trade_no), trade: tradeOf(data) }
    } catch (error) {
      throw new NoticeError((error as Error).message)
    }
  }
}

/** What the library hands to its way out. */
interface AxiosLike {
  url?: string
  baseURL?: string
  method?: string
  params?: Record<string, unknown>
  data?: string
  headers: { toJSON(): Record<string, unknown> }
}

/** RFC 3339 in the time of Shanghai, without parts of a second. */
function shanghai(at: Date): string {
  return `${new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`
}
