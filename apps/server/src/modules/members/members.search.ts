import { listAt, type SearchSource } from '../../lib/found.ts'
import type { MembersService } from './members.service.ts'

export const membersFound = (members: Pick<MembersService, 'list'>): SearchSource => ({
  kind: 'member',
  permission: 'member:read',
  find: async (ctx, q, limit) =>
    (await members.list(ctx, { q, limit })).items.map(member => ({
      id: member.id,
      title: member.displayName || (member.username ?? ''),
      subtitle: member.username ?? member.email ?? member.phone ?? '',
      link: listAt('/admin/member', member.username ?? member.displayName),
    })),
})
