import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import type { CardRow } from './cards.repo.ts'
import { carrierDay } from './learn.ts'
import { allowedFor } from './operations.service.ts'

/** By the end of the month, when it goes on as it did so far. */
export function forecast(monthKb: number | null, now: number): number | null {
  if (monthKb === null) return null
  const { ofMonth, daysInMonth } = carrierDay(now)
  return Math.round((monthKb / ofMonth) * daysInMonth)
}

/** A card as people see it. Usage of a month that is over is not that of this month. */
export function cardView(row: CardRow, now: number): SimCardView {
  const iso = (at: Date | null) => at?.toISOString() ?? null
  const monthKb = row.usageMonth === null || row.usageMonth === carrierDay(now).month ? row.monthKb : 0
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
    use: row.use,
    pool: row.pool,
    planName: row.planName,
    planKb: row.planKb,
    monthKb,
    forecastKb: forecast(monthKb, now),
    countedKb: null,
    monthFen: row.monthFen,
    openedAt: iso(row.openedAt),
    activatedAt: iso(row.activatedAt),
    activateBy: iso(row.activateBy),
    expiresAt: iso(row.expiresAt),
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
