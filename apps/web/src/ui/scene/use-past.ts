import type { PageValue } from '@thingwright/scene'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ShownAlarm } from './scene-context.ts'
import { ValueStore } from './value-store.ts'

/** A page as it was at a moment. */
export interface PastValues {
  ts: number
  values: Record<string, PageValue>
  alarms: readonly ShownAlarm[]
}

export interface Past {
  /** The moment that is shown, epoch ms; null: the page is live. */
  at: number | null
  /** The values of that moment. */
  store: ValueStore
  alarms: readonly ShownAlarm[]
  playing: boolean
  /** Seconds of history that pass in one second. */
  speed: number
  loading: boolean
  error: string | null
  go(ts: number): void
  play(): void
  pause(): void
  setSpeed(speed: number): void
  /** Back to the present. */
  live(): void
}

/** While it plays a new moment is shown so often, ms. */
const STEP_MS = 500
export const SPEEDS = [1, 10, 60, 600, 3600] as const

/** Looks back at how a page was. @param read the page at a moment (epoch ms) */
export function usePast(read: (ts: number) => Promise<PastValues>): Past {
  const [store] = useState(() => new ValueStore())
  const [at, setAt] = useState<number | null>(null)
  const [alarms, setAlarms] = useState<readonly ShownAlarm[]>([])
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(60)
  const [loading, setLoading] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const reading = useRef(read)
  reading.current = read
  // One read at a time: what was asked for meanwhile is read next, and only the last of it.
  const wanted = useRef<number | null>(null)
  const busy = useRef(false)

  const load = useCallback(async () => {
    if (busy.current) return
    busy.current = true
    setLoading(true)
    let shown: number | null = null
    while (wanted.current !== null && wanted.current !== shown) {
      const ts: number = wanted.current
      shown = ts
      try {
        const past = await reading.current(ts)
        if (wanted.current === null) break
        store.replace(past.values)
        setAlarms(past.alarms)
        setError(null)
      } catch (failure) {
        setError(failure instanceof Error ? failure.message : String(failure))
        setPlaying(false)
      }
    }
    busy.current = false
    setLoading(false)
  }, [store])

  const go = useCallback(
    (ts: number) => {
      wanted.current = ts
      setAt(ts)
      void load()
    },
    [load],
  )
  const live = useCallback(() => {
    wanted.current = null
    setPlaying(false)
    setError(null)
    setAt(null)
  }, [])
  useEffect(
    () => () => {
      wanted.current = null
    },
    [],
  )

  useEffect(() => {
    if (!playing || at === null || loading) return
    const timer = setTimeout(() => {
      const next = at + STEP_MS * speed
      // The past has an end: there the page is live again.
      if (next >= Date.now()) live()
      else go(next)
    }, STEP_MS)
    return () => clearTimeout(timer)
  }, [playing, at, loading, speed, go, live])

  return {
    ...{ at, store, alarms, playing, speed, loading, error, go, live },
    play: useCallback(() => setPlaying(true), []),
    pause: useCallback(() => setPlaying(false), []),
    setSpeed,
  }
}
