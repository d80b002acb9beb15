import { alarmsContract as contract } from '@thingwright/contracts/alarms.contract'
import type { Ctx } from '../../lib/context.ts'
import { type BoundRoute, bind, type StreamReply } from '../../lib/http.ts'
import type { ExportAlarms } from './alarm-export.ts'
import type { AlarmFiguresService } from './alarm-figures.service.ts'
import type { AlarmsService } from './alarms.service.ts'

export function alarmsRoutes(
  service: AlarmsService,
  figures: AlarmFiguresService,
  exportAlarms: (ctx: Ctx, query: ExportAlarms) => Promise<StreamReply>,
): BoundRoute[] {
  return [
    bind(contract.list, (ctx, { query }) => service.list(ctx, query)),
    bind(contract.counts, (ctx, { query }) => figures.counts(ctx, query)),
    bind(contract.statistics, (ctx, { query }) => figures.statistics(ctx, query)),
    bind(contract.export, (ctx, { query }) => exportAlarms(ctx, query)),
    bind(contract.batch, (ctx, { body }) => service.batch(ctx, body)),
    bind(contract.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(contract.events, (ctx, { params }) => service.events(ctx, params.id)),
    bind(contract.occurrences, (ctx, { params, query }) => service.occurrences(ctx, params.id, query)),
    bind(contract.ack, (ctx, { params, body }) => service.ack(ctx, params.id, body)),
    bind(contract.clear, (ctx, { params, body }) => service.clear(ctx, params.id, body)),
    bind(contract.assign, (ctx, { params, body }) => service.assign(ctx, params.id, body)),
    bind(contract.comment, (ctx, { params, body }) => service.comment(ctx, params.id, body)),
    bind(contract.handle, (ctx, { params, body }) => service.handle(ctx, params.id, body)),
    bind(contract.ignore, (ctx, { params, body }) => service.ignore(ctx, params.id, body)),
    bind(contract.reopen, (ctx, { params, body }) => service.reopen(ctx, params.id, body)),
    bind(contract.shelve, (ctx, { params, body }) => service.shelve(ctx, params.id, body)),
    bind(contract.unshelve, (ctx, { params, body }) => service.unshelve(ctx, params.id, body)),
    bind(contract.levels, ctx => figures.levels(ctx)),
    bind(contract.setLevels, (ctx, { body }) => figures.setLevels(ctx, body)),
    bind(contract.maintenance, (ctx, { params }) => figures.maintenance(ctx, params.id)),
    bind(contract.setMaintenance, (ctx, { params, body }) => figures.setMaintenance(ctx, params.id, body)),
  ]
}
