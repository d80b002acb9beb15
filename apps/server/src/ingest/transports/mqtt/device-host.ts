import { inBackground } from '../../../lib/background.ts'
import type { Logger } from '../../../lib/log.ts'
import { IMPLICIT_FILTERS } from '../../dialects/alibaba/alibaba.dialect.ts'
import { dialectsOf } from '../../dialects/index.ts'
import {
  PROVISION_REQUEST,
  PROVISION_RESPONSE,
  PROVISION_USER,
  provision,
} from '../../dialects/thingsboard/provision.ts'
import type { Say } from '../../ota/chunk-server.ts'
import { credentialOf } from '../../sign-in-request.ts'
import { mayPublish, maySubscribe } from '../../topics/topic-rights.ts'
import type { DisconnectReason, IngestPort, SignInRequest } from '../../transport.port.ts'
import type { DeviceRecord, RawUplink } from '../../uplink.ts'
import { answerQuery } from '../queries.ts'
import type { Ack } from './acks.ts'
import { foreignSignIn } from './credentials.ts'
import type { ConnectPacket, Will } from './decoder.ts'
import { DeviceMessages } from './device-messages.ts'
import type { Admission, InboundPublish, MqttHost, Peer } from './host.ts'
import { Reason } from './protocol.ts'
import type { Session } from './session.ts'
import { devicePrefix, forbidden, isOwnUplink, mayFilter, type Route, routeOf } from './topics.ts'

/** Return codes of 3.1.1 (§3.2.2.3). */
const SERVER_UNAVAILABLE = 3
const NOT_AUTHORISED = 5

/** What a bridge of Mosquitto names itself by, also as its will. */
const BRIDGE_STATE = /^\$SYS\/broker\/connection\/[^/]+\/state$/
const NAME = /^[A-Za-z0-9_.:-]{1,64}$/
/** Lines for a device's log, per second: one device, and all of them. */
const NOTES_PER_DEVICE = 3
const NOTES_IN_ALL = 500
/** Bytes of a chunk of firmware that the raw view keeps. */
const SHOWN = 16

/** The device path as host of the session layer: sign-in by device secret, up-topics into the journal, own prefix only. */
export class DeviceHost implements MqttHost {
  private noteSecond = 0
  private notes = 0
  private notesPerDevice = new Map<string, number>()
  private readonly messages: DeviceMessages

