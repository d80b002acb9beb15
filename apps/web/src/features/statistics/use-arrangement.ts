import { useMemo } from 'react'
import type { PlacedCard } from '../../lib/home-cards.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

export interface Layout {
  order: readonly string[]
  hidden: readonly string[]
}

/** Cards in the order that somebody chose, those that come and go before them; what came since stands where everybody meets it. */
export function arranged<C extends { key: string; passing?: boolean }>(
  cards: readonly C[],
  layout: Layout | null,
): { shown: C[]; hidden: C[] } {
  if (layout === null) return { shown: [...cards], hidden: [] }
  const known = layout.order.flatMap(key => cards.find(card => card.key === key) ?? [])
  const all = [...known]
  cards.forEach((card, at) => {
    if (!known.includes(card)) all.splice(Math.min(at, all.length), 0, card)
  })
  all.sort((a, b) => Number(b.passing ?? false) - Number(a.passing ?? false))
  const isHidden = (card: C) => layout.hidden.includes(card.key)
  return { shown: all.filter(card => !isHidden(card)), hidden: all.filter(isHidden) }
}

/** How the person arranged his overview, and the ways to change it; kept at the server at once. */
export function useArrangement(cards: readonly PlacedCard[]) {
  const cache = useCache()
  const { data } = useRead('statistics.layout', {}, { staleTime: Number.POSITIVE_INFINITY })
  const { run } = useAct('statistics.arrange', { own: false })
  const layout = data?.layout ?? null
  const { shown, hidden } = useMemo(() => arranged(cards, layout), [cards, layout])
  const keep = (next: { order: string[]; hidden: string[] } | null) => {
    cache.put('statistics.layout', {}, { layout: next })
    void run({ body: { layout: next }, keepalive: true })
  }
  const keys = shown.map(card => card.key)
  const away = hidden.map(card => card.key)
  return {
    shown,
    hidden,
    /** @param to its new place among those shown */
    move(key: string, to: number) {
      const order = keys.filter(each => each !== key)
      order.splice(to, 0, key)
      keep({ order: [...order, ...away], hidden: away })
    },
    hide: (key: string) => keep({ order: [...keys, ...away], hidden: [...away, key] }),
    show: (key: string) => keep({ order: [...keys, ...away], hidden: away.filter(each => each !== key) }),
    reset: () => keep(null),
  }
}
