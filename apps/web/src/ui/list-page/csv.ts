/** A byte order mark: without it spreadsheets read UTF-8 as something else. */
const BOM = '\ufeff'
const PLAIN_NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/

export type CsvValue = string | number | boolean | null | undefined

/**
 * One cell as RFC 4180 wants it. Text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a
 * tab or a carriage return) is led by an apostrophe; plain signed numbers stay numbers.
 */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  let cell = String(value)
  if (/^[=+\-@\t\r]/.test(cell) && !PLAIN_NUMBER.test(cell)) cell = `'${cell}`
  return /[",\r\n]/.test(cell) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell
}

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/** A whole file: header line, rows, byte order mark in front. */
export function toCsv(header: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  let text = BOM + csvLine(header)
  for (const row of rows) text += csvLine(row)
  return text
}

/** Hands the person a file. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
