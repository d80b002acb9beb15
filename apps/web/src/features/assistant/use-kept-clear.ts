import { useEffect, useState } from 'react'
import type { Box } from './place.ts'

const same = (a: Box | null, b: Box | null) =>
  a === b || (a && b && a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height)

/** While `active`: what the page wants to stay clear (`data-keep-clear`: the sign-in card), where it stands now; null: nothing. */
export function useKeptClear(active: boolean): Box | null {
  const [box, setBox] = useState<Box | null>(null)
  useEffect(() => {
    if (!active) return setBox(null)
    let watched: Element | null = null
    const sizes = new ResizeObserver(() => look())
    const look = () => {
      const found = document.querySelector('[data-keep-clear]')
      if (found !== watched) {
        sizes.disconnect()
        if (found) sizes.observe(found)
        watched = found
      }
      const rect = found?.getBoundingClientRect()
      const now = rect ? { x: rect.x, y: rect.y, width: rect.width, height: rect.height } : null
      setBox(before => (same(before, now) ? before : now))
    }
    const pages = new MutationObserver(look)
    pages.observe(document.body, { childList: true, subtree: true })
    window.addEventListener('resize', look)
    window.addEventListener('scroll', look, { passive: true, capture: true })
    look()
    return () => {
      pages.disconnect()
      sizes.disconnect()
      window.removeEventListener('resize', look)
      window.removeEventListener('scroll', look, { capture: true })
    }
  }, [active])
  return box
}
