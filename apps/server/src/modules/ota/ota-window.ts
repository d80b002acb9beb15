import type { CampaignWindow } from '@thingwright/contracts/firmware-schemas'

const MINUTE = 60_000
const DAY_MINUTES = 1_440

/** Minutes since midnight of the wall clock, day of the week (Monday is 1), in a zone at a moment. */
interface WallClock {
  minutes: number
  day: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** @throws RangeError for a name that is no zone */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      weekday: 'short',
      hourCycle: 'h23',
    })
    // Zones come from devices too: their names are checked, so there are hundreds at most.
    formats.set(zone, format)
  }
  return format
}

const OFFSET = /^([+-])(0[0-9]|1[0-4]):?([0-5][0-9])$/
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/**
 * A zone as devices and people write it: an IANA name, `+09:00`, or minutes from UTC.
 * @returns an IANA name or `±hh:mm`; null when it is none
 */
export function readZone(value: unknown): string | null {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 14 * 60) return offsetText(value)
  if (typeof value !== 'string' || value.length === 0 || value.length > 64) return null
  if (OFFSET.test(value)) return value.length === 5 ? `${value.slice(0, 3)}:${value.slice(3)}` : value
  try {
    formatOf(value)
    return value
  } catch {
    return null
  }
}

function offsetText(minutes: number): string {
  const abs = Math.abs(minutes)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(abs / 60))}:${two(abs % 60)}`
}

function wallClock(zone: string, at: number): WallClock {
  const offset = OFFSET.exec(zone)
  if (offset) {
    const minutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === '-' ? -1 : 1)
    const local = new Date(at + minutes * MINUTE)
    return { minutes: local.getUTCHours() * 60 + local.getUTCMinutes(), day: ((local.getUTCDay() + 6) % 7) + 1 }
  }
  const parts = formatOf(zone).formatToParts(at)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ''
  return {
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
    day: DAYS.indexOf(part('weekday')) + 1,
  }
}

/**
 * Whether a device may be told now, by its own clock.
 * @param zone of `readZone`
 * @param now epoch ms
 * @returns open: until when, at the latest; shut: when to look again (never later than the next opening)
 */
export function windowAt(
  window: Pick<CampaignWindow, 'from' | 'until' | 'days'>,
  zone: string,
  now: number,
): { open: true; untilMs: number } | { open: false; nextMs: number } {
  const from = minutesOf(window.from)
  const length = (minutesOf(window.until) - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  const { minutes, day } = wallClock(zone, now)
  const allowed = (d: number) => !window.days || window.days.length === 0 || window.days.includes(d)
  // Minutes since the window of today, and of yesterday, opened.
  const sinceToday = minutes - from
  const ofMinute = now - (now % MINUTE)
  if (sinceToday >= 0 && sinceToday < length && allowed(day))
    return { open: true, untilMs: ofMinute + (length - sinceToday) * MINUTE }
  const sinceYesterday = sinceToday + DAY_MINUTES
  if (sinceYesterday < length && allowed(day === 1 ? 7 : day - 1))
    return { open: true, untilMs: ofMinute + (length - sinceYesterday) * MINUTE }
  for (let ahead = sinceToday < 0 ? 0 : 1; ahead <= 7; ahead++) {
    if (!allowed(((day - 1 + ahead) % 7) + 1)) continue
    const wait = ahead * DAY_MINUTES - sinceToday
    // A day on which the clocks change is an hour longer or shorter: far ahead it is looked at again in time.
    return { open: false, nextMs: ofMinute + (wait > 180 ? wait - 90 : wait) * MINUTE }
  }
  return { open: false, nextMs: ofMinute + DAY_MINUTES * MINUTE }
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
}
