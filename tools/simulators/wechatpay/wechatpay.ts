import {
  createCipheriv,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WechatPayOptions {
  port?: number
  host?: string
  /** When payments end; signatures are of the clock of this machine. */
  now?: () => number
}

export interface WechatTrade {
  no: string
  total: number
  description: string
  state: 'NOTPAY' | 'SUCCESS' | 'REFUND' | 'CLOSED'
  codeUrl: string
  transactionId: string
  notifyUrl: string
  expiresAt: number
  refunded: number
}

export interface WechatRefund {
  no: string
  trade: string
  amount: number
  status: 'SUCCESS' | 'PROCESSING' | 'ABNORMAL' | 'CLOSED'
  id: string
  notifyUrl: string
}

/** What a notice says instead of the truth, and what its signature is made with. */
export interface Forged {
  total?: number
  key?: string
  serial?: string
  at?: number
  mchid?: string
  no?: string
}

/** WeChat Pay, API v3, for one merchant whose keys it made: it checks signatures with code of its own, and signs. */
export interface WechatPay {
  url: string
  merchant: { appId: string; merchantId: string; serial: string; privateKey: string; apiKey: string }
  platform: { keyId: string; publicKey: string; privateKey: string }
  /** Requests that it did not take, and why. */
  faults: string[]
  /** Methods and paths that were asked for, in order. */
  asked: string[]
  trades: Map<string, WechatTrade>
  refunds: Map<string, WechatRefund>
  /** Somebody scanned the code and paid; the notice goes out, unless it is to get lost. */
  pay(codeUrl: string, options?: { lost?: boolean }): Promise<number | null>
  /** @returns the status that the notice was answered with */
  notify(no: string, forged?: Forged): Promise<number>
  notifyRefund(no: string): Promise<number>
  /** What becomes of refunds from now on. */
  refundsEnd(status: WechatRefund['status']): void
  /** silent: it does not answer. broken: 500. forged: answers are signed with another key. */
  behave(way: 'well' | 'silent' | 'broken' | 'forged'): void
  close(): Promise<void>
}

interface Body {
  appid?: string
  mchid?: string
  out_trade_no?: string
  out_refund_no?: string
  description?: string
  notify_url?: string
  time_expire?: string
  amount?: { total?: number; refund?: number }
}

interface Refusal {
  status: number
  code: string
}

const refuse = (status: number, code: string): Refusal => ({ status, code })
const isRefusal = (value: object): value is Refusal => 'code' in value && 'status' in value && !('amount' in value)
const pem = { type: 'pkcs8', format: 'pem' } as const
const spki = { type: 'spki', format: 'pem' } as const

export async function startWechatPay(options: WechatPayOptions = {}): Promise<WechatPay> {
  const { host = '127.0.0.1', now = Date.now } = options
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const [own, other, merchantPair] = [pair(), pair(), pair()]
  const merchant = {
    appId: 'wx0123456789abcdef',
    merchantId: '1900000001',
    serial: randomBytes(20).toString('hex').toUpperCase(),
    privateKey: merchantPair.privateKey.export(pem).toString(),
    apiKey: randomBytes(16).toString('hex'),
  }
  const platform = {
    keyId: `PUB_KEY_ID_0${merchant.merchantId}${Date.now()}`,
    publicKey: own.publicKey.export(spki).toString(),
    privateKey: own.privateKey.export(pem).toString(),
  }
  const merchantKey = createPublicKey(merchant.privateKey)
  const faults: string[] = []
  const asked: string[] = []
  const trades = new Map<string, WechatTrade>()
  const refunds = new Map<string, WechatRefund>()
  const nonces = new Set<string>()
  let way: Parameters<WechatPay['behave']>[0] = 'well'
  let refundStatus: WechatRefund['status'] = 'SUCCESS'

  const sign = (text: string, key: string) => createSign('RSA-SHA256').update(text).sign(key, 'base64')

  /** Why a request is not the merchant's. */
  function strange(request: IncomingMessage, target: string, body: string): string | null {
    const header = request.headers.authorization ?? ''
    const parts = /^WECHATPAY2-SHA256-RSA2048 (.*)$/.exec(header)?.[1]
    if (!parts) return 'no authorization'
    const values = Object.fromEntries([...parts.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]))
    if (values.mchid !== merchant.merchantId) return 'mchid'
    if (values.serial_no !== merchant.serial) return 'serial_no'
    if (Math.abs(Date.now() / 1000 - Number(values.timestamp)) > 300) return 'timestamp'
    if (nonces.has(values.nonce_str!)) return 'a nonce came twice'
    nonces.add(values.nonce_str!)
    const message = `${request.method}\n${target}\n${values.timestamp}\n${values.nonce_str}\n${body}\n`
    const right = createVerify('RSA-SHA256')
      .update(message)
      .verify(merchantKey, values.signature ?? '', 'base64')
    return right ? null : 'signature'
  }

  const view = (trade: WechatTrade) => ({
    appid: merchant.appId,
    mchid: merchant.merchantId,
    out_trade_no: trade.no,
    trade_state: trade.state,
    trade_state_desc: trade.state,
    amount: { total: trade.total, payer_total: trade.total, currency: 'CNY', payer_currency: 'CNY' },
    ...(trade.state === 'SUCCESS' || trade.state === 'REFUND'
      ? {
          transaction_id: trade.transactionId,
          trade_type: 'NATIVE',
          bank_type: 'OTHERS',
          success_time: new Date(now()).toISOString(),
          payer: { openid: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' },
        }
      : {}),
  })

  const refundView = (refund: WechatRefund) => {
    const trade = trades.get(refund.trade)!
    return {
      refund_id: refund.id,
      out_refund_no: refund.no,
      transaction_id: trade.transactionId,
      out_trade_no: refund.trade,
      channel: 'ORIGINAL',
      status: refund.status,
      amount: { refund: refund.amount, total: trade.total, currency: 'CNY' },
    }
  }

  function open(body: Body): object {
    const {
      out_trade_no: no = '',
      amount,
      notify_url: notifyUrl = '',
      description = '',
      time_expire: expires = '',
    } = body
    const total = amount?.total
    if (body.appid !== merchant.appId || body.mchid !== merchant.merchantId) return refuse(400, 'APPID_MCHID_NOT_MATCH')
    if (!/^[\w|*@-]{6,32}$/.test(no) || total === undefined || !Number.isInteger(total) || total < 1 || !description)
      return refuse(400, 'PARAM_ERROR')
    if (!/^https?:\/\/[^?]+$/.test(notifyUrl)) return refuse(400, 'PARAM_ERROR')
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(expires)) return refuse(400, 'PARAM_ERROR')
    const known = trades.get(no)
    if (known && known.total !== total) return refuse(403, 'OUT_TRADE_NO_USED')
    if (known?.state === 'SUCCESS') return refuse(400, 'ORDERPAID')
    if (known?.state === 'CLOSED') return refuse(400, 'ORDER_CLOSED')
    const trade: WechatTrade = known ?? {
      no,
      total,
      description,
      state: 'NOTPAY',
      codeUrl: `weixin://wxpay/bizpayurl?pr=${randomBytes(6).toString('base64url')}`,
      transactionId: `42000${Date.now()}${randomBytes(4).readUInt32BE()}`,
      notifyUrl,
      expiresAt: Date.parse(expires),
      refunded: 0,
    }
    trades.set(no, trade)
    return { code_url: trade.codeUrl }
  }

  function refund(body: Body): object {
    const { out_trade_no: no = '', out_refund_no: refundNo = '', amount = {}, notify_url: notifyUrl } = body
    const { refund: part = 0, total } = amount
    const trade = trades.get(no)
    if (!trade) return refuse(404, 'RESOURCE_NOT_EXISTS')
    const known = refunds.get(refundNo)
    if (known) return known.amount === part ? refundView(known) : refuse(400, 'PARAM_ERROR')
    if (trade.state !== 'SUCCESS' && trade.state !== 'REFUND') return refuse(400, 'INVALID_REQUEST')
    if (total !== trade.total || !Number.isInteger(part) || part < 1) return refuse(400, 'PARAM_ERROR')
    if (trade.refunded + part > trade.total) return refuse(400, 'INVALID_REQUEST')
    trade.refunded += part
    trade.state = 'REFUND'
    const made: WechatRefund = {
      no: refundNo,
      trade: trade.no,
      amount: part,
      status: refundStatus,
      id: `50300${Date.now()}${refunds.size}`,
      notifyUrl: notifyUrl ?? trade.notifyUrl,
    }
    refunds.set(made.no, made)
    return refundView(made)
  }

  function answer(method: string, url: URL, text: string): object | null {
    const body = text === '' ? {} : (JSON.parse(text) as Body)
    if (method === 'POST' && url.pathname === '/v3/pay/transactions/native') return open(body)
    if (method === 'POST' && url.pathname === '/v3/refund/domestic/refunds') return refund(body)
    const ofRefund = /^\/v3\/refund\/domestic\/refunds\/([^/]+)$/.exec(url.pathname)?.[1]
    if (ofRefund) {
      const found = refunds.get(ofRefund)
      return found ? refundView(found) : refuse(404, 'RESOURCE_NOT_EXISTS')
    }
    const [, no, close] = /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+?)(\/close)?$/.exec(url.pathname) ?? []
    if (!no) return refuse(404, 'RESOURCE_NOT_EXISTS')
    const trade = trades.get(no)
    if (!trade) return refuse(404, 'ORDER_NOT_EXIST')
    if ((close ? body.mchid : url.searchParams.get('mchid')) !== merchant.merchantId) return refuse(400, 'PARAM_ERROR')
    if (trade.state === 'NOTPAY' && trade.expiresAt <= now()) trade.state = 'CLOSED'
    if (!close) return view(trade)
    if (trade.state === 'SUCCESS') return refuse(400, 'ORDERPAID')
    trade.state = 'CLOSED'
    return null
  }

  function send(response: ServerResponse, status: number, value: object | null, signed = true): void {
    const text = value === null ? '' : JSON.stringify(value)
    const timestamp = String(Math.floor(Date.now() / 1000))
    const nonce = randomBytes(16).toString('hex')
    const key = way === 'forged' ? other.privateKey.export(pem).toString() : platform.privateKey
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(signed
        ? {
            'Wechatpay-Timestamp': timestamp,
            'Wechatpay-Nonce': nonce,
            'Wechatpay-Serial': platform.keyId,
            'Wechatpay-Signature': sign(`${timestamp}\n${nonce}\n${text}\n`, key),
          }
        : {}),
    })
    response.end(text)
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const target = request.url ?? '/'
      asked.push(`${request.method} ${target}`)
      if (way === 'silent') return
      if (way === 'broken') return send(response, 500, { code: 'SYSTEM_ERROR', message: 'again later' }, false)
      const fault = strange(request, target, text)
      if (fault) {
        faults.push(fault)
        return send(response, 401, { code: 'SIGN_ERROR', message: fault }, false)
      }
      const result = answer(request.method ?? 'GET', new URL(target, 'http://pay'), text)
      if (result && isRefusal(result)) {
        if (result.code === 'PARAM_ERROR') faults.push(`${target} ${text}`)
        send(response, result.status, { code: result.code, message: result.code })
      } else send(response, result === null ? 204 : 200, result)
    })
  })
  await new Promise<void>(done => server.listen(options.port ?? 0, host, done))
  const { port } = server.address() as AddressInfo

  async function tell(url: string, event: string, kind: string, plain: object, forged: Forged): Promise<number> {
    const nonce = randomBytes(6).toString('hex')
    const cipher = createCipheriv('aes-256-gcm', merchant.apiKey, nonce)
    cipher.setAAD(Buffer.from(kind))
    const sealed = Buffer.concat([cipher.update(JSON.stringify(plain)), cipher.final(), cipher.getAuthTag()])
    const text = JSON.stringify({
      id: randomUUID(),
      create_time: new Date(now()).toISOString(),
      event_type: event,
      resource_type: 'encrypt-resource',
      summary: event,
      resource: {
        algorithm: 'AEAD_AES_256_GCM',
        ciphertext: sealed.toString('base64'),
        associated_data: kind,
        nonce,
        original_type: kind,
      },
    })
    const timestamp = String(Math.floor((forged.at ?? Date.now()) / 1000))
    const word = randomBytes(16).toString('hex')
    const answered = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'Wechatpay-Timestamp': timestamp,
        'Wechatpay-Nonce': word,
        'Wechatpay-Serial': forged.serial ?? platform.keyId,
        'Wechatpay-Signature-Type': 'WECHATPAY2-SHA256-RSA2048',
        'Wechatpay-Signature': sign(`${timestamp}\n${word}\n${text}\n`, forged.key ?? platform.privateKey),
      },
      body: text,
    })
    await answered.arrayBuffer()
    return answered.status
  }

  const notify: WechatPay['notify'] = (no, forged = {}) => {
    const trade = trades.get(no)
    if (!trade) throw new Error(`there is no payment ${no}`)
    const said = { ...view(trade), trade_state: 'SUCCESS', transaction_id: trade.transactionId }
    const plain = {
      ...said,
      ...(forged.total === undefined ? {} : { amount: { ...said.amount, total: forged.total } }),
      ...(forged.mchid === undefined ? {} : { mchid: forged.mchid }),
      ...(forged.no === undefined ? {} : { out_trade_no: forged.no }),
    }
    return tell(trade.notifyUrl, 'TRANSACTION.SUCCESS', 'transaction', plain, forged)
  }

  return {
    url: `http://${host}:${port}`,
    merchant,
    platform,
    faults,
    asked,
    trades,
    refunds,
    async pay(codeUrl, { lost = false } = {}) {
      const trade = [...trades.values()].find(one => one.codeUrl === codeUrl)
      if (!trade) throw new Error('nobody knows this code')
      if (trade.state !== 'NOTPAY' || trade.expiresAt <= now()) throw new Error('it cannot be paid any more')
      trade.state = 'SUCCESS'
      return lost ? null : notify(trade.no)
    },
    notify,
    notifyRefund(no) {
      const refund = refunds.get(no)!
      const { status, ...rest } = refundView(refund)
      return tell(
        refund.notifyUrl,
        `REFUND.${status}`,
        'refund',
        { mchid: merchant.merchantId, ...rest, refund_status: status },
        {},
      )
    },
    refundsEnd(status) {
      refundStatus = status
      for (const refund of refunds.values()) if (refund.status === 'PROCESSING') refund.status = status
    },
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
