export { createMembersModule, type MembersModule } from './members.module.ts'
export type { OwnedObjects } from './owned-objects.ts'
