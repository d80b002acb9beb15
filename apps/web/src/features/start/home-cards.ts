import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'start',
    title: 'title',
    width: 12,
    of: 'devices.create',
    order: 0,
    passing: true,
    load: async () => ({ Card: (await import('./start-card.tsx')).StartCard }),
  },
]
