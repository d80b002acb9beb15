import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, send } from '../cards/behaviour.ts'
import { madeCards, type SimulatedCard } from '../cards/made-cards.ts'
import { seal } from './cipher.ts'
import texts from './texts.json' with { type: 'json' }

export interface CtccOptions {
  port?: number
  host?: string
  userId?: string
  password?: string
  /** Nine characters, of CMP. */
  key?: string
  appKey?: string
  /** Of 5G CMP. */
  secretKey?: string
  cards?: SimulatedCard[]
  count?: number
  now?: () => number
}

export interface CtccCarrier {
  url: string
  cards: SimulatedCard[]
  faults: string[]
  asked: string[]
  behave(behaviour: Behaviour, times?: number): void
  close(): Promise<void>
}

/** Extras of a call that are signed. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  disabledNumber: ['orderTypeId', 'acctCd'],
  singleCutNet: ['action'],
}

/** CMP and 5G CMP of China Telecom on one port (docs/integrations/ctcc-cmp.md). */
export async function startCtcc(options: CtccOptions = {}): Promise<CtccCarrier> {
  const {
    userId = 'simulated-user',
    password = 'simulated',
    key = 'abc123ABC',
    appKey = 'simulated-app',
    secretKey = 'simulated-secret',
    now = Date.now,
  } = options
  const keys = [key.slice(0, 3), key.slice(3, 6), key.slice(6, 9)]
  const cards = options.cards ?? madeCards('ctcc', options.count ?? 500)
  const byNumber = new Map(
    cards.flatMap(card => [card.iccid, card.msisdn, card.imsi].map(number => [number, card] as const)),
  )
  const faults: string[] = []
  const asked: string[] = []
  let behaviour: Behaviour = { kind: 'well' }
  let times = Number.POSITIVE_INFINITY
  let serial = 0
  const transaction = () => `100000${String(++serial).padStart(12, '0')}`
  const json = (value: unknown) => JSON.stringify(value)
  const wrong = (code: string, text: string) => `${code}${texts.colon}${text}`

  function status(card: SimulatedCard): string {
    return json({
      resultCode: '0',
      result: '0',
      resultMsg: texts.fine,
      GROUP_TRANSACTIONID: transaction(),
      number: card.msisdn,
      servCreateDate: '20250201080000',
      authStatus: card.realName ? '1' : '0',
      netBlockStatusName: card.dataOff ? texts.blocked : texts.open,
      productInfo: [
        {
          productMainStatusCd: card.status,
          productMainStatusName: texts.states[card.status as keyof typeof texts.states],
        },
      ],
    })
  }

  const traffic = (card: SimulatedCard) =>
    `<root><web:NEW_DATA_TICKET_QRsp xmlns:web="http://www.example.org/webservice"><CHARGE_CNT_CH>0</CHARGE_CNT_CH><DURATION_CNT_CH></DURATION_CNT_CH><IRESULT>0</IRESULT><TOTALCOUNT></TOTALCOUNT><TOTALPAGE></TOTALPAGE><TOTAL_BYTES_CNT>${(card.monthKb / 1024).toFixed(2)}MB</TOTAL_BYTES_CNT><GROUP_TRANSACTIONID>${transaction()}</GROUP_TRANSACTIONID><number>${card.msisdn}</number></web:NEW_DATA_TICKET_QRsp></root>`

  function order(card: SimulatedCard, type: string | undefined): string {
    const answer = (result: string, text: string) =>
      `<businessServiceResponse><RspType>${result === '0' ? '0' : '1'}</RspType><result>${result}</result><resultMsg>${text}</resultMsg><GROUP_TRANSACTIONID>${transaction()}</GROUP_TRANSACTIONID></businessServiceResponse>`
    if (type === '19' && card.status === '4') card.status = '5'
    else if (type === '20' && card.status === '5') card.status = '4'
    else if (type === '20' && card.status === '1') return answer('100008', texts.notActive)
    else return answer('-5', texts.already)
    card.changedAt = now()
    return answer('0', texts.fine)
  }

  function cut(card: SimulatedCard, action: string | undefined): string {
    card.dataOff = action === 'ADD'
    return `<SvcCont><Response><RspType>0</RspType><RspCode>0000</RspCode><RspDesc>${texts.fine}</RspDesc></Response></SvcCont>`
  }

  function activate(card: SimulatedCard): string {
    if (!['1', '2', '3'].includes(card.status)) return json({ RESULT: '-5', SMSG: texts.already })
    card.status = '4'
    return json({ RESULT: '0', SMSG: texts.fine })
  }

  function cmp(query: URLSearchParams): string {
    const method = query.get('method') ?? ''
    const number = query.get('access_number') ?? query.get('iccid') ?? query.get('imsi') ?? ''
    asked.push(method)
    if (query.get('user_id') !== userId || query.get('passWord') !== seal(password, ...keys)) {
      faults.push('user or password is wrong')
      return wrong('-1', texts.credentials)
    }
    const values = [number, userId, password, method, ...(SIGNED[method] ?? []).map(name => query.get(name) ?? '')]
    values.sort()
    if (query.get('sign') !== seal(values.join(','), ...keys)) {
      faults.push('the signature does not fit')
      return wrong('-3', texts.sign)
    }
    const card = byNumber.get(number)
    if (!card) return wrong('-4', texts.unknown)
    switch (method) {
      case 'queryCardMainStatus':
        return status(card)
      case 'queryTraffic':
        return traffic(card)
      case 'queryTrafficByDate':
        return traffic({ ...card, monthKb: card.monthKb / 20 })
      case 'queryPakage':
        return `<root><web:CurrAcuRsp xmlns:web="http://www.example.org/webservice"><IRESULT>0</IRESULT><SMSG>${texts.fine}</SMSG><CumulRspList><OFFER_NAME>${Math.round(card.planKb / 1024)}MB</OFFER_NAME><CUMULATION_TOTAL>${card.planKb}</CUMULATION_TOTAL><CUMULATION_ALREADY>${card.monthKb}</CUMULATION_ALREADY><CUMULATION_LEFT>${Math.max(0, card.planKb - card.monthKb)}</CUMULATION_LEFT><UNIT_NAME>KB</UNIT_NAME></CumulRspList></web:CurrAcuRsp></root>`
      case 'getTelephone':
        return json({ RESULT: '0', SMSG: card.msisdn })
      case 'realNameQueryIot':
        return `<SvcCont><resultCode>0</resultCode><resultMsg>${texts.fine}</resultMsg><RESULT><prodStatusName></prodStatusName><certNumber>${card.realName ? '3101********0011' : ''}</certNumber><number>${card.msisdn}</number></RESULT></SvcCont>`
      case 'disabledNumber':
        return order(card, query.get('orderTypeId') ?? undefined)
      case 'singleCutNet':
        return cut(card, query.get('action') ?? undefined)
      case 'requestServActive':
        return activate(card)
      default:
        faults.push(`${method} does not exist`)
        return wrong('-2', texts.parameter)
    }
  }

  function fiveG(path: string, query: URLSearchParams, body: string, headers: IncomingMessage['headers']): string {
    asked.push(path)
    const timestamp = String(headers.timestamp ?? '')
    const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(timestamp)?.map(Number)
    const at = parts ? Date.UTC(parts[1]!, parts[2]! - 1, parts[3], parts[4], parts[5], parts[6]) - 28_800_000 : 0
    const pairs = [...query].map(([name, value]) => `${name}=${value}`)
    pairs.sort()
    const digest = createHash('md5')
      .update(pairs.join('&') + body + secretKey + timestamp, 'utf8')
      .digest('hex')
    const sign = [...digest]
      .map(letter => letter.charCodeAt(0).toString(16))
      .join('')
      .toUpperCase()
    if (headers.appkey !== appKey || headers.sign !== sign || Math.abs(at - now()) > 300_000) {
      faults.push('the signature does not fit')
      return json({ code: '-3', msg: texts.sign })
    }
    const card = byNumber.get(query.get('access_number') ?? query.get('iccid') ?? '')
    if (!card) return json({ result: '-4', resultMsg: texts.unknown })
    switch (path) {
      case '/openapi/v1/prodinst/queryCardMainStatus':
        return status(card)
      case '/openapi/v1/prodinst/getTelephone':
        return json({ RESULT: '0', SMSG: card.msisdn })
      case '/openapi/v1/prodinst/gete2einfo':
        return json({ result: '0', imei: card.imei })
      case '/api/v1/openbill/queryTraffic':
        return `<root><iresult>0</iresult><total_bytes_cnt>${(card.monthKb / 1024).toFixed(2)}MB</total_bytes_cnt></root>`
      case '/5gcmp/openapi/v1/common/disabledNumberService':
        if (!query.has('acctCd')) return json({ result: '-2', resultMsg: texts.parameter })
        return order(card, query.get('orderTypeId') ?? undefined)
      case '/5gcmp/openapi/v1/common/requestServActive':
        return activate(card)
      case '/5gcmp/openapi/v1/common/singleCutNet':
        return cut(card, query.get('action') ?? undefined)
      case '/5gcmp/openapi/v1/common/speedLimitAction':
        card.speed = query.get('action') === 'ADD' ? (query.get('speedValue') ?? '') : ''
        return json({ resultCode: '0000', resultMsg: texts.fine })
      default:
        faults.push(`${path} does not exist`)
        return json({ code: '-2', msg: texts.parameter })
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const url = new URL(request.url ?? '/', 'http://simulator')
    const how = times > 0 ? behaviour : ({ kind: 'well' } as const)
    times--
    const text =
      how.kind === 'error'
        ? wrong(how.code, how.message)
        : url.pathname === '/m2m_ec/query.do'
          ? cmp(url.searchParams)
          : fiveG(url.pathname, url.searchParams, Buffer.concat(parts).toString(), request.headers)
    send(response, how, text, text.startsWith('{') ? 'application/json' : 'text/xml; charset=utf-8')
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${port}`,
    cards,
    faults,
    asked,
    behave(next, howOften = Number.POSITIVE_INFINITY) {
      behaviour = next
      times = howOften
    },
    close: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
