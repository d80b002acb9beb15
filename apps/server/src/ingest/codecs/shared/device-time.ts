const NAIVE = /^(\d{4})[-/]?(\d{2})[-/]?(\d{2})[T ]?(\d{2}):?(\d{2})(?::?(\d{2})(?:\.(\d{1,3})\d*)?)?$/
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i
/** Devices of this product family count in China Standard Time unless they say otherwise. */
export const DEFAULT_ZONE = '+08:00'

/** `+08:00` → minutes east of Greenwich. */
export function zoneMinutes(zone: string): number {
  const sign = zone.startsWith('-') ? -1 : 1
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6)))
}

/** A written time → epoch ms; one without a zone stands in `zone`. Undefined: no time. */
export function readTime(text: string, zone: number): number | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 40) return undefined
  if (ISO.test(trimmed)) {
    const ms = Date.parse(trimmed.replace(' ', 'T'))
    return Number.isNaN(ms) ? undefined : ms
  }
  const match = NAIVE.exec(trimmed)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '0'] = match
  return localTime(zone, +year!, +month!, +day!, +hour!, +minute!, +second, Number(fraction.padEnd(3, '0')))
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
