import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'simCards',
    title: 'homeCard.title',
    width: 4,
    of: 'simCards.counts',
    order: 77,
    load: async () => ({ Card: (await import('./home/sim-cards-card.tsx')).SimCardsCard }),
  },
]
