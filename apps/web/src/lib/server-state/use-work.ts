import { useCallback, useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { isSilent, showError } from '../errors.ts'
import { useCache } from './cache.ts'
import type { Touched } from './keys.ts'

export interface WorkOptions {
  /** What is out of date when it was done. */
  touches?: readonly Touched[]
  /** Touches even when it was refused: what is shown was perhaps no longer true. */
  always?: boolean
  /** False where the caller shows `error` itself, in the dialog that stays open. */
  notice?: boolean
}

export interface Work {
  /** Does it, and shows as a notice why it was refused (unless `notice` is false). Resolves with undefined then. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Does it for a caller that takes a refusal itself: a form with its fields, a dialog around it. */
  send<T>(work: () => Promise<T>): Promise<T>
  /** Whether it is on its way. */
  pending: boolean
  /** Why the last one was refused; null before, while it is on its way, when it was done, and where nothing is to be said. */
  error: unknown
  /** What a 422 said of single fields, by path. */
  fields: ApiError['fields']
}

const NO_FIELDS: ApiError['fields'] = {}

/** Several calls that are one action: `useAct` is for a single one. */
export function useWork(options: WorkOptions = {}): Work {
  const cache = useCache()
  const latest = useRef(options)
  latest.current = options
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<unknown>(null)

  const send = useCallback(
    async <T>(work: () => Promise<T>): Promise<T> => {
      const touch = () => void cache.touch(...(latest.current.touches ?? []))
      setRunning(now => now + 1)
      setError(null)
      try {
        const done = await work()
        touch()
        return done
      } catch (failure) {
        if (!isSilent(failure)) setError(failure)
        if (latest.current.always) touch()
        throw failure
      } finally {
        setRunning(now => now - 1)
      }
    },
    [cache],
  )
  const attempt = useCallback(
    <T>(work: () => Promise<T>): Promise<T | undefined> =>
      send(work).catch(failure => {
        if (latest.current.notice !== false) showError(failure)
        return undefined
      }),
    [send],
  )
  const pending = running > 0
  const fields = error instanceof ApiError ? error.fields : NO_FIELDS
  return useMemo(() => ({ attempt, send, pending, error, fields }), [attempt, send, pending, error, fields])
}
