import { useSyncExternalStore } from 'react'

/**
 * Phones, and a desktop's window at a zoom of 200 %; the style sheets of the layout and the pages of look.md §12 use the
 * same width.
 */
const query = window.matchMedia('(max-width: 767px)')

function subscribe(changed: () => void): () => void {
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Whether the window is as narrow as a phone's; follows a change while the page is open. */
export function usePhoneWidth(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
