import { Quality } from '../uplink.ts'

/** A device's own time counts when it lies between these bounds around its arrival (design.md §6 "Times"). */
export const OLDEST_MS = 365 * 86_400_000
export const NEWEST_MS = 5 * 60_000
/** Data older than this at its arrival goes to history and fires nothing. */
export const LATE_MS = 10 * 60_000
/** The range of ECMAScript's dates; a time beyond it is kept as the nearest in it. */
const LAST_DATE = 8.64e15

export interface EventTime {
  ts: number
  deviceTs: number | null
  quality: Quality
  late: boolean
}

/**
 * The time that values count for. A wild clock is no reason to refuse data: the time of arrival stands in, the values
 * are of uncertain quality, and what the device said is kept.
 * @param deviceTs epoch ms as the device said it, finite; undefined when it said nothing
 */
export function eventTime(deviceTs: number | undefined, arrivedAt: number): EventTime {
  if (deviceTs === undefined) return { ts: arrivedAt, deviceTs: null, quality: Quality.good, late: false }
  const ts = Math.round(deviceTs)
  if (ts >= arrivedAt - OLDEST_MS && ts <= arrivedAt + NEWEST_MS)
    return { ts, deviceTs: null, quality: Quality.good, late: ts < arrivedAt - LATE_MS }
  const kept = Math.max(-LAST_DATE, Math.min(LAST_DATE, ts))
  return { ts: arrivedAt, deviceTs: kept, quality: Quality.uncertain, late: false }
}
