import { bytesOf } from '../../codecs/json/json-bytes.ts'
import type { Below, Dialect, DialectAction, DialectCommand, DialectMessage, KnownState, Saying } from '../dialect.ts'
import { isObject, manyBelow, objectOf, unreadable } from '../dialect.ts'

const ME = 'v1/devices/me/'
const GATEWAY = 'v1/gateway/'
/** Names of properties in one attribute request. */
const MOST_KEYS = 500

/**
 * The device and gateway API of ThingsBoard over MQTT (https://thingsboard.io/docs/reference/mqtt-api and
 * gateway-mqtt-api). Telemetry and attributes are properties; shared attributes are the wanted state; a server-side RPC
 * is a service, a client-side one an event.
 */
export const thingsboard: Dialect = {
  name: 'thingsboard',
  read(_device, topic) {
    if (topic.startsWith(ME)) return readOwn(topic.slice(ME.length))
    if (topic.startsWith(GATEWAY)) return readGateway(topic.slice(GATEWAY.length))
    return null
  },
  mayFilter: filter => filter.startsWith(ME) || filter.startsWith(GATEWAY),
  say: (_device, command) => (command.below ? sayBelow(command, command.below.name) : sayOwn(command)),
}

function readOwn(topic: string): ((payload: Buffer) => DialectMessage) | null {
  if (topic === 'telemetry' || topic === 'attributes') return property
  if (topic === 'claim') return claim
  const number = /^(attributes\/request|rpc\/response|rpc\/request)\/(\d{1,10})$/.exec(topic)
  if (!number) return null
  const id = Number(number[2])
  if (number[1] === 'attributes/request') return payload => attributes(payload, id)
  if (number[1] === 'rpc/response') return payload => ({ actions: [replyOf(jsonOrNull(payload), id)] })
  return payload => clientRpc(payload, id)
}

/** The payloads of the device API are those of our own: an object, `{ts, values}`, or an array of either. */
function property(payload: Buffer): DialectMessage {
  return { actions: [{ kind: 'uplink', channel: { kind: 'property' }, payload }] }
}

function claim(payload: Buffer): DialectMessage {
  const body = payload.length === 0 ? {} : objectOf(payload)
  if (!body) return unreadable(payload)
  const durationMs = typeof body.durationMs === 'number' && body.durationMs > 0 ? body.durationMs : null
  return { actions: [{ kind: 'note', event: 'claim_announced', detail: { durationMs } }] }
}

function attributes(payload: Buffer, id: number): DialectMessage {
  const body = payload.length === 0 ? {} : objectOf(payload)
  if (!body) return unreadable(payload)
  const wanted = { client: keysOf(body.clientKeys), shared: keysOf(body.sharedKeys) }
  return {
    actions: [
      {
        kind: 'state',
        answer: state => ({ topic: `${ME}attributes/response/${id}`, payload: bytesOf(attributesOf(state, wanted)) }),
      },
    ],
  }
}

/** What a device knows as client and shared attributes; without keys in the request: all of them. */
export function attributesOf(
  state: KnownState,
  wanted: { client: string[] | null; shared: string[] | null },
): Record<string, unknown> {
  const all = wanted.client === null && wanted.shared === null
  return {
    ...(all || wanted.client ? { client: pick(state.reported, wanted.client) } : {}),
    ...(all || wanted.shared ? { shared: pick(state.desired, wanted.shared) } : {}),
  }
}

/** Comma-separated names as they stand in a request; null: not asked for. */
export function keysOf(keys: unknown): string[] | null {
  return typeof keys === 'string' && keys !== '' ? keys.split(',').slice(0, MOST_KEYS) : null
}

/** A device asks: the time is answered, anything else is an event of the device, and the answer says whether it was taken. */
function clientRpc(payload: Buffer, id: number): DialectMessage {
  const body = objectOf(payload)
  const method = body && typeof body.method === 'string' ? body.method : null
  if (!body || method === null) return unreadable(payload)
  const topic = `${ME}rpc/response/${id}`
  if (method === 'getCurrentTime')
    return { actions: [{ kind: 'time', answer: (_arrivedAt, now) => ({ topic, payload: bytesOf(now) }) }] }
  return {
    actions: [clientEvent(method, body.params)],
    confirm: refused => ({ topic, payload: bytesOf(refused === null ? { success: true } : { error: refused }) }),
  }
}

