import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'quotas',
    title: 'homeCard.title',
    width: 4,
    of: 'account.usage',
    order: 70,
    load: async () => ({ Card: (await import('./components/quotas-card.tsx')).QuotasCard }),
  },
]
