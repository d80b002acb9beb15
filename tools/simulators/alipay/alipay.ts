import { createPublicKey, createSign, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AlipayOptions {
  port?: number
  host?: string
}

export interface AlipayTrade {
  no: string
  /** Yuan, as it was written. */
  amount: string
  subject: string
  state: 'NONE' | 'WAIT_BUYER_PAY' | 'TRADE_SUCCESS' | 'TRADE_CLOSED'
  code: string | null
  tradeNo: string
  notifyUrl: string
  returnUrl: string
  refunded: number
}

/** What a notice says instead of the truth, and what it is signed with. */
export interface ForgedAlipay {
  values?: Record<string, string>
  key?: string
}

/** Alipay's gateway for one app whose keys it made: it checks signatures with code of its own, and signs. */
export interface Alipay {
  url: string
  app: { appId: string; privateKey: string }
  publicKey: string
  privateKey: string
  faults: string[]
  /** Methods that were asked for, in order. */
  asked: string[]
  trades: Map<string, AlipayTrade>
  refunds: Map<string, { trade: string; amount: string }>
  /** Somebody scanned the code, or paid on the page of this payment. */
  pay(codeOrNo: string, options?: { lost?: boolean }): Promise<string | null>
  /** @returns what the notice was answered with */
  notify(no: string, forged?: ForgedAlipay): Promise<string>
  behave(way: 'well' | 'silent' | 'forged'): void
  close(): Promise<void>
}

type Values = Record<string, string>
const pem = { type: 'pkcs8', format: 'pem' } as const
const spki = { type: 'spki', format: 'pem' } as const

export async function startAlipay(options: AlipayOptions = {}): Promise<Alipay> {
  const { host = '127.0.0.1' } = options
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const [own, other, ofApp] = [pair(), pair(), pair()]
  const app = { appId: '2021000122671080', privateKey: ofApp.privateKey.export(pem).toString() }
  const privateKey = own.privateKey.export(pem).toString()
  const appKey = createPublicKey(app.privateKey)
  const faults: string[] = []
  const asked: string[] = []
  const trades = new Map<string, AlipayTrade>()
  const refunds = new Map<string, { trade: string; amount: string }>()
  let way: Parameters<Alipay['behave']>[0] = 'well'

  const joined = (values: Values, without: readonly string[]) =>
    Object.keys(values)
      .filter(key => !without.includes(key) && values[key] !== '')
      .toSorted()
      .map(key => `${key}=${values[key]}`)
      .join('&')
  const sign = (text: string, key: string) => createSign('RSA-SHA256').update(text).sign(key, 'base64')
  const fen = (yuan: string) => Math.round(Number(yuan) * 100)

  function strange(values: Values): string | null {
    if (values.app_id !== app.appId) return 'app_id'
    if (values.sign_type !== 'RSA2' || values.version !== '1.0' || values.charset !== 'utf-8') return 'sign_type'
    const at = Date.parse(`${values.timestamp?.replace(' ', 'T')}+08:00`)
    if (!(Math.abs(Date.now() - at) < 15 * 60_000)) return 'timestamp'
    const right = createVerify('RSA-SHA256')
      .update(joined(values, ['sign']))
      .verify(appKey, values.sign ?? '', 'base64')
    return right ? null : 'signature'
  }

  const fine = (values: object) => ({ code: '10000', msg: 'Success', ...values })
  const refuse = (sub: string) => ({ code: '40004', msg: 'Business Failed', sub_code: sub, sub_msg: sub })

  function begin(values: Values, content: Values, code: boolean): AlipayTrade | null {
    if (!/^\w{1,64}$/.test(content.out_trade_no ?? '') || !/^\d+\.\d\d$/.test(content.total_amount ?? '')) return null
    const trade = trades.get(content.out_trade_no!) ?? {
      no: content.out_trade_no!,
      amount: content.total_amount!,
      subject: content.subject ?? '',
      // Alipay makes the trade when somebody scans or signs in.
      state: 'NONE' as const,
      code: code ? `https://qr.alipay.com/${randomBytes(8).toString('hex')}` : null,
      tradeNo: `${new Date().toISOString().slice(0, 10).replaceAll('-', '')}22001${randomBytes(5).toString('hex')}`,
      notifyUrl: values.notify_url ?? '',
      returnUrl: values.return_url ?? '',
      refunded: 0,
    }
    trades.set(trade.no, trade)
    return trade.amount === content.total_amount ? trade : null
  }

  function answer(method: string, values: Values, content: Values): object {
    const trade = trades.get(content.out_trade_no ?? '')
    const known = trade && trade.state !== 'NONE' ? trade : undefined
    switch (method) {
      case 'alipay.trade.precreate': {
        const made = begin(values, content, true)
        return made ? fine({ out_trade_no: made.no, qr_code: made.code }) : refuse('ACQ.INVALID_PARAMETER')
      }
      case 'alipay.trade.query':
        if (!known) return refuse('ACQ.TRADE_NOT_EXIST')
        return fine({
          out_trade_no: known.no,
          trade_no: known.tradeNo,
          trade_status: known.state,
          total_amount: known.amount,
        })
      case 'alipay.trade.close':
        if (!known) return refuse('ACQ.TRADE_NOT_EXIST')
        if (known.state === 'TRADE_SUCCESS') return refuse('ACQ.TRADE_STATUS_ERROR')
        known.state = 'TRADE_CLOSED'
        return fine({ out_trade_no: known.no, trade_no: known.tradeNo })
      case 'alipay.trade.refund': {
        if (!known) return refuse('ACQ.TRADE_NOT_EXIST')
        const no = content.out_request_no!
        const before = refunds.has(no)
        if (!before) {
          const part = fen(content.refund_amount!)
          if (known.state !== 'TRADE_SUCCESS' || known.refunded + part > fen(known.amount))
            return refuse('ACQ.REFUND_AMT_NOT_EQUAL_TOTAL')
          known.refunded += part
          refunds.set(no, { trade: known.no, amount: content.refund_amount! })
        }
        const all = (known.refunded / 100).toFixed(2)
        return fine({
          out_trade_no: known.no,
          trade_no: known.tradeNo,
          fund_change: before ? 'N' : 'Y',
          refund_fee: all,
        })
      }
      case 'alipay.trade.fastpay.refund.query': {
        if (!known) return refuse('ACQ.TRADE_NOT_EXIST')
        const refund = refunds.get(content.out_request_no!)
        if (!refund) return fine({})
        return fine({
          out_trade_no: known.no,
          out_request_no: content.out_request_no,
          refund_amount: refund.amount,
          total_amount: known.amount,
          refund_status: 'REFUND_SUCCESS',
        })
      }
      default:
        return refuse('isv.invalid-method')
    }
  }

  function reply(response: ServerResponse, name: string, value: object): void {
    const text = JSON.stringify(value)
    const key = way === 'forged' ? other.privateKey.export(pem).toString() : privateKey
    response.writeHead(200, { 'content-type': 'text/html;charset=utf-8' })
    response.end(`{"${name}":${text},"sign":"${sign(text, key)}"}`)
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://alipay')
      if (url.pathname === '/pay') {
        // The button of the page of a payment.
        const trade = trades.get(url.searchParams.get('no') ?? '')
        if (trade) trade.state = 'TRADE_SUCCESS'
        const back = () => response.writeHead(trade ? 303 : 404, { location: trade?.returnUrl ?? '/' }).end()
        if (trade) notify(trade.no).then(back).catch(back)
        else back()
        return
      }
      const form = new URLSearchParams(Buffer.concat(parts).toString('utf8'))
      const values: Values = Object.fromEntries([...url.searchParams, ...form])
      const method = values.method ?? ''
      asked.push(method)
      if (way === 'silent') return
      const fault = strange(values)
      if (fault) {
        faults.push(fault)
        response.writeHead(200, { 'content-type': 'text/html;charset=utf-8' })
        const said = { code: '40002', msg: 'Invalid Arguments', sub_code: 'isv.invalid-signature', sub_msg: fault }
        response.end(JSON.stringify({ error_response: said }))
        return
      }
      const content = JSON.parse(values.biz_content ?? '{}') as Values
      if (method === 'alipay.trade.page.pay') {
        const trade = begin(values, content, false)
        if (trade?.state === 'NONE') trade.state = 'WAIT_BUYER_PAY'
        response.writeHead(trade ? 200 : 400, { 'content-type': 'text/html;charset=utf-8' })
        response.end(
          trade
            ? `<!doctype html><title>Alipay</title><h1>${trade.amount}</h1><form method="post" action="/pay?no=${trade.no}"><button>Pay</button></form>`
            : 'wrong',
        )
        return
      }
      reply(response, `${method.replaceAll('.', '_')}_response`, answer(method, values, content))
    })
  })
  await new Promise<void>(done => server.listen(options.port ?? 0, host, done))
  const { port } = server.address() as AddressInfo

  const notify: Alipay['notify'] = async (no, forged = {}) => {
    const trade = trades.get(no)
    if (!trade) throw new Error(`there is no payment ${no}`)
    const values: Values = {
      app_id: app.appId,
      charset: 'utf-8',
      notify_id: randomBytes(16).toString('hex'),
      notify_time: new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
      notify_type: 'trade_status_sync',
      version: '1.0',
      out_trade_no: trade.no,
      trade_no: trade.tradeNo,
      trade_status: 'TRADE_SUCCESS',
      total_amount: trade.amount,
      receipt_amount: trade.amount,
      subject: trade.subject,
      ...forged.values,
    }
    const signature = sign(joined(values, []), forged.key ?? privateKey)
    const answered = await fetch(trade.notifyUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams({ ...values, sign_type: 'RSA2', sign: signature }),
    })
    return answered.ok ? await answered.text() : `HTTP ${answered.status}`
  }

  return {
    url: `http://${host}:${port}/gateway.do`,
    app,
    publicKey: own.publicKey.export(spki).toString(),
    privateKey,
    faults,
    asked,
    trades,
    refunds,
    async pay(codeOrNo, { lost = false } = {}) {
      const trade = trades.get(codeOrNo) ?? [...trades.values()].find(one => one.code === codeOrNo)
      if (!trade) throw new Error('nobody knows this code')
      if (trade.state === 'TRADE_CLOSED' || trade.state === 'TRADE_SUCCESS')
        throw new Error('it cannot be paid any more')
      trade.state = 'TRADE_SUCCESS'
      return lost ? null : notify(trade.no)
    },
    notify,
    behave(next) {
      way = next
    },
    close: () =>
      new Promise((done, fail) => {
        server.close(error => (error ? fail(error) : done()))
        server.closeAllConnections()
      }),
  }
}
