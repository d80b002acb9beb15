export { createMembersModule, type MembersModule } from './members.module.ts'
export { memberFinder, membersTools } from './members.tools.ts'
