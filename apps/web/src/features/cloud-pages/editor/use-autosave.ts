import { coverOf, type Scene } from '@thingwright/scene'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call, type Reply } from '../../../lib/api-client.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import type { EditorStore } from './store.ts'
import { storable, type Unfinished } from './unfinished.ts'

type Page = Reply<'cloudPages.saveDraft'>

export type SaveState =
  | { kind: 'saved' | 'waiting' | 'saving' }
  | { kind: 'conflict'; by: string }
  | { kind: 'failed'; error: unknown }

/** After the last change, and while changes go on, ms. */
const QUIET_MS = 1_500
const LONGEST_MS = 10_000
const NOTHING: Unfinished = new Map()

/** Keeps the draft by itself. A draft that somebody else changed is never written over without being told to. */
export function useAutosave(store: EditorStore, first: Page, mayWrite: boolean) {
  const cache = useCache()
  const [page, setPage] = useState<Page>(first)
  const [state, setState] = useState<SaveState>({ kind: 'saved' })
  const version = useRef(first.version)
  const saved = useRef<Scene>(store.getState().scene)
  const running = useRef<Promise<boolean> | null>(null)
  const stopped = useRef(false)
  const [whole] = useState(() => new WeakSet(store.getState().scene.nodes))
  const [unfinished, setUnfinished] = useState(NOTHING)

  /** @returns whether what is shown is kept now */
  const save = useCallback(async (): Promise<boolean> => {
    while (running.current) await running.current
    const { scene } = store.getState()
    if (scene === saved.current) return true
    if (stopped.current) return false
    setState({ kind: 'saving' })
    // An entry that somebody is filling in is no reason to keep nothing at all.
    const { scene: stored, unfinished: open } = storable(scene, whole)
    setUnfinished(open)
    const work = call('cloudPages.saveDraft', {
      params: { id: first.id },
      body: { version: version.current, scene: stored, cover: coverOf(stored) },
    }).then(
      reply => {
        version.current = reply.version
        saved.current = scene
        setPage(reply)
        setState(store.getState().scene === scene ? { kind: 'saved' } : { kind: 'waiting' })
        void cache.touch('cloudPages')
        return true
      },
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'page.draft_conflict') {
          stopped.current = true
          setState({ kind: 'conflict', by: String((error.params as { name?: string } | undefined)?.name ?? '') })
        } else setState({ kind: 'failed', error })
        return false
      },
    )
    running.current = work
    const done = await work
    running.current = null
    return done
  }, [store, first.id, cache, whole])

  useEffect(() => {
    if (!mayWrite) return
    let quiet: ReturnType<typeof setTimeout> | undefined
    let since = 0
    const stop = store.subscribe((now, before) => {
      if (now.scene === before.scene || now.scene === saved.current) return
      setState(current => (current.kind === 'conflict' ? current : { kind: 'waiting' }))
      since ||= Date.now()
      clearTimeout(quiet)
      quiet = setTimeout(
        () => {
          since = 0
          void save()
        },
        Math.max(0, Math.min(QUIET_MS, since + LONGEST_MS - Date.now())),
      )
    })
    return () => {
      stop()
      clearTimeout(quiet)
      void save()
    }
  }, [store, mayWrite, save])

  /** Another version of the page is the one that is worked on now. */
  const accept = useCallback((next: Page, scene: Scene) => {
    version.current = next.version
    saved.current = scene
    stopped.current = false
    setPage(next)
    setUnfinished(NOTHING)
    setState({ kind: 'saved' })
  }, [])

  /** Writes what is shown over what somebody else saved. */
  const overwrite = useCallback(async () => {
    const now = await call('cloudPages.get', { params: { id: first.id } })
    version.current = now.version
    stopped.current = false
    await save()
  }, [first.id, save])

  return { page, setPage, state, save, accept, overwrite, unfinished }
}
