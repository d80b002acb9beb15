import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, type DataScope, dataScopeOf } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { personId } from '../../lib/person.ts'
import * as repo from './roles.repo.ts'
import { dataScopeOfRoles, permissionsOf, type RoleGrant } from './roles.rights.ts'

/** The role whose holders may do everything; a company always has one active holder of it. */
export const OWNER = 'owner'

/** The roles of the caller's company. */
export function listRoles(scope: repo.RoleScope, ctx: Pick<Ctx, 'tenantId'>): Promise<repo.RoleRow[]> {
  return repo.allRoles(scope, ctx.tenantId)
}

/**
 * Gives a member exactly these roles, in the transaction of the caller (a company's scope or the system's), with a line
 * in the operation log. The caller lets the rights take effect at once: `identity.forget(loginId)` after the commit.
 * @param roleIds the roles he shall hold from now on; may be empty
 * @returns whether anything changed
 * @throws AppError member.not_found, role.not_found; role.beyond_own for a role with more rights or data than the actor
 *   has, given or taken; role.last_owner
 */
export async function assignRoles(
  scope: repo.RoleScope,
  ctx: Ctx,
  loginId: string,
  roleIds: readonly string[],
): Promise<{ changed: boolean }> {
  const { tenantId } = ctx
  await repo.lockAssignments(scope, tenantId)
  const login = await repo.loginOfCompany(scope, tenantId, loginId)
  if (!login) throw new AppError('member.not_found')
  const roles = await repo.allRoles(scope, tenantId)
  const wanted = new Set(roleIds)
  for (const id of wanted) if (!roles.some(role => role.id === id)) throw new AppError('role.not_found')
  const held = new Set((await repo.rolesOf(scope, loginId)).map(role => role.id))
  const touched = roles.filter(role => wanted.has(role.id) !== held.has(role.id))
  if (touched.length === 0) return { changed: false }
  for (const role of touched) await mayHandOut(scope, ctx, role, login.groupId)
  if (touched.some(role => role.key === OWNER && held.has(role.id))) await keepAnOwner(scope, tenantId, loginId)
  await repo.replaceAssignments(scope, tenantId, loginId, [...wanted])
  const names = (ids: ReadonlySet<string>) => roles.filter(role => ids.has(role.id)).map(role => role.name)
  await recordAudit(scope, ctx, {
    action: 'member.roles',
    objectType: 'login',
    objectId: loginId,
    objectName: login.username,
    before: { roles: names(held) },
    after: { roles: names(wanted) },
  })
  return { changed: true }
}

/**
 * For those who freeze, remove or hand over a member: somebody else must be an active owner.
 * @throws AppError role.last_owner
 */
export async function keepAnOwner(scope: repo.RoleScope, tenantId: string, loginId: string): Promise<void> {
  await repo.lockAssignments(scope, tenantId)
  const isOwner = (await repo.rolesOf(scope, loginId)).some(role => role.key === OWNER)
  if (isOwner && (await repo.otherHolders(scope, tenantId, OWNER, loginId)) === 0) throw new AppError('role.last_owner')
}

/**
 * Nobody hands out, or takes from others, what he does not have himself.
 * @param groupId where the receiver stands
 * @throws AppError role.beyond_own naming what the actor lacks
 */
export async function mayHandOut(
  scope: repo.RoleScope,
  ctx: Ctx,
  role: Pick<RoleGrant, 'key' | 'name' | 'permissions' | 'dataScope'>,
  groupId: string | null,
): Promise<void> {
  const { actor } = ctx
  if (actor.kind === 'system') return
  const beyond = (missing: string[]) => new AppError('role.beyond_own', { params: { role: role.name, missing } })
  const isOperator = actor.kind === 'operator'
  if (role.key === OWNER && !isOperator) {
    const own = await repo.rolesOf(scope, personId(actor))
    if (!own.some(held => held.key === OWNER)) throw beyond([OWNER])
  }
  // A word stands for itself, also where it has no effect at present; "all" for what a company can have.
  const granted = role.permissions.includes('*')
    ? [...permissionsOf([role], isOperator)]
    : PERMISSIONS.filter(permission => role.permissions.includes(permission))
  const missing = granted.filter(permission => !actor.permissions.has(permission))
  if (missing.length > 0) throw beyond(missing)
  if (!isWithin(dataScopeOfRoles([role], groupId), dataScopeOf(actor))) throw beyond(['data-scope'])
}

/** Whether one scope shows nothing that the other does not. Chosen groups are compared as roots. */
export function isWithin(inner: DataScope, outer: DataScope): boolean {
  if (outer.kind === 'all') return true
  if (inner.kind === 'all') return false
  return (
    inner.groupIds.every(id => outer.groupIds.includes(id)) &&
    inner.productIds.every(id => outer.productIds.includes(id))
  )
}
