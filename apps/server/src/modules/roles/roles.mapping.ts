import { PERMISSIONS } from '@thingwright/contracts/permissions'
import type { RoleDiff, RoleView } from '@thingwright/contracts/roles.contract'
import type { RoleContent, RoleRow } from './roles.repo.ts'
import { menuKeysOf, permissionsOf } from './roles.rights.ts'

export function toView(row: RoleRow): RoleView {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    ename: row.ename,
    description: row.description,
    permissions: row.permissions,
    menuKeys: row.menuKeys,
    dataScope: row.dataScope,
    requireSecondFactor: row.requireSecondFactor,
    builtin: row.builtin,
    memberCount: row.memberCount,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** What the operation log keeps of a role. */
export function auditFacts(role: RoleContent): Record<string, unknown> {
  return {
    name: role.name,
    ename: role.ename,
    description: role.description,
    permissions: role.permissions,
    menuKeys: role.menuKeys,
    dataScope: role.dataScope,
    requireSecondFactor: role.requireSecondFactor,
  }
}

/** @param menuKeys every address there is, for a role that may open all */
export function toDiff(left: RoleRow, right: RoleRow, menuKeys: readonly string[], isOperator: boolean): RoleDiff {
  const rights = (role: RoleRow) => permissionsOf([role], isOperator)
  const menus = (role: RoleRow) => new Set(menuKeysOf([role], menuKeys))
  return {
    left: toView(left),
    right: toView(right),
    permissions: difference(rights(left), rights(right), PERMISSIONS),
    menuKeys: difference(menus(left), menus(right), menuKeys),
    sameDataScope: sameScope(left, right),
  }
}

function difference(left: ReadonlySet<string>, right: ReadonlySet<string>, order: readonly string[]) {
  return {
    onlyLeft: order.filter(word => left.has(word) && !right.has(word)),
    onlyRight: order.filter(word => right.has(word) && !left.has(word)),
    both: order.filter(word => left.has(word) && right.has(word)),
  }
}

function sameScope({ dataScope: a }: RoleRow, { dataScope: b }: RoleRow): boolean {
  const ids = (scope: RoleRow['dataScope']) =>
    scope.kind === 'groups' ? scope.groupIds : scope.kind === 'products' ? scope.productIds : []
  return a.kind === b.kind && ids(a).toSorted().join() === ids(b).toSorted().join()
}
