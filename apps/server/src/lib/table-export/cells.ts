import type { TableColumn } from './table-export.ts'

/** What a cell is once it is known how its column is written. */
export type Cell =
  | { kind: 'empty' }
  | { kind: 'text'; text: string }
  | { kind: 'number'; value: number }
  /** Epoch milliseconds. */
  | { kind: 'time'; value: number }

/** ASCII and full-width forms of what makes a spreadsheet take a cell for a formula, and what it skips before one. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** Blanks are skipped by some spreadsheets before they look for a formula. */
const FORMULA_AFTER_BLANKS = /^[\s\u00a0\ufeff\u200b]+[=+\-@\uff1d\uff0b\uff0d\uff20]/

/** Text that would be run as a formula is led by an apostrophe (CWE-1236); everything else stays as it is. */
export function neutralise(text: string): string {
  return FORMULA.test(text) || FORMULA_AFTER_BLANKS.test(text) ? `'${text}` : text
}

/** Reads a value for its column; what is not the number or time that the column promises is written as text. */
export function cellOf(value: unknown, type: TableColumn['type']): Cell {
  if (value === null || value === undefined || value === '') return { kind: 'empty' }
  if (type === 'time') {
    const ms = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(String(value))
    if (Number.isFinite(ms)) return { kind: 'time', value: ms }
  }
  if (typeof value === 'number') {
    // A double holds 15 digits in a spreadsheet: longer whole numbers keep all of theirs as text.
    if (Number.isFinite(value) && Math.abs(value) < 1e15) return { kind: 'number', value }
    return { kind: 'text', text: neutralise(String(value)) }
  }
  if (value instanceof Date) return { kind: 'time', value: value.getTime() }
  const text =
    typeof value === 'string'
      ? value
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value as boolean | bigint)
  return { kind: 'text', text: neutralise(text.toWellFormed()) }
}

/**
 * Minutes by which a zone is ahead of UTC at an instant. Asked once an hour of time: zones change at full hours of UTC
 * or at quarters of them at most, which the key respects.
 */
export function zoneOffsets(timeZone: string): (ms: number) => number {
  if (timeZone === 'UTC') return () => 0
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const known = new Map<number, number>()
  return ms => {
    const quarter = Math.floor(ms / 900_000)
    let minutes = known.get(quarter)
    if (minutes === undefined) {
      const name = format.formatToParts(ms).find(part => part.type === 'timeZoneName')?.value ?? ''
      const [, sign, hours, rest] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
      minutes = sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(rest)) : 0
      known.set(quarter, minutes)
    }
    return minutes
  }
}
