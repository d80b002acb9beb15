import type { AttentionSource } from '../../lib/attention.ts'
import type { CampaignsService } from './campaigns.service.ts'

const SHOWN = 5

/** Campaigns that stopped themselves or wait for somebody, and failures of those that run. */
export function campaignsAttention(campaigns: Pick<CampaignsService, 'list'>): AttentionSource {
  return {
    permission: 'firmware:read',
    async find(ctx) {
      const of = async (state: 'stopped' | 'paused' | 'running') =>
        (await campaigns.list(ctx, { state, limit: SHOWN })).items
      const [stopped, paused, running] = await Promise.all([of('stopped'), of('paused'), of('running')])
      const item = (
        kind: 'campaign_stopped' | 'campaign_waiting' | 'campaign_failures',
        { id, name, startedAt, createdAt }: (typeof stopped)[number],
        count: number,
      ) => ({
        kind,
        level: kind === 'campaign_stopped' ? ('critical' as const) : ('warning' as const),
        params: { name },
        count,
        at: Date.parse(startedAt ?? createdAt),
        link: `/develop/FirmwareUpdate?id=${id}`,
      })
      return [
        ...stopped.map(campaign => item('campaign_stopped', campaign, 1)),
        ...paused.map(campaign => item('campaign_waiting', campaign, 1)),
        ...running.flatMap(campaign => {
          const failed = campaign.counts.failed ?? 0
          return failed > 0 ? [item('campaign_failures', campaign, failed)] : []
        }),
      ]
    },
  }
}
