import { commandsContract } from '@thingwright/contracts/commands.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CommandsService } from './commands.service.ts'

export function commandsRoutes(commands: CommandsService): BoundRoute[] {
  return [
    bind(commandsContract.create, (ctx, { params, body }) => commands.create(ctx, params.id, body)),
    bind(commandsContract.list, (ctx, { params, query }) => commands.list(ctx, params.id, query)),
    bind(commandsContract.get, (ctx, { params }) => commands.get(ctx, params.id, params.commandId)),
    bind(commandsContract.cancel, (ctx, { params }) => commands.cancel(ctx, params.id, params.commandId)),
  ]
}
