import type { MenuItem, MeView } from '@thingwright/contracts/identity.contract'
import { create } from 'zustand'
import { clearCachedInfo, local, type StoredToken, session as sessionStore } from './storage.ts'

export type AccountStatus = 0 | 1 | 2

export interface SessionState {
  token: StoredToken | null
  /** The caller with his rights; null until the guard has loaded it. */
  me: MeView | null
  menus: MenuItem[] | null
  /** Last answer of the status check; the guard asks again unless it is 2. */
  accountStatus: AccountStatus | null
}

const EMPTY = { me: null, menus: null, accountStatus: null }

/** Who is signed in. Read with `useSession(s => s.me)` in components, `useSession.getState()` elsewhere. */
export const useSession = create<SessionState>(() => ({ token: local.get('userToken'), ...EMPTY }))

const endings = new Set<() => void>()

/** Runs the function whenever the signed-in person goes (sign-out, expiry, another person in another tab). */
export function onSessionEnd(listener: () => void): () => void {
  endings.add(listener)
  return () => endings.delete(listener)
}

export function isSignedIn(): boolean {
  return useSession.getState().token !== null
}

/** Keeps the token of a sign-in or a refresh; a different person starts with nothing cached. */
export function keepToken(token: StoredToken): void {
  const before = useSession.getState().token
  const kept: StoredToken = {
    access_token: token.access_token,
    thingwrightAppId: token.thingwrightAppId,
    id: token.id,
    username: token.username,
  }
  // The same person inside another company begins anew too.
  if (before?.id !== kept.id || before.thingwrightAppId !== kept.thingwrightAppId) forgetPerson()
  local.set('userToken', kept)
  useSession.setState({ token: kept })
}

/** Ends the session in this browser: entries of the person are removed, listeners are told. */
export function endSession(): void {
  local.remove('userToken')
  forgetPerson()
  useSession.setState({ token: null })
  for (const listener of endings) listener()
}

function forgetPerson(): void {
  clearCachedInfo()
  sessionStore.remove('previewRole')
  useSession.setState(EMPTY)
}

export function keepMe(me: MeView): void {
  local.set('userInfo', me)
  useSession.setState({ me })
}

export function keepMenus(menus: MenuItem[]): void {
  sessionStore.set('menuInfo', menus)
  useSession.setState({ menus })
}

/**
 * Follows what other tabs of this browser do: a refreshed token is taken over, a sign-out ends this tab too,
 * another person's sign-in calls `onOther` (nothing of the first person may stay on the screen).
 */
export function followOtherTabs(onEnded: () => void, onOther: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key !== 'userToken' && event.key !== null) return
    const before = useSession.getState().token
    const now = local.get('userToken')
    if (now === null) {
      if (before === null) return
      useSession.setState({ token: null, ...EMPTY })
      for (const listener of endings) listener()
      onEnded()
    } else if (before !== null && before.id === now.id) useSession.setState({ token: now })
    else onOther()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}
