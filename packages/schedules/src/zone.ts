const MINUTE = 60_000
const DAY = 86_400_000

/** A day without a zone: days since 1 January 1970. */
export type Day = number

/** `YYYY-MM-DD` of a day. */
export const dayName = (day: Day): string => new Date(day * DAY).toISOString().slice(0, 10)

/** 1 Monday to 7 Sunday. The first of January 1970 was a Thursday. */
export const weekDay = (day: Day): number => ((((day + 3) % 7) + 7) % 7) + 1

/** Year, month (1-12) and day of the month, and how many days that month has. */
export function dateOf(day: Day): { year: number; month: number; date: number; daysInMonth: number } {
  const at = new Date(day * DAY)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return {
    year,
    month: month + 1,
    date: at.getUTCDate(),
    daysInMonth: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  }
}

/** Seconds since midnight of `HH:MM` or `HH:MM:SS`, `24:00` included; null: it is no time of a day. */
export function secondOfDay(text: string): number | null {
  const match = /^(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  if (!match) return null
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)]
  if (minute > 59 || second > 59) return null
  const seconds = hour * 3600 + minute * 60 + second
  return seconds <= 86_400 ? seconds : null
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

/** Zones in use, few of which there are: thousands of schedules that are due together ask the same one. */
const ZONES = new Map<string, Zone>()
const MOST_ZONES = 64

/** A zone by its IANA name. @throws RangeError where nobody knows it */
export function zoneOf(name: string): Zone {
  const known = ZONES.get(name)
  if (known) return known
  const zone = new Zone(name)
  if (ZONES.size >= MOST_ZONES) ZONES.clear()
  ZONES.set(name, zone)
  return zone
}

/** Local time of a zone and back; the zone's rules come from the runtime's own tables. */
export class Zone {
  private readonly format: Intl.DateTimeFormat
  private readonly offsets = new Map<number, number>()

  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** The local day of a moment (epoch ms). */
  dayOf(at: number): Day {
    return Math.floor((at + this.offset(at)) / DAY)
  }

  /**
   * The moment of a local time, epoch ms. A time that the clock leaves out is as much later as is left out (02:30 becomes
   * 03:30), so that two of them keep their distance; of a time that comes twice it is the first.
   * @param second of the day; may be beyond it
   */
  toEpoch(day: Day, second: number): number {
    const local = day * DAY + second * 1_000
    const before = this.offset(local - DAY)
    const after = this.offset(local + DAY)
    const early = local - before
    if (before === after || this.offset(early) === before) return early
    const late = local - after
    // Neither offset is right in the gap: the one before it shifts the time behind it.
    return this.offset(late) === after ? late : early
  }

  /** Local time less UTC at a moment, ms. No zone changes within a quarter of an hour of UTC. */
  private offset(at: number): number {
    const quarter = Math.floor(at / (15 * MINUTE))
    const known = this.offsets.get(quarter)
    if (known !== undefined) return known
    const part: Record<string, number> = {}
    for (const { type, value } of this.format.formatToParts(quarter * 15 * MINUTE)) part[type] = Number(value)
    const local = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second)
    const offset = local - quarter * 15 * MINUTE
    // A search over years must not keep all of them.
    if (this.offsets.size > 4_096) this.offsets.clear()
    this.offsets.set(quarter, offset)
    return offset
  }
}
