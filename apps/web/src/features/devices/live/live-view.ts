import { useCallback, useState } from 'react'
import { useSession } from '../../../lib/session.ts'
import { readPreference, writePreference } from '../../../lib/storage.ts'

export const LIVE_VIEWS = ['cards', 'table', 'charts'] as const
export type LiveView = (typeof LIVE_VIEWS)[number]

/** What was stored as a view, or the cards. */
export const soundView = (stored: unknown): LiveView => LIVE_VIEWS.find(view => view === stored) ?? 'cards'

/** How one person looks at the readings of one product's devices, in this browser. */
export function useLiveView(productId: string): [LiveView, (view: LiveView) => void] {
  const user = useSession(s => s.token?.id ?? '')
  const name = `live.${productId}.${user}`
  const [chosen, choose] = useState(() => ({ name, view: soundView(readPreference(name)) }))
  const view = chosen.name === name ? chosen.view : soundView(readPreference(name))
  const keep = useCallback(
    (next: LiveView) => {
      choose({ name, view: next })
      writePreference(name, next === 'cards' ? null : next)
    },
    [name],
  )
  return [view, keep]
}
