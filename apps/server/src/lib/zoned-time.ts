/** Calendar of a time zone by Intl: its clock, its days, weeks that begin on Monday, daylight saving included. */

export interface ZonedParts {
  year: number
  /** 1-12 */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** 1 (Monday) to 7 (Sunday) */
  weekday: number
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    clocks.set(timeZone, clock)
  }
  return clock
}

/** What calendar and clock show in the zone at an instant (epoch ms). */
export function partsIn(timeZone: string, at: number): ZonedParts {
  const read: Record<string, number> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) read[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read
  return { year, month, day, hour, minute, second, weekday: weekdayOf(year, month, day) }
}

/** `2026-11-27 10:25:00`: what calendar and clock show in the zone at an instant (epoch ms). */
export function clockText(timeZone: string, at: number): string {
  const { year, month, day, hour, minute, second } = partsIn(timeZone, at)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`
}

/** 1 (Monday) to 7 (Sunday) of a date. */
export function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7
}

/**
 * The instant (epoch ms) at which the zone's clock shows this; months and days may run over their ends (day 0, month 13).
 * A time that is left out when clocks go forward is the one an hour later; one that comes twice is the first.
 */
export function instantOf(timeZone: string, year: number, month: number, day: number, hour = 0, minute = 0): number {
  const wanted = Date.UTC(year, month - 1, day, hour, minute)
  const offsetAt = (at: number) => {
    const p = partsIn(timeZone, at)
    return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) - Math.floor(at / 1000) * 1000
  }
  // The offsets of a day before and a day after are all that can hold here.
  const before = offsetAt(wanted - 86_400_000)
  const after = offsetAt(wanted + 86_400_000)
  const first = wanted - before
  if (before === after || offsetAt(first) === before) return first
  const second = wanted - after
  return offsetAt(second) === after ? second : first
}
