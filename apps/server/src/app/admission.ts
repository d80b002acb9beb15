import { allContracts } from '@thingwright/contracts/all-contracts'
import { END_USER_OPERATIONS } from '@thingwright/contracts/end-user-routes'
import { NOT_FOR_API_KEYS } from '@thingwright/contracts/permissions'
import type { RouteContract } from '@thingwright/contracts/route'
import { type Actor, customerOf, dataScopeOf } from '../lib/context.ts'
import { AppError } from '../lib/errors.ts'

/** Whether a key can call the route at all, given the right. */
export function forPrograms({ permission, apiKeys }: RouteContract): boolean {
  return permission === 'signed-in' ? apiKeys === true : !NOT_FOR_API_KEYS.some(never => never === permission)
}

/** Whether a route needs a person, such as a profile or an inbox: an API key cannot call it. */
export function needsAPerson(contract: RouteContract): boolean {
  return contract.permission === 'signed-in' && !contract.apiKeys
}

/** Support that may only look changes nothing. @throws AppError support.read_only */
export function refuseReadOnlySupport(contract: RouteContract, actor: Actor): void {
  if (actor.kind === 'operator' && actor.support?.mayWrite === false && contract.method !== 'GET')
    throw new AppError('support.read_only')
}

/** Whether the actor holds the route's right. */
export function holdsRight({ permission }: RouteContract, actor: Actor): boolean {
  if (permission === 'public' || permission === 'signed-in') return true
  return actor.kind !== 'system' && actor.permissions.has(permission)
}

/** Routes that are open to end users, by their contracts. */
const TO_END_USERS: ReadonlySet<RouteContract> = new Set(
  Object.entries(allContracts).flatMap(([feature, routes]) =>
    Object.entries(routes as Record<string, RouteContract>)
      .filter(([name]) => END_USER_OPERATIONS.has(`${feature}.${name}`))
      .map(([, contract]) => contract),
  ),
)

/** Whether an end user can reach the route at all. */
export function forEndUsers(contract: RouteContract): boolean {
  return contract.permission === 'public' || TO_END_USERS.has(contract)
}

/** @throws AppError permission.denied naming the right; scope.whole_company */
export function requireRight(contract: RouteContract, actor: Actor): void {
  const customer = customerOf(actor)
  if (customer && !forEndUsers(contract))
    throw new AppError('permission.denied', { params: { permission: contract.permission } })
  // Programs written for other systems are a right of their own.
  if (customer && contract.path.startsWith('/compat/') && !customer.rights.includes('api'))
    throw new AppError('permission.denied', { params: { permission: contract.permission } })
  // Somebody who works as an end user must not change his password or other security settings.
  if (actor.kind === 'end_user' && actor.enteredBy && contract.tag === 'Security' && contract.method !== 'GET')
    throw new AppError('permission.denied', { params: { permission: contract.permission } })
  if (!holdsRight(contract, actor))
    throw new AppError('permission.denied', { params: { permission: contract.permission } })
  if (contract.wholeCompany && dataScopeOf(actor).kind === 'limited') throw new AppError('scope.whole_company')
}
