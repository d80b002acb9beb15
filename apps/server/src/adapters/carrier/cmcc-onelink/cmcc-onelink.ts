import type { Outbound } from '../../../lib/outbound/outbound.ts'
import {
  askCarrier,
  type CardNumbers,
  type CardReading,
  type Carrier,
  type CarrierAccess,
  CarrierError,
  type CarrierFault,
  type Connectivity,
} from '../../../modules/sim-cards/carrier.port.ts'
import words from './onelink-words.json' with { type: 'json' }

/** A token lives an hour; it is used for fifty minutes. */
const TOKEN_MS = 50 * 60_000
const TOKEN_GONE = '12021'
const FAULTS: Readonly<Record<string, CarrierFault>> = {
  '13000': 'unavailable',
  '11011': 'card_unknown',
  [TOKEN_GONE]: 'credentials',
}
/** Words of the whole messages: no list of the codes is public. */
const TOO_OFTEN = new RegExp(words.tooOften, 'i')
const SERVICES = { '01': 'voice', '08': 'sms', '10': 'roaming', '11': 'data' } as const
const RATS: Readonly<Record<string, string>> = { '1': '3G', '2': '2G', '6': '4G', '8': 'NB-IoT' }
/** Our change → cardStatus of the card → operType; other changes of state the carrier does not know. */
const STATE_CHANGES: Readonly<Record<'activate' | 'to_pending' | 'to_inventory', Readonly<Record<string, string>>>> = {
  activate: { '7': '2', '6': '5', '1': '6' },
  to_pending: { '6': '4', '7': '9' },
  to_inventory: { '6': '3', '1': '8' },
}
const SPEEDS: Readonly<Record<number, string>> = { 2048: '91', 1024: '92', 512: '93', 128: '94' }

type Row = Record<string, unknown>

export interface OneLinkOptions {
  outbound: Pick<Outbound, 'fetch'>
  now(): number
}

