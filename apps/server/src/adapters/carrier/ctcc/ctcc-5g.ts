import { createHash } from 'node:crypto'
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
import words from './ctcc-words.json' with { type: 'json' }

/** Upper-case hex of the letters of a hex digest: 64 characters. @param text what stands before secret and time */
export function fiveGSign(text: string, secretKey: string, timestamp: string): string {
  const digest = createHash('md5').update(`${text}${secretKey}${timestamp}`).digest('hex')
  return Buffer.from(digest, 'utf8').toString('hex').toUpperCase()
}

/** `a=1&b=2`, sorted by name, values as they are. */
export const sortedQuery = (params: Readonly<Record<string, string>>) =>
  Object.keys(params)
    .sort()
    .map(name => `${name}=${params[name]}`)
    .join('&')

/** 5G CMP of China Telecom. */
export function createFiveG(
  access: CarrierAccess,
  { outbound, now }: { outbound: Pick<Outbound, 'fetch'>; now(): number },
): Carrier {
  async function send(
    path: string,
    params: Record<string, string>,
    body?: Record<string, string | string[]>,
  ): Promise<CtccAnswer> {
    const shift = access.options.clock === 'utc' ? 0 : 8 * 3_600_000
    const timestamp = new Date(now() + shift).toISOString().replaceAll(/\D/g, '').slice(0, 14)
    const sent = body ? JSON.stringify(body) : ''
    const signedBody =
      body && access.options.signedBody === 'sorted'
        ? sortedQuery(Object.fromEntries(Object.entries(body).map(([k, v]) => [k, String(v)])))
        : sent
    const url = new URL(access.baseUrl.replace(/\/$/, '') + path)
    for (const name of Object.keys(params).sort()) url.searchParams.append(name, params[name]!)
    const text = await askCarrier(outbound, url, {
      method: body ? 'POST' : 'GET',
      headers: {
        AppKey: access.account,
        Timestamp: timestamp,
        Sign: fiveGSign(sortedQuery(params) + signedBody, access.secretKey, timestamp),
        'Content-Type': 'application/json',
      },
      ...(body ? { body: sent } : {}),
    })
    return readAnswer(text)
  }

  async function numbered(card: CardNumbers): Promise<string> {
    if (card.msisdn) return card.msisdn
    const number = (await send('/openapi/v1/prodinst/getTelephone', { iccid: card.iccid })).values.get('smsg')?.trim()
    if (!number || !/^\d{5,20}$/.test(number)) throw new CarrierError('answer', number ?? 'no access number')
    return number
  }

  const status = (number: string) => send('/openapi/v1/prodinst/queryCardMainStatus', { access_number: number })
  const flow = async (card: CardNumbers) =>
    kilobytes(
      (await send('/api/v1/openbill/queryTraffic', { iccid: card.iccid, needDtl: '0' })).values.get('total_bytes_cnt'),
    )

  return {
    async test(card) {
      try {
        await status(card ? await numbered(card) : '10000000000')
      } catch (error) {
        if (!(error instanceof CarrierError) || error.fault !== 'card_unknown' || card) throw error
      }
    },

    async read(card) {
      const number = await numbered(card)
      const said = await status(number)
      const { code, text } = mainStatus(said)
      const imei = await optional(() => send('/openapi/v1/prodinst/gete2einfo', { iccid: card.iccid }))
      const auth = said.values.get('authstatus')
      return present({
        msisdn: number,
        rawState: code,
        rawStateText: text,
        openedAt: timeOf(said.values.get('servcreatedate')),
        imei: imei ? imei.values.get('imei') || null : undefined,
        realName: auth === undefined ? undefined : auth === '1',
        dataOff: said.values.has('netblockstatusname')
          ? said.values.get('netblockstatusname') === words.netOff
          : undefined,
        monthKb: await flow(card),
      })
    },

    // How it is asked for by day is not public.
    dailyUsage: async () => new Map(),

    async change(card, { action, speedKbps }) {
      const access_number = await numbered(card)
      const sent = (answer: CtccAnswer) => ({ carrierNo: answer.values.get('group_transactionid') || null })
      const at = '/5gcmp/openapi/v1/common'
      switch (action) {
        case 'activate':
          return sent(await send(`${at}/requestServActive`, { access_number }))
        case 'stop':
        case 'resume':
          return sent(
            await send(`${at}/disabledNumberService`, {
              access_number,
              acctCd: '',
              orderTypeId: action === 'stop' ? '19' : '20',
            }),
          )
        case 'data_off':
        case 'data_on':
          return sent(
            await send(`${at}/singleCutNet`, { access_number, action: action === 'data_off' ? 'ADD' : 'DEL' }),
          )
        case 'limit':
        case 'unlimit':
          return sent(
            await send(`${at}/speedLimitAction`, {
              access_number,
              action: action === 'limit' ? 'ADD' : 'DEL',
              ...(action === 'limit' ? { speedValue: String(speedKbps) } : {}),
            }),
          )
        default:
          throw new CarrierError('unsupported', action)
      }
    },

    async connectivity(card) {
      const unanswered: Connectivity['unanswered'] = []
      const said = await status(await numbered(card))
      const imei = await optional(
        () => send('/openapi/v1/prodinst/gete2einfo', { iccid: card.iccid }),
        error => unanswered.push({ what: 'imei', text: error.text }),
      )
      const auth = said.values.get('authstatus')
      const blocked = said.values.get('netblockstatusname')
      return {
        functions: blocked === undefined ? null : [{ name: 'data', on: blocked !== words.netOff, apn: null }],
        session: null,
        poweredOn: null,
        imei: imei?.values.get('imei') || null,
        separated: null,
        realName: auth === undefined ? null : auth === '1',
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
