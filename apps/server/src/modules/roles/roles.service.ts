import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { SystemScope } from '../../lib/database.ts'

export interface RoleGrant {
  key: string
  name: string
  ename: string
  permissions: string[]
  menuKeys: string[]
}

interface RoleRow {
  key: string
  name: string
  ename: string
  permissions: string[]
  menu_keys: string[]
}

/** Rights that only operators of the platform may hold, whatever a company's role says. */
const OPERATOR_ONLY: ReadonlySet<Permission> = new Set<Permission>(['operator:use', 'menu:write'])

/** The roles of a login. */
export async function rolesOf(scope: Pick<SystemScope, 'query'>, loginId: string): Promise<RoleGrant[]> {
  const { rows } = await scope.query<RoleRow>(
    'select r.key, r.name, r.ename, r.permissions, r.menu_keys from login_roles lr join roles r on r.id = lr.role_id where lr.login_id = $1 order by r.key',
    [loginId],
  )
  return rows.map(r => ({
    key: r.key,
    name: r.name,
    ename: r.ename,
    permissions: r.permissions,
    menuKeys: r.menu_keys,
  }))
}

/** Union of the rights of some roles; unknown words grant nothing. */
export function permissionsOf(roles: readonly RoleGrant[], isOperator: boolean): ReadonlySet<Permission> {
  const words = new Set(roles.flatMap(role => role.permissions))
  const all = words.has('*')
  return new Set(PERMISSIONS.filter(p => (all || words.has(p)) && (isOperator || !OPERATOR_ONLY.has(p))))
}

/** Union of the menu keys of some roles, `*` opened up to the given routes. */
export function menuKeysOf(roles: readonly RoleGrant[], allKeys: readonly string[]): string[] {
  const words = new Set(roles.flatMap(role => role.menuKeys))
  return words.has('*') ? [...allKeys] : allKeys.filter(key => words.has(key))
}
