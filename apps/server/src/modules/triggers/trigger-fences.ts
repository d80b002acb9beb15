import type { RuleDocument, Surroundings } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { isUuid } from '../../lib/ids.ts'
import { judgedFences } from '../geofences/geofences.views.ts'
import type { Things } from './trigger-rule.ts'
import { watchedOf } from './trigger-scope.ts'
import type { WatchedDevice } from './triggers.repo.ts'

/** Ids of the geofences that its conditions ask for, with the paths at which they stand. */
export function fencesOf(rule: Pick<RuleDocument, 'condition' | 'clear'>): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (value: unknown, path: string): void => {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) {
      for (const [i, inner] of value.entries()) visit(inner, `${path}[${i}]`)
      return
    }
    const { type, fence, of } = value as { type?: unknown; fence?: unknown; of?: unknown }
    if (type === 'geofence' && typeof fence === 'string' && !found.has(fence)) found.set(fence, `${path}.fence`)
    visit(of, `${path}.of`)
  }
  visit(rule.condition, 'condition')
  visit(rule.clear, 'clear')
  return found
}

/** The first property of a device in which it says where it is: that whose track the map plays. */
function positionIn(properties: ReadonlyMap<string, string> | undefined): string | undefined {
  for (const [identifier, type] of properties ?? []) if (type === 'geo') return identifier
  return undefined
}

/** What a rule about geofences needs to be compiled, and the first of them that is switched off. */
export interface Fenced {
  around: Pick<Surroundings, 'fence' | 'positionOf'>
  /** What `around.fence` answers from. */
  fences: ReadonlyMap<string, NonNullable<ReturnType<NonNullable<Surroundings['fence']>>>>
  disabled: { path: string; name: string } | null
  /** The first that is not there, or that the caller may not see. */
  unknown: { path: string; fence: string } | null
}

/** Geofences of a rule as its owner sees them, and where its devices say that they are. */
export async function fencedBy(
  scope: TenantScope,
  rule: RuleDocument,
  things: Things,
  devices: readonly WatchedDevice[],
  others: readonly WatchedDevice[],
): Promise<Fenced> {
  const asked = fencesOf(rule)
  if (asked.size === 0) return { around: {}, fences: new Map(), disabled: null, unknown: null }
  const found = new Map((await judgedFences(scope, [...asked.keys()].filter(isUuid))).map(row => [row.id, row]))
  const fences = new Map<string, NonNullable<ReturnType<NonNullable<Surroundings['fence']>>>>()
  for (const { id, shape, version, scope: chosen } of found.values()) {
    const within = chosen === null ? null : await watchedOf(scope, chosen)
    fences.set(id, { shape, version, ...(within ? { devices: new Set(within.map(({ num }) => num)) } : {}) })
  }
  const positionOf = new Map<number, string>()
  for (const { id, num, productId } of devices) {
    const of = things.products.get(`${productId}/${id}`) ?? things.products.get(productId)
    const property = positionIn(of?.properties)
    if (property !== undefined) positionOf.set(num, property)
  }
  for (const { id, num } of others) {
    const property = positionIn(things.others.get(id)?.properties)
    if (property !== undefined) positionOf.set(num, property)
  }
  const [gone] = [...asked].filter(([id]) => !found.has(id))
  const off = [...found.values()].find(({ enabled }) => !enabled)
  return {
    around: { fence: id => fences.get(id), positionOf },
    fences,
    unknown: gone ? { fence: gone[0], path: gone[1] } : null,
    disabled: off ? { name: off.name, path: asked.get(off.id)! } : null,
  }
}
