/** Devices of this product family count in China Standard Time unless they say otherwise. */
export const DEFAULT_ZONE = '+08:00'

/** `+08:00` → minutes east of Greenwich. */
export function zoneMinutes(zone: string): number {
  const sign = zone.startsWith('-') ? -1 : 1
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6)))
}

/**
 * A written time → epoch ms. Undefined: no time, or one without a zone where `zone` does not say which is meant.
 * Read are the forms in which devices and programs write: ISO 8601 in all its lengths, `2026/11/2 3:04:05`,
 * `20261102030405`, RFC 1123 and its relatives (`Mon, 02 Nov 2026 03:04:05 GMT`), `Nov  2 2026 03:04:05`,
 * the Chinese one with words for year, month and day. A fraction is cut to milliseconds.
 * @param zone minutes east of Greenwich of times that name none, or how to find them at a wall clock's time
 */
export function readTime(text: string, zone?: number | ((wall: number) => number)): number | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 48) return undefined
  for (const form of [numbersOf, englishOf]) {
    const parts = form(trimmed)
    if (!parts) continue
    const offset = parts.zone === undefined ? zone : offsetOf(parts.zone)
    if (offset === undefined) return undefined
    const { year, month, day, hour, minute, second, fraction } = parts
    const wall = localTime(0, year, month, day, hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')))
    if (wall === undefined) return undefined
    return wall - (typeof offset === 'number' ? offset : offset(wall)) * 60_000
  }
  return undefined
}

interface WrittenTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  fraction: string
  zone: string | undefined
}

const ZONE = String.raw`(Z|UTC|GMT|(?:(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?))`
const CLOCK = String.raw`(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?`
/** Year first: with signs between, or as digits alone. */
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T|\s+)${CLOCK}\s*${ZONE}?$`, 'i')
const DIGITS = new RegExp(
  String.raw`^(\d{4})(-?)(\d{2})\2(\d{2})[T ]?(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?${ZONE}?$`,
  'i',
)
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAY_FIRST = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]([a-z]{3,9})[\s-](\d{4}),?\s+${CLOCK}\s*${ZONE}?$`,
  'i',
)
const MONTH_FIRST = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?([a-z]{3,9})\s+(\d{1,2}),?\s+(\d{4}),?\s+${CLOCK}\s*${ZONE}?$`,
  'i',
)
/** As `date` and `ctime` write it: the year at the end. */
const YEAR_LAST = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?([a-z]{3,9})\s+(\d{1,2})\s+${CLOCK}\s+(?:${ZONE}\s+)?(\d{4})$`,
  'i',
)

function numbersOf(text: string): WrittenTime | undefined {
  const plain = withoutChinese(text)
  const match = YEAR_FIRST.exec(plain) ?? DIGITS.exec(plain)
  if (!match) return undefined
  const [, year, , month, day, hour, minute, second, fraction = '', zone] = match
  return timeFrom(year, Number(month), day, [hour, minute, second], fraction, zone)
}

/** Chinese words for year, month, day, hour, minute and second as the signs that others write. */
function withoutChinese(text: string): string {
  if (!text.includes('\u5e74')) return text
  return text
    .replace(/\s*[\u5e74\u6708]\s*/g, '-')
    .replace(/\s*[\u65e5\u53f7]\s*/, ' ')
    .replace(/[\u65f6\u70b9\u5206](?=\s*\d)/g, ':')
    .replace(/[\u5206\u79d2]/g, '')
}

function englishOf(text: string): WrittenTime | undefined {
  const first = DAY_FIRST.exec(text)
  if (first) {
    const [, day, month, year, hour, minute, second, fraction = '', zone] = first
    return timeFrom(year, monthOf(month!), day, [hour, minute, second], fraction, zone)
  }
  const middle = MONTH_FIRST.exec(text)
  if (middle) {
    const [, month, day, year, hour, minute, second, fraction = '', zone] = middle
    return timeFrom(year, monthOf(month!), day, [hour, minute, second], fraction, zone)
  }
  const last = YEAR_LAST.exec(text)
  if (!last) return undefined
  const [, month, day, hour, minute, second, fraction = '', zone, year] = last
  return timeFrom(year, monthOf(month!), day, [hour, minute, second], fraction, zone)
}

function timeFrom(
  year: string | undefined,
  month: number,
  day: string | undefined,
  [hour, minute, second]: (string | undefined)[],
  fraction: string,
  zone: string | undefined,
): WrittenTime {
  return {
    year: Number(year),
    month,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second ?? 0),
    fraction,
    zone,
  }
}

/** 1 to 12; 0: no month. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

/** `Z`, `GMT`, `+08`, `+0800`, `UTC+8:00` → minutes; undefined: no such zone. */
function offsetOf(zone: string): number | undefined {
  const match = /([+-])(\d{1,2}?):?(\d{2})?$/.exec(zone)
  if (!match) return 0
  const [, sign, hours, minutes = '0'] = match
  const offset = Number(hours) * 60 + Number(minutes)
  if (offset > 14 * 60 || Number(minutes) > 59) return undefined
  return sign === '-' ? -offset : offset
}

/** Calendar and clock of a zone → epoch ms; undefined where no such day or hour is. */
export function localTime(
  zone: number,
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms = 0,
): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) return undefined
  const time = Date.UTC(year, month - 1, day, hour, minute, second, ms)
  return new Date(time).getUTCDate() === day ? time - zone * 60_000 : undefined
}

/** A number that counts since 1970: below this many it must be seconds (the year 5138), above it milliseconds. */
const SECONDS_BELOW = 1e11

export function epochMs(count: number, unit: 'auto' | 's' | 'ms'): number {
  return unit === 's' || (unit === 'auto' && Math.abs(count) < SECONDS_BELOW) ? count * 1_000 : count
}
