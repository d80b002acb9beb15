import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'customers',
    title: 'homeCard.title',
    width: 4,
    of: 'endUsers.counts',
    order: 76,
    load: async () => ({ Card: (await import('./home/customers-card.tsx')).CustomersCard }),
  },
]
