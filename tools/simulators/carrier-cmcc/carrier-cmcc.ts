import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, send } from '../cards/behaviour.ts'
import { madeCards, type SimulatedCard } from '../cards/made-cards.ts'
import texts from './texts.json' with { type: 'json' }

export interface CmccOptions {
  port?: number
  host?: string
  appid?: string
  password?: string
  cards?: SimulatedCard[]
  count?: number
  /** Between two changes of a card. */
  pauseMs?: number
  now?: () => number
}

export interface CmccCarrier {
  url: string
  cards: SimulatedCard[]
  /** Requests that it did not take, and why. */
  faults: string[]
  /** How often the state of each card was asked for. */
  statesAsked: Map<string, number>
  /** Paths that were asked for, in order. */
  asked: string[]
  behave(behaviour: Behaviour, times?: number): void
  close(): Promise<void>
}

type Body = Record<string, unknown>
const STATES: Readonly<Record<string, string>> = {
  '0': '4',
  '1': '2',
  '2': '2',
  '3': '7',
  '4': '1',
  '5': '2',
  '6': '2',
  '8': '7',
  '9': '1',
}
/** From which state each change begins. */
const FROM: Readonly<Record<string, string>> = {
  '0': '2',
  '1': '4',
  '2': '7',
  '3': '6',
  '4': '6',
  '5': '6',
  '6': '1',
  '8': '1',
  '9': '7',
}

