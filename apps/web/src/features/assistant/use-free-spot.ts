import { type RefObject, useEffect, useState } from 'react'
import type { Place } from './panel-state.ts'
import { BALL, freeSpot, type Size } from './place.ts'

/** What is pressed; what is much larger than the button stays to be pressed beside it. */
const PRESSED = 'a[href], button, input, select, textarea, summary, [role=button], [role=switch], [role=tab]'
const LARGE = 8 * BALL * BALL
/** How long the page has to rest before it is looked at, ms. */
const REST_MS = 250

/** The pointer is up again; while the browser itself drags something it says nothing of the pointer. */
const RELEASES = ['pointerup', 'pointercancel', 'dragend', 'blur'] as const

/** Points of the button's disc, from its middle, px. */
const POINTS = [0, 0.45, 0.9].flatMap(part =>
  Array.from({ length: part === 0 ? 1 : 8 }, (_, n) => ({
    x: (BALL / 2) * part * Math.cos((n * Math.PI) / 4),
    y: (BALL / 2) * part * Math.sin((n * Math.PI) / 4),
  })),
)

/** Whether the button would lie over something that can be pressed. */
function covers(button: HTMLElement, place: Place): boolean {
  return POINTS.some(({ x, y }) => {
    const below = document
      .elementsFromPoint(place.x + BALL / 2 + x, place.y + BALL / 2 + y)
      .find(element => !button.contains(element))
    const pressed = below?.closest(PRESSED)
    if (!pressed) return false
    const { width, height } = pressed.getBoundingClientRect()
    return width * height < LARGE
  })
}

/**
 * While `active`: where the button stands instead of `home` so that what lies below it can be pressed. Looked at when the
 * page rests after a change, and never while somebody is about to press the button or holds the pointer down: looking
 * takes longer than a frame, and whatever is dragged would halt.
 */
export function useFreeSpot(button: RefObject<HTMLElement | null>, home: Place, screen: Size, active: boolean): Place {
  const [spot, setSpot] = useState<Place | null>(null)
  const { x, y } = home
  const { width, height } = screen
  useEffect(() => {
    if (!active) return
    let timer: ReturnType<typeof setTimeout> | null = null
    let isHeld = false
    const look = () => {
      timer = null
      // Looked at once the pointer is released.
      if (isHeld) return
      const element = button.current
      if (!element || document.hidden) return
      if (element.matches(':hover, :focus-visible')) return later()
      setSpot(now => {
        const next = freeSpot({ x, y }, now ?? { x, y }, { width, height }, place => covers(element, place))
        return now?.x === next.x && now.y === next.y ? now : next
      })
    }
    const later = () => {
      if (timer !== null) return
      timer = setTimeout(look, REST_MS)
    }
    // Scrolling goes on for a while: it is looked at once it has ended.
    const afterScroll = () => {
      if (timer !== null) clearTimeout(timer)
      timer = setTimeout(look, REST_MS)
    }
    const hold = () => {
      isHeld = true
    }
    const release = () => {
      isHeld = false
      later()
    }
    const pages = new MutationObserver(later)
    pages.observe(document.body, { childList: true, subtree: true })
    window.addEventListener('scroll', afterScroll, { passive: true, capture: true })
    document.addEventListener('visibilitychange', later)
    window.addEventListener('pointerdown', hold, true)
    for (const name of RELEASES) window.addEventListener(name, release, true)
    later()
    return () => {
      if (timer !== null) clearTimeout(timer)
      pages.disconnect()
      window.removeEventListener('scroll', afterScroll, { capture: true })
      document.removeEventListener('visibilitychange', later)
      window.removeEventListener('pointerdown', hold, true)
      for (const name of RELEASES) window.removeEventListener(name, release, true)
    }
  }, [active, button, x, y, width, height])
  return spot ?? home
}
