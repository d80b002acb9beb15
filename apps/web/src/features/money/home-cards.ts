import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'money',
    title: 'homeCard.title',
    width: 4,
    of: 'purchaseOrders.assets',
    order: 75,
    load: async () => ({ Card: (await import('./home/money-card.tsx')).MoneyCard }),
  },
]
