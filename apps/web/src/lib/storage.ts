import type { BrandingView } from '@thingwright/contracts/company.contract'
import type { GroupView } from '@thingwright/contracts/groups.contract'
import type { MenuItem, MeView } from '@thingwright/contracts/identity.contract'
import type { RolePreview } from '@thingwright/contracts/roles.contract'

/** What is kept of a sign-in; the refresh token is a cookie that scripts cannot read. */
export interface StoredToken {
  access_token: string
  thingwrightAppId: string
  id: string
  username: string
}

export type Locale = 'zh' | 'en'
export type Appearance = 'light' | 'dark'

/** Entries of localStorage (storage table of the outside interfaces). */
export interface LocalEntries {
  userToken: StoredToken
  userInfo: MeView
  aiButtonPosition: { x: number; y: number }
  lang: Locale
  appearance: Appearance
  /** Looks of the company last seen here: its sign-in page shows them the next time. */
  branding: { appId: string; branding: BrandingView }
}

/** Entries of sessionStorage. */
export interface SessionEntries {
  /** Tree of device groups. */
  groupInfo1: GroupView[]
  /** Tree of product groups. */
  groupInfo2: GroupView[]
  /** Tree of user groups. */
  groupInfo3: GroupView[]
  menuInfo: MenuItem[]
  /** The role this tab is shown as. */
  previewRole: RolePreview['role']
  /** Suffix of the portal that this tab came through. */
  portal: string
  /** Path to return to after the next sign-in. */
  redirectURL: string
  /** The assistant's conversation that is open in this tab. */
  assistantChat: { userId: string; id: number }
  /** Parts of the console that could not be downloaded, each of which has had its one reload. */
  reloadedFor: string[]
  /** The tab last opened on a list page. */
  'part.route': string
}

/** Entries whose value is a bare word, not JSON. */
const PLAIN = new Set<string>(['lang', 'appearance', 'redirectURL', 'part.route', 'portal'])
/** Entries that may hold these words only; anything else is as good as nothing. */
const WORDS: Record<string, readonly string[] | undefined> = { lang: ['zh', 'en'], appearance: ['light', 'dark'] }

export interface TypedStorage<Entries> {
  /** The stored value, or null when absent, unreadable or storage is not available. */
  get<K extends keyof Entries & string>(key: K): Entries[K] | null
  set<K extends keyof Entries & string>(key: K, value: Entries[K]): void
  remove(...keys: (keyof Entries & string)[]): void
}

/** Wraps a Web Storage with typed keys; a browser without storage behaves as if nothing was ever stored. */
export function typedStorage<Entries>(backend: () => Storage): TypedStorage<Entries> {
  return {
    get(key) {
      try {
        const raw = backend().getItem(key)
        if (raw === null || WORDS[key]?.includes(raw) === false) return null
        return (PLAIN.has(key) ? raw : JSON.parse(raw)) as Entries[typeof key]
      } catch {
        return null
      }
    },
    set(key, value) {
      try {
        backend().setItem(key, PLAIN.has(key) ? String(value) : JSON.stringify(value))
      } catch {
        // A full or forbidden storage costs comfort, not function.
      }
    },
    remove(...keys) {
      try {
        for (const key of keys) backend().removeItem(key)
      } catch {
        // As above.
      }
    },
  }
}

export const local = typedStorage<LocalEntries>(() => window.localStorage)
export const session = typedStorage<SessionEntries>(() => window.sessionStorage)

/** The F5 rule: cached profile, groups and menus are read anew after a refresh by that key. */
export function clearCachedInfo(): void {
  local.remove('userInfo')
  session.remove('groupInfo1', 'groupInfo2', 'groupInfo3', 'menuInfo')
}

/**
 * A preference of one person in this browser (columns, density, …), kept under `pref.{name}`.
 * Returns null when nothing valid is stored.
 */
export function readPreference<T>(name: string): T | null {
  try {
    const raw = window.localStorage.getItem(`pref.${name}`)
    return raw === null ? null : (JSON.parse(raw) as T)
  } catch {
    return null
  }
}

/** Keeps a preference; null removes it. */
export function writePreference<T>(name: string, value: T | null): void {
  try {
    if (value === null) window.localStorage.removeItem(`pref.${name}`)
    else window.localStorage.setItem(`pref.${name}`, JSON.stringify(value))
  } catch {
    // A full or forbidden storage costs comfort, not function.
  }
}
