import type { ResponseOf } from '@thingwright/contracts'
import type { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import { type Change, changesSince, type Day, daysOf } from './availability.repo.ts'
import type { Reader } from './telemetry.snapshot.ts'

/** How much of each of the last days a device was online, newest day first. */
export async function availabilityOf(
  reader: Reader,
  device: AuthorisedDevice,
  days: number,
  now: number,
): Promise<ResponseOf<(typeof telemetryContract)['availability']>> {
  const { timeZone, items } = await daysOf(reader, device, days, new Date(now))
  const changes = (await changesSince(reader, device, items[0]!.starts)).filter(
    ({ at }) => device.historyFrom === null || at.getTime() >= device.historyFrom,
  )
  return { timeZone, items: availability(items, changes, now).reverse() }
}

/**
 * @param days oldest first
 * @param changes oldest first, from the last one before the first day on: what was before it is not known
 */
export function availability(days: readonly Day[], changes: readonly Change[], now: number) {
  const spans = changes.map((change, n) => ({
    from: change.at.getTime(),
    to: Math.max(change.at.getTime(), changes[n + 1]?.at.getTime() ?? now),
    online: change.kind === 'online',
  }))
  return days.map(({ day, starts, ends }) => {
    let knownMs = 0
    let onlineMs = 0
    for (const span of spans) {
      const length = Math.max(0, Math.min(span.to, ends.getTime()) - Math.max(span.from, starts.getTime()))
      knownMs += length
      if (span.online) onlineMs += length
    }
    const reasons: Record<string, number> = {}
    for (const { at, kind, reason } of changes) {
      if (kind !== 'offline' || at < starts || at >= ends) continue
      const name = reason ?? 'unknown'
      reasons[name] = (reasons[name] ?? 0) + 1
    }
    return { day, knownMs, onlineMs, reasons }
  })
}
