import { zoneOffsets } from '../../lib/table-export/cells.ts'
import { isoIn } from '../../lib/table-export/csv.ts'

/** A cell that a spreadsheet would run as a formula is made text (CWE-1236). */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  let text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text)) text = `'${text}`
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line of a CSV file. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** What stands over the columns of a history, and the zone of its times. */
export interface HistoryHeads {
  /** Over the times; the zone is added to it. */
  time: string
  /** IANA name */
  zone: string
  values: readonly string[]
}

/**
 * Lines of a CSV file (RFC 4180, UTF-8 with a mark, so that spreadsheets read Chinese), one chunk per step. A time stands
 * there twice: as the zone's clock shows it, and in epoch ms.
 */
export async function* csvLines(
  { time, zone, values: heads }: HistoryHeads,
  steps: AsyncIterable<[number, unknown[]][]>,
): AsyncGenerator<string> {
  const offset = zoneOffsets(zone)
  yield `\uFEFF${cell(`${time} (${zone})`)},ts,${heads.map(cell).join(',')}\r\n`
  for await (const rows of steps) {
    if (rows.length > 0)
      yield rows.map(([ts, values]) => `${isoIn(ts, offset(ts))},${ts},${values.map(cell).join(',')}\r\n`).join('')
  }
}
