import type { ApiKeyDataScope } from '@thingwright/contracts/developer.contract'
import type { DataScope } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { groupChains, groupsOfProducts } from './api-keys.repo.ts'

export interface KeyScope {
  /** What the key and its owner both see. */
  dataScope: DataScope
  /** Chosen groups and products that are not wholly the owner's, or not there. */
  outside: string[]
}

/**
 * The part of a key's scope that its owner sees too. Never more than that; where the two cross in a way that groups and
 * products cannot say (his own devices within a group, say) it is less (docs/adr/0032-api-keys.md).
 */
export async function keyScope(
  scope: Pick<TenantScope, 'run'>,
  tenantId: string,
  chosen: ApiKeyDataScope,
  owner: DataScope,
): Promise<KeyScope> {
  if (chosen.kind === 'all') return { dataScope: owner, outside: [] }
  if (chosen.kind === 'groups') return ofGroups(scope, tenantId, chosen.groupIds, owner)
  return ofProducts(scope, tenantId, chosen.productIds, owner)
}

async function ofGroups(
  scope: Pick<TenantScope, 'run'>,
  tenantId: string,
  groupIds: readonly string[],
  owner: DataScope,
): Promise<KeyScope> {
  const all = owner.kind === 'all'
  const roots = all ? [] : owner.groupIds
  const chains = await groupChains(scope, tenantId, [...new Set([...groupIds, ...roots])])
  const below = (id: string, any: readonly string[]) => (chains.get(id) ?? []).some(above => any.includes(above))
  const inside = groupIds.filter(id => (all ? chains.has(id) : below(id, roots)))
  const products = all ? [] : await groupsOfProducts(scope, tenantId, owner.productIds)
  const homes = await groupChains(scope, tenantId, [...new Set([...products.values()].flatMap(id => id ?? []))])
  return {
    dataScope: limited(
      [...inside, ...roots.filter(id => !inside.includes(id) && below(id, groupIds))],
      [...products].filter(([, home]) => home && homes.get(home)?.some(id => groupIds.includes(id))).map(([id]) => id),
    ),
    outside: groupIds.filter(id => !inside.includes(id)),
  }
}

async function ofProducts(
  scope: Pick<TenantScope, 'run'>,
  tenantId: string,
  productIds: readonly string[],
  owner: DataScope,
): Promise<KeyScope> {
  const products = await groupsOfProducts(scope, tenantId, productIds)
  const homes = await groupChains(scope, tenantId, [...new Set([...products.values()].flatMap(id => id ?? []))])
  const seen = (id: string) => {
    if (!products.has(id)) return false
    if (owner.kind === 'all' || owner.productIds.includes(id)) return true
    const home = products.get(id)
    return home !== null && home !== undefined && (homes.get(home) ?? []).some(above => owner.groupIds.includes(above))
  }
  return { dataScope: limited([], productIds.filter(seen)), outside: productIds.filter(id => !seen(id)) }
}

function limited(groupIds: string[], productIds: string[]): DataScope {
  return { kind: 'limited', groupIds, productIds, own: false }
}
