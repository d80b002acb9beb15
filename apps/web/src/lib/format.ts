import { locale, text } from './i18n.ts'
import { serverNow } from './server-clock.ts'

/** U+202F, a narrow space that does not break: groups digits and parts units from numbers. */
const THIN = '\u202f'

const two = (n: number) => String(n).padStart(2, '0')
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export type TimeInput = string | number | Date | null | undefined

/** Epoch milliseconds of an ISO string, a number or a Date; null when there is no valid time. */
export function epochOf(value: TimeInput): number | null {
  if (value === null || value === undefined || value === '') return null
  const ms = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(value)
  return Number.isFinite(ms) ? ms : null
}

interface Parts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

function partsIn(ms: number, timeZone: string | undefined): Parts {
  if (timeZone === undefined) {
    const d = new Date(ms)
    return {
      year: d.getFullYear(),
      month: d.getMonth() + 1,
      day: d.getDate(),
      hour: d.getHours(),
      minute: d.getMinutes(),
      second: d.getSeconds(),
    }
  }
  const found: Record<string, number> = {}
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  for (const part of format.formatToParts(ms)) found[part.type] = Number(part.value)
  return found as unknown as Parts
}

/** The time zone in which times are shown, as the IANA names it. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** `2026-11-20 14:03:05` or `20 Nov 2026, 14:03:05`; the zone is added when it is not the browser's. '–' for no time. */
export function formatDateTime(value: TimeInput, options: { timeZone?: string; millis?: boolean } = {}): string {
  const ms = epochOf(value)
  if (ms === null) return '–'
  const foreign = options.timeZone !== undefined && options.timeZone !== browserZone() ? options.timeZone : undefined
  const p = partsIn(ms, foreign)
  const fraction = options.millis ? `.${String(((ms % 1000) + 1000) % 1000).padStart(3, '0')}` : ''
  const time = `${two(p.hour)}:${two(p.minute)}:${two(p.second)}${fraction}`
  return `${dateOf(p)}${locale() === 'zh' ? ' ' : ', '}${time}${foreign ? ` ${foreign}` : ''}`
}

/** `14:03:05`, of a moment whose day nobody asks for. */
export function formatClock(value: TimeInput): string {
  const ms = epochOf(value)
  if (ms === null) return '–'
  const { hour, minute, second } = partsIn(ms, undefined)
  return `${two(hour)}:${two(minute)}:${two(second)}`
}

/** `2026-11-20` or `20 Nov 2026`. */
export function formatDate(value: TimeInput): string {
  const ms = epochOf(value)
  return ms === null ? '–' : dateOf(partsIn(ms, undefined))
}

function dateOf(p: Parts): string {
  return locale() === 'zh' ? `${p.year}-${two(p.month)}-${two(p.day)}` : `${p.day} ${MONTHS[p.month - 1]} ${p.year}`
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Days of the browser's calendar from one moment to another: tomorrow is 1 however early it is. */
function daysBetween(from: number, to: number): number {
  const day = (ms: number) => {
    const { year, month, day } = partsIn(ms, undefined)
    return Date.UTC(year, month - 1, day) / 86_400_000
  }
  return day(to) - day(from)
}

/** `3 minutes ago`, `just now` (within 5 s); days are those of the calendar. '–' for no time. */
export function formatRelative(value: TimeInput, now: number = serverNow()): string {
  const ms = epochOf(value)
  if (ms === null) return '–'
  const seconds = Math.round((ms - now) / 1000)
  if (Math.abs(seconds) < 5) return text('common:time.justNow')
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size)
      return new Intl.RelativeTimeFormat(locale() === 'zh' ? 'zh-CN' : 'en', {
        numeric: 'auto',
        style: locale() === 'zh' ? 'short' : 'long',
      }).format(unit === 'day' ? daysBetween(now, ms) : Math.trunc(seconds / size), unit)
  return text('common:time.justNow')
}

/** A length of time in its two largest units: `2 h 5 min`. Milliseconds in. */
export function formatDuration(ms: number): string {
  const unit = (value: number, name: 'day' | 'hour' | 'minute' | 'second') =>
    new Intl.NumberFormat(locale() === 'zh' ? 'zh-CN' : 'en', {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
    }).format(value)
  const total = Math.max(0, Math.round(ms / 1000))
  const parts: [number, 'day' | 'hour' | 'minute' | 'second'][] = [
    [Math.floor(total / 86_400), 'day'],
    [Math.floor(total / 3600) % 24, 'hour'],
    [Math.floor(total / 60) % 60, 'minute'],
    [total % 60, 'second'],
  ]
  const first = parts.findIndex(([value]) => value > 0)
  if (first < 0) return unit(0, 'second')
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, name]) => unit(value, name))
    .join(' ')
}

/**
 * A number with thin grouping, and its unit after a thin space: `12 345.6 kWh`. Numbers that arrive as text (beyond
 * 2^53) are grouped without losing digits. `decimals` fixes the places, else up to 6 are shown. '–' for no value.
 */
export function formatNumber(
  value: number | string | null | undefined,
  options: { decimals?: number; unit?: string } = {},
): string {
  if (value === null || value === undefined || value === '') return '–'
  let digits: string
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return String(value)
    const size = Math.abs(value)
    if (size !== 0 && (size >= 1e15 || size < 1e-6)) digits = value.toExponential(options.decimals ?? 4)
    else digits = options.decimals === undefined ? String(Number(value.toFixed(6))) : value.toFixed(options.decimals)
  } else digits = value
  const grouped = /^-?\d+(\.\d+)?$/.test(digits)
    ? digits.replace(/^(-?)(\d+)/, (_, sign: string, whole: string) => sign + whole.replace(/\B(?=(\d{3})+$)/g, THIN))
    : digits
  return options.unit ? grouped + THIN + options.unit : grouped
}

/** Money from integer fen: `¥1,234.50`. */
export function formatMoney(amountFen: number): string {
  const sign = amountFen < 0 ? '-' : ''
  const fen = Math.abs(Math.round(amountFen))
  const whole = String(Math.floor(fen / 100)).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign}¥${whole}.${two(fen % 100)}`
}

/** Bytes in steps of 1024: `1.5 KB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let step = 0
  while (value >= 1024 && step < units.length - 1) {
    value /= 1024
    step++
  }
  return `${step === 0 ? value : Number(value.toFixed(value < 10 ? 2 : 1))}${THIN}${units[step]}`
}
