import type { StreamView } from '@thingwright/contracts/video.contract'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { attach, type StreamFault } from './attach.ts'

/** Asks the server for an address of the picture. */
export type AskStream = (signal: AbortSignal) => Promise<StreamView>

export type StreamState =
  | { kind: 'asking' | 'playing' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'fault'; fault: StreamFault }

/** An address is asked for anew so long before it ends. */
const EARLY_MS = 45_000
/** A stream that breaks sooner than this after it began is not asked for again without the person. */
const STEADY_MS = 10_000

/** Plays what `ask` gives, and goes on when its address ends or its stream breaks. */
export function useStream(
  video: RefObject<HTMLVideoElement | null>,
  ask: AskStream | null,
  live: boolean,
): { state: StreamState; retry: () => void } {
  const [state, setState] = useState<StreamState>(ASKING)
  const [round, setRound] = useState(0)
  const began = useRef(0)
  const retry = useCallback(() => setRound(now => now + 1), [])

  useEffect(() => {
    const element = video.current
    if (ask === null || element === null) return
    const ended = new AbortController()
    const { signal } = ended
    let detach: (() => void) | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const onFault = (fault: StreamFault) => {
      if (signal.aborted) return
      if (live && fault === 'broken' && Date.now() - began.current > STEADY_MS) retry()
      else setState({ kind: 'fault', fault })
    }
    const onPlaying = () => setState(PLAYING)
    element.addEventListener('playing', onPlaying)
    async function play(to: HTMLVideoElement, from: AskStream) {
      try {
        const stream = await from(signal)
        began.current = Date.now()
        const end = await attach(to, stream, { live, onFault })
        if (signal.aborted) return end()
        detach = end
        // A browser that wants a click first shows its own controls.
        await to.play().catch(() => undefined)
        if (live && stream.expiresAt !== null) {
          const left = Date.parse(stream.expiresAt) - Date.now() - EARLY_MS
          timer = setTimeout(retry, Math.max(EARLY_MS, Math.min(left, 2_147_000_000)))
        }
      } catch (error) {
        if (!signal.aborted) setState({ kind: 'failed', error })
      }
    }
    setState(before => (before.kind === 'playing' ? before : ASKING))
    void play(element, ask)
    return () => {
      ended.abort()
      clearTimeout(timer)
      element.removeEventListener('playing', onPlaying)
      detach?.()
    }
  }, [video, ask, live, round, retry])
  return { state, retry }
}
const ASKING: StreamState = { kind: 'asking' }
const PLAYING: StreamState = { kind: 'playing' }
