import type { Logger } from '../../../lib/log.ts'
import type { RawUplink } from '../../uplink.ts'
import type { DisconnectReason, IngestPort } from '../transport.ts'
import type { Ack } from './acks.ts'
import type { ConnectPacket, Will } from './decoder.ts'
import type { Admission, InboundPublish, MqttHost, Peer } from './host.ts'
import { Reason } from './protocol.ts'
import type { Session } from './session.ts'
import { devicePrefix, isOwnUplink, mayFilter, type Route, routeOf } from './topics.ts'

/** Return codes of 3.1.1 (§3.2.2.3). */
const SERVER_UNAVAILABLE = 3
const NOT_AUTHORISED = 5

const NAME = /^[A-Za-z0-9_.:-]{1,64}$/
/** Lines for a device's log, per second: one device, and all of them. */
const NOTES_PER_DEVICE = 3
const NOTES_IN_ALL = 500

/** The device path as host of the session layer: sign-in by device secret, up-topics into the journal, own prefix only. */
export class DeviceHost implements MqttHost {
  private noteSecond = 0
  private notes = 0
  private notesPerDevice = new Map<string, number>()

  constructor(
    private readonly port: IngestPort,
    private readonly onDelivered: (device: number, commandId: string) => void,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  async signIn(connect: ConnectPacket, peer: Peer): Promise<Admission> {
    const name = parseUsername(connect.username)
    if (!name || connect.password === null) {
      return { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.badCredentials }
    }
    const { address, transport } = peer
    const result = await this.port.signIn({ ...name, secret: connect.password, address, transport })
    if (!result.ok) {
      if (result.reason === 'unavailable') {
        return { ok: false, returnCode: SERVER_UNAVAILABLE, reason: Reason.serverUnavailable }
      }
      if (result.reason !== 'unknown_device') {
        this.line(name.productKey, name.deviceNo, 'sign_in_refused', { reason: result.reason, address, transport })
      }
      return { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.notAuthorised }
    }
    const { device } = result
    const prefix = devicePrefix(device)
    if (connect.will && !isOwnUplink(prefix, connect.will.topic)) {
      this.line(name.productKey, name.deviceNo, 'will_refused', { topic: connect.will.topic.slice(0, 512), address })
      return { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.notAuthorised }
    }
    return { ok: true, device, prefix }
  }

  route(session: Session, topic: string): Route {
    return routeOf(session.prefix, topic)
  }

  publish(session: Session, route: Route, message: InboundPublish, ack: Ack): void {
    if (route.kind === 'uplink') {
      const { refusal } = route
      this.port.accept(uplinkOf(session, route, message, ack), outcome =>
        ack.settle(outcome === 'stored' ? Reason.success : refusal),
      )
      return
    }
    if (route.kind === 'query') this.answer(session, route, message, ack)
    else ack.settle(Reason.notAuthorised)
  }

  /** Nothing is stored, so the acknowledgement waits for nothing but the answer. */
  private answer(session: Session, route: Route & { kind: 'query' }, message: InboundPublish, ack: Ack): void {
    const { arrivedAt } = message
    const query =
      route.query === 'ntp'
        ? ({ kind: 'ntp', payload: Buffer.from(message.payload), arrivedAt } as const)
        : ({ kind: 'shadow_get' } as const)
    this.port
      .answer(session.device, query)
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

  publishWill(session: Session, will: Will, arrivedAt: number): void {
    const route = routeOf(session.prefix, will.topic)
    if (route.kind !== 'uplink') return
    session.taken()
    this.port.accept({ device: session.device, channel: route.channel, payload: will.payload, arrivedAt }, () =>
      session.settled(),
    )
  }

  grant(session: Session, filter: string, qos: number): number {
    if (mayFilter(session.prefix, filter)) return qos
    this.note(session, 'subscription_refused', { filter: filter.slice(0, 512) })
    return Reason.notAuthorised
  }

  hasRoom(session: Session): boolean {
    return this.port.hasRoom(session.device)
  }

  onRoom(session: Session, resume: () => void): void {
    this.port.onDrain(session.device, resume)
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

/** `{productKey}/{deviceNo}`; null for anything that could not be the name of a device. */
function parseUsername(username: string | null): { productKey: string; deviceNo: string } | null {
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
