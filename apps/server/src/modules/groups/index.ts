export { groupFinder, groupMention } from './group.finder.ts'
export { createGroupsModule, type GroupsModule } from './groups.module.ts'
export type { CountByGroup, GroupsDeps, GroupsService } from './groups.service.ts'
export { groupsTools } from './groups.tools.ts'
