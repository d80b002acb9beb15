import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { cardStateOf, stopReasonOf } from './card-states.ts'
import * as repo from './cards.repo.ts'
import type { CardReading } from './carrier.port.ts'

/** The day and the month in Shanghai, as carriers count. */
export function carrierDay(ms: number): { day: string; month: number; ofMonth: number; daysInMonth: number } {
  const day = new Date(ms + 8 * 3_600_000).toISOString().slice(0, 10)
  const [year, month, ofMonth] = day.split('-').map(Number) as [number, number, number]
  return { day, month: year * 100 + month, ofMonth, daysInMonth: new Date(Date.UTC(year, month, 0)).getUTCDate() }
}

/** Above what the last days used, and not little: told as sudden. */
const SUDDEN_TIMES = 5
const SUDDEN_KB = 10 * 1024

export interface Learned {
  card: repo.CardRow
  /** Kilobytes since it was asked before, of this month. */
  moreKb: number
  sudden: boolean
  imeiWas: string | null
}

/**
 * Keeps what the carrier said of a card: its state beside the carrier's code, numbers, session, usage of the day. What is
 * new about its state or its machine is written into its history.
 */
export async function learnReading(
  scope: Runner,
  card: repo.CardRow,
  reading: CardReading,
  now: number,
): Promise<Learned> {
  const state = cardStateOf(card.kind, reading.rawState)
  const at = new Date(now)
  const changed = state !== card.state
  const { day, month } = carrierDay(now)
  const sameMonth = card.usageMonth === month
  const before = sameMonth ? (card.monthKb ?? 0) : 0
  const moreKb = reading.monthKb === undefined ? 0 : Math.max(0, reading.monthKb - before)
  const imeiNew = reading.imei !== undefined && reading.imei !== card.imei
  const values: repo.CardValues = {
    state,
    rawState: reading.rawState,
    rawStateText: reading.rawStateText ?? null,
    ...(state === 'stopped'
      ? { stopReason: changed || card.stopReason === null ? reasonOf(card, reading) : card.stopReason }
      : { stopReason: null }),
    ...(reading.stateSince !== undefined
      ? { stateSince: new Date(reading.stateSince) }
      : changed || card.stateSince === null
        ? { stateSince: at }
        : {}),
    // A number that people entered stays: it is how the carrier knows the card.
    ...(reading.msisdn !== undefined && card.msisdn === null ? { msisdn: reading.msisdn } : {}),
    ...(reading.imsi !== undefined ? { imsi: reading.imsi } : {}),
    ...(reading.imei !== undefined ? { imei: reading.imei } : {}),
    ...(reading.online !== undefined
      ? { online: reading.online, offlineSince: reading.online ? null : (card.offlineSince ?? at) }
      : {}),
    ...(reading.ip !== undefined ? { ip: reading.ip } : {}),
    ...(reading.apn !== undefined ? { apn: reading.apn ?? card.apn } : {}),
    ...(reading.dataOff !== undefined ? { dataOff: reading.dataOff } : {}),
    ...(reading.realName !== undefined ? { realName: reading.realName } : {}),
    ...(reading.monthKb !== undefined ? { monthKb: reading.monthKb, usageMonth: month } : {}),
    ...(reading.planKb !== undefined && !card.ownPlan
      ? { planKb: reading.planKb, planName: reading.planName ?? null }
      : {}),
    ...(reading.smsOn !== undefined ? { smsOn: reading.smsOn } : {}),
    ...(reading.monthSms !== undefined ? { monthSms: reading.monthSms, smsMonth: month } : {}),
    ...(reading.openedAt !== undefined ? { openedAt: new Date(reading.openedAt) } : {}),
    ...(reading.activatedAt !== undefined ? { activatedAt: new Date(reading.activatedAt) } : {}),
    syncedAt: at,
    syncFault: null,
  }
  await repo.learn(scope, card.id, values)
  if (changed)
    await repo.addEvent(scope, card.tenantId, card.id, {
      id: newId(now),
      kind: 'state',
      from: card.state,
      to: state,
      text: [reading.rawState, reading.rawStateText].filter(Boolean).join(' '),
    })
  if (imeiNew && card.imei !== null)
    await repo.addEvent(scope, card.tenantId, card.id, {
      id: newId(now),
      kind: 'imei',
      from: card.imei,
      to: reading.imei ?? null,
      text: '',
    })
  let sudden = false
  if (moreKb > 0 && card.syncedAt !== null) {
    const days = await repo.usage(scope, card.id, 'day')
    const last = days.filter(row => row.at < day).slice(-7)
    const usual = last.length > 0 ? last.reduce((sum, row) => sum + row.kb, 0) / last.length : null
    const today = (days.find(row => row.at === day)?.kb ?? 0) + moreKb
    sudden = usual !== null && today > SUDDEN_KB && today > usual * SUDDEN_TIMES
    await repo.putUsage(scope, card.tenantId, card.id, day, today)
  } else if (moreKb > 0) await repo.putUsage(scope, card.tenantId, card.id, day, moreKb)
  return {
    card: {
      ...card,
      ...values,
      state,
      stopReason: (values.stopReason ?? null) as repo.CardRow['stopReason'],
    } as repo.CardRow,
    moreKb,
    sudden,
    imeiWas: imeiNew ? card.imei : null,
  }
}

/** Why it was stopped, as far as it can be told from the outside. */
function reasonOf(card: repo.CardRow, reading: CardReading): repo.CardRow['stopReason'] {
  const said = stopReasonOf(card.kind, reading.rawState)
  if (said !== 'carrier') return said
  if (card.stopReason === 'manual' || card.stopReason === 'quota') return card.stopReason
  if (card.boundImei && reading.imei && !reading.imei.startsWith(card.boundImei.slice(0, 14))) return 'separated'
  return 'carrier'
}
