import { listAt, type SearchSource } from '../../lib/found.ts'
import type { RolesService } from './roles.service.ts'

export const rolesFound = (roles: Pick<RolesService, 'list'>): SearchSource => ({
  kind: 'role',
  permission: 'role:read',
  find: async (ctx, q, limit) =>
    (await roles.list(ctx, { q, limit })).items.map(role => ({
      id: role.id,
      title: ctx.locale === 'en' ? role.ename || role.name : role.name,
      subtitle: role.description,
      link: listAt('/manage/role', role.name),
    })),
})
