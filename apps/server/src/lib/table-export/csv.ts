import { cellOf, neutralise, zoneOffsets } from './cells.ts'
import type { TableColumn, TableEncoder } from './table-export.ts'

/** Without the mark spreadsheets read UTF-8 as something else. */
const BOM = '\ufeff'

/** RFC 4180: comma, CRLF, quotes doubled; blanks at an end are quoted too, because some readers drop them. */
function quote(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** ISO 8601 with the offset of a zone that is so many minutes ahead of UTC. */
export function isoIn(ms: number, minutes: number): string {
  const text = new Date(ms + minutes * 60_000).toISOString()
  if (minutes === 0) return text
  const two = (value: number) => String(value).padStart(2, '0')
  const ahead = Math.abs(minutes)
  return `${text.slice(0, -1)}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}

/** Comma separated values in UTF-8; times as ISO 8601 with their offset. */
export function csvEncoder(input: { columns: readonly TableColumn[]; timeZone?: string }): TableEncoder {
  const { columns } = input
  const offset = zoneOffsets(input.timeZone ?? 'UTC')
  const written = (value: unknown, type: TableColumn['type']): string => {
    const cell = cellOf(value, type)
    if (cell.kind === 'empty') return ''
    if (cell.kind === 'number') return String(cell.value)
    if (cell.kind === 'time') return isoIn(cell.value, offset(cell.value))
    return quote(cell.text)
  }
  return {
    contentType: 'text/csv; charset=utf-8',
    head: () => Buffer.from(`${BOM}${columns.map(column => quote(neutralise(column.title))).join(',')}\r\n`),
    rows: rows =>
      Buffer.from(rows.map(row => `${columns.map(({ key, type }) => written(row[key], type)).join(',')}\r\n`).join('')),
    end: () => Buffer.alloc(0),
  }
}
