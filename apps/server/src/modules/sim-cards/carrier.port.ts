import type { Outbound, OutboundRequest } from '../../lib/outbound/outbound.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'

/** The interfaces of carriers that we speak: OneLink of China Mobile, CMP and 5G CMP of China Telecom. */
export type CarrierKind = 'onelink' | 'cmp' | 'dcp'

/** With what a carrier lets us in. Of a CMP account `secretKey` is its key of nine characters. */
export interface CarrierAccess {
  baseUrl: string
  /** App id, user id or app key. */
  account: string
  password: string
  secretKey: string
  options: CarrierOptions
}

/** What the public sources disagree about, so that it can be set for an account. */
export interface CarrierOptions {
  /** Clock of the signatures of 5G CMP. */
  clock?: 'shanghai' | 'utc'
  /** What of a body is signed by 5G CMP. */
  signedBody?: 'raw' | 'sorted'
}

/** The numbers of a card; a carrier is asked by the one that it knows. */
export interface CardNumbers {
  iccid: string
  msisdn: string | null
  imsi: string | null
}

/** What a carrier says of a card now. A field that it did not say is undefined; null says that there is none. */
export interface CardReading {
  iccid?: string
  msisdn?: string
  imsi?: string
  /** The carrier's own code of the state. */
  rawState: string
  /** Its own words for it. */
  rawStateText?: string
  stateSince?: string
  openedAt?: string
  activatedAt?: string
  imei?: string | null
  online?: boolean
  ip?: string | null
  apn?: string | null
  /** Kilobytes of this month, and of the plan. */
  monthKb?: number
  planKb?: number | null
  planName?: string | null
  /** Text messages are switched on, and how many it sent this month. */
  smsOn?: boolean
  monthSms?: number
  realName?: boolean
  /** Data is switched off although the card is active. */
  dataOff?: boolean
}

export type CardAction =
  | 'activate'
  /** Into the silent period before the first use, and back to the carrier's stock. */
  | 'to_pending'
  | 'to_inventory'
  | 'stop'
  | 'resume'
  | 'data_off'
  | 'data_on'
  | 'limit'
  | 'unlimit'
  | 'reset'
  | 'bind_imei'
  | 'unbind_imei'

export interface CardChange {
  action: CardAction
  /** The carrier's code of the state that the card was in. */
  rawState: string
  apn: string | null
  /** Of `limit`. */
  speedKbps?: number
  /** Of `bind_imei`: the first 8 to 14 digits. */
  tac?: string
}

/** What keeps a card from passing data; null: the carrier did not say. */
export interface Connectivity {
  functions: { name: 'voice' | 'sms' | 'roaming' | 'data'; on: boolean; apn: string | null }[] | null
  session: { online: boolean; ip: string | null; apn: string | null; since: string | null; rat: string | null } | null
  poweredOn: boolean | null
  imei: string | null
  /** The card left the machine that it is bound to. */
  separated: { separated: boolean; since: string | null; text: string } | null
  realName: boolean | null
  position: { lng: number; lat: number; at: string | null } | null
  /** What the carrier did not answer, in its own words. */
  unanswered: { what: string; text: string }[]
}

export type CarrierFault =
  /** The account is not let in: number, password, signature. */
  | 'credentials'
  /** The carrier knows no such card, or the account may not see it. */
  | 'card_unknown'
  /** Too many requests, or the card was changed a moment ago: later. */
  | 'frequency'
  /** No answer, half an answer, busy: later. */
  | 'unavailable'
  /** It did not answer in time: whether it did what it was told is not known. */
  | 'timeout'
  /** It says no. */
  | 'refused'
  /** It cannot do this at all. */
  | 'unsupported'
  /** What it answered is not what its documents say. */
  | 'answer'

/** A carrier that did not do what it was asked. */
export class CarrierError extends Error {
  /**
   * @param text the carrier's own words, never translated
   * @param code its own code
   */
  constructor(
    readonly fault: CarrierFault,
    readonly text: string,
    readonly code: string = '',
  ) {
    super(`${fault}${code ? ` ${code}` : ''}: ${text}`)
    this.name = 'CarrierError'
  }

  /** Asking again later may help. */
  get passing(): boolean {
    return this.fault === 'frequency' || this.fault === 'unavailable' || this.fault === 'timeout'
  }
}

/** One account at a carrier. Every method fails with CarrierError. */
export interface Carrier {
  /** A signed request that changes nothing. */
  test(card: CardNumbers | null): Promise<void>
  read(card: CardNumbers): Promise<CardReading>
  /** Kilobytes by day, `2026-01-31`, as far back as the carrier keeps them, at most a week. */
  dailyUsage(card: CardNumbers, days: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** @returns the carrier's number of the change, when it gives one */
  change(card: CardNumbers, change: CardChange): Promise<{ carrierNo: string | null }>
  connectivity(card: CardNumbers): Promise<Connectivity>
}

/** Makes the carrier of an account. */
export type CarrierFactory = (kind: CarrierKind, access: CarrierAccess, simulated: boolean) => Carrier

/**
 * Sends a request to a carrier and reads its answer whole.
 * @throws CarrierError timeout, unavailable, credentials (HTTP 401 and 403), frequency (429)
 */
export async function askCarrier(
  outbound: Pick<Outbound, 'fetch'>,
  url: string | URL,
  request: OutboundRequest,
): Promise<string> {
  let text: string
  let status: number
  try {
    const answer = await outbound.fetch(url, request)
    status = answer.status
    text = await answer.text()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new CarrierError(error.failure === 'timeout' ? 'timeout' : 'unavailable', error.message, error.failure)
  }
  if (status >= 200 && status < 300) return text
  const code = String(status)
  if (status === 401 || status === 403) throw new CarrierError('credentials', text.slice(0, 300), code)
  if (status === 429) throw new CarrierError('frequency', text.slice(0, 300), code)
  throw new CarrierError(status >= 500 ? 'unavailable' : 'refused', text.slice(0, 300), code)
}
