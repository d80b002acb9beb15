import type { AttentionSource } from '../../lib/attention.ts'
import { quotaName } from './company-words.ts'
import type { QuotasService } from './quotas.service.ts'

/** Quotas of which little or nothing is left. */
export function quotasAttention(quotas: Pick<QuotasService, 'usage'>): AttentionSource {
  return {
    permission: 'company:read',
    wholeCompany: true,
    async find(ctx) {
      const near = (await quotas.usage(ctx)).filter(({ level }) => level !== 'ok')
      return near.map(({ kind, used, limit, level }) => ({
        kind: level === 'full' ? 'quota_full' : 'quota_near',
        level: level === 'full' ? 'critical' : 'warning',
        params: {
          quota: quotaName(kind)[ctx.locale],
          percent: limit ? Math.floor((used / limit) * 100) : 100,
        },
        count: 1,
        at: null,
        link: '/admin/account?tab=usage',
      }))
    },
  }
}
