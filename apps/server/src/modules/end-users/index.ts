export { createEndUsersModule, type EndUsersModule } from './end-users.module.ts'
export { endUsersTools } from './end-users.tools.ts'
export { mediaLimitOf, standingOf } from './standing.ts'
