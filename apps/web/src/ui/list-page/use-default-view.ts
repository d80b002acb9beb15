import type { ViewSettings } from '@thingwright/contracts/saved-views.contract'
import { useEffect, useRef } from 'react'
import { useSession } from '../../lib/session.ts'
import { readPreference, writePreference } from '../../lib/storage.ts'
import { useSavedViews } from './saved-views-api.ts'
import { type ChangePreferences, soundPreferences } from './use-list-preferences.ts'
import type { ListState } from './use-list-state.ts'

const nameFor = (list: string) => `list.${list}.${useSession.getState().token?.id ?? ''}.default`

/** What the list opens with in this browser, until the server has told; null: as designed. */
function readDefaultView(list: string): ViewSettings | null {
  const stored = readPreference<Partial<ViewSettings>>(nameFor(list))
  if (stored === null || typeof stored !== 'object' || typeof stored.query !== 'string') return null
  const { columns, widths, density } = soundPreferences(stored)
  return { query: stored.query.slice(0, 2000), columns, widths, density }
}

export function writeDefaultView(list: string, settings: ViewSettings | null): void {
  writePreference(nameFor(list), settings)
}

/** An address without filters opens with the person's default view of the list; a link that says what it wants does not. */
export function useDefaultView(list: string, state: ListState, change: ChangePreferences): void {
  const opened = useRef(false)
  const untouched = useRef(state.query === '')
  if (state.query !== '') untouched.current = false
  const open = useRef((settings: ViewSettings) => {
    change({ columns: settings.columns, widths: settings.widths, density: settings.density })
    if (settings.query !== '') state.apply(settings.query)
  })

  useEffect(() => {
    if (opened.current) return
    opened.current = true
    const settings = untouched.current ? readDefaultView(list) : null
    if (settings) open.current(settings)
  }, [list])

  // Chosen on another machine: the next visit knows it, this one follows as long as nothing was chosen yet.
  const views = useSavedViews(list, opened.current)
  const told = views.data
  useEffect(() => {
    if (!told) return
    const settings = told.find(view => view.isDefault)?.settings ?? null
    const known = readDefaultView(list)
    if (JSON.stringify(settings) === JSON.stringify(known)) return
    writeDefaultView(list, settings)
    if (settings && untouched.current) open.current(settings)
  }, [told, list])
}
