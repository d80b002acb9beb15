import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { expireSession } from './api/session-expiry.ts'
import { refreshToken } from './api/token-refresh.ts'
import { locale } from './i18n.ts'
import { type LiveHandler, LiveSocket, type LiveState, type SocketLike } from './live/live-socket.ts'
import { tokenExpiry } from './live/token-expiry.ts'
import { serverNow } from './server-clock.ts'
import { onSessionEnd, useSession } from './session.ts'

export type { LiveEvent, LiveHandler, LiveState } from './live/live-socket.ts'

/** State of the live connection; `since` is when it was last seen working or first missed (epoch ms). */
export const useLiveState = create<{ state: LiveState; since: number }>(() => ({ state: 'idle', since: serverNow() }))

function openSocket(): SocketLike {
  const { protocol, host } = window.location
  return new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/api/v1/live`) as unknown as SocketLike
}

/** A socket cannot answer 401: an idle page finds out here that its session is over, and says so. */
async function renew(refused: string): Promise<void> {
  if (!(await refreshToken(refused, locale()))) await expireSession()
}

export const liveSocket = new LiveSocket({
  open: openSocket,
  token: () => useSession.getState().token?.access_token ?? null,
  renew,
  onState: (state, heardAt) => {
    if (useLiveState.getState().state === state) return
    const unheard = state === 'reconnecting' && heardAt > 0 ? Math.max(0, Date.now() - heardAt) : 0
    useLiveState.setState({ state, since: serverNow() - unheard })
  },
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: Math.random,
})

/** The token is renewed this long before it ends, so that a page left open keeps its live connection. */
const RENEW_BEFORE_MS = 30_000
let renewal: ReturnType<typeof setTimeout> | undefined

function scheduleRenewal(): void {
  clearTimeout(renewal)
  const token = useSession.getState().token?.access_token
  const expiry = token === undefined ? null : tokenExpiry(token)
  if (token === undefined || expiry === null) return
  const work = () => void renew(token).catch(() => undefined)
  renewal = setTimeout(work, Math.max(1000, expiry - serverNow() - RENEW_BEFORE_MS))
}

let bound = false

/** Connects the tab's one live socket; called once by the console's frame. */
export function startLive(): void {
  liveSocket.start()
  scheduleRenewal()
  if (bound) return
  bound = true
  useSession.subscribe((now, before) => {
    if (now.token?.access_token === before.token?.access_token) return
    liveSocket.reauthenticate()
    scheduleRenewal()
  })
  onSessionEnd(() => liveSocket.stop())
  window.addEventListener('online', () => liveSocket.wake())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') liveSocket.wake()
  })
}

/**
 * Follows a live topic while the component is mounted; null follows nothing. The handler gets a `snapshot` first and
 * after every cut (it replaces what is known), then patches. Handlers of the same topic share one subscription.
 */
export function useLiveTopic(topic: string | null, handler: LiveHandler): void {
  const latest = useRef(handler)
  latest.current = handler
  useEffect(() => (topic === null ? undefined : liveSocket.subscribe(topic, event => latest.current(event))), [topic])
}
