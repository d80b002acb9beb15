import type { AlipaySdk } from 'alipay-sdk'
import { type Outbound, OutboundError } from '../../lib/outbound/outbound.ts'
import {
  NoticeError,
  type PaymentClient,
  PaymentError,
  type PaymentNotice,
  type ProviderAccess,
  type RefundTrade,
  type Trade,
} from '../../modules/purchase-orders/payment.port.ts'

interface Needs {
  outbound: Outbound
  now(): number
}

type Body = Record<string, unknown>

const OK = '10000'
const UNKNOWN = 'ACQ.TRADE_NOT_EXIST'
/** It may be done later, with the same request. */
const LATER = new Set([
  '20000',
  'ACQ.SYSTEM_ERROR',
  'aop.ACQ.SYSTEM_ERROR',
  'isp.unknow-error',
  'ACQ.SELLER_BALANCE_NOT_ENOUGH',
  'isv.call-limited',
])
const NOBODYS = 'THINGWRIGHTKEYTEST'
const MINUTE_MS = 60_000

/** Alipay's open platform, gateway of the second version, with public keys (docs/integrations/payments.md). */
export function createAlipay(access: ProviderAccess, { outbound, now }: Needs): PaymentClient {
  let sdk: Promise<AlipaySdk> | null = null
  const gateway = access.baseUrl

  /** It signs and looks at signatures; its own requests would not leave through our guard, so that it makes none. */
  const sdkOf = () => {
    sdk ??= import('alipay-sdk').then(
      ({ AlipaySdk }) =>
        new AlipaySdk({
          appId: access.appId,
          privateKey: access.privateKey,
          keyType: 'PKCS8',
          alipayPublicKey: access.platformKey,
          gateway,
          camelcase: false,
        }),
    )
    return sdk
  }

  /** A signed address with all parameters. */
  async function signed(method: string, content: Body, urls: { notify?: string; back?: string } = {}): Promise<URL> {
    return new URL(
      (await sdkOf()).pageExecute(method, 'GET', {
        // The library would take the clock of this machine for that of Shanghai.
        timestamp: shanghai(new Date(now())),
        bizContent: content,
        ...(urls.notify ? { notifyUrl: urls.notify } : {}),
        ...(urls.back ? { returnUrl: urls.back } : {}),
      } as never),
    )
  }

  /** @param known sub-codes that are an answer too */
  async function ask(method: string, content: Body, known: readonly string[] = [], notify?: string): Promise<Body> {
    const url = await signed(method, content, notify ? { notify } : {})
    const form = new URLSearchParams({ biz_content: url.searchParams.get('biz_content') ?? '' })
    url.searchParams.delete('biz_content')
    let answer: Response
    try {
      answer = await outbound.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
        body: form,
      })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new PaymentError('unreachable', error.message, true)
    }
    const text = await answer.text()
    let whole: Body
    try {
      whole = JSON.parse(text) as Body
    } catch {
      throw new PaymentError(`HTTP_${answer.status}`, '', true)
    }
    const key = `${method.replaceAll('.', '_')}_response`
    const data = (whole[key] ?? whole.error_response) as Body | undefined
    if (!data) throw new PaymentError(`HTTP_${answer.status}`, '', true)
    const code = String(data.sub_code ?? data.code)
    const failed = new PaymentError(code, String(data.sub_msg ?? data.msg ?? '').slice(0, 200), LATER.has(code))
    // Whoever was not recognised is answered without a signature.
    if (whole[key] === undefined) throw failed
    try {
      ;(await sdkOf()).checkResponseSign(text, key, String(whole.sign ?? ''), '')
    } catch {
      throw new PaymentError('signature', '', true)
    }
    if (data.code === OK) return data
    if (known.includes(code)) return { sub_code: code }
    throw failed
  }

  function tradeOf(data: Body): Trade {
    if (data.sub_code === UNKNOWN) return { state: 'unknown' }
    switch (data.trade_status) {
      case 'TRADE_SUCCESS':
      case 'TRADE_FINISHED':
        return { state: 'paid', amountFen: fenOf(data.total_amount), providerNo: String(data.trade_no ?? '') }
      case 'TRADE_CLOSED':
        return { state: 'closed' }
      case 'WAIT_BUYER_PAY':
        return { state: 'open' }
      default:
        throw new PaymentError('answer', `trade_status ${String(data.trade_status)}`, true)
    }
  }

  return {
    async open(payment) {
      const common = {
        out_trade_no: payment.no,
        total_amount: yuanOf(payment.amountFen),
        subject: payment.subject.slice(0, 100),
      }
      if (payment.form === 'page') {
        const url = await signed(
          'alipay.trade.page.pay',
          { ...common, product_code: 'FAST_INSTANT_TRADE_PAY', time_expire: shanghai(payment.expiresAt) },
          { notify: payment.notifyUrl, back: payment.returnUrl },
        )
        return { codeUrl: null, pageUrl: url.toString() }
      }
      const minutes = Math.max(1, Math.floor((payment.expiresAt.getTime() - now()) / MINUTE_MS))
      const answer = await ask(
        'alipay.trade.precreate',
        { ...common, timeout_express: `${minutes}m` },
        [],
        payment.notifyUrl,
      )
      if (typeof answer.qr_code !== 'string') throw new PaymentError('answer', 'qr_code', true)
      return { codeUrl: answer.qr_code, pageUrl: null }
    },
    query: async no => tradeOf(await ask('alipay.trade.query', { out_trade_no: no }, [UNKNOWN])),
    async close(no) {
      await ask('alipay.trade.close', { out_trade_no: no }, [UNKNOWN])
    },
    async refund(refund): Promise<RefundTrade> {
      const data = await ask('alipay.trade.refund', {
        out_trade_no: refund.paymentNo,
        refund_amount: yuanOf(refund.amountFen),
        out_request_no: refund.refundNo,
        refund_reason: refund.reason.slice(0, 100),
      })
      // N: this request changed nothing; the same had been made before, or it is under way.
      const state = data.fund_change === 'Y' ? ('done' as const) : ('processing' as const)
      return { state, amountFen: refund.amountFen, providerNo: String(data.trade_no ?? ''), said: '' }
    },
    async queryRefund({ paymentNo, refundNo }) {
      const data = await ask(
        'alipay.trade.fastpay.refund.query',
        { out_trade_no: paymentNo, out_request_no: refundNo },
        [UNKNOWN],
      )
      // Nothing is said of a refund that it has not made.
      const done = data.refund_status === 'REFUND_SUCCESS'
      const amountFen = data.refund_amount === undefined ? null : fenOf(data.refund_amount)
      const asked = data.out_request_no === refundNo
      return { state: done ? 'done' : asked ? 'processing' : 'unknown', amountFen, providerNo: null, said: '' }
    },
    async read({ body }): Promise<PaymentNotice | null> {
      if (typeof body === 'string') throw new NoticeError('no form')
      // A field that came twice is no text any more.
      if (Object.values(body).some(value => typeof value !== 'string')) throw new NoticeError('a field came twice')
      if ((body.sign_type ?? 'RSA2') !== 'RSA2') throw new NoticeError('signed in another way')
      if (!(await sdkOf()).checkNotifySignV2(body)) throw new NoticeError('the signature is wrong')
      if (body.app_id !== access.appId) throw new NoticeError('of another app')
      // The notice of a refund looks like that of a payment; what was paid has been told before.
      if (body.trade_status === undefined) return null
      try {
        return { about: 'payment', no: String(body.out_trade_no), trade: tradeOf(body) }
      } catch (error) {
        throw new NoticeError((error as Error).message)
      }
    },
    async test() {
      await ask('alipay.trade.query', { out_trade_no: NOBODYS }, [UNKNOWN])
    },
  }
}

/** `8.00` as 800; nothing is rounded. @throws PaymentError */
function fenOf(text: unknown): number {
  const parts = typeof text === 'string' ? /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) : null
  if (!parts) throw new PaymentError('answer', `amount ${String(text)}`, true)
  return Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'))
}

const yuanOf = (fen: number): string => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`

/** The time of Shanghai as Alipay writes it. */
function shanghai(at: Date): string {
  return new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
}
