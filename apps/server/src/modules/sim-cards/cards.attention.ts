import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { attention } from './cards.repo.ts'

/** Cards in devices that were stopped, and cards that used most of their plans. */
export function cardsAttention(database: Database): AttentionSource {
  return {
    permission: 'sim-card:read',
    find: async ctx => {
      const rows = await database.withTenant(ctx, attention)
      return rows.flatMap(({ carrier, stopped, stoppedAt, near }) => {
        const page = `/flowCard/${carrier === 'cmcc' ? 'Cmcc' : 'Ctcc'}FlowCard`
        const at = stoppedAt?.getTime() ?? null
        const common = { params: {} }
        return [
          ...(stopped > 0
            ? [
                {
                  ...common,
                  kind: 'sim_cards_stopped' as const,
                  level: 'warning' as const,
                  count: stopped,
                  at,
                  link: `${page}?state=stopped&bound=yes`,
                },
              ]
            : []),
          ...(near > 0
            ? [
                {
                  ...common,
                  kind: 'sim_cards_near' as const,
                  level: 'info' as const,
                  count: near,
                  at: null,
                  link: `${page}?usage=over80`,
                },
              ]
            : []),
        ]
      })
    },
  }
}
