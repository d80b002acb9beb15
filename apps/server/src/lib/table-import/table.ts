import { AppError } from '../errors.ts'

/** A cell as it was read: its text, or the note that a formula stands there, whose result nobody vouches for. */
export type TableCell = string | { formula: true }
export type TableRow = TableCell[]

/** A row that is not empty. */
export interface NumberedRow {
  /** As the spreadsheet program counts it: from 1, the head and empty rows too, a cell of several lines as one row. */
  number: number
  cells: TableRow
}

/** One table of a file; its rows can be read once. */
export interface SourceTable {
  /** Name of the sheet; empty for text files. */
  sheet: string
  rows(): AsyncIterable<NumberedRow>
}

export interface TableSource {
  kind: 'csv' | 'xlsx'
  /** How the text was read; of workbooks always utf-8. */
  encoding: TextEncodingName
  tables: SourceTable[]
}

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'gb18030'

/** Bounds of what people upload as a table. */
export const TABLE_LIMITS = {
  fileBytes: 64 * 1024 ** 2,
  /** What a spreadsheet program takes in one cell. */
  cellChars: 32_767,
  columns: 128,
  /** Of one row, all its cells. */
  rowChars: 262_144,
} as const

/** Says in which way a file is no table that can be read. */
export const tableProblem = (reason: string, params: Record<string, unknown> = {}) =>
  new AppError('import.file_invalid', { params: { reason, ...params } })

/** A text that a program must not take for a formula is led by an apostrophe in files that we wrote. */
const LED = /^'(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/

/** A cell's text as it counts; what begins with "=" is a formula wherever it is opened. */
export function cellOf(text: string): TableCell {
  if (text.startsWith('=')) return { formula: true }
  return text.replace(LED, '')
}
