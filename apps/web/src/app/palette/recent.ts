import { readPreference, writePreference } from '../../lib/storage.ts'

/** A place somebody went to from the search; kept in this browser only. */
export interface RecentPlace {
  kind: string
  title: string
  subtitle: string
  link: string
}

const KEPT = 8
const nameFor = (user: string) => `search.recent.${user}`
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 300

/** The last places, newest first; whatever else is stored there is left out. */
export function recentPlaces(user: string): RecentPlace[] {
  const stored = readPreference<unknown>(nameFor(user))
  if (!Array.isArray(stored)) return []
  return stored
    .filter((place): place is RecentPlace => {
      const p = (place ?? {}) as Record<string, unknown>
      return [p.kind, p.title, p.subtitle, p.link].every(isText) && /^\/(?![/\\])/.test(p.link as string)
    })
    .slice(0, KEPT)
}

export function rememberPlace(user: string, place: RecentPlace): void {
  const others = recentPlaces(user).filter(({ link }) => link !== place.link)
  writePreference(nameFor(user), [place, ...others].slice(0, KEPT))
}

export function forgetPlaces(user: string): void {
  writePreference(nameFor(user), null)
}
