import { commandBatchesContract } from '@thingwright/contracts/command-batches.contract'
import { commandTemplatesContract } from '@thingwright/contracts/command-templates.contract'
import { commandsContract } from '@thingwright/contracts/commands.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CommandsModule } from './commands.module.ts'

export function commandsRoutes({
  service,
  templates,
  schedules,
  batches,
}: Pick<CommandsModule, 'service' | 'templates' | 'schedules' | 'batches'>): BoundRoute[] {
  const of = commandTemplatesContract
  return [
    bind(commandsContract.create, (ctx, { params, body }) => service.create(ctx, params.id, body)),
    bind(commandsContract.list, (ctx, { params, query }) => service.list(ctx, params.id, query)),
    bind(commandsContract.get, (ctx, { params }) => service.get(ctx, params.id, params.commandId)),
    bind(commandsContract.cancel, (ctx, { params }) => service.cancel(ctx, params.id, params.commandId)),

    bind(of.list, (ctx, { params }) => templates.list(ctx, params.id)),
    bind(of.create, (ctx, { params, body }) => templates.create(ctx, params.id, body)),
    bind(of.order, (ctx, { params, body }) => templates.order(ctx, params.id, body.ids)),
    bind(of.preview, (ctx, { params, body }) => templates.preview(ctx, params.id, body)),
    bind(of.update, (ctx, { params, body }) => templates.update(ctx, params.id, params.templateId, body)),
    bind(of.remove, (ctx, { params }) => templates.remove(ctx, params.id, params.templateId)),
    bind(of.duplicate, (ctx, { params }) => templates.duplicate(ctx, params.id, params.templateId)),
    bind(of.ofDevice, (ctx, { params }) => templates.ofDevice(ctx, params.id)),
    bind(of.rules, (ctx, { params }) => templates.rules(ctx, params.id)),
    bind(of.setRules, (ctx, { params, body }) => templates.setRules(ctx, params.id, body)),
    bind(of.schedules, (ctx, { params }) => schedules.list(ctx, params.id)),
    bind(of.addSchedule, (ctx, { params, body }) => schedules.add(ctx, params.id, body)),
    bind(of.setSchedule, (ctx, { params, body }) => schedules.set(ctx, params.id, params.scheduleId, body)),
    bind(of.removeSchedule, (ctx, { params }) => schedules.remove(ctx, params.id, params.scheduleId)),

    bind(commandBatchesContract.create, (ctx, { body }) => batches.create(ctx, body)),
    bind(commandBatchesContract.list, (ctx, { query }) => batches.list(ctx, query)),
    bind(commandBatchesContract.get, (ctx, { params }) => batches.get(ctx, params.id)),
    bind(commandBatchesContract.items, (ctx, { params, query }) => batches.items(ctx, params.id, query)),
    bind(commandBatchesContract.export, (ctx, { params, query }) => batches.export(ctx, params.id, query)),
    bind(commandBatchesContract.cancel, (ctx, { params }) => batches.cancel(ctx, params.id)),
    bind(commandBatchesContract.retry, (ctx, { params, body }) => batches.retry(ctx, params.id, body)),
  ]
}
