import { useSyncExternalStore } from 'react'
import { serverNow } from '../lib/server-clock.ts'

const TICK_MS = 5000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null
let now = serverNow()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = serverNow()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }
}

/** The time in steps of 5 s, from one timer for the whole page (epoch ms). */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    if (timer === null) now = Math.floor(serverNow() / TICK_MS) * TICK_MS
    return now
  })
}
