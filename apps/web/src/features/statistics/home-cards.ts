import type { HomeCard } from '../../lib/home-cards.ts'

const TREND = 'statistics.trends'

export const homeCards: readonly HomeCard[] = [
  {
    key: 'attention',
    title: 'attention.title',
    width: 8,
    of: 'statistics.attention',
    order: 10,
    load: async () => ({ Card: (await import('./cards/attention-card.tsx')).AttentionCard }),
  },
  {
    key: 'facts',
    title: 'facts.title',
    width: 12,
    of: 'statistics.facts',
    order: 30,
    load: async () => ({ Card: (await import('./cards/facts-card.tsx')).FactsCard }),
  },
  {
    key: 'online',
    title: 'online.title',
    width: 6,
    of: TREND,
    order: 40,
    load: async () => ({ Card: (await import('./cards/trend-cards.tsx')).OnlineCard }),
  },
  {
    key: 'messages',
    title: 'messages.title',
    width: 6,
    of: TREND,
    order: 50,
    load: async () => ({ Card: (await import('./cards/trend-cards.tsx')).MessagesCard }),
  },
  {
    key: 'products',
    title: 'products.title',
    width: 4,
    of: 'statistics.distribution',
    order: 60,
    load: async () => ({ Card: (await import('./cards/share-cards.tsx')).ProductsCard }),
  },
  {
    key: 'talkers',
    title: 'talkers.title',
    width: 6,
    of: 'statistics.talkers',
    order: 90,
    load: async () => ({ Card: (await import('./cards/talkers-card.tsx')).TalkersCard }),
  },
  {
    key: 'newDevices',
    title: 'newDevices.title',
    width: 6,
    of: TREND,
    order: 100,
    load: async () => ({ Card: (await import('./cards/trend-cards.tsx')).NewDevicesCard }),
  },
  {
    key: 'commands',
    title: 'commands.title',
    width: 6,
    of: TREND,
    order: 110,
    load: async () => ({ Card: (await import('./cards/trend-cards.tsx')).CommandsCard }),
  },
  {
    key: 'links',
    title: 'links.title',
    width: 6,
    of: 'statistics.distribution',
    order: 120,
    load: async () => ({ Card: (await import('./cards/share-cards.tsx')).LinksCard }),
  },
]
