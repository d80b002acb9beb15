import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { Explanation } from '@thingwright/contracts/roles.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { personIn } from '../../lib/person.ts'
import * as repo from './roles.repo.ts'
import { dataScopeOfRoles, isGrantable, permissionsOf } from './roles.rights.ts'

export interface ExplainInput {
  permission?: string | undefined
  objectType?: 'device' | 'product' | undefined
  objectId?: string | undefined
}

/** Seeing an object takes this right. */
const READ: Record<'device' | 'product', Permission> = { device: 'device:read', product: 'product:read' }
const PEOPLE = 20

/**
 * Tells why the caller was refused: which right is missing, or that the object lies outside his data scope, what each of
 * his roles has to say to it, and who in the company could help. An object of another company is simply not there.
 */
export async function explain(database: Database, ctx: Ctx, input: ExplainInput): Promise<Explanation> {
  const actor = personIn(ctx.actor)
  const object = input.objectType && input.objectId ? { type: input.objectType, id: input.objectId } : null
  if (!object && !input.permission)
    throw new AppError('request.validation', {
      params: { count: 1 },
      fields: { permission: { code: 'request.validation', params: { count: 1 } } },
    })
  const permission = (input.permission as Permission | undefined) ?? (object ? READ[object.type] : null)
  const isOperator = actor.kind === 'operator'

  return database.withTenant(ctx, async scope => {
    const roles = await repo.rolesOf(scope, actor.loginId)
    const hasRight = permission === null || actor.permissions.has(permission)
    const seen = object ? await repo.isThere(scope, object) : true
    const there = object && !seen ? await scope.wholeCompany('explain', () => repo.isThere(scope, object)) : seen
    const known = permission === null || PERMISSIONS.includes(permission)
    const grantable = known && permission !== null ? isGrantable(permission, { isOperator }) : known
    const reason: Explanation['reason'] = !there
      ? 'not_found'
      : !grantable
        ? 'operator_only'
        : roles.length === 0
          ? 'no_roles'
          : !hasRight
            ? 'permission_missing'
            : seen
              ? 'allowed'
              : 'outside_scope'
    return {
      allowed: reason === 'allowed',
      reason,
      permission,
      // What is not there is not confirmed either.
      object: there ? object : null,
      roles: roles.map(role => ({
        id: role.id,
        name: role.name,
        ename: role.ename,
        grants:
          (permission === null || permissionsOf([role], isOperator).has(permission)) &&
          (reason !== 'outside_scope' || dataScopeOfRoles([role], null).kind === 'all'),
        dataScope: role.dataScope,
      })),
      canGrant: reason === 'allowed' || reason === 'not_found' ? [] : await grantors(scope, permission, isOperator),
    }
  })
}

/** People who may give roles and hold the right themselves: nobody grants more than he has. */
async function grantors(
  scope: TenantScope,
  permission: Permission | null,
  isOperator: boolean,
): Promise<Explanation['canGrant']> {
  const people = new Map<string, Explanation['canGrant'][number] & { words: { permissions: string[] }[] }>()
  for (const row of await repo.rightsOfPeople(scope, scope.tenantId)) {
    const person = people.get(row.id) ?? {
      id: row.id,
      username: row.username,
      displayName: row.displayName,
      roles: [],
      words: [],
    }
    person.roles.push(row.roleName)
    person.words.push({ permissions: row.permissions })
    people.set(row.id, person)
  }
  return [...people.values()]
    .filter(({ words }) => {
      const rights = permissionsOf(words, isOperator)
      return rights.has('member:write') && (permission === null || rights.has(permission))
    })
    .slice(0, PEOPLE)
    .map(({ words: _, ...person }) => person)
}
