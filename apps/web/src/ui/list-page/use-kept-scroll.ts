import { type RefObject, useEffect } from 'react'
import { keepPlace, keptPlace } from './kept-place.ts'

/** Scrolls a list back to where it was left at this entry of the history, once its rows are there, and keeps it. */
export function useKeptScroll(box: RefObject<HTMLElement | null>, entry: string, ready: boolean): void {
  useEffect(() => {
    const element = box.current
    if (!ready || !element) return
    const kept = keptPlace(entry)
    if (kept) element.scrollTop = kept.top
    // Once it is taken away it no longer knows.
    let top: number | null = null
    const keep = () => {
      top = element.scrollTop
    }
    element.addEventListener('scroll', keep, { passive: true })
    return () => {
      element.removeEventListener('scroll', keep)
      if (top !== null) keepPlace(entry, { top })
    }
  }, [box, entry, ready])
}
