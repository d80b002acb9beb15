import { learnServerTime } from '../server-clock.ts'
import { isSignedIn, keepToken, useSession } from '../session.ts'
import { local, type StoredToken } from '../storage.ts'
import { headersToSend, INTERFACE_TYPE } from './header-kinds.ts'

let inFlight: Promise<boolean> | null = null

/** Resolves when no refresh is under way: a request that starts now waits for the new token. */
export async function refreshSettled(): Promise<void> {
  if (inFlight) await inFlight.catch(() => false)
}

/**
 * Gets a new token for the one that was refused. All callers share one refresh, those of other tabs too: whoever
 * finds that the stored token is no longer the refused one simply uses it. Without the Web Locks API two tabs may
 * refresh at once; the server answers both with the same successor within 30 s.
 * Returns false when the session cannot be continued; throws when the server could not be reached.
 */
export function refreshToken(refused: string, locale: 'zh' | 'en'): Promise<boolean> {
  inFlight ??= exclusively(() => refreshUnlessDone(refused, locale)).finally(() => {
    inFlight = null
  })
  return inFlight
}

async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('thingwright-refresh', work) : work()
}

async function refreshUnlessDone(refused: string, locale: 'zh' | 'en'): Promise<boolean> {
  const stored = local.get('userToken')
  if (stored && stored.access_token !== refused) {
    keepToken(stored)
    return true
  }
  // Signed out meanwhile, in this tab or another.
  if (!stored && !isSignedIn()) return false
  const sentAt = Date.now()
  const response = await fetch('/oauth/token', {
    method: 'POST',
    credentials: 'same-origin',
    headers: headersToSend(new Headers({ [INTERFACE_TYPE]: 'Refresh-token' }), {
      token: useSession.getState().token,
      locale,
    }),
    body: new URLSearchParams({ grant_type: 'refresh_token' }),
  })
  learnServerTime(response.headers.get('date'), sentAt)
  if (!response.ok) {
    // Only the grant's refusal ends the session; a server that restarts, or wants to be asked later, does not.
    if (response.status === 429 || response.status >= 500) throw new Error(`refresh answered ${response.status}`)
    const body = (await response.json().catch(() => null)) as { error?: unknown } | null
    if (typeof body?.error === 'string' && body.error !== 'invalid_grant')
      throw new Error(`refresh answered ${body.error}`)
    return false
  }
  const renewed = (await response.json()) as StoredToken
  keepToken(renewed)
  // A support session inside a company has ended: what is on the screen belongs to that company.
  if (stored && stored.thingwrightAppId !== renewed.thingwrightAppId) window.location.assign('/operator/companies')
  // A member who worked as an end user is signed in as himself again.
  else if (stored && stored.id !== renewed.id) window.location.assign('/manage/user')
  return true
}
