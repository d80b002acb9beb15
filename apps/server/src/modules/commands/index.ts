export { CommandModels } from './command-models.ts'
export {
  type ClaimedElsewhere,
  claimElsewhere,
  type ElsewhereState,
  isOpenElsewhere,
  moveElsewhere,
  returnElsewhere,
} from './commands.elsewhere.repo.ts'
export {
  cancelFirmwareCommands,
  dropStaleFirmwareCommands,
  type FirmwareCommand,
  putFirmwareCommands,
} from './commands.firmware.ts'
export type { CommandIntake } from './commands.intake.ts'
export { type CommandsDeps, type CommandsModule, createCommandsModule } from './commands.module.ts'
export { applyReadings, type CommandReading } from './commands.read-back.ts'
export { applyReplies, type CommandReply } from './commands.replies.ts'
export type { CommandsService } from './commands.service.ts'
export { commandsTools } from './commands.tools.ts'
export { interlocked, interlockParams } from './interlock.ts'
export { devicesWithWishes, fulfilWishes } from './shadow-desired.repo.ts'
export { templateUsage } from './template-usage.repo.ts'
export { compileReply } from './templates/reply-pattern.ts'
