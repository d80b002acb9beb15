import type { QueryOf } from '@thingwright/contracts'
import type { RoleView, rolesContract } from '@thingwright/contracts/roles.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './role-export.texts.json' with { type: 'json' }
import type { RolesService } from './roles.service.ts'

type ExportRoles = QueryOf<(typeof rolesContract)['export']>

/** The roles of a list's filters as a file. */
export function exportRoles(
  database: Database,
  roles: Pick<RolesService, 'list'>,
  ctx: Ctx,
  { format, ...filters }: ExportRoles,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<RoleView>(database, ctx, {
    action: 'role.export',
    objectType: 'role',
    format,
    filters,
    fileName: `${text.roles}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'ename', title: text.ename, value: row => row.ename },
      { key: 'description', title: text.description, value: row => row.description },
      { key: 'origin', title: text.origin, value: row => (row.builtin ? text.builtin : text.custom) },
      { key: 'dataScope', title: text.dataScope, value: row => text.scopes[row.dataScope.kind] },
      {
        key: 'requireSecondFactor',
        title: text.secondFactor,
        value: row => (row.requireSecondFactor ? text.yes : ''),
      },
      { key: 'permissions', title: text.permissions, value: row => row.permissions.join(' ') },
      { key: 'menuKeys', title: text.menuKeys, value: row => row.menuKeys.join(' ') },
      { key: 'members', title: text.members, type: 'number', value: row => row.memberCount },
      { key: 'updatedAt', title: text.updatedAt, type: 'time', value: row => row.updatedAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => roles.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
