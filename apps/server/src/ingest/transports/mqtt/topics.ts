import { type DialectMessage, manyBelow } from '../../dialects/dialect.ts'
import type { UplinkChannel } from '../../uplink.ts'
import { Reason } from './protocol.ts'

export type Query = 'shadow_get' | 'ntp' | 'firmware_pull'

/** What publishing to a topic means. */
export type Route =
  | {
      readonly kind: 'uplink'
      readonly topic: string
      readonly channel: UplinkChannel
      /** Reason code that a 5.0 client is told when the message is refused. */
      readonly refusal: number
      /** The device below this gateway that speaks; absent: the gateway itself. */
      readonly sub?: string
    }
  /** Asks for an answer on `reply`; nothing is stored. */
  | {
      readonly kind: 'query'
      readonly topic: string
      readonly query: Query
      readonly reply: string
      readonly sub?: string
    }
  /** Asks for bytes of firmware, which come on topics of their own. */
  | { readonly kind: 'chunks'; readonly topic: string; readonly sub?: string }
  /** A topic of another platform's tree, or one message for several devices. */
  | { readonly kind: 'message'; readonly topic: string; readonly read: (payload: Buffer) => DialectMessage }
  /** Only a general broker has these. */
  | { readonly kind: 'open'; readonly topic: string }

interface Right {
  /** Levels under the device's prefix; `*` stands for an identifier of the thing model. */
  readonly topic: string
  readonly route: (topic: string, identifier: string) => Route
}

const uplink =
  (channel: (identifier: string) => UplinkChannel) =>
  (topic: string, identifier: string): Route => ({
    kind: 'uplink',
    topic,
    channel: channel(identifier),
    refusal: Reason.payloadInvalid,
  })

const query =
  (kind: Query, reply: string) =>
  (topic: string): Route => ({ kind: 'query', topic, query: kind, reply })

/** Every topic that a device may publish to, under `things/{productKey}/{deviceNo}/`. Nothing else is allowed. */
export const UP_TOPICS: readonly Right[] = [
  { topic: 'property/post', route: uplink(() => ({ kind: 'property' })) },
  { topic: 'event/*/post', route: uplink(identifier => ({ kind: 'event', identifier })) },
  { topic: 'raw/up', route: uplink(() => ({ kind: 'raw' })) },
  { topic: 'property/set_reply', route: uplink(() => ({ kind: 'property_set_reply' })) },
  { topic: 'service/*/invoke_reply', route: uplink(identifier => ({ kind: 'service_reply', identifier })) },
  { topic: 'shadow/get', route: query('shadow_get', 'shadow/get_reply') },
  { topic: 'ntp/request', route: query('ntp', 'ntp/response') },
  { topic: 'ota/inform', route: uplink(() => ({ kind: 'firmware', message: 'inform' })) },
  { topic: 'ota/progress', route: uplink(() => ({ kind: 'firmware', message: 'progress' })) },
  { topic: 'ota/request', route: topic => ({ kind: 'chunks', topic }) },
  { topic: 'ota/pull', route: query('firmware_pull', 'ota/notify') },
]

const RIGHTS = UP_TOPICS.map(right => ({ levels: right.topic.split('/'), route: right.route }))
/** A refused topic is kept in a list for people to read; longer than this helps nobody. */
const LONGEST_SHOWN = 512

/** The part of the topic tree that belongs to one device. */
export const devicePrefix = (device: { productKey: string; deviceNo: string }): string =>
  `things/${device.productKey}/${device.deviceNo}/`

/** Says what a publish to `topic` means for the device that owns `prefix`. */
export function routeOf(prefix: string, topic: string): Route {
  if (topic.startsWith(prefix)) {
    const levels = topic.slice(prefix.length).split('/')
    const route = levels[0] === 'sub' ? routeBelow(topic, levels) : ownRoute(topic, levels)
    if (route) return route
  }
  return forbidden(topic)
}

/** A topic that the device may not publish to: refused, kept and acknowledged. */
export function forbidden(topic: string): Route {
  return {
    kind: 'uplink',
    topic,
    channel: { kind: 'unknown', topic: topic.slice(0, LONGEST_SHOWN) },
    refusal: Reason.notAuthorised,
  }
}

function ownRoute(topic: string, levels: readonly string[]): Route | null {
  for (const right of RIGHTS) {
    if (right.levels.length !== levels.length) continue
    let identifier = ''
    const matches = right.levels.every((level, i) => {
      if (level !== '*') return level === levels[i]
      identifier = levels[i] as string
      return identifier !== ''
    })
    if (matches) return right.route(topic, identifier)
  }
  return null
}

/** `sub/{device}/…`: the same topics for a device below this gateway; `sub/post`: many devices in one message. */
function routeBelow(topic: string, levels: readonly string[]): Route | null {
  if (levels.length === 2 && levels[1] === 'post') return { kind: 'message', topic, read: manyBelow }
  const sub = levels[1]
  if (levels.length < 3 || !sub) return null
  if (levels.length === 3 && levels[2] === 'offline')
    return { kind: 'message', topic, read: () => ({ actions: [{ kind: 'left', below: { name: sub } }] }) }
  const route = ownRoute(topic, levels.slice(2))
  if (route?.kind === 'query') return { ...route, sub, reply: `sub/${sub}/${route.reply}` }
  if (route?.kind === 'chunks') return { ...route, sub }
  return route?.kind === 'uplink' ? { ...route, sub } : null
}

/** True when a will to this topic says something of the device or of those below it. */
export function isOwnUplink(route: Route): boolean {
  return route.kind === 'message' || (route.kind === 'uplink' && route.channel.kind !== 'unknown')
}

/** A device subscribes only under its own prefix; wildcards stand inside it, never in the prefix itself. */
export function mayFilter(prefix: string, filter: string): boolean {
  return filter.length > prefix.length && filter.startsWith(prefix)
}
