import { reportsContract as contract } from '@thingwright/contracts/reports.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ReportsService } from './reports.service.ts'

export function reportsRoutes(reports: ReportsService): BoundRoute[] {
  return [
    bind(contract.list, (ctx, { query }) => reports.list(ctx, query)),
    bind(contract.create, (ctx, { body }) => reports.create(ctx, body)),
    bind(contract.columns, (ctx, { body }) => reports.columns(ctx, body)),
    bind(contract.preview, (ctx, { body }) => reports.preview(ctx, body)),
    bind(contract.recipients, (ctx, { query }) => reports.recipients(ctx, query.q)),
    bind(contract.runs, (ctx, { query }) => reports.runs(ctx, query)),
    bind(contract.get, (ctx, { params }) => reports.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => reports.update(ctx, params.id, body)),
    bind(contract.enable, (ctx, { params }) => reports.setEnabled(ctx, params.id, true)),
    bind(contract.disable, (ctx, { params }) => reports.setEnabled(ctx, params.id, false)),
    bind(contract.run, (ctx, { params }) => reports.run(ctx, params.id)),
    bind(contract.remove, (ctx, { params }) => reports.remove(ctx, params.id)),
  ]
}
