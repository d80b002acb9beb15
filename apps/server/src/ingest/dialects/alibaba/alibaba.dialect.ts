import { bytesOf } from '../../codecs/json/json-bytes.ts'
import type {
  Below,
  Dialect,
  DialectAction,
  DialectAnswer,
  DialectCommand,
  DialectMessage,
  Named,
  Saying,
  Signature,
} from '../dialect.ts'
import { isObject, objectOf, unreadable } from '../dialect.ts'
import { signatureOf } from './sign.ts'

const VERSION = '1.0'
const OK = 200
/** "request parameter error" of the platform whose dialect this is. */
const REFUSED = 460
const SYS = /^\/sys\/([^/]+)\/([^/]+)\/thing\/(.+)$/
const NTP = /^\/ext\/ntp\/([^/]+)\/([^/]+)\/request$/
const SESSION = /^\/ext\/session\/([^/]+)\/([^/]+)\/combine\/(login|logout)$/
/** Clients of this dialect are given their own topics without asking for them. */
export const IMPLICIT_FILTERS = ['/sys/#', '/ext/#']

/**
 * Alibaba Cloud IoT's Alink topics (https://help.aliyun.com/zh/iot, "设备属性、事件、服务"): properties, events, services,
 * transparent bytes, wanted state, NTP, and sub-devices that a gateway signs in.
 */
export const alibaba: Dialect = {
  name: 'alibaba',
  read(device, topic) {
    const ntp = NTP.exec(topic)
    if (ntp) return isOwn(device, ntp) ? payload => askTime(payload, `/ext/ntp/${ntp[1]}/${ntp[2]}/response`) : null
    const session = SESSION.exec(topic)
    if (session) return isOwn(device, session) ? payload => combine(payload, topic, session[3] === 'login') : null
    const sys = SYS.exec(topic)
    if (!sys) return null
    const below = isOwn(device, sys) ? undefined : { name: sys[2] as string, productKey: sys[1] as string }
    return readThing(sys[3] as string, topic, below)
  },
  mayFilter: filter => /^\/(sys|ext|ota|shadow)\//.test(filter),
  say: (device, command) => say(command.below ?? device, command),
}

const isOwn = (device: Named, match: RegExpExecArray): boolean =>
  match[1] === device.productKey && match[2] === device.deviceNo

function readThing(
  what: string,
  topic: string,
  below: Below | undefined,
): ((payload: Buffer) => DialectMessage) | null {
  if (what === 'event/property/post') return alink(topic, 'thing.event.property.post', body => [post(body, below)])
  if (what === 'event/property/batch/post')
    return alink(topic, 'thing.event.property.batch.post', body => batch(body, below))
  const event = /^event\/([^/]+)\/post$/.exec(what)
  if (event) {
    const identifier = event[1] as string
    return alink(topic, `thing.event.${identifier}.post`, body => [eventOf(body.params, identifier, below)])
  }
  if (what === 'model/up_raw' || what === 'model/down_raw_reply')
    return payload => ({ actions: [{ kind: 'uplink', ...at(below), channel: { kind: 'raw' }, payload }] })
  if (what === 'service/property/set_reply' || /^service\/[^/]+_reply$/.test(what))
    return payload => serviceReply(payload, below)
  if (what === 'deviceinfo/update' || what === 'deviceinfo/delete') {
    const method = `thing.${what.replace('/', '.')}`
    return alink(topic, method, body => [{ kind: 'note', event: 'device_info', detail: { params: body.params } }])
  }
  if (what === 'property/desired/get') return payload => desired(payload, topic, below)
  return null
}

const at = (below: Below | undefined): { below?: Below } => (below ? { below } : {})

/** A request that is answered on `…_reply`, unless the device says that it does not want that. */
function alink(topic: string, method: string, read: (body: Record<string, unknown>) => DialectAction[]) {
  return (payload: Buffer): DialectMessage => {
    const body = objectOf(payload)
    if (!body || !('params' in body)) return unreadable(payload)
    const quiet = isObject(body.sys) && body.sys.ack === 0
    return { actions: read(body), ...(quiet ? {} : { confirm: refused => replyTo(topic, method, body.id, refused) }) }
  }
}

