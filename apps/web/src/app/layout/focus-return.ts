import { useEffect } from 'react'

/** Everything that opens over the page. */
const OVERLAY = '.ant-drawer, .ant-modal-root, .ant-modal-wrap, [data-popup]'
const REMEMBERED = 20

/** The last of the places that can still take the focus. */
export function lastUsable<T extends { isConnected: boolean }>(
  places: readonly T[],
  usable: (place: T) => boolean,
): T | null {
  for (let at = places.length - 1; at >= 0; at--) {
    const place = places[at]!
    if (place.isConnected && usable(place)) return place
  }
  return null
}

/**
 * When a drawer, dialog or popup goes and takes the focus with it, the focus goes back to where it was before: pages
 * take their drawers away instead of closing them, and then nobody else does it.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    const places: HTMLElement[] = []
    const came = (event: FocusEvent) => {
      const target = event.target as HTMLElement
      const known = places.indexOf(target)
      if (known >= 0) places.splice(known, 1)
      places.push(target)
      if (places.length > REMEMBERED) places.shift()
    }
    const removed = new MutationObserver(changes => {
      const gone = changes.some(({ removedNodes }) =>
        [...removedNodes].some(
          node => node instanceof HTMLElement && (node.matches(OVERLAY) || node.querySelector(OVERLAY) !== null),
        ),
      )
      if (!gone || (document.activeElement !== null && document.activeElement !== document.body)) return
      lastUsable(places, place => place.getClientRects().length > 0)?.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', came)
    // Overlays hang at the end of the document.
    removed.observe(document.body, { childList: true })
    return () => {
      document.removeEventListener('focusin', came)
      removed.disconnect()
    }
  }, [])
}
