import type { ProductMapping } from '@thingwright/contracts/device-batches.contract'
import type { TenantScope } from '../../../lib/database/database.ts'
import { propertiesOf } from './device-batches.repo.ts'

/** What becomes of the properties of products whose devices become ones of another product. */
export async function mappingOf(
  scope: TenantScope,
  from: string[],
  to: string,
): Promise<Omit<ProductMapping, 'numbersTaken'>> {
  const properties = await scope.wholeCompany('hold', () => propertiesOf(scope, [...from, to]))
  return mapProperties(
    properties.filter(({ productId }) => productId !== to),
    properties.filter(({ productId }) => productId === to),
  )
}

interface NamedType {
  identifier: string
  type: string
}

/** A property is kept when the new product has it under its identifier and with its type. */
export function mapProperties(
  from: readonly NamedType[],
  to: readonly NamedType[],
): Omit<ProductMapping, 'numbersTaken'> {
  const target = new Map(to.map(({ identifier, type }) => [identifier, type]))
  const kept = new Set<string>()
  const lost = new Map<string, 'missing' | 'type'>()
  for (const { identifier, type } of from) {
    const there = target.get(identifier)
    if (there === type) kept.add(identifier)
    else lost.set(identifier, there === undefined ? 'missing' : 'type')
  }
  const known = new Set(from.map(({ identifier }) => identifier))
  return {
    // Of several products one may have it otherwise: then it is lost for that one's devices.
    kept: [...kept].filter(identifier => !lost.has(identifier)).toSorted(),
    lost: [...lost].map(([identifier, reason]) => ({ identifier, reason })),
    added: [...target.keys()].filter(identifier => !known.has(identifier)),
  }
}