/** The event that stands for a client-side RPC. */
export function clientEvent(method: string, params: unknown): DialectAction {
  return {
    kind: 'uplink',
    channel: { kind: 'event', identifier: method },
    payload: bytesOf({ params: isObject(params) ? params : {} }),
  }
}

function readGateway(topic: string): ((payload: Buffer) => DialectMessage) | null {
  switch (topic) {
    case 'connect':
      return payload => one(payload, below => ({ kind: 'joined', below }))
    case 'disconnect':
      return payload => one(payload, below => ({ kind: 'left', below }))
    case 'telemetry':
    case 'attributes':
      return manyBelow
    case 'rpc':
      return payload => {
        const body = objectOf(payload)
        const below = belowOf(body?.device)
        if (!body || !below || typeof body.id !== 'number') return unreadable(payload)
        return { actions: [{ ...replyOf(body.data, body.id), below }] }
      }
    case 'attributes/request':
      return gatewayAttributes
    default:
      return null
  }
}

function one(payload: Buffer, action: (below: Below) => DialectAction): DialectMessage {
  const below = belowOf(objectOf(payload)?.device)
  return below ? { actions: [action(below)] } : unreadable(payload)
}

/** `{"id", "device", "client", "key"}` or `"keys"`. */
function gatewayAttributes(payload: Buffer): DialectMessage {
  const body = objectOf(payload)
  const below = belowOf(body?.device)
  if (!body || !below) return unreadable(payload)
  const keys = Array.isArray(body.keys) ? body.keys.map(String).slice(0, MOST_KEYS) : keysOf(body.key)
  const answer = (state: KnownState) => {
    const values = pick(body.client === true ? state.reported : state.desired, keys)
    const value = keys?.length === 1 ? { value: values[keys[0] as string] ?? null } : { values }
    const said = { id: body.id ?? 0, device: below.name, ...value }
    return { topic: `${GATEWAY}attributes/response`, payload: bytesOf(said) }
  }
  return { actions: [{ kind: 'state', below, answer }] }
}

function belowOf(name: unknown): Below | null {
  return typeof name === 'string' && name !== '' ? { name } : null
}

/** Anything is an answer; `{"error": …}` and `{"success": false}` say that it failed. */
export function replyOf(data: unknown, number: number): DialectAction & { kind: 'reply' } {
  const failed = isObject(data) && ((data.error !== undefined && data.error !== null) || data.success === false)
  const error = failed ? (data as Record<string, unknown>).error : undefined
  return {
    kind: 'reply',
    number,
    code: failed ? 1 : 0,
    ...(error === undefined ? {} : { message: typeof error === 'string' ? error : JSON.stringify(error) }),
    data,
  }
}

/** What a device is asked by a server-side RPC. A service with the one input `value` is called with the bare value. */
export function rpcOf({ kind, identifier, params }: Pick<DialectCommand, 'kind' | 'identifier' | 'params'>) {
  if (kind === 'property_set') return { method: 'setProperties', params }
  const names = Object.keys(params)
  return { method: identifier ?? '', params: names.length === 1 && names[0] === 'value' ? params.value : params }
}

function sayOwn(command: DialectCommand): Saying[] {
  if (command.kind === 'raw' || command.kind === 'firmware') return []
  const rpc = { topic: `${ME}rpc/request/${command.number}`, payload: bytesOf(rpcOf(command)), settles: false }
  if (command.kind === 'service') return [rpc]
  return [{ topic: `${ME}attributes`, payload: bytesOf(command.params), settles: true }, rpc]
}

function sayBelow(command: DialectCommand, device: string): Saying[] {
  if (command.kind === 'raw' || command.kind === 'firmware') return []
  const data = { id: command.number, ...rpcOf(command) }
  const rpc = { topic: `${GATEWAY}rpc`, payload: bytesOf({ device, data }), settles: false }
  if (command.kind === 'service') return [rpc]
  return [{ topic: `${GATEWAY}attributes`, payload: bytesOf({ device, data: command.params }), settles: true }, rpc]
}

function pick(values: Record<string, unknown>, keys: readonly string[] | null): Record<string, unknown> {
  if (keys === null) return values
  const picked: Record<string, unknown> = {}
  for (const key of keys) if (Object.hasOwn(values, key)) picked[key] = values[key]
  return picked
}

function jsonOrNull(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    return payload.toString('utf8').slice(0, 1_000)
  }
}