/** OneLink of China Mobile, open API v5. Times are those of Shanghai. */
export function createOneLink(access: CarrierAccess, { outbound, now }: OneLinkOptions): Carrier {
  let token: { value: string; until: number } | null = null
  let serial = Math.floor(Math.random() * 90_000_000)

  /** App id, time in Shanghai and eight digits: at most 48 characters. */
  function transid(): string {
    serial = (serial + 1) % 100_000_000
    return `${access.account}${shanghai(now())}${String(serial).padStart(8, '0')}`.slice(-48)
  }

  async function post(path: string, body: Row): Promise<Row[]> {
    const text = await askCarrier(outbound, `${access.baseUrl.replace(/\/$/, '')}/ec${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
    })
    let answer: { status?: unknown; message?: unknown; result?: unknown }
    try {
      answer = JSON.parse(text) as typeof answer
    } catch {
      throw new CarrierError('answer', text.slice(0, 200))
    }
    const status = String(answer.status ?? '')
    if (status === '0') return Array.isArray(answer.result) ? (answer.result as Row[]) : []
    const message = String(answer.message ?? '')
    throw new CarrierError(FAULTS[status] ?? (TOO_OFTEN.test(message) ? 'frequency' : 'refused'), message, status)
  }

  async function tokenNow(): Promise<string> {
    if (token && token.until > now()) return token.value
    const body = { appid: access.account, password: access.password, transid: transid() }
    let row: Row | undefined
    try {
      row = (await post('/get/token', body))[0]
    } catch (error) {
      if (error instanceof CarrierError && error.fault === 'refused')
        throw new CarrierError('credentials', error.text, error.code)
      throw error
    }
    if (typeof row?.token !== 'string') throw new CarrierError('answer', 'no token')
    token = { value: row.token, until: now() + TOKEN_MS }
    return token.value
  }

  /** A token that the carrier no longer knows is asked for anew, once. */
  async function ask(path: string, body: Row): Promise<Row[]> {
    const used = await tokenNow()
    try {
      return await post(path, { transid: transid(), token: used, ...body })
    } catch (error) {
      if (!(error instanceof CarrierError) || error.code !== TOKEN_GONE) throw error
      if (token?.value === used) token = null
      return post(path, { transid: transid(), token: await tokenNow(), ...body })
    }
  }

  const one = async (path: string, body: Row): Promise<Row> => (await ask(path, body))[0] ?? {}

  /** What an account was not let see is left out, in the carrier's words. */
  async function maybe(unanswered: Connectivity['unanswered'], what: string, path: string, body: Row): Promise<Row> {
    try {
      return await one(path, body)
    } catch (error) {
      if (!(error instanceof CarrierError) || error.fault === 'credentials') throw error
      unanswered.push({ what, text: error.text })
      return {}
    }
  }

  return {
    async test(card) {
      token = null
      await tokenNow()
      if (card) await one('/query/sim-status', keyOf(card))
    },

    async read(card) {
      const key = keyOf(card)
      const status = await one('/query/sim-status', key)
      const info = await one('/query/sim-basic-info', key)
      const unanswered: Connectivity['unanswered'] = []
      const usage = await maybe(unanswered, 'usage', '/query/sim-data-usage', key)
      const margin = await maybe(unanswered, 'plan', '/query/sim-data-margin', key)
      const imei = await maybe(unanswered, 'imei', '/query/sim-imei', key)
      const session = sessionOf(await maybe(unanswered, 'session', '/query/sim-session', key))
      const services = await maybe(unanswered, 'functions', '/query/sim-communication-function-status', key)
      const smsOn = isOn(services, '08')
      const sms = smsOn ? await maybe(unanswered, 'sms', '/query/sim-sms-usage', key) : {}
      const dataOn = isOn(services, '11')
      const plan = listOf(margin.accmMarginList)
      const rawState = text(status.cardStatus)
      if (rawState === undefined) throw new CarrierError('answer', 'no cardStatus')
      return trimmed({
        iccid: text(info.iccid),
        msisdn: text(info.msisdn),
        imsi: text(info.imsi),
        rawState,
        stateSince: timeOf(status.lastChangeDate),
        openedAt: timeOf(info.openDate),
        activatedAt: timeOf(info.activeDate ?? info.activateDate),
        imei: 'imei' in imei ? (text(imei.imei) ?? null) : undefined,
        ...(session ? { online: session.online, ip: session.ip, apn: session.apn } : {}),
        monthKb: number(usage.dataAmount),
        smsOn,
        monthSms: number(sms.sms),
        dataOff: dataOn === undefined ? undefined : !dataOn,
        ...(plan.length > 0
          ? {
              planKb: plan.reduce((sum, row) => sum + (number(row.totalAmount) ?? 0), 0),
              planName: text(plan[0]!.offeringName) ?? null,
            }
          : {}),
      })
    },

    async dailyUsage(card, days) {
      const found = new Map<string, number>()
      // Days come one a request and one card a request: what is asked for is what people look at.
      for (const day of days.slice(-7)) {
        const row = await one('/query/sim-data-usage-daily/batch', {
          ...batchOf(card),
          queryDate: day.replaceAll('-', ''),
        })
        const kb = number(listOf(row.dataAmountList)[0]?.dataAmount)
        if (kb !== undefined) found.set(day, kb)
      }
      return found
    },

    async change(card, { action, rawState, apn, speedKbps, tac }) {
      const key = keyOf(card)
      const sent = (row: Row) => ({ carrierNo: text(row.orderNum) ?? text(row.jobId) ?? null })
      switch (action) {
        case 'stop':
          return sent(await one('/change/sim-status', { ...key, operType: '0' }))
        case 'resume':
          return sent(await one('/change/sim-status', { ...key, operType: '1' }))
        case 'activate':
        case 'to_pending':
        case 'to_inventory': {
          const operType = STATE_CHANGES[action][rawState]
          if (!operType) throw new CarrierError('unsupported', `cardStatus ${rawState}`)
          return sent(await one('/change/sim-status', { ...key, operType }))
        }
        // The single call says 0 for on and 1 for off.
        case 'data_off':
        case 'data_on':
          return sent(
            await one('/operate/sim-apn-function', {
              ...key,
              apnName: apn ?? 'CMIOT',
              operType: action === 'data_on' ? '0' : '1',
            }),
          )
        case 'limit':
        case 'unlimit': {
          const serviceUsageState = action === 'unlimit' ? '1' : SPEEDS[speedKbps ?? 0]
          if (!serviceUsageState) throw new CarrierError('unsupported', `${speedKbps} kbit/s`)
          return sent(await one('/operate/network-speed', { ...key, apnName: apn ?? 'CMIOT', serviceUsageState }))
        }
        case 'reset':
          return sent(await one('/operate/sim-gprs-status-reset', key))
        case 'bind_imei':
          return sent(
            await one('/operate/card-bind-by-bill', {
              ...key,
              operType: '1',
              ...(tac ? { bindingStyle: '1', tac } : { bindingStyle: '0' }),
            }),
          )
        case 'unbind_imei':
          return sent(await one('/operate/card-bind-by-bill', { ...key, operType: '2' }))
      }
    },

    async connectivity(card) {
      const key = keyOf(card)
      const unanswered: Connectivity['unanswered'] = []
      const ask = (what: string, path: string, body: Row = key) => maybe(unanswered, what, path, body)
      const services = await ask('functions', '/query/sim-communication-function-status')
      const session = await ask('session', '/query/sim-session')
      const power = await ask('power', '/query/on-off-status')
      const imei = await ask('imei', '/query/sim-imei')
      const bind = card.msisdn
        ? await ask('separation', '/query/card-bind-status', { msisdn: card.msisdn, testType: '0' })
        : {}
      const real = await ask('realName', '/query/sim-real-name-status')
      const place = await ask('position', '/query/position-location-message')
      const separation = text(bind.result)
      const [lng, lat] = [number(place.lon), number(place.lat)]
      return {
        functions:
          'serviceTypeList' in services
            ? listOf(services.serviceTypeList).flatMap(row => {
                const name = SERVICES[String(row.serviceType) as keyof typeof SERVICES]
                return name ? [{ name, on: String(row.serviceStatus) === '1', apn: text(row.apnName) ?? null }] : []
              })
            : null,
        session: sessionOf(session),
        poweredOn: power.status === undefined ? null : String(power.status) === '1',
        imei: text(imei.imei) ?? null,
        separated:
          separation === '0' || separation === '1'
            ? { separated: separation === '0', since: timeOf(bind.sepTime) ?? null, text: text(bind.errorDes) ?? '' }
            : null,
        realName: real.realNameStatus === undefined ? null : String(real.realNameStatus) === '1',
        position: lng !== undefined && lat !== undefined ? { lng, lat, at: null } : null,
        unanswered,
      }
    },
  }
}

function keyOf({ iccid, msisdn }: CardNumbers): Row {
  return msisdn ? { msisdn } : { iccid }
}

function batchOf({ iccid, msisdn }: CardNumbers): Row {
  return msisdn ? { msisdns: msisdn } : { iccids: iccid }
}

/** Whether a function is on, for one of its access points at least; undefined: the carrier does not say. */
function isOn(row: Row, serviceType: keyof typeof SERVICES): boolean | undefined {
  const found = listOf(row.serviceTypeList).filter(each => String(each.serviceType) === serviceType)
  return found.length === 0 ? undefined : found.some(each => String(each.serviceStatus) === '1')
}

function sessionOf(row: Row): Connectivity['session'] {
  const found = listOf(row.simSessionList)[0]
  if (!found) return 'simSessionList' in row ? { online: false, ip: null, apn: null, since: null, rat: null } : null
  return {
    online: String(found.status) === '01',
    ip: text(found.ip) ?? null,
    apn: text(found.apnId) ?? null,
    since: timeOf(found.createDate) ?? null,
    rat: RATS[String(found.rat)] ?? text(found.rat) ?? null,
  }
}

const listOf = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const said = String(value).trim()
  return said === '' ? undefined : said
}

function number(value: unknown): number | undefined {
  const said = text(value)
  const read = said === undefined ? Number.NaN : Number(said)
  return Number.isFinite(read) ? read : undefined
}

/** `2026-01-31 08:00:00`, `20260131080000` or a day, in Shanghai, as ISO 8601. */
function timeOf(value: unknown): string | undefined {
  const digits = text(value)?.replaceAll(/\D/g, '') ?? ''
  const parts = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?/.exec(digits)
  if (!parts) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = parts
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}+08:00`)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** `YYYYMMDDHHMISS`, 24 hours. */
function shanghai(ms: number): string {
  return new Date(ms + 8 * 3_600_000).toISOString().replaceAll(/\D/g, '').slice(0, 14)
}

function trimmed<T extends object>(value: { [K in keyof T]: T[K] | undefined }): CardReading {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as unknown as CardReading
}
