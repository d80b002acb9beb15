import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'pages',
    title: 'homeCard.title',
    width: 12,
    of: 'cloudPages.list',
    order: 90,
    load: async () => ({ Card: (await import('./components/pages-card.tsx')).PagesCard }),
  },
]
