export { createEndUsersModule, type EndUsersModule } from './end-users.module.ts'
export { endUsersTools } from './end-users.tools.ts'
export { standingOf } from './standing.ts'
