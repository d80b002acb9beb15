/** What a caller is told of his limit beside the answer. */
export interface RateState {
  limit: number
  remaining: number
  /** Seconds after which it is worth trying again; 0 while calls are left. */
  retryAfterSeconds: number
}

interface Window {
  /** Epoch ms at which the running minute began. */
  began: number
  calls: number
  before: number
  limit: number
}

const MINUTE_MS = 60_000
const MAX_KEYS = 20_000

export interface KeyRates {
  /** Sets how many calls of the key are taken in a minute. */
  allow(keyId: string, requestsPerMinute: number): void
  /** Counts a call if there is room for it. */
  take(keyId: string): RateState & { taken: boolean }
}

/**
 * Counts calls of keys over the last minute: those of the running minute, and of the one before the share that still
 * lies within 60 s. Two numbers per key, exact to a call where calls come evenly. Each process counts for itself.
 */
export function createKeyRates(now: () => number): KeyRates {
  const windows = new Map<string, Window>()

  function at(keyId: string, time: number): Window {
    let window = windows.get(keyId)
    if (!window) {
      if (windows.size >= MAX_KEYS) windows.delete(windows.keys().next().value!)
      window = { began: time, calls: 0, before: 0, limit: Number.POSITIVE_INFINITY }
      windows.set(keyId, window)
    }
    const passed = Math.floor((time - window.began) / MINUTE_MS)
    if (passed > 0) {
      window.before = passed === 1 ? window.calls : 0
      window.calls = 0
      window.began += passed * MINUTE_MS
    }
    return window
  }

  return {
    allow(keyId, requestsPerMinute) {
      at(keyId, now()).limit = requestsPerMinute
    },
    take(keyId) {
      const time = now()
      const window = at(keyId, time)
      const { limit } = window
      const gone = (time - window.began) / MINUTE_MS
      const counted = window.before * (1 - gone) + window.calls
      if (counted + 1 <= limit) {
        window.calls++
        return { taken: true, limit, remaining: Math.max(0, Math.floor(limit - counted - 1)), retryAfterSeconds: 0 }
      }
      return { taken: false, limit, remaining: 0, retryAfterSeconds: waitOf(window, gone) }
    },
  }
}

/** Seconds until one more call fits, if none comes meanwhile. */
function waitOf({ calls, before, limit }: Window, gone: number): number {
  const room = limit - 1 - calls
  // Within this minute, as the share of the one before shrinks; or in the next, as that of this one does.
  const minutes = room >= 0 && before > 0 ? 1 - room / before - gone : 1 - gone + Math.max(0, 1 - (limit - 1) / calls)
  return Math.max(1, Math.ceil(minutes * 60))
}
