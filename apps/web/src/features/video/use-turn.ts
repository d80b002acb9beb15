import type { PtzDirection, PtzSpeed } from '@thingwright/contracts/video.words'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { useWork } from '../../lib/server-state/use-work.ts'

/** The server stops a camera after ten seconds that nobody asks for anew. */
const AGAIN_MS = 7_000

/**
 * Turns a camera while a button is held down. Orders go out one after the other, so that the one that stops it comes
 * last whatever the network does; it goes out too when the page is left.
 */
export function useTurn(id: string): {
  turning: PtzDirection | null
  begin: (direction: PtzDirection, speed: PtzSpeed) => void
  end: () => void
} {
  const [turning, setTurning] = useState<PtzDirection | null>(null)
  const held = useRef<PtzDirection | null>(null)
  const orders = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setInterval> | undefined>(undefined)

  const { attempt } = useWork()
  const order = useCallback(
    (work: () => Promise<unknown>) => {
      orders.current = orders.current.then(() => attempt(work))
    },
    [attempt],
  )
  const end = useCallback(() => {
    if (held.current === null) return
    held.current = null
    clearInterval(timer.current)
    setTurning(null)
    order(() => call('videoChannels.halt', { params: { id }, keepalive: true }))
  }, [id, order])
  const begin = useCallback(
    (direction: PtzDirection, speed: PtzSpeed) => {
      if (held.current !== null) return
      held.current = direction
      setTurning(direction)
      const turn = () =>
        order(async () => {
          // Let go before the order went out: there is nothing to begin.
          if (held.current !== direction) return
          try {
            await call('videoChannels.turn', { params: { id }, body: { direction, speed } })
          } catch (error) {
            held.current = null
            clearInterval(timer.current)
            setTurning(null)
            throw error
          }
        })
      turn()
      timer.current = setInterval(turn, AGAIN_MS)
    },
    [id, order],
  )
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === 'hidden') end()
    }
    window.addEventListener('blur', end)
    window.addEventListener('pagehide', end)
    document.addEventListener('visibilitychange', hidden)
    return () => {
      window.removeEventListener('blur', end)
      window.removeEventListener('pagehide', end)
      document.removeEventListener('visibilitychange', hidden)
      end()
    }
  }, [end])
  return { turning, begin, end }
}
