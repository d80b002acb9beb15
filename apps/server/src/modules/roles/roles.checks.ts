import { PERMISSIONS } from '@thingwright/contracts/permissions'
import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { countGroups, countProducts } from './roles.repo.ts'
import { isGrantable } from './roles.rights.ts'

/** Words a role's list of rights may hold besides the rights themselves: none; `*` is the built-in owner's alone. */
const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS)

/** @throws AppError role.permission_unknown naming the first word that is no right of a company */
export function checkPermissions(words: readonly string[], isOperator: boolean): string[] {
  for (const word of words) {
    const grantable = PERMISSIONS.find(permission => permission === word)
    if (!KNOWN.has(word) || !grantable || !isGrantable(grantable, { isOperator }))
      throw new AppError('role.permission_unknown', { params: { permission: word } })
  }
  // In the order of the list, so that two roles with the same rights look the same.
  return PERMISSIONS.filter(permission => words.includes(permission))
}

/** @throws AppError role.menu_unknown naming the first key that is no address of the console */
export function checkMenuKeys(keys: readonly string[], known: readonly string[]): string[] {
  for (const key of keys)
    if (key !== '*' && !known.includes(key)) throw new AppError('role.menu_unknown', { params: { key } })
  return keys.includes('*') ? ['*'] : known.filter(key => keys.includes(key))
}

/** Groups and products of a scope must be the company's own. @throws AppError role.scope_unknown */
export async function checkDataScope(scope: TenantScope, dataScope: RoleDataScope): Promise<RoleDataScope> {
  if (dataScope.kind === 'groups' && (await countGroups(scope, dataScope.groupIds)) !== dataScope.groupIds.length)
    throw new AppError('role.scope_unknown')
  if (
    dataScope.kind === 'products' &&
    (await countProducts(scope, dataScope.productIds)) !== dataScope.productIds.length
  )
    throw new AppError('role.scope_unknown')
  return dataScope
}
