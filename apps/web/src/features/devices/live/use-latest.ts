import { call } from '../../../lib/api-client.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useMade } from '../../../lib/server-state/use-read.ts'
import { patchDevice } from '../hooks.ts'

export interface Reading {
  value: unknown
  ts: number
  quality: 'good' | 'uncertain' | 'bad'
  /** What the device had sent, where a mapping or a bound changed it. */
  raw?: unknown
}

export type Readings = Record<string, Reading>

const LATEST = 'telemetry.latest'

/** Readings out of a snapshot or patch; whatever is not one is left out. */
export function readingsOf(given: unknown): Readings {
  const found: Readings = {}
  if (typeof given !== 'object' || given === null) return found
  for (const [identifier, reading] of Object.entries(given as Record<string, unknown>)) {
    const { value, ts, quality, raw } = (reading ?? {}) as Partial<Reading>
    if (typeof ts === 'number') {
      found[identifier] = { value, ts, quality: quality ?? 'good', ...(raw === undefined ? {} : { raw }) }
    }
  }
  return found
}

/** Newer readings replace older ones; late news change nothing. */
export function mergeReadings(known: Readings, next: Readings): Readings {
  let merged = known
  for (const [identifier, reading] of Object.entries(next)) {
    const before = known[identifier]
    if (before && before.ts > reading.ts) continue
    if (merged === known) merged = { ...known }
    merged[identifier] = reading
  }
  return merged
}

/** The latest value of every property, kept fresh by the live socket. */
export function useLatest(id: string) {
  const cache = useCache()
  const input = { params: { id } }
  const query = useMade(
    LATEST,
    input,
    async ({ signal }): Promise<Readings> => {
      const { items } = await call(LATEST, { ...input, signal })
      const fetched = Object.fromEntries(items.map(({ identifier, ...reading }) => [identifier, reading as Reading]))
      // What came live while the answer was on its way is newer.
      return mergeReadings(fetched, cache.knownMade<Readings>(LATEST, input) ?? {})
    },
    { staleTime: 60_000 },
  )
  useLiveTopic(id === '' ? null : `device/${id}/properties`, event => {
    // Readings know their time: a newer one stays, whichever of the two ways it came.
    if (event.type === 'snapshot')
      cache.putMade<Readings>(LATEST, input, known => mergeReadings(readingsOf(event.snapshot), known ?? {}))
    else if (event.type === 'patch') {
      cache.putMade<Readings>(LATEST, input, known => mergeReadings(known ?? {}, readingsOf(event.patch)))
      // Presence is stored now and then only; what has just been heard is newer.
      if (event.ts > 0) patchDevice(cache, id, { lastSeenAt: new Date(event.ts).toISOString() })
    }
  })
  return query
}
