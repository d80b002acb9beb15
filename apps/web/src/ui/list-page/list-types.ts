import type { ReactNode } from 'react'
import type { Operation } from '../../lib/api-client.ts'
import type { CsvValue } from './csv.ts'

/** What a page of a list is fetched with; goes into the query of the API as it is. */
export interface ListInput {
  limit: number
  cursor?: string
  q?: string
  sort?: string
  total?: '0' | '1'
  filters: Record<string, string>
}

export interface ListReply<T> {
  items: T[]
  nextCursor: string | null
  total?: number
}

export type FetchPage<T> = (input: ListInput, signal: AbortSignal) => Promise<ListReply<T>>

export interface ListColumn<T> {
  key: string
  title: string
  /** Pixels; the column without a width takes what is left (at least `minWidth`). */
  width?: number
  minWidth?: number
  /** Where all columns do not fit, those with the lowest rank leave first; absent: it stays whatever happens. */
  rank?: number
  /** Numbers go to the right. */
  align?: 'right'
  /** Name of the order at the server; the head becomes clickable. */
  sortKey?: string
  render: (row: T) => ReactNode
  /** What stands in the export; a column without it is left out there. */
  csv?: (row: T) => CsvValue
  /** May not be hidden. */
  required?: boolean
  /** Hidden until chosen. */
  initiallyHidden?: boolean
}

export interface FilterOption {
  value: string
  label: string
}

export interface ListFilter {
  key: string
  label: string
  /** The values to choose from; without them the filter is free text. */
  options?: readonly FilterOption[]
  /** The options are not complete (more than were loaded): any value is taken from the address. */
  open?: boolean
  /** The text is searched at the server while the person types. */
  onSearch?: (text: string) => void
  loading?: boolean
  /** Words for the chip when the value is not among the options. */
  display?: (value: string) => string
  /** Set elsewhere on the page (a tree): shown as a chip only. */
  chipOnly?: boolean
}

export interface RowAction {
  key: string
  label: string
  onClick?: () => void
  /** An address instead of a click. */
  to?: string
  danger?: boolean
  disabled?: boolean
  /** Why it is disabled. */
  title?: string
}

export interface BatchAction<T> {
  key: string
  label: string
  danger?: boolean
  /** What it does at the server: who may not call that is not offered it. */
  of?: Operation
  /** Called with the selected rows; with `all` when everything that the list shows was chosen, beyond the page. */
  onClick: (rows: T[], all?: AllRows) => void
}

/** Everything that a list's search and filters leave. */
export interface AllRows {
  q: string
  filters: Record<string, string>
  count: number
}

export type Density = 'normal' | 'dense'

/** Heights of a row in pixels. */
export const ROW_HEIGHT: Record<Density, number> = { normal: 44, dense: 36 }
