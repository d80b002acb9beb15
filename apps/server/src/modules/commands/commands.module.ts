import type { BoundRoute } from '../../lib/http.ts'
import { commandsRoutes } from './commands.routes.ts'
import { type CommandsService, type CommandsServiceDeps, createCommandsService } from './commands.service.ts'

export type CommandsDeps = CommandsServiceDeps

export interface CommandsModule {
  service: CommandsService
  routes: BoundRoute[]
}

export function createCommandsModule(deps: CommandsDeps): CommandsModule {
  const service = createCommandsService(deps)
  return { service, routes: commandsRoutes(service) }
}
