/** A card as a simulated carrier keeps it. */
export interface SimulatedCard {
  iccid: string
  msisdn: string
  imsi: string
  /** The carrier's own code of the state. */
  status: string
  statusSince: string
  imei: string
  online: boolean
  ip: string
  monthKb: number
  planKb: number
  dataOff: boolean
  /** Text messages are switched on, and so many were sent this month. */
  smsOn: boolean
  monthSms: number
  realName: boolean
  separated: boolean
  /** Epoch ms of the last change, for the pause between two. */
  changedAt: number
  speed: string
}

const STATUSES = {
  cmcc: ['2', '2', '2', '2', '2', '2', '2', '4', '1', '7', '6', '8'],
  ctcc: ['4', '4', '4', '4', '4', '4', '4', '5', '1', '2', '6', '7'],
}

/** Always the same cards: number n has the same numbers, state and usage wherever it is made. */
export function madeCards(carrier: 'cmcc' | 'ctcc', count: number): SimulatedCard[] {
  return Array.from({ length: count }, (_, n) => {
    const number = String(n + 1).padStart(7, '0')
    const states = STATUSES[carrier]
    const status = states[n % states.length]!
    const isActive = status === states[0]
    const isOff = n % 9 === 4
    const planKb = [30, 100, 500, 1024][n % 4]! * 1024
    return {
      iccid: `${carrier === 'cmcc' ? '898604121020' : '898603221020'}${number}${n % 10}`,
      msisdn: `${carrier === 'cmcc' ? '144012' : '141002'}${number}`,
      imsi: `${carrier === 'cmcc' ? '46004121' : '46011321'}${number}`,
      status,
      statusSince: '2026-01-15 08:00:00',
      imei: `86123405${number}`,
      online: isActive && !isOff,
      ip: `10.64.${Math.floor(n / 250) % 250}.${(n % 250) + 1}`,
      monthKb: isActive ? Math.round(planKb * (((n * 37) % 95) / 100)) : 0,
      planKb,
      dataOff: false,
      smsOn: n % 6 !== 5,
      monthSms: isActive && n % 6 !== 5 ? (n * 7) % 12 : 0,
      realName: n % 5 !== 0,
      separated: n % 50 === 49,
      changedAt: 0,
      speed: '',
    }
  })
}
