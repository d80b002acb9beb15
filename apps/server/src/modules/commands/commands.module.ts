import type { Actor, Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { type BatchRunner, createBatchRunner } from './command-batches.runner.ts'
import { type CommandBatchesService, createCommandBatchesService } from './command-batches.service.ts'
import { CommandModels } from './command-models.ts'
import { CommandPins } from './command-pins.ts'
import { createScheduleRunner, type ScheduleRunner } from './command-schedules.runner.ts'
import { type CommandSchedulesService, createCommandSchedulesService } from './command-schedules.service.ts'
import { type CommandTemplatesService, createCommandTemplatesService } from './command-templates.service.ts'
import { commandsAttention } from './commands.attention.ts'
import type { Answers } from './commands.guard.ts'
import { type CommandIntake, createCommandIntake } from './commands.intake.ts'
import { commandsRoutes } from './commands.routes.ts'
import { type CommandsService, createCommandsService } from './commands.service.ts'

export interface CommandsDeps {
  database: Database
  gateway: Pick<GatewayPort, 'wake' | 'forget'>
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  /** The rights of a person now; null: he may no longer act. */
  currentActor?: (tenantId: string, actor: Actor) => Promise<Actor | null>
  now(): number
  logger: Logger
}

export interface CommandsModule extends ModuleParts {
  /** The way into the commands table within a transaction of somebody else's. */
  intake: CommandIntake
  service: CommandsService
  templates: CommandTemplatesService
  schedules: CommandSchedulesService
  batches: CommandBatchesService
  /**
   * What guards bytes of this product, for those who write them past the queue (the terminal).
   * @throws AppError as `passDangers`
   */
  passRaw(ctx: Ctx, productId: string, hex: string, answers: Answers): Promise<void>
  routes: BoundRoute[]
  /** Started in processes with the worker role. */
  runners: { batches: BatchRunner; schedules: ScheduleRunner }
}

export function createCommandsModule(deps: CommandsDeps): CommandsModule {
  const { database } = deps
  const pins = new CommandPins(deps.now)
  const intake: CommandIntake = createCommandIntake({
    database,
    models: new CommandModels(),
    pins,
    requireFreshProof: deps.requireFreshProof,
  })
  const service = createCommandsService({ ...deps, intake })
  const templates = createCommandTemplatesService({ ...deps, pins })
  const schedules = createCommandSchedulesService({ database, intake })
  const batchRunner = createBatchRunner({ ...deps, intake })
  const batches = createCommandBatchesService({ database, intake, onBatch: () => batchRunner.wake() })
  const scheduleRunner = createScheduleRunner({ ...deps, intake })
  return {
    intake,
    service,
    templates,
    schedules,
    batches,
    passRaw: (ctx, productId, hex, answers) =>
      database.withTenant(ctx, scope =>
        intake.passDangersOf(scope, ctx, productId, { kind: 'raw', payload: { hex }, ...answers }),
      ),
    routes: commandsRoutes({ service, templates, schedules, batches }),
    runners: { batches: batchRunner, schedules: scheduleRunner },
    attention: [commandsAttention(database)],
    runs: [
      { name: 'batch commands', phase: 'work', start: () => batchRunner.start(), stop: () => batchRunner.stop() },
      { name: 'periodic reads', phase: 'work', start: () => scheduleRunner.start(), stop: () => scheduleRunner.stop() },
    ],
  }
}
