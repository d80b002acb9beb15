import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import { type DataScope, WHOLE_COMPANY } from '../../lib/context.ts'

/** What a role grants, as the rights of a person are made of it. */
export interface RoleGrant {
  id: string
  key: string
  name: string
  ename: string
  permissions: string[]
  menuKeys: string[]
  dataScope: RoleDataScope
}

/**
 * Rights that only operators of the platform may hold, whatever a company's role says. The menu is the installation's:
 * whoever changes it changes it for every company.
 */
const OPERATOR_ONLY: ReadonlySet<Permission> = new Set<Permission>([
  'menu:write',
  'operator:use',
  'operator:write',
  'announcement:write',
])

/** Whether somebody of a company, or an operator, may hold a right at all. */
export function isGrantable(permission: Permission, { isOperator }: { isOperator: boolean }): boolean {
  return isOperator || !OPERATOR_ONLY.has(permission)
}

/** Union of the rights of some roles; unknown words grant nothing. */
export function permissionsOf(
  roles: readonly Pick<RoleGrant, 'permissions'>[],
  isOperator: boolean,
): ReadonlySet<Permission> {
  const words = new Set(roles.flatMap(role => role.permissions))
  const all = words.has('*')
  return new Set(PERMISSIONS.filter(p => (all || words.has(p)) && isGrantable(p, { isOperator })))
}

/** Pages about oneself: whoever has any role reaches his own password, second step and sessions. */
const PERSONAL = ['/admin/security']

/** Union of the menu keys of some roles, `*` opened up to the given routes, and the pages about oneself. */
export function menuKeysOf(roles: readonly Pick<RoleGrant, 'menuKeys'>[], allKeys: readonly string[]): string[] {
  if (roles.length === 0) return []
  const words = new Set([...PERSONAL, ...roles.flatMap(role => role.menuKeys)])
  return words.has('*') ? [...allKeys] : allKeys.filter(key => words.has(key))
}

/**
 * Union of the data scopes of some roles; nobody without a role sees anything.
 * @param groupId where the person stands, for "own group and below"
 */
export function dataScopeOfRoles(
  roles: readonly Pick<RoleGrant, 'dataScope'>[],
  groupId: string | null | undefined,
): DataScope {
  const groupIds = new Set<string>()
  const productIds = new Set<string>()
  let own = false
  for (const { dataScope } of roles) {
    if (dataScope.kind === 'all') return WHOLE_COMPANY
    if (dataScope.kind === 'own') own = true
    if (dataScope.kind === 'own_groups' && groupId) groupIds.add(groupId)
    if (dataScope.kind === 'groups') for (const id of dataScope.groupIds) groupIds.add(id)
    if (dataScope.kind === 'products') for (const id of dataScope.productIds) productIds.add(id)
  }
  return { kind: 'limited', groupIds: [...groupIds], productIds: [...productIds], own }
}
