import type { HomeCard } from '../../lib/home-cards.ts'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'alarms',
    title: 'homeCard.title',
    width: 4,
    of: 'alarms.list',
    order: 55,
    load: async () => ({ Card: (await import('./home/alarms-card.tsx')).AlarmsCard }),
  },
]
