import type { ActiveHours, Period } from './rule.ts'

/** Days that differ from their week day, as `YYYY-MM-DD`. */
export interface Calendar {
  holidays: ReadonlySet<string>
  /** Working days at a weekend. */
  workdays: ReadonlySet<string>
}

const MINUTE = 60_000
const DAY = 86_400_000
const NO_CALENDAR: Calendar = { holidays: new Set(), workdays: new Set() }

/** Minutes since midnight of `HH:MM` up to `24:00`; null: it is no time of a day. */
export function minuteOfDay(text: string): number | null {
  const match = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(text)
  if (!match) return null
  const minute = Number(match[1]) * 60 + Number(match[2])
  return minute <= 1_440 ? minute : null
}

/** Whether the runtime knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** Tells in which hours a rule raises. Made once for a rule; asked when something is about to be raised. */
export class Schedule {
  private readonly format: Intl.DateTimeFormat
  /** Offset of the zone for a quarter of an hour: no zone changes in between. */
  private known = { quarter: Number.NaN, offset: 0 }

  constructor(
    private readonly hours: ActiveHours,
    private readonly calendar: Calendar = NO_CALENDAR,
  ) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: hours.zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** Whether the moment (epoch ms) lies in the active hours. */
  isActive(at: number): boolean {
    const local = at + this.offset(at)
    const day = Math.floor(local / DAY)
    const minute = (local - day * DAY) / MINUTE
    return this.hours.periods.some(period => {
      const [from, to] = bounds(period)
      if (from < to) return minute >= from && minute < to && this.on(period, day)
      return (minute >= from && this.on(period, day)) || (minute < to && this.on(period, day - 1))
    })
  }

  /** The next moment after this one at which the hours begin, epoch ms; null: not within a year. */
  nextStart(at: number): number | null {
    const local = at + this.offset(at)
    const today = Math.floor(local / DAY)
    for (let day = today; day <= today + 366; day++) {
      const starts = this.hours.periods
        .filter(period => this.on(period, day))
        .map(period => this.toEpoch(day * DAY + bounds(period)[0] * MINUTE))
        .filter(start => start > at && this.isActive(start))
      if (starts.length > 0) return Math.min(...starts)
    }
    return null
  }

  private on(period: Period, day: number): boolean {
    // The first of January 1970 was a Thursday.
    const weekDay = ((((day + 3) % 7) + 7) % 7) + 1
    if (period.days && !period.days.includes(weekDay)) return false
    if (!period.dayKind || period.dayKind === 'any') return true
    const name = new Date(day * DAY).toISOString().slice(0, 10)
    const isHoliday = this.calendar.holidays.has(name) || (weekDay > 5 && !this.calendar.workdays.has(name))
    return isHoliday === (period.dayKind === 'holiday')
  }

  /** Local time, written as if it were UTC, as epoch ms; an hour that a clock leaves out counts as the one after. */
  private toEpoch(local: number): number {
    const first = local - this.offset(local)
    return local - this.offset(first)
  }

  private offset(at: number): number {
    const quarter = Math.floor(at / (15 * MINUTE))
    if (quarter !== this.known.quarter) {
      const part: Record<string, number> = {}
      for (const { type, value } of this.format.formatToParts(quarter * 15 * MINUTE)) part[type] = Number(value)
      const local = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second)
      this.known = { quarter, offset: local - quarter * 15 * MINUTE }
    }
    return this.known.offset
  }
}

function bounds(period: Period): [from: number, to: number] {
  return [minuteOfDay(period.from) ?? 0, minuteOfDay(period.to) ?? 1_440]
}
