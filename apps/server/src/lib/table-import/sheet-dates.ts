const DAY_MS = 86_400_000
/** First moment of the calendars that day numbers count from: day 0 of 1900's, of 1904's (workbooks of old Macs). */
const ZERO_1900 = Date.UTC(1899, 11, 30)
const ZERO_1904 = Date.UTC(1904, 0, 1)
/** Behind the last day that a spreadsheet knows, 9999-12-31. */
const END = Date.UTC(10_000, 0, 1)

/** Number formats of ECMA-376 18.8.30 that show a date or a time of day, those of East Asian programs too. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)

/**
 * Whether a number format of a workbook (`yyyy"年"m"月"d"日"`, `[$-409]h:mm AM/PM`) shows a date or a time of day.
 * Elapsed times such as `[h]:mm` are lengths, and stay numbers.
 */
export function isDateFormat(format: string): boolean {
  if (/\[(?:h+|m+|s+)\]/i.test(format)) return false
  const shown = format
    .replace(/"[^"]*"/g, '')
    .replace(/\\./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[_*]./g, '')
  return /[ymdhs]/i.test(shown) && !/general/i.test(shown)
}

/**
 * Which styles of cells show dates.
 * @param formats `numFmt` elements: id and format of the workbook's own formats
 * @param styles ids of the formats of `cellXfs`, in their order
 */
export function dateStyles(formats: ReadonlyMap<number, string>, styles: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [at, id] of styles.entries()) {
    const own = formats.get(id)
    if (own === undefined ? isBuiltInDate(id) : isDateFormat(own)) found.add(at)
  }
  return found
}

/**
 * A day number as the cell shows it: `2026-11-02`, `2026-11-02 03:04:05`, `03:04:05` for a time of day alone.
 * @param from1904 whether the workbook counts from 1904
 * @returns null for what is no day of the spreadsheet's calendar
 */
export function dateText(stored: string, from1904: boolean): string | null {
  if (!/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(stored)) return null
  const days = Number(stored)
  if (days < 1) return clock(Math.round(days * DAY_MS))
  // 1900 was no leap year, but spreadsheets count its 29 February as day 60.
  const zero = from1904 ? ZERO_1904 : days < 60 ? ZERO_1900 + DAY_MS : ZERO_1900
  const at = zero + Math.round(days * DAY_MS)
  if (at >= END || (!from1904 && Math.floor(days) === 60)) return null
  const [day, time] = new Date(at).toISOString().split('T') as [string, string]
  return at % DAY_MS === 0 ? day : `${day} ${time.replace(/(?:\.000)?Z$/, '')}`
}

function clock(ms: number): string | null {
  return ms < DAY_MS ? new Date(ms).toISOString().slice(11, ms % 1000 === 0 ? 19 : 23) : null
}