  constructor(
    private readonly port: IngestPort,
    private readonly onDelivered: (device: number, commandId: string) => void,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {
    this.messages = new DeviceMessages(port, log, now)
  }

  async signIn(connect: ConnectPacket, peer: Peer): Promise<Admission> {
    const name = parseUsername(connect.username)
    const { address, transport } = peer
    if (connect.username === PROVISION_USER) return this.provisioning(peer)
    const request = this.requestOf(connect, name, peer)
    if (!request) return { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.badCredentials }
    const result = await this.port.signIn(request)
    if (!result.ok) {
      if (result.reason === 'unavailable') {
        return { ok: false, returnCode: SERVER_UNAVAILABLE, reason: Reason.serverUnavailable }
      }
      if (name && result.reason === 'registration_waiting') return registering(name, WAITING)
      // A certificate may speak for its device without a user name.
      const whose = result.about ?? name
      if (whose && result.reason !== 'unknown_device') {
        this.line(whose.productKey, whose.deviceNo, 'sign_in_refused', { reason: result.reason, address, transport })
      }
      const full = result.reason === 'quota_full' || result.reason === 'rate_limited'
      return { ok: false, returnCode: NOT_AUTHORISED, reason: full ? Reason.quotaExceeded : Reason.notAuthorised }
    }
    const { device } = result
    if (result.issued) return registering(device, { code: 0, deviceSecret: result.issued.deviceSecret })
    const prefix = devicePrefix(device)
    const { productKey, deviceNo } = device
    // A bridge of Mosquitto says by it whether it is there, which its session says already.
    if (connect.will && BRIDGE_STATE.test(connect.will.topic)) connect.will = null
    if (connect.will && !isOwnUplink(this.routeOf(device, prefix, connect.will.topic))) {
      this.line(productKey, deviceNo, 'will_refused', { topic: connect.will.topic.slice(0, 512), address })
      return { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.notAuthorised }
    }
    // An Alibaba client is given its topics without asking.
    return request.kind === 'signed' && !name
      ? { ok: true, device, prefix, implicit: IMPLICIT_FILTERS }
      : { ok: true, device, prefix }
  }

  /** A ThingsBoard client that asks for credentials: no session, one question and its answer. */
  private provisioning({ address, transport }: Peer): Admission {
    const answer = async (payload: Buffer) =>
      Buffer.from(JSON.stringify(await provision(this.port, payload, { address, transport })))
    const asks = { topic: PROVISION_REQUEST, answer }
    return { ok: 'registering', reply: { topic: PROVISION_RESPONSE, payload: Buffer.alloc(0), asks } }
  }

  /** A password says itself what it is; without one the client's certificate speaks, beside or instead of a user name. */
  private requestOf(connect: ConnectPacket, name: DeviceName | null, peer: Peer): SignInRequest | null {
    const foreign = foreignSignIn(connect, peer)
    if (foreign) return foreign
    const { address, transport, certificate } = peer
    if (connect.password !== null && connect.password.length > 0) {
      return name && credentialOf(name, connect.password, { address, transport })
    }
    if (!certificate || (connect.username && !name)) return null
    const { productKey = null, deviceNo = null } = name ?? {}
    return { kind: 'certificate', certificate, productKey, deviceNo, address, transport }
  }

  route(session: Session, topic: string): Route {
    const route = this.routeOf(session.device, session.prefix, topic)
    const { rights } = session.device
    if (!rights || !topic.startsWith(session.prefix)) return route
    return mayPublish(rights, topic.slice(session.prefix.length)) ? route : forbidden(topic)
  }

  private routeOf(device: DeviceRecord, prefix: string, topic: string): Route {
    if (!topic.startsWith(prefix)) {
      for (const dialect of dialectsOf(this.port.settingsOf(device))) {
        const read = dialect.read(device, topic)
        if (read) return { kind: 'message', topic, read }
      }
    }
    return routeOf(prefix, topic)
  }

  publish(session: Session, route: Route, message: InboundPublish, ack: Ack): void {
    this.port.frame(session.device, 'up', message.payload, { channel: below(session.prefix, route.topic) })
    if (route.kind === 'uplink') {
      const { refusal, sub } = route
      if (sub !== undefined) {
        this.messages.takeBelow(session, { ...route, sub }, message, ack)
        return
      }
      this.port.accept(uplinkOf(session, route, message, ack), outcome =>
        ack.settle(outcome === 'stored' ? Reason.success : refusal),
      )
      return
    }
    if (route.kind === 'query') this.answer(session, route, message, ack)
    else if (route.kind === 'chunks') this.chunks(session, route, message, ack)
    else if (route.kind === 'message') this.messages.take(session, route, message, ack)
    else ack.settle(Reason.notAuthorised)
  }

  /** Nothing is stored, so the acknowledgement waits for nothing but the answer. */
  private answer(session: Session, route: Route & { kind: 'query' }, message: InboundPublish, ack: Ack): void {
    const { arrivedAt } = message
    const payload = Buffer.from(message.payload)
    this.messages
      .resolve(session, route.sub)
      .then(device => (device ? answerQuery(this.port, device, route.query, payload, arrivedAt) : null))
      .then(payload => {
        const topic = session.prefix + route.reply
        if (payload && session.match(topic)) {
          session.send({
            topic,
            payload,
            qos: 0,
            retain: false,
            properties: null,
            expiresAt: 0,
            tag: '',
            onDelivered: null,
          })
        }
        ack.settle(Reason.success)
      })
      .catch((error: Error) => {
        // The device asks again; a failed query is no loss of data.
        this.log.warn({ err: error, device: session.device.num }, 'query of a device was not answered')
        ack.settle(Reason.unspecified)
      })
  }

  /** Bytes go at QoS 0: whoever misses some asks for them again. */
  private chunks(session: Session, route: Route & { kind: 'chunks' }, message: InboundPublish, ack: Ack): void {
    const payload = Buffer.from(message.payload)
    const base = route.sub === undefined ? session.prefix : `${session.prefix}sub/${route.sub}/`
    const say: Say = (suffix, bytes) => {
      const topic = base + suffix
      if (!session.match(topic)) return 'away'
      const result = session.send({
        topic,
        payload: bytes,
        qos: 0,
        retain: false,
        properties: null,
        expiresAt: 0,
        tag: '',
        onDelivered: null,
      })
      if (result === 'sent') this.port.frame(session.device, 'down', bytes.subarray(0, SHOWN), { channel: 'ota/data' })
      return result === 'full' ? 'full' : result === 'away' ? 'away' : 'sent'
    }
    if (route.sub === undefined) {
      this.port.firmwareChunks(session.device, payload, say)
      ack.settle(Reason.success)
      return
    }
    inBackground(
      'finding a device below a gateway',
      this.messages.resolve(session, route.sub).then(
        device => {
          if (device) this.port.firmwareChunks(device, payload, say)
          ack.settle(device ? Reason.success : Reason.payloadInvalid)
        },
        () => ack.settle(Reason.unspecified),
      ),
    )
  }

  publishWill(session: Session, will: Will, arrivedAt: number): void {
    const route = this.routeOf(session.device, session.prefix, will.topic)
    session.taken()
    if (route.kind !== 'uplink' || route.sub !== undefined) {
      this.messages.takeWill(session, route, will.payload, arrivedAt, () => session.settled())
      return
    }
    this.port.accept({ device: session.device, channel: route.channel, payload: will.payload, arrivedAt }, () =>
      session.settled(),
    )
  }

  grant(session: Session, filter: string, qos: number): number {
    const { rights } = session.device
    if (mayFilter(session.prefix, filter) && maySubscribe(rights, filter.slice(session.prefix.length))) return qos
    if (dialectsOf(this.port.settingsOf(session.device)).some(dialect => dialect.mayFilter(filter))) return qos
    this.note(session, 'subscription_refused', { filter: filter.slice(0, 512) })
    return Reason.notAuthorised
  }

  hasRoom(session: Session): boolean {
    return this.port.hasRoom(session.device) && this.messages.crowdedBelow(session) === null
  }

  onRoom(session: Session, resume: () => void): void {
    this.port.onDrain(this.messages.crowdedBelow(session) ?? session.device, resume)
  }

  opened(session: Session): void {
    const info = session.connection?.info(session)
    if (info) this.port.sessionOpened(session.device, info)
  }

  ready(session: Session): void {
    this.port.sessionReady(session.device)
  }

  closed(session: Session, reason: DisconnectReason): void {
    this.port.sessionClosed(session.device, reason)
  }

  ended(): void {}

  delivered(session: Session, tag: string): void {
    this.onDelivered(session.device.num, tag)
  }

  note(session: Session, event: string, detail: Record<string, unknown>): void {
    this.line(session.device.productKey, session.device.deviceNo, event, detail)
  }

  /** A device that does the same wrong thing all day must not fill anybody's log. */
  private line(productKey: string, deviceNo: string, event: string, detail: Record<string, unknown>): void {
    const second = Math.floor(this.now() / 1000)
    if (second !== this.noteSecond) {
      this.noteSecond = second
      this.notes = 0
      this.notesPerDevice.clear()
    }
    const key = `${productKey}/${deviceNo}`
    const here = this.notesPerDevice.get(key) ?? 0
    if (here >= NOTES_PER_DEVICE || this.notes >= NOTES_IN_ALL) return
    this.notesPerDevice.set(key, here + 1)
    this.notes++
    this.port.note(productKey, deviceNo, event, detail)
  }
}

/** A topic as it stands below the device's own prefix; whole when it stands elsewhere. */
function below(prefix: string, topic: string): string {
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : topic
}

interface DeviceName {
  productKey: string
  deviceNo: string
}

/** What a device that waits for approval is told; it connects again after that time. */
const WAITING = { code: 202, message: 'registration_waiting', retryAfterSeconds: 60 }

function registering(name: DeviceName, reply: Record<string, unknown>): Admission {
  const topic = `${devicePrefix(name)}register/reply`
  return { ok: 'registering', reply: { topic, payload: Buffer.from(JSON.stringify(reply)) } }
}

/** `{productKey}/{deviceNo}`; null for anything that could not be the name of a device. */
function parseUsername(username: string | null): DeviceName | null {
  if (username === null) return null
  const slash = username.indexOf('/')
  const productKey = username.slice(0, slash)
  const deviceNo = username.slice(slash + 1)
  return slash > 0 && NAME.test(productKey) && NAME.test(deviceNo) ? { productKey, deviceNo } : null
}

function uplinkOf(session: Session, route: Route & { kind: 'uplink' }, message: InboundPublish, ack: Ack): RawUplink {
  const { device } = session
  const { channel } = route
  const { payload, arrivedAt } = message
  return ack.qos === 2 && session.durable
    ? { device, channel, payload, arrivedAt, qos2PacketId: ack.packetId }
    : { device, channel, payload, arrivedAt }
}
