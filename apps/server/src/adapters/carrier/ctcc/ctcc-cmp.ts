import type { Outbound } from '../../../lib/outbound/outbound.ts'
import {
  askCarrier,
  type CardNumbers,
  type CardReading,
  type Carrier,
  type CarrierAccess,
  CarrierError,
  type Connectivity,
} from '../../../modules/sim-cards/carrier.port.ts'
import { type CtccAnswer, kilobytes, mainStatus, readAnswer, timeOf } from './ctcc-answer.ts'
import { encrypted } from './three-key-cipher.ts'

/** Sorted by code unit, joined with commas: what is signed. */
export const naturalOrdering = (values: readonly string[]) => [...values].sort().join(',')

/** CMP of China Telecom (`m2m_ec`): parameters of an address, signed with the three-key cipher. */
export function createCmp(access: CarrierAccess, { outbound }: { outbound: Pick<Outbound, 'fetch'> }): Carrier {
  const keys = [access.secretKey.slice(0, 3), access.secretKey.slice(3, 6), access.secretKey.slice(6, 9)]

  /** @param signed extras that are signed too, also empty ones */
  async function ask(
    method: string,
    card: CardNumbers,
    extras: { signed?: Record<string, string>; plain?: Record<string, string> } = {},
  ): Promise<CtccAnswer> {
    const { signed = {}, plain = {} } = extras
    const [name, value] = card.msisdn ? ['access_number', card.msisdn] : ['iccid', card.iccid]
    const sign = naturalOrdering([value, access.account, access.password, method, ...Object.values(signed)])
    const query = new URLSearchParams({
      method,
      user_id: access.account,
      [name as string]: value,
      passWord: encrypted(access.password, ...keys),
      sign: encrypted(sign, ...keys),
      ...signed,
      ...plain,
    })
    const url = `${access.baseUrl.replace(/\/$/, '')}/m2m_ec/query.do?${query}`
    return readAnswer(await askCarrier(outbound, url, { method: 'GET' }))
  }

  /** Most calls want the access number; of a card of which only the ICCID is known it is asked for first. */
  async function numbered(card: CardNumbers): Promise<CardNumbers> {
    if (card.msisdn) return card
    const number = (await ask('getTelephone', { ...card, msisdn: null })).values.get('smsg')?.trim()
    if (!number || !/^\d{5,20}$/.test(number)) throw new CarrierError('answer', number ?? 'no access number')
    return { ...card, msisdn: number }
  }

  const status = (card: CardNumbers) => ask('queryCardMainStatus', card)

  return {
    async test(card) {
      try {
        await status(card ?? { iccid: '', msisdn: '10000000000', imsi: null })
      } catch (error) {
        // A card that it does not know is an answer: number, password and signature were right.
        if (!(error instanceof CarrierError) || error.fault !== 'card_unknown' || card) throw error
      }
    },

    async read(given) {
      const card = await numbered(given)
      const said = await status(card)
      const { code, text } = mainStatus(said)
      const used = kilobytes(
        (await ask('queryTraffic', card, { plain: { needDtl: '0' } })).values.get('total_bytes_cnt'),
      )
      const plan = await optional(() => ask('queryPakage', card, { plain: { monthDate: '' } }))
      const total = plan?.all('cumulation_total').map(Number).filter(Number.isFinite)
      return present({
        msisdn: card.msisdn ?? undefined,
        rawState: code,
        rawStateText: text,
        openedAt: timeOf(said.values.get('servcreatedate')),
        monthKb: used,
        ...(total && total.length > 0
          ? { planKb: total.reduce((a, b) => a + b, 0), planName: plan!.values.get('offer_name') ?? null }
          : {}),
      })
    },

    async dailyUsage(given, days) {
      const card = await numbered(given)
      const found = new Map<string, number>()
      for (const day of days.slice(-7)) {
        const date = day.replaceAll('-', '')
        const answer = await ask('queryTrafficByDate', card, {
          plain: { startDate: date, endDate: date, needDtl: '0' },
        })
        const kb = kilobytes(answer.values.get('total_bytes_cnt'))
        if (kb !== undefined) found.set(day, kb)
      }
      return found
    },

    async change(given, { action }) {
      const card = await numbered(given)
      const sent = (answer: CtccAnswer) => ({ carrierNo: answer.values.get('group_transactionid') || null })
      switch (action) {
        case 'activate':
          return sent(await ask('requestServActive', card))
        case 'stop':
        case 'resume':
          return sent(
            await ask('disabledNumber', card, { signed: { orderTypeId: action === 'stop' ? '19' : '20', acctCd: '' } }),
          )
        case 'data_off':
        case 'data_on':
          return sent(await ask('singleCutNet', card, { signed: { action: action === 'data_off' ? 'ADD' : 'DEL' } }))
        default:
          throw new CarrierError('unsupported', action)
      }
    },

    async connectivity(given) {
      const card = await numbered(given)
      const unanswered: Connectivity['unanswered'] = []
      const real = await optional(
        () => ask('realNameQueryIot', card),
        error => unanswered.push({ what: 'realName', text: error.text }),
      )
      const name = real?.values.get('certnumber')
      return {
        functions: null,
        session: null,
        poweredOn: null,
        imei: null,
        separated: null,
        realName: real ? name !== undefined && name !== '' : null,
        position: null,
        unanswered,
      }
    },
  }
}

/** A call that not every account may make. */
async function optional<T>(ask: () => Promise<T>, failed?: (error: CarrierError) => void): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CarrierError) || error.fault === 'credentials' || error.passing) throw error
    failed?.(error)
    return undefined
  }
}

function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): CardReading {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as unknown as CardReading
}
