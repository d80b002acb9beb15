export { type CommandsDeps, type CommandsModule, createCommandsModule } from './commands.module.ts'
export { applyReplies, type CommandReply } from './commands.replies.ts'
export { type CommandsService, QUEUE_LIMIT } from './commands.service.ts'
