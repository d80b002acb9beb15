import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'cameras',
    title: 'homeCard.title',
    width: 4,
    of: 'videoChannels.counts',
    order: 79,
    load: async () => ({ Card: (await import('./home/cameras-card.tsx')).CamerasCard }),
  },
]
