import { type RuleDocument, SCOPE_FIELDS, type Scope } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { isUuid } from '../../lib/ids.ts'
import { groupsBelow } from '../groups/groups.views.ts'
import type { Things } from './trigger-rule.ts'
import * as repo from './triggers.repo.ts'

/** More devices than this are not watched by one trigger. */
export const MAX_WATCHED = 200_000

/** What a scope is asked with: groups with what is below them. */
async function asked(scope: TenantScope, chosen: Scope): Promise<[(typeof SCOPE_FIELDS)[number], string[]]> {
  const field = SCOPE_FIELDS.find(name => chosen[name] !== undefined) ?? 'deviceIds'
  const values = chosen[field] ?? []
  if (field === 'tags') return [field, values]
  const ids = values.filter(isUuid)
  return [field, field === 'groupIds' ? await groupsBelow(scope, ids, 'device') : ids]
}

/** Devices of a scope, as far as the transaction's caller may see them. */
export async function watchedOf(scope: TenantScope, chosen: Scope, limit = MAX_WATCHED): Promise<repo.WatchedDevice[]> {
  const [field, values] = await asked(scope, chosen)
  return values.length === 0 ? [] : repo.watchedDevices(scope, field, values, limit)
}

export async function countWatchedOf(scope: TenantScope, chosen: Scope): Promise<number> {
  const [field, values] = await asked(scope, chosen)
  return values.length === 0 ? 0 : repo.countWatched(scope, field, values)
}

/** What those devices have that a rule can ask for. */
export async function thingsOf(
  scope: TenantScope,
  rule: RuleDocument,
  devices: readonly repo.WatchedDevice[],
  others: readonly repo.WatchedDevice[],
): Promise<Things> {
  const productIds = new Set([...devices, ...others].map(({ productId }) => productId))
  // A product without devices yet.
  for (const id of rule.scope.productIds ?? []) if (isUuid(id)) productIds.add(id)
  const models = new Map((await repo.productModels(scope, [...productIds])).map(row => [row.id, row]))
  const facts = (productId: string, added: repo.WatchedDevice['added'] | null) => {
    const model = models.get(productId)
    const properties = new Map((model?.properties ?? []).map(({ identifier, dataType }) => [identifier, dataType.type]))
    for (const { identifier, dataType } of added ?? []) properties.set(identifier, dataType.type)
    return { properties, events: new Set((model?.events ?? []).map(({ identifier }) => identifier)) }
  }
  const products = new Map<string, ReturnType<typeof facts>>()
  for (const { productId, added, id } of devices) {
    if (added?.length) products.set(`${productId}/${id}`, facts(productId, added))
    else if (!products.has(productId)) products.set(productId, facts(productId, null))
  }
  for (const id of rule.scope.productIds ?? [])
    if (models.has(id) && !products.has(id)) products.set(id, facts(id, null))
  return { products, others: new Map(others.map(({ id, productId, added }) => [id, facts(productId, added)])) }
}
