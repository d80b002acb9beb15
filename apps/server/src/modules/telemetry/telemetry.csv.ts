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

/** Lines of a CSV file (RFC 4180, UTF-8 with a mark, so that spreadsheets read Chinese), one chunk per step. */
export async function* csvLines(
  identifiers: readonly string[],
  steps: AsyncIterable<[number, unknown[]][]>,
): AsyncGenerator<string> {
  yield `\uFEFFtime,ts,${identifiers.map(cell).join(',')}\r\n`
  for await (const rows of steps) {
    if (rows.length > 0)
      yield rows.map(([ts, values]) => `${new Date(ts).toISOString()},${ts},${values.map(cell).join(',')}\r\n`).join('')
  }
}
