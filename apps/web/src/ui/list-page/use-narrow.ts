import { useSyncExternalStore } from 'react'

/** Narrower windows have no room for a panel beside a table, px. */
const PANEL_FROM = 1366
const query = () => window.matchMedia?.(`(max-width: ${PANEL_FROM - 1}px)`)

function follow(changed: () => void): () => void {
  const narrow = query()
  narrow?.addEventListener('change', changed)
  return () => narrow?.removeEventListener('change', changed)
}

/** Whether the window has no room for a panel beside a table. */
export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => query()?.matches ?? false)
}
