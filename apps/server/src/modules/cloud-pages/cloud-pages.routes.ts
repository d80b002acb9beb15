import { cloudPagesContract as contract } from '@thingwright/contracts/cloud-pages.contract'
import { pageVisitsContract as visitsContract } from '@thingwright/contracts/page-visits.contract'
import type { Ctx } from '../../lib/context.ts'
import { type BoundRoute, bind, type HttpInfo, type StreamReply } from '../../lib/http.ts'
import type { ExportPages } from './cloud-page-export.ts'
import type { CloudPagesService } from './cloud-pages.service.ts'
import type { PagePast } from './page-past.ts'
import type { PageVisitsService } from './page-visits.service.ts'

/** Where a visitor shows his ticket. */
const ticketOf = ({ headers }: HttpInfo) => String(headers['x-page-ticket'] ?? '')

export function cloudPagesRoutes(services: {
  pages: CloudPagesService
  visits: PageVisitsService
  preview(ctx: Ctx, id: string): Promise<{ values: Record<string, never> }>
  past(ctx: Ctx, id: string, ts: number): Promise<PagePast>
  exportPages(ctx: Ctx, query: ExportPages): Promise<StreamReply>
}): BoundRoute[] {
  const { pages, visits } = services
  return [
    bind(contract.list, (ctx, { query }) => pages.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => services.exportPages(ctx, query)),
    bind(contract.create, (ctx, { body }) => pages.create(ctx, body)),
    bind(contract.batch, (ctx, { body }) => pages.batch(ctx, body)),
    bind(contract.get, (ctx, { params }) => pages.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => pages.update(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params }) => pages.remove(ctx, params.id)),
    bind(contract.saveDraft, (ctx, { params, body }) => pages.saveDraft(ctx, params.id, body)),
    bind(contract.publish, (ctx, { params, body }) => pages.publish(ctx, params.id, body.note ?? '')),
    bind(contract.withdraw, (ctx, { params }) => pages.withdraw(ctx, params.id)),
    bind(contract.versions, (ctx, { params, query }) => pages.versions(ctx, params.id, query)),
    bind(contract.version, (ctx, { params }) => pages.version(ctx, params.id, params.no)),
    bind(contract.restore, (ctx, { params }) => pages.restore(ctx, params.id, params.no)),
    bind(contract.links, (ctx, { params }) => pages.links(ctx, params.id)),
    bind(contract.createLink, (ctx, { params, body }) => pages.createLink(ctx, params.id, body)),
    bind(contract.revokeLink, (ctx, { params }) => pages.revokeLink(ctx, params.id, params.linkId)),
    bind(contract.values, (ctx, { params }) => services.preview(ctx, params.id)),
    bind(contract.past, (ctx, { params, query }) => services.past(ctx, params.id, query.ts)),
    bind(visitsContract.visit, (ctx, { params, query }) => visits.visit(ctx, params.suffix, query)),
    bind(visitsContract.enter, (ctx, { params, body }) => visits.visit(ctx, params.suffix, body)),
    bind(visitsContract.signedIn, (ctx, { params, body }) => visits.signedIn(ctx, params.suffix, body)),
    bind(visitsContract.values, (_, { params }, http) => visits.values(params.suffix, ticketOf(http)) as never),
    bind(visitsContract.past, (ctx, { params, query }, http) =>
      visits.past(ctx, params.suffix, ticketOf(http), query.ts),
    ),
    bind(visitsContract.timedTasks, (ctx, { params, query }, http) =>
      visits.timedTasks(ctx, params.suffix, ticketOf(http), query.role),
    ),
    bind(visitsContract.series, (_, { params, query }, http) => visits.series(params.suffix, ticketOf(http), query)),
    bind(visitsContract.alarms, (ctx, { params }, http) => visits.alarmsOf(ctx, params.suffix, ticketOf(http))),
    bind(visitsContract.act, (ctx, { params, body }) => visits.act(ctx, params.suffix, body)),
    bind(visitsContract.action, (ctx, { params }, http) =>
      visits.action(ctx, params.suffix, ticketOf(http), params.id),
    ),
  ]
}
