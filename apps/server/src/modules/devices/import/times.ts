import { zoneOffsets } from '../../../lib/table-export/cells.ts'
import { readTime } from '../../../lib/written-time.ts'

const DAY_MS = 86_400_000
/** Days from 1899-12-30, the spreadsheets' day 0, to 1970-01-01. */
const EPOCH_DAY = 25_569
const DAY_ALONE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/

/**
 * Reads times as tables hold them: the written forms of `readTime`, those without a zone in the company's, a day alone
 * as its first moment, a spreadsheet's day number, seconds or milliseconds since 1970.
 * @returns epoch ms, or null
 */
export function timeReader(timeZone: string): (text: string) => number | null {
  const offset = zoneOffsets(timeZone)
  /** Minutes east of Greenwich when the wall clock shows this, taken as if it were UTC. */
  const at = (wall: number) => offset(wall - offset(wall) * 60_000)
  return text => {
    if (/^\d+(?:\.\d+)?$/.test(text)) {
      const number = Number(text)
      if (number >= 20_000 && number < 80_000) {
        const wall = Math.round((number - EPOCH_DAY) * DAY_MS)
        return wall - at(wall) * 60_000
      }
      if (number >= 1e9 && number < 1e10) return Math.round(number * 1000)
      if (number >= 1e12 && number < 1e13) return Math.round(number)
    }
    return readTime(DAY_ALONE.test(text) ? `${text} 00:00:00` : text, at) ?? null
  }
}
