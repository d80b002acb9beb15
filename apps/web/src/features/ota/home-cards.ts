import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'firmware',
    title: 'homeCard.title',
    width: 4,
    of: 'otaCampaigns.list',
    order: 80,
    load: async () => ({ Card: (await import('./components/newest-campaign-card.tsx')).NewestCampaignCard }),
  },
]
