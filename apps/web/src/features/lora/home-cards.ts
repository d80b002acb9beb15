import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'loraGateways',
    title: 'homeCard.title',
    width: 4,
    of: 'loraGateways.counts',
    order: 78,
    load: async () => ({ Card: (await import('./home/gateways-card.tsx')).GatewaysCard }),
  },
]
