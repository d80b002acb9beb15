import type { QuietHours } from './queue.repo.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

/**
 * When quiet hours that hold now end; null: they do not hold, or not for this level. A change of clocks within them makes
 * the end late or early by that hour, and is looked at again then.
 * @param now epoch ms
 */
export function quietUntil(quiet: QuietHours | null, level: number | null, now: number): number | null {
  if (!quiet || (quiet.exceptLevel !== undefined && level !== null && level >= quiet.exceptLevel)) return null
  const [from, to, at] = [minuteOf(quiet.from), minuteOf(quiet.to), minuteIn(quiet.zone, now)]
  const isQuiet = from <= to ? at >= from && at < to : at >= from || at < to
  if (!isQuiet) return null
  const left = (to - at + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  return Math.floor(now / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS
}

const minuteOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

function minuteIn(zone: string, now: number): number {
  const text = new Intl.DateTimeFormat('sv-SE', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(now)
  return minuteOf(text)
}
