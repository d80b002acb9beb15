import type { ConditionRule, SubscriptionFilter, SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import type { DataScope } from '../../lib/context.ts'
import { valueAt } from './template.ts'

/** What filters ask about a device. Groups are its own and its product's, with everything above them. */
export interface DeviceFacts {
  readonly num: number
  readonly id: string
  readonly tenantId: string
  readonly deviceNo: string
  readonly productId: string
  readonly productKey: string
  readonly groupIds: readonly string[]
  readonly tags: readonly string[]
  readonly createdBy: string | null
  /** The end user who owns it, with those above him. */
  readonly ownerPath: readonly string[]
  /** Epoch ms: the owner got it without what was before; null: he has all of it. */
  readonly historyFrom: number | null
}

/** What a subscription takes. */
export interface SubscriptionRule {
  readonly id: string
  readonly tenantId: string
  readonly kinds: readonly SubscriptionKind[]
  readonly filter: SubscriptionFilter
  readonly dataScope: DataScope
  readonly createdBy: string | null
  /** Epoch ms: what arrived before is not its own. */
  readonly since: number
}

/** Times remembered for sampling; forgetting them lets one more value through. */
const MAX_SAMPLED = 200_000

/** One subscription's filter, ready to be asked. Sampling remembers; everything else is a function of its arguments. */
export class Matcher {
  readonly kinds: ReadonlySet<SubscriptionKind>
  private readonly properties: ReadonlySet<string> | null
  private readonly events: ReadonlySet<string> | null
  private readonly asked: ReadonlySet<SubscriptionKind>
  private readonly sampled = new Map<string, { stretch: number; seq: number }>()
  /**
   * The present data scope of the person who made the subscription; null: he may see nothing. Undefined: the rule's own
   * scope is enough.
   */
  scopeNow: DataScope | null | undefined
  /** Whether the data of a property has to be looked into at all. */
  private readonly readsProperties: boolean

  constructor(readonly rule: SubscriptionRule) {
    const { filter } = rule
    this.kinds = new Set(rule.kinds)
    this.properties = filter.identifiers?.length ? new Set(filter.identifiers) : null
    this.events = filter.events?.length ? new Set(filter.events) : null
    this.asked = new Set(filter.condition ? (filter.condition.kinds ?? ['property', 'event']) : [])
    this.readsProperties = this.properties !== null || this.asked.has('property') || filter.everySeconds !== undefined
  }

  /** Whether anything of this device is wanted. */
  takesDevice(device: DeviceFacts): boolean {
    const { filter, dataScope, tenantId, createdBy } = this.rule
    if (device.tenantId !== tenantId || !inScope(device, dataScope, createdBy)) return false
    if (this.scopeNow === null || (this.scopeNow && !inScope(device, this.scopeNow, createdBy))) return false
    const { productIds = [], deviceIds = [], groupIds = [], userIds = [], tags = [] } = filter
    if (userIds.length > 0 && !userIds.some(id => device.ownerPath.includes(id))) return false
    if (tags.length > 0 && !tags.some(tag => device.tags.includes(tag))) return false
    if (productIds.length + deviceIds.length + groupIds.length === 0) return true
    return (
      productIds.includes(device.productId) ||
      deviceIds.includes(device.id) ||
      groupIds.some(id => device.groupIds.includes(id))
    )
  }

  /**
   * Whether a row of a device that it takes is from a time that the filter means. A row can be read after a hand-over that
   * it came before: of a device that went without its history, what was before is nothing of the new owner's.
   */
  takesTime({ historyFrom }: DeviceFacts, { ts, arrivedAt }: { ts: number; arrivedAt: number }): boolean {
    if (historyFrom === null || (this.rule.filter.userIds?.length ?? 0) === 0) return true
    return Math.min(ts, arrivedAt) >= historyFrom
  }

  /**
   * What of a row leaves: its data as JSON text, or null. A row that goes out as it is is never parsed.
   * @param parsed parses `text` once for all subscriptions that look into it
   */
  take(
    kind: SubscriptionKind,
    { device, seq, arrivedAt }: { device: number; seq: number; arrivedAt: number },
    text: string,
    parsed: () => Readonly<Record<string, unknown>>,
  ): string | null {
    if (!this.kinds.has(kind) || arrivedAt < this.rule.since) return null
    if (kind === 'event' && this.events && !this.events.has(String(parsed().identifier))) return null
    if (this.asked.has(kind) && !this.holds(parsed())) return null
    if (kind !== 'property' || !this.readsProperties) return text
    const data = parsed()
    const names = Object.keys(data)
    const kept = names.filter(name => (this.properties?.has(name) ?? true) && this.due(device, name, seq, arrivedAt))
    if (kept.length === 0) return null
    return kept.length === names.length
      ? text
      : JSON.stringify(Object.fromEntries(kept.map(name => [name, data[name]])))
  }

  /** Each property of a device once in a stretch of time; which one is told by its arrival. */
  private due(device: number, name: string, seq: number, arrivedAt: number): boolean {
    const { everySeconds } = this.rule.filter
    if (everySeconds === undefined) return true
    const stretch = Math.floor(arrivedAt / (everySeconds * 1000))
    const key = `${device} ${name}`
    const last = this.sampled.get(key)
    // A row that comes again because its transaction failed is let through again.
    if (last?.stretch === stretch && last.seq !== seq) return false
    if (this.sampled.size >= MAX_SAMPLED) this.sampled.clear()
    this.sampled.set(key, { stretch, seq })
    return true
  }

  private holds(data: Readonly<Record<string, unknown>>): boolean {
    const { match, rules } = this.rule.filter.condition!
    return match === 'all' ? rules.every(rule => satisfies(data, rule)) : rules.some(rule => satisfies(data, rule))
  }
}

/** The data scope of ADR 13, decided over facts rather than by the database's policies. */
function inScope(device: DeviceFacts, scope: DataScope, owner: string | null): boolean {
  if (scope.kind === 'all') return true
  return (
    scope.productIds.includes(device.productId) ||
    scope.groupIds.some(id => device.groupIds.includes(id)) ||
    (scope.own && owner !== null && device.createdBy === owner)
  )
}

export function satisfies(data: Readonly<Record<string, unknown>>, { identifier, op, value }: ConditionRule): boolean {
  // An identifier may hold a dot itself.
  const found = Object.hasOwn(data, identifier) ? data[identifier] : valueAt(data, identifier.split('.'))
  if (found === undefined || found === null) return false
  switch (op) {
    case 'exists':
      return true
    case 'eq':
      return same(found, value)
    case 'ne':
      return !same(found, value)
    case 'contains':
      return Array.isArray(found) ? found.some(one => same(one, value)) : String(found).includes(String(value))
    default: {
      const [left, right] = [Number(found), Number(value)]
      if (typeof found === 'boolean' || Number.isNaN(left) || Number.isNaN(right)) return false
      if (op === 'gt') return left > right
      if (op === 'gte') return left >= right
      return op === 'lt' ? left < right : left <= right
    }
  }
}

/** Integers beyond 2^53 travel as text; a number and its text are the same. */
function same(found: unknown, value: unknown): boolean {
  return typeof found === 'object' ? false : String(found) === String(value)
}