function replyTo(
  topic: string,
  method: string,
  id: unknown,
  refused: string | null,
  data: unknown = {},
): DialectAnswer {
  const said =
    refused === null
      ? { code: OK, data, id: idOf(id), message: 'success', method, version: VERSION }
      : { code: REFUSED, data: {}, id: idOf(id), message: refused, method, version: VERSION }
  return { topic: `${topic}_reply`, payload: bytesOf(said) }
}

const idOf = (id: unknown): string => (typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 64) : '')

/** `{"temp": 21.5, "hum": {"value": 40, "time": 1767225600000}}`: values of one time make one row. */
function post({ params }: Record<string, unknown>, below: Below | undefined): DialectAction {
  if (!isObject(params))
    return { kind: 'uplink', ...at(below), channel: { kind: 'property' }, payload: bytesOf(params) }
  const byTime = new Map<number | null, Record<string, unknown>>()
  for (const [identifier, given] of Object.entries(params)) {
    const timed = isObject(given) && Object.hasOwn(given, 'value') && onlyValueAndTime(given)
    put(byTime, timed ? timeOf(given.time) : null, identifier, timed ? given.value : given)
  }
  return rows(byTime, below)
}

/** `{"properties": {"temp": [{"value", "time"}…]}, "events": {"error": [{"value", "time"}…]}}` */
function batch({ params }: Record<string, unknown>, below: Below | undefined): DialectAction[] {
  const { properties, events } = isObject(params) ? params : {}
  const actions: DialectAction[] = []
  const byTime = new Map<number | null, Record<string, unknown>>()
  for (const [identifier, values] of Object.entries(isObject(properties) ? properties : {}))
    for (const entry of Array.isArray(values) ? values : [values])
      put(byTime, isObject(entry) ? timeOf(entry.time) : null, identifier, isObject(entry) ? entry.value : entry)
  if (byTime.size > 0) actions.push(rows(byTime, below))
  for (const [identifier, entries] of Object.entries(isObject(events) ? events : {}))
    for (const entry of Array.isArray(entries) ? entries : [entries]) actions.push(eventOf(entry, identifier, below))
  if (actions.length > 0) return actions
  return [{ kind: 'uplink', ...at(below), channel: { kind: 'property' }, payload: bytesOf(params ?? null) }]
}

function put(
  byTime: Map<number | null, Record<string, unknown>>,
  time: number | null,
  identifier: string,
  value: unknown,
): void {
  const values = byTime.get(time)
  if (values) Object.defineProperty(values, identifier, { value, enumerable: true, configurable: true, writable: true })
  else byTime.set(time, JSON.parse(JSON.stringify({ [identifier]: value ?? null })))
}

function rows(byTime: Map<number | null, Record<string, unknown>>, below: Below | undefined): DialectAction {
  const all = [...byTime].map(([ts, values]) => (ts === null ? values : { ts, values }))
  const payload = bytesOf(all.length === 1 ? all[0] : all)
  return { kind: 'uplink', ...at(below), channel: { kind: 'property' }, payload }
}

function eventOf(given: unknown, identifier: string, below: Below | undefined): DialectAction {
  const timed = isObject(given) && Object.hasOwn(given, 'value') && onlyValueAndTime(given)
  const ts = timed ? timeOf(given.time) : null
  const params = timed ? given.value : given
  const payload = bytesOf({ ...(ts === null ? {} : { ts }), params: params ?? {} })
  return { kind: 'uplink', ...at(below), channel: { kind: 'event', identifier }, payload }
}

function onlyValueAndTime(given: Record<string, unknown>): boolean {
  for (const name in given) if (name !== 'value' && name !== 'time') return false
  return true
}

