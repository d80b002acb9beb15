import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'changes',
    title: 'homeCard.title',
    width: 4,
    of: 'audit.list',
    order: 20,
    load: async () => ({ Card: (await import('./components/recent-changes-card.tsx')).RecentChangesCard }),
  },
]
