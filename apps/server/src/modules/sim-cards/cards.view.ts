import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import type { SimTrafficView } from '@thingwright/contracts/sim-traffic.contract'
import type { CardRow } from './cards.repo.ts'
import { carrierDay } from './learn.ts'
import { allowedFor } from './operations.service.ts'

/** By the end of the month, when it goes on as it did so far. */
export function forecast(monthKb: number | null, now: number): number | null {
  if (monthKb === null) return null
  const { ofMonth, daysInMonth } = carrierDay(now)
  return Math.round((monthKb / ofMonth) * daysInMonth)
}

/** What the user of a card is shown of its traffic: the company's own plan and share, where it set them. */
export function shownTraffic(
  { shownPlanKb, shownPercent, planKb }: Pick<CardRow, 'shownPlanKb' | 'shownPercent' | 'planKb'>,
  monthKb: number | null,
): SimCardView['shown'] {
  const plan = shownPlanKb ?? planKb
  const used = monthKb === null ? null : Math.round((monthKb * (shownPercent ?? 100)) / 100)
  return { usedKb: used, planKb: plan, restKb: plan === null || used === null ? null : Math.max(0, plan - used) }
}

/** Kilobytes of this month. Usage of a month that is over is not that of this month. */
export function monthKbOf(row: Pick<CardRow, 'usageMonth' | 'monthKb'>, now: number): number | null {
  return row.usageMonth === null || row.usageMonth === carrierDay(now).month ? row.monthKb : 0
}

const monthSmsOf = (row: Pick<CardRow, 'smsMonth' | 'monthSms'>, now: number) =>
  row.monthSms === null || row.smsMonth === carrierDay(now).month ? row.monthSms : 0

/** A card as the user of its device is shown it. */
export function trafficView(row: CardRow, now: number): SimTrafficView {
  return {
    iccid: row.iccid,
    msisdn: row.msisdn,
    carrier: row.carrier,
    state: row.state,
    online: row.online,
    ...shownTraffic(row, monthKbOf(row, now)),
    monthSms: monthSmsOf(row, now),
    dataUntil: row.dataUntil?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    syncedAt: row.syncedAt?.toISOString() ?? null,
  }
}

/** A card as those see it who look after cards. */
export function cardView(row: CardRow, now: number): SimCardView {
  const iso = (at: Date | null) => at?.toISOString() ?? null
  const monthKb = monthKbOf(row, now)
  return {
    id: row.id,
    connectionId: row.accountId,
    connectionName: row.accountName,
    carrier: row.carrier,
    kind: row.kind,
    simulated: row.simulated,
    iccid: row.iccid,
    msisdn: row.msisdn,
    imsi: row.imsi,
    imei: row.imei,
    boundImei: row.boundImei,
    state: row.state,
    rawState: row.rawState,
    rawStateText: row.rawStateText,
    stopReason: row.state === 'stopped' ? row.stopReason : null,
    stateSince: iso(row.stateSince),
    online: row.online,
    ip: row.ip,
    apn: row.apn,
    dataOff: row.dataOff,
    realName: row.realName,
    speedKbps: row.speedKbps,
    form: row.form,
    term: row.term,
    use: row.use,
    pool: row.pool,
    planName: row.planName,
    planKb: row.planKb,
    monthKb,
    forecastKb: forecast(monthKb, now),
    countedKb: null,
    shownPlanKb: row.shownPlanKb,
    shownPercent: row.shownPercent,
    shown: shownTraffic(row, monthKb),
    smsOn: row.smsOn,
    monthSms: monthSmsOf(row, now),
    monthFen: row.monthFen,
    openedAt: iso(row.openedAt),
    activatedAt: iso(row.activatedAt),
    activateBy: iso(row.activateBy),
    dataUntil: iso(row.dataUntil),
    expiresAt: iso(row.expiresAt),
    searchable: row.searchable,
    tags: row.tags,
    remark: row.remark,
    deviceId: row.deviceName === null ? null : row.deviceId,
    deviceName: row.deviceName,
    deviceNo: row.deviceNo,
    syncedAt: iso(row.syncedAt),
    syncFault: row.syncFault,
    allowed: allowedFor(row),
    nextOperationAt: row.cooldownUntil && row.cooldownUntil.getTime() > now ? row.cooldownUntil.toISOString() : null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}
