import type { AttentionSource } from '../../lib/attention.ts'
import type { Database } from '../../lib/database/database.ts'
import { counts } from './gateways.repo.ts'

/** LoRa gateways that are offline: nothing of what their devices say arrives. */
export function gatewaysAttention(database: Database): AttentionSource {
  return {
    permission: 'lora:read',
    wholeCompany: true,
    find: async ctx => {
      const rows = await database.withTenant(ctx, counts)
      const offline = rows.find(({ state }) => state === 'offline')
      if (!offline) return []
      return [
        {
          kind: 'lora_gateways_offline',
          level: 'warning',
          count: offline.n,
          at: offline.since?.getTime() ?? null,
          link: '/ChirpStack/Gateways?state=offline',
          params: {},
        },
      ]
    },
  }
}
