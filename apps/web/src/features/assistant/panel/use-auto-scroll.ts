import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Within this distance of the bottom the view scrolls along with new text (specification §9), px. */
export const NEAR_PX = 60
/** After sending, the conversation is at its bottom this much later (specification §9). */
export const AFTER_SENDING_MS = 50

/** Keeps a conversation at its bottom while its reader stands there, and leaves him alone elsewhere. */
export function useAutoScroll(
  box: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): { far: boolean; onScroll: () => void; toBottom: () => void; afterSending: () => void } {
  const near = useRef(true)
  /** The height when it was last looked at: whoever stood at the end then is near, whatever has grown since. */
  const seen = useRef(0)
  const [far, setFar] = useState(false)
  const toBottom = useCallback(() => {
    const element = box.current
    if (!element) return
    near.current = true
    seen.current = element.scrollHeight
    setFar(false)
    element.scrollTop = element.scrollHeight
  }, [box])
  const onScroll = useCallback(() => {
    const element = box.current
    if (!element) return
    // What has become shorter (a wider window) has moved everybody towards its end.
    const height = Math.min(seen.current, element.scrollHeight)
    near.current = height - element.scrollTop - element.clientHeight <= NEAR_PX
    setFar(!near.current)
  }, [box])
  useEffect(() => {
    if (!box.current || !content.current) return
    const observer = new ResizeObserver(() => {
      if (near.current) toBottom()
      else seen.current = box.current?.scrollHeight ?? 0
    })
    observer.observe(content.current)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box, content, toBottom])
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const afterSending = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(toBottom, AFTER_SENDING_MS)
  }, [toBottom])
  return { far, onScroll, toBottom, afterSending }
}
