import { matches } from './topic-filter.ts'

/** Patterns below the device's prefix, with `+` and `#`. An empty allow list allows everything. */
export interface TopicList {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

/** What a device may publish and subscribe to; null where nothing is restricted. */
export interface TopicRights {
  readonly publish: TopicList | null
  readonly subscribe: TopicList | null
}

/** What is stored of a product's or device's access; see packages/contracts/src/device-identity.contract.ts. */
export interface StoredAccess {
  topics?: { publish?: Partial<TopicList> | null; subscribe?: Partial<TopicList> | null } | null
  messagesPerSecond?: number | null
}

/** The rights in force: each direction is the device's own list where it has one, else its product's. */
export function rightsOf(product: StoredAccess, device: StoredAccess): TopicRights | null {
  const publish = listOf(device.topics?.publish) ?? listOf(product.topics?.publish)
  const subscribe = listOf(device.topics?.subscribe) ?? listOf(product.topics?.subscribe)
  return publish || subscribe ? { publish, subscribe } : null
}

/** Messages per second in force; null: not limited. */
export function rateOf(product: StoredAccess, device: StoredAccess): number | null {
  return device.messagesPerSecond ?? product.messagesPerSecond ?? null
}

function listOf(stored: Partial<TopicList> | null | undefined): TopicList | null {
  if (!stored) return null
  return { allow: stored.allow ?? [], deny: stored.deny ?? [] }
}

/** Whether a topic (below the prefix, without wildcards) may be published to. */
export function mayPublish(rights: TopicRights | null | undefined, suffix: string): boolean {
  const list = rights?.publish
  if (!list) return true
  if (list.deny.some(pattern => matches(pattern, suffix))) return false
  return list.allow.length === 0 || list.allow.some(pattern => matches(pattern, suffix))
}

/**
 * Whether a filter (below the prefix) may be subscribed to: it must lie within one allowed pattern and have no topic in
 * common with a denied one, so that nobody widens his rights with `#`.
 */
export function maySubscribe(rights: TopicRights | null | undefined, filter: string): boolean {
  const list = rights?.subscribe
  if (!list) return true
  if (list.deny.some(pattern => overlap(pattern.split('/'), filter.split('/')))) return false
  return list.allow.length === 0 || list.allow.some(pattern => covers(pattern.split('/'), filter.split('/')))
}

/** Whether two filters have a topic in common. `a/#` also stands for `a`. */
function overlap(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; ; i++) {
    if (a[i] === '#' || b[i] === '#') return true
    if (i === a.length || i === b.length) return a.length === b.length
    if (a[i] !== b[i] && a[i] !== '+' && b[i] !== '+') return false
  }
}

/** Whether every topic of the filter is one of the pattern. */
function covers(pattern: readonly string[], filter: readonly string[]): boolean {
  for (let i = 0; ; i++) {
    if (pattern[i] === '#') return true
    if (i === pattern.length || i === filter.length) return pattern.length === filter.length
    if (filter[i] === '#') return false
    if (pattern[i] === '+') continue
    if (pattern[i] !== filter[i]) return false
  }
}