/** OneLink of China Mobile, open API v5, as working clients use it (docs/integrations/cmcc-onelink.md). */
export async function startCmcc(options: CmccOptions = {}): Promise<CmccCarrier> {
  const { appid = '100002000000', password = 'simulated', pauseMs = 180_000, now = Date.now } = options
  const cards = options.cards ?? madeCards('cmcc', options.count ?? 500)
  const byNumber = new Map(
    cards.flatMap(card => [card.iccid, card.msisdn, card.imsi].map(number => [number, card] as const)),
  )
  const tokens = new Map<string, number>()
  const transids = new Set<string>()
  const faults: string[] = []
  const asked: string[] = []
  const statesAsked = new Map<string, number>()
  let behaviour: Behaviour = { kind: 'well' }
  let times = Number.POSITIVE_INFINITY
  let serial = 0

  function checkTransid(body: Body): string | null {
    const transid = String(body.transid ?? '')
    if (transid.length > 48 || !transid.startsWith(appid)) return 'the transid does not begin with the app id'
    const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{8})$/.exec(transid.slice(appid.length))
    if (!parts) return 'the transid has no time and eight digits'
    const [, y, mo, d, h, mi, s] = parts.map(Number) as number[]
    const at = Date.UTC(y!, mo! - 1, d, h, mi, s) - 8 * 3_600_000
    if (Math.abs(at - now()) > 300_000) return 'the time of the transid is not now'
    if (transids.has(transid)) return 'a transid came twice'
    transids.add(transid)
    return null
  }

  function answer(path: string, body: Body): { status: string; message: string; result: unknown[] } {
    const refuse = (status: string, message: string) => ({ status, message, result: [] })
    const fine = (...result: unknown[]) => ({ status: '0', message: texts.fine, result })
    const fault = checkTransid(body)
    if (fault) {
      faults.push(fault)
      return refuse('12003', texts.transid)
    }
    if (path === '/get/token') {
      if (body.appid !== appid || body.password !== password) {
        faults.push('app id or password is wrong')
        return refuse('12001', texts.credentials)
      }
      const token = `token${(++serial).toString().padStart(12, '0')}${now()}`
      tokens.set(token, now() + 3_600_000)
      return fine({ token, ttl: '3600' })
    }
    if ((tokens.get(String(body.token)) ?? 0) <= now()) return refuse('12021', texts.token)
    const keys = ['msisdn', 'iccid', 'imsi'].filter(key => body[key] !== undefined)
    const batches = ['msisdns', 'iccids', 'imsis'].filter(key => body[key] !== undefined)
    if (keys.length + batches.length !== 1) {
      faults.push('not exactly one number')
      return refuse('12004', texts.number)
    }
    const card = byNumber.get(String(body[keys[0] ?? batches[0]!]).split('_')[0]!)
    if (!card) return refuse('11011', texts.unknown)
    const key = { msisdn: card.msisdn }
    switch (path) {
      case '/query/sim-status':
        statesAsked.set(card.iccid, (statesAsked.get(card.iccid) ?? 0) + 1)
        return fine({ cardStatus: card.status, lastChangeDate: card.statusSince })
      case '/query/sim-basic-info':
        return fine({
          msisdn: card.msisdn,
          imsi: card.imsi,
          iccid: card.iccid,
          activeDate: '2025-03-01',
          openDate: '2025-02-01',
        })
      case '/query/sim-data-usage':
        return fine({ dataAmount: String(card.monthKb), apnUseAmountList: [] })
      case '/query/sim-data-margin':
        return fine({
          accmMarginList: [
            {
              offeringId: '1',
              offeringName: `${Math.round(card.planKb / 1024)}MB`,
              apnName: 'CMIOT',
              totalAmount: String(card.planKb),
              useAmount: String(card.monthKb),
              remainAmount: String(Math.max(0, card.planKb - card.monthKb)),
            },
          ],
        })
      case '/query/sim-imei':
        return fine({ imei: card.imei })
      case '/query/sim-session':
        return fine({
          simSessionList:
            card.online && card.status === '2'
              ? [{ apnId: 'CMIOT', status: '01', ip: card.ip, createDate: '2026-01-20 08:00:00', rat: '6' }]
              : [{ apnId: 'CMIOT', status: '00', ip: '', createDate: '', rat: '' }],
        })
      case '/query/on-off-status':
        return fine({ status: card.online ? '1' : '0' })
      case '/query/sim-communication-function-status':
        return fine({
          serviceTypeList: [
            { serviceType: '08', serviceStatus: card.smsOn ? '1' : '0', apnName: '' },
            { serviceType: '11', serviceStatus: card.dataOff ? '0' : '1', apnName: 'CMIOT' },
          ],
        })
      case '/query/sim-sms-usage':
        return fine({ sms: String(card.monthSms) })
      case '/query/card-bind-status':
        return fine({ result: card.separated ? '0' : '1', errorCode: '', errorDes: '', sepTime: '' })
      case '/query/sim-real-name-status':
        return fine({ realNameStatus: card.realName ? '1' : '0' })
      case '/query/position-location-message':
        return fine({ lat: '31.2304', lon: '121.4737' })
      case '/query/sim-data-usage-daily/batch':
        return fine({ dataAmountList: [{ ...key, dataAmount: String(Math.round(card.monthKb / 20)) }] })
      case '/change/sim-status': {
        if (now() - card.changedAt < pauseMs) return refuse('12030', texts.pause)
        const type = String(body.operType)
        if (FROM[type] !== card.status) return refuse('12031', texts.state)
        card.status = STATES[type]!
        card.changedAt = now()
        return fine({ ...key, orderNum: `ORD${String(++serial).padStart(10, '0')}` })
      }
      case '/operate/sim-apn-function':
        if (body.operType !== '0' && body.operType !== '1') return refuse('12004', texts.number)
        card.dataOff = body.operType === '1'
        return fine({ orderNum: `ORD${String(++serial).padStart(10, '0')}` })
      case '/operate/network-speed':
        if (!['1', '91', '92', '93', '94'].includes(String(body.serviceUsageState)))
          return refuse('12004', texts.number)
        card.speed = String(body.serviceUsageState)
        return fine(key)
      case '/operate/sim-gprs-status-reset':
        card.online = card.status === '2'
        return fine()
      case '/operate/card-bind-by-bill':
        card.separated = false
        return fine(key)
      default:
        faults.push(`${path} does not exist`)
        return refuse('11001', texts.path)
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const url = new URL(request.url ?? '/', 'http://simulator')
    const path = url.pathname.replace(/^\/v5\/ec/, '')
    asked.push(path)
    let body: Body
    try {
      body =
        request.method === 'GET'
          ? Object.fromEntries(url.searchParams)
          : (JSON.parse(Buffer.concat(parts).toString()) as Body)
    } catch {
      response.writeHead(400).end()
      return
    }
    const now_ = times > 0 ? behaviour : ({ kind: 'well' } as const)
    times--
    if (now_.kind === 'forget-tokens') tokens.clear()
    const result = now_.kind === 'error' ? { status: now_.code, message: now_.message, result: [] } : answer(path, body)
    send(response, now_, JSON.stringify(result), 'application/json; charset=utf-8')
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${port}/v5`,
    cards,
    faults,
    asked,
    statesAsked,
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
