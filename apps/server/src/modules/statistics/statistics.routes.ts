import { statisticsContract } from '@thingwright/contracts/statistics.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { StatisticsService } from './statistics.service.ts'

export function statisticsRoutes(statistics: StatisticsService): BoundRoute[] {
  return [
    bind(statisticsContract.facts, ctx => statistics.facts(ctx)),
    bind(statisticsContract.trends, (ctx, { query }) => statistics.trends(ctx, query)),
    bind(statisticsContract.distribution, (ctx, { query }) => statistics.distribution(ctx, query)),
    bind(statisticsContract.talkers, (ctx, { query }) => statistics.talkers(ctx, query)),
    bind(statisticsContract.attention, ctx => statistics.attention(ctx)),
    bind(statisticsContract.layout, ctx => statistics.layout(ctx)),
    bind(statisticsContract.arrange, (ctx, { body }) => statistics.arrange(ctx, body.layout)),
  ]
}
