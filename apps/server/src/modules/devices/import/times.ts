import { zoneOffsets } from '../../../lib/table-export/cells.ts'

const DAY_MS = 86_400_000
/** Days from 1899-12-30, the spreadsheets' day 0, to 1970-01-01. */
const EPOCH_DAY = 25_569
const LOCAL = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/

/**
 * Reads times as tables hold them: ISO 8601 with zone, `2026-11-21 08:00:00` in the company's zone, a spreadsheet's day
 * number in the same, seconds or milliseconds since 1970.
 * @returns epoch ms, or null
 */
export function timeReader(timeZone: string): (text: string) => number | null {
  const offset = zoneOffsets(timeZone)
  /** A wall clock's time, as if it were UTC, to the instant. */
  const instant = (wall: number) => wall - offset(wall - offset(wall) * 60_000) * 60_000
  return text => {
    if (/^\d+(?:\.\d+)?$/.test(text)) {
      const number = Number(text)
      if (number >= 20_000 && number < 80_000) return instant(Math.round((number - EPOCH_DAY) * DAY_MS))
      if (number >= 1e9 && number < 1e10) return Math.round(number * 1000)
      if (number >= 1e12 && number < 1e13) return Math.round(number)
      return null
    }
    const local = LOCAL.exec(text)
    if (local) {
      const [, y, mo, d, h = '0', mi = '0', s = '0', f = '0'] = local
      const wall = Date.UTC(+y!, +mo! - 1, +d!, +h, +mi, +s, Number(f.padEnd(3, '0')))
      // The 31st of a short month would be a day of the next.
      return +mo! <= 12 && new Date(wall).getUTCDate() === +d! && +h < 24 && +mi < 60 && +s < 60 ? instant(wall) : null
    }
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return null
    const ms = Date.parse(text)
    return Number.isFinite(ms) ? ms : null
  }
}
