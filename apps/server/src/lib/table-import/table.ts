import { AppError } from '../errors.ts'

/**
 * A cell as it was read: its text, or the note that a formula stands there, whose result nobody vouches for, or that a
 * number stands there which has more digits than a spreadsheet keeps, so that nobody knows what was typed.
 */
export type TableCell = string | { formula: true } | { lost: string }
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
  /** Numbers have a comma before their fraction, as where the semicolon separates. */
  decimalComma: boolean
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
  if (text.startsWith('=')) return literalOf(text.slice(1)) ?? { formula: true }
  return text.replace(LED, '')
}

/** The text that a formula is nothing but: `"0012345"`, by which programs keep zeros in front. Undefined: it computes. */
export function literalOf(formula: string): string | undefined {
  const quoted = /^\s*"((?:[^"]|"")*)"\s*$/.exec(formula)?.[1]
  return quoted?.replaceAll('""', '"')
}

/** A row in which nothing stands, whatever blanks it has. */
export function isBlank(cells: TableRow): boolean {
  return cells.every(cell => typeof cell === 'string' && cell.trim() === '')
}

/** The text of a cell where it is shown. */
export function shownCell(cell: TableCell): string {
  if (typeof cell === 'string') return cell
  return 'formula' in cell ? '=…' : cell.lost
}

/**
 * A number that a spreadsheet stored → how a person wrote it, without an exponent: 0.1 is stored as
 * 0.10000000000000001, 865432012345678 as 8.65432012345678E+14. A spreadsheet program keeps 15 digits of a whole number
 * and rounds the rest when it is typed; what another program wrote out digit by digit is kept as far as it is exact.
 */
export function storedNumber(text: string): TableCell {
  const number = Number(text)
  if (text === '' || !Number.isFinite(number)) return text
  if (/^-?\d+$/.test(text) ? !Number.isSafeInteger(number) : Math.abs(number) >= 1e15)
    return { lost: text.slice(0, 64) }
  return plainNumber(number)
}

function plainNumber(number: number): string {
  const text = String(number)
  const small = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text)
  if (!small) return text
  const [, sign, whole, fraction = '', zeros] = small
  return `${sign}0.${'0'.repeat(Number(zeros) - 1)}${whole}${fraction}`
}
