import { xlsxEncoder } from '../../lib/table-export/xlsx.ts'
import type { HistoryHeads } from './telemetry.csv.ts'

/** Rows encoded in one go: some milliseconds, so that other requests are answered in between. */
const BATCH = 500

/**
 * A history as a workbook, piece by piece as it is asked for: a million rows never lie in memory together, whatever the
 * reader's pace.
 * @param steps rows of [epoch ms, values in the order of the heads], in order of time
 */
export async function* historyWorkbook(
  name: string,
  heads: HistoryHeads,
  steps: AsyncIterable<[number, unknown[]][]>,
): AsyncGenerator<Uint8Array> {
  const encoder = xlsxEncoder({
    fileName: name,
    timeZone: heads.zone,
    columns: [
      { key: 'ts', title: heads.time, type: 'time' },
      ...heads.values.map((title, at) => ({ key: `v${at}`, title })),
    ],
  })
  yield encoder.head()
  for await (const rows of steps) {
    for (let from = 0; from < rows.length; from += BATCH) {
      const part = rows.slice(from, from + BATCH).map(([ts, values]) => {
        const row: Record<string, unknown> = { ts }
        for (let at = 0; at < values.length; at++) row[`v${at}`] = values[at]
        return row
      })
      const bytes = encoder.rows(part)
      if (bytes.length > 0) yield bytes
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  yield encoder.end()
}