function timeOf(time: unknown): number | null {
  const ms = typeof time === 'string' && time !== '' ? Number(time) : time
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : null
}

function serviceReply(payload: Buffer, below: Below | undefined): DialectMessage {
  const body = objectOf(payload)
  const number = body ? Number(body.id) : Number.NaN
  if (!body || !Number.isInteger(number)) return unreadable(payload)
  const code = body.code === OK ? 0 : typeof body.code === 'number' && body.code !== 0 ? body.code : 1
  const message = typeof body.message === 'string' && code !== 0 ? { message: body.message } : {}
  return { actions: [{ kind: 'reply', ...at(below), number, code, ...message, data: body.data ?? null }] }
}

/** `{"deviceSendTime"}` → `{"deviceSendTime", "serverRecvTime", "serverSendTime"}`, all as text. */
function askTime(payload: Buffer, topic: string): DialectMessage {
  const body = objectOf(payload)
  if (!body) return unreadable(payload)
  const sent = idOf(body.deviceSendTime)
  return {
    actions: [
      {
        kind: 'time',
        answer: (arrivedAt, now) => ({
          topic,
          payload: bytesOf({ deviceSendTime: sent, serverRecvTime: `${arrivedAt}`, serverSendTime: `${now}` }),
        }),
      },
    ],
  }
}

function desired(payload: Buffer, topic: string, below: Below | undefined): DialectMessage {
  const body = objectOf(payload)
  const wanted = body && Array.isArray(body.params) ? body.params.map(String).slice(0, 500) : null
  if (!body || !wanted) return unreadable(payload)
  return {
    actions: [
      {
        kind: 'state',
        ...at(below),
        answer: state => {
          const data: Record<string, unknown> = {}
          for (const key of wanted)
            if (Object.hasOwn(state.desired, key)) data[key] = { value: state.desired[key], version: state.version }
          return replyTo(topic, 'thing.property.desired.get', body.id, null, data)
        },
      },
    ],
  }
}

/** A gateway signs a sub-device in or out; the sub-device proves itself with its own secret. */
function combine(payload: Buffer, topic: string, login: boolean): DialectMessage {
  const body = objectOf(payload)
  const params = body && isObject(body.params) ? body.params : null
  const { productKey, deviceName } = params ?? {}
  if (!body || !params || typeof productKey !== 'string' || typeof deviceName !== 'string') return unreadable(payload)
  const below = { name: deviceName, productKey }
  const proof = login ? proofOf(params, productKey, deviceName) : null
  if (login && !proof) return unreadable(payload)
  return {
    actions: [login ? { kind: 'joined', below, proof: proof as Signature } : { kind: 'left', below }],
    confirm: refused =>
      replyTo(topic, `combine.${login ? 'login' : 'logout'}`, body.id, refused, { productKey, deviceName }),
  }
}

function proofOf(params: Record<string, unknown>, productKey: string, deviceName: string): Signature | null {
  return signatureOf({
    productKey,
    deviceName,
    clientId: idOf(params.clientId),
    timestamp: params.timestamp === undefined ? null : idOf(params.timestamp),
    method: typeof params.signMethod === 'string' ? params.signMethod : '',
    sign: typeof params.sign === 'string' ? params.sign : '',
  })
}

function say({ productKey, deviceNo }: Named, command: DialectCommand): Saying[] {
  const thing = `/sys/${productKey}/${deviceNo}/thing/`
  const request = (topic: string, method: string): Saying => ({
    topic: thing + topic,
    payload: bytesOf({ id: String(command.number), version: VERSION, params: command.params, method }),
    settles: false,
  })
  const raw = command.frames.map(payload => ({ topic: `${thing}model/down_raw`, payload, settles: false }))
  if (raw.length > 0) return raw
  if (command.kind === 'property_set') return [request('service/property/set', 'thing.service.property.set')]
  if (command.kind === 'service' && command.identifier)
    return [request(`service/${command.identifier}`, `thing.service.${command.identifier}`)]
  return []
}
