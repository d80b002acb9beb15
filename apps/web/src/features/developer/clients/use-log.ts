import { useCallback, useEffect, useRef, useState } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { type LogLine, withLines } from './log-lines.ts'

type NewLine = Pick<LogLine, 'kind' | 'title'> & Partial<Pick<LogLine, 'body' | 'detail'>>

/** A client's log; what arrives within a moment is drawn at once, so that a flood costs a few draws a second. */
export function useLog() {
  const [lines, setLines] = useState<LogLine[]>([])
  const [paused, setPaused] = useState(false)
  const waiting = useRef<Omit<LogLine, 'id'>[]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const still = useRef(paused)
  still.current = paused
  const add = useCallback((line: NewLine) => {
    // Notes about the connection are told even while messages are held back.
    if (still.current && (line.kind === 'in' || line.kind === 'out')) return
    waiting.current.push({ body: '', detail: '', ...line, at: serverNow() })
    timer.current ??= setTimeout(() => {
      timer.current = null
      const more = waiting.current
      waiting.current = []
      setLines(before => withLines(before, more))
    }, 100)
  }, [])
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
    },
    [],
  )
  return { lines, add, clear: () => setLines([]), paused, setPaused }
}
