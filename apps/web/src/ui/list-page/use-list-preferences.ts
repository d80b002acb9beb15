import { useCallback, useState } from 'react'
import { useSession } from '../../lib/session.ts'
import { readPreference, writePreference } from '../../lib/storage.ts'
import { MAX_WIDTH, MIN_WIDTH } from './column-width.ts'
import type { Density, ListColumn } from './list-types.ts'

export interface ListPreferences {
  density: Density
  limit: number
  /** Keys of the shown columns in their order; null as designed. */
  columns: string[] | null
  /** Widths that were chosen, pixels by column. */
  widths: Record<string, number>
  /** The panel at the left is folded away; null lets the width of the window decide. */
  asideFolded: boolean | null
  layout: 'table' | 'cards' | null
}

/** A change, or what makes one of the present state. */
export type ChangePreferences = (
  part: Partial<ListPreferences> | ((now: ListPreferences) => Partial<ListPreferences>),
) => void

export const PAGE_SIZES = [20, 50, 100] as const

const INITIAL: ListPreferences = {
  density: 'normal',
  limit: 20,
  columns: null,
  widths: {},
  asideFolded: null,
  layout: null,
}

/** What was stored, with everything that is missing or not of its kind replaced. */
export function soundPreferences(stored: unknown): ListPreferences {
  if (typeof stored !== 'object' || stored === null) return INITIAL
  const s = stored as Record<string, unknown>
  return {
    density: s.density === 'dense' ? 'dense' : 'normal',
    limit: PAGE_SIZES.find(size => size === s.limit) ?? INITIAL.limit,
    columns: Array.isArray(s.columns) && s.columns.every(v => typeof v === 'string') ? (s.columns as string[]) : null,
    widths: Object.fromEntries(
      Object.entries((s.widths as Record<string, unknown> | null) ?? {}).filter(
        (entry): entry is [string, number] =>
          Number.isInteger(entry[1]) && (entry[1] as number) >= MIN_WIDTH && (entry[1] as number) <= MAX_WIDTH,
      ),
    ),
    asideFolded: typeof s.asideFolded === 'boolean' ? s.asideFolded : null,
    layout: s.layout === 'table' || s.layout === 'cards' ? s.layout : null,
  }
}

/** How one person likes one list in this browser. */
export function useListPreferences(list: string): [ListPreferences, ChangePreferences] {
  const user = useSession(s => s.token?.id ?? '')
  const name = `list.${list}.${user}`
  const [preferences, keep] = useState(() => soundPreferences(readPreference(name)))
  const change = useCallback<ChangePreferences>(
    part =>
      keep(before => {
        const next = { ...before, ...(typeof part === 'function' ? part(before) : part) }
        writePreference(name, next)
        return next
      }),
    [name],
  )
  return [preferences, change]
}

/**
 * The columns to show, in the chosen order; columns added to the product later appear as they were designed. What
 * somebody chose stays where there is little room: the table is scrolled then.
 */
export function shownColumns<T>(columns: readonly ListColumn<T>[], chosen: readonly string[] | null): ListColumn<T>[] {
  if (chosen === null) return columns.filter(column => !column.initiallyHidden)
  const byKey = new Map(columns.map(column => [column.key, column]))
  const shown = chosen.flatMap(key => byKey.get(key) ?? [])
  const missing = columns.filter(column => column.required && !chosen.includes(column.key))
  return [...missing, ...shown].map(({ rank: _rank, ...column }) => column)
}
