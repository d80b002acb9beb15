import type {
  SubscriberAnswer,
  SubscriberMessage,
  SubscriberSignIn,
} from '../../../modules/subscriptions/subscriber.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { Ack } from './acks.ts'
import type { ConnectPacket } from './decoder.ts'
import type { Admission, InboundPublish, MqttHost, Peer } from './host.ts'
import { Reason } from './protocol.ts'
import type { Message, Session } from './session.ts'
import { forbidden, mayFilter, type Route } from './topics.ts'

/** User names of subscriptions' accounts begin with this, and their id follows. */
const SUBSCRIBER_USER = 'sub/'
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Messages on their way to one client: what one delivery holds. */
const WINDOW = 100
/** From so many messages on the next ones are asked for before the last of them are acknowledged. */
const MANY = 20
/** A client that acknowledges nothing for so long is cut, and gets everything again on its next connection. */
const STALLED_MS = 30_000
/** Return codes of 3.1.1 (§3.2.2.3). */
const SERVER_UNAVAILABLE = 3
const NOT_AUTHORISED = 5

export interface SubscriberDoor {
  /** True: the password is the account's. Null: not known now. */
  signIn(request: SubscriberSignIn): Promise<boolean | null>
  /** A client of this subscription can take messages. */
  ready(subscriptionId: string): void
}

/** What the process that has the queues may ask of the sessions of subscriptions. */
export interface SubscriberSessions {
  /** `done` is called once. A second delivery takes the place of the one before. See {@link SubscriberPort.deliver}. */
  deliver(
    subscriptionId: string,
    flow: string,
    messages: readonly SubscriberMessage[],
    done: (answer: SubscriberAnswer) => void,
  ): void
  kick(subscriptionId: string): void
  /** Signed-in accounts. */
  count(): number
}

/** A message on its way: not acknowledged, or acknowledged and not yet told. */
interface Sent {
  readonly key: number
  state: 'sent' | 'arrived' | 'refused'
  reason: number
}

interface Delivery {
  readonly messages: readonly SubscriberMessage[]
  readonly done: (answer: SubscriberAnswer) => void
  readonly timer: NodeJS.Timeout
}

/** What goes to one client over one connection. */
interface Flow {
  readonly id: string
  readonly session: Session
  /** The first of the present delivery's messages, or of the next one's. */
  sent: Sent[]
  delivery: Delivery | null
}

/**
 * Accounts of subscriptions as host of the session layer: they read what is under `subscriptions/{id}/` and publish
 * nothing. Their queue is the subscription's own rows; the session keeps nothing, so that every message a client did
 * not acknowledge comes from there again, in order.
 */
export class SubscriberHost implements MqttHost, SubscriberSessions {
  private readonly sessions = new Map<string, Session>()
  private readonly flows = new Map<string, Flow>()
  /**
   * Stand-ins for the device numbers by which the session layer keeps its sessions; no device has a negative one. An
   * account keeps its number: its second connection has to find the session of the first.
   */
  private readonly numbers = new Map<string, number>()
  private lastNumber = 0

  constructor(
    private readonly door: SubscriberDoor,
    private readonly stalledMs: number = STALLED_MS,
  ) {}

  /** The subscription that a user name means; null: it means none. */
  static nameOf(username: string | null): string | null {
    const id = username?.startsWith(SUBSCRIBER_USER) ? username.slice(SUBSCRIBER_USER.length) : ''
    return ID.test(id) ? id : null
  }

  async signIn(connect: ConnectPacket, { address }: Peer): Promise<Admission> {
    const subscriptionId = SubscriberHost.nameOf(connect.username)
    const password = connect.password?.toString() ?? ''
    const refused = { ok: false, returnCode: NOT_AUTHORISED, reason: Reason.notAuthorised } as const
    // A will would be a publish.
    if (!subscriptionId || password === '' || connect.will) return refused
    const known = await this.door.signIn({ subscriptionId, password, address })
    if (known === null) return { ok: false, returnCode: SERVER_UNAVAILABLE, reason: Reason.serverUnavailable }
    if (!known) return refused
    return {
      ok: true,
      device: this.standIn(subscriptionId),
      prefix: `subscriptions/${subscriptionId}/`,
      transient: { window: WINDOW },
    }
  }

  private standIn(subscriptionId: string): DeviceRecord {
    let num = this.numbers.get(subscriptionId)
    if (num === undefined) {
      num = --this.lastNumber
      this.numbers.set(subscriptionId, num)
    }
    return {
      num,
      id: subscriptionId,
      tenantId: '',
      productId: '',
      productNum: 0,
      productKey: 'sub',
      deviceNo: subscriptionId,
      enabled: true,
      offlineDelaySeconds: 0,
      gateway: null,
      subAddress: null,
      overrides: {},
    }
  }

  // ── what a client does ──

  route(_session: Session, topic: string): Route {
    return forbidden(topic)
  }

  publish(session: Session, _route: Route, _message: InboundPublish, ack: Ack): void {
    ack.settle(Reason.notAuthorised)
    session.connection?.end(Reason.notAuthorised, 'protocol_error')
  }

  publishWill(): void {}

  grant(session: Session, filter: string, qos: number): number {
    return mayFilter(session.prefix, filter) ? Math.min(qos, 1) : Reason.notAuthorised
  }

  hasRoom(): boolean {
    return true
  }

  onRoom(_session: Session, resume: () => void): void {
    resume()
  }

  opened(session: Session): void {
    this.sessions.set(session.device.id, session)
  }

  ready(session: Session): void {
    const { id } = session.device
    const flow = this.flows.get(id)
    if (flow?.delivery) this.pump(flow)
    else if (session.subscriptions.size > 0) this.door.ready(id)
  }

  closed(session: Session): void {
    const { id } = session.device
    if (this.sessions.get(id) === session) this.sessions.delete(id)
    this.drop(id)
  }

  ended(): void {}
  delivered(): void {}
  note(): void {}

  // ── what it is sent ──

  deliver(
    subscriptionId: string,
    flowId: string,
    messages: readonly SubscriberMessage[],
    done: (answer: SubscriberAnswer) => void,
  ): void {
    const session = this.sessions.get(subscriptionId)
    if (!session?.connection || session.subscriptions.size === 0) {
      this.drop(subscriptionId)
      done({ kind: 'away' })
      return
    }
    const flow = this.continued(subscriptionId, flowId, session, messages)
    const timer = setTimeout(() => this.stalled(flow), this.stalledMs)
    flow.delivery = { messages, done, timer }
    this.pump(flow)
    this.progress(flow)
  }

  /** The flow that the messages go on with; a new one when they are not what was on its way. */
  private continued(
    subscriptionId: string,
    id: string,
    session: Session,
    messages: readonly SubscriberMessage[],
  ): Flow {
    const before = this.flows.get(subscriptionId)
    if (before) this.finish(before, gone(arrivedOf(before)))
    if (before?.id === id && before.session === session && before.sent.every(({ key }, i) => messages[i]?.key === key))
      return before
    const flow: Flow = { id, session, sent: [], delivery: null }
    this.flows.set(subscriptionId, flow)
    return flow
  }

  private pump(flow: Flow): void {
    const { session, sent } = flow
    while (flow.delivery && sent.length < flow.delivery.messages.length) {
      const { key, topic, payload } = flow.delivery.messages[sent.length] as SubscriberMessage
      const wanted = session.match(topic)
      const entry: Sent = { key, state: 'sent', reason: 0 }
      const settle = (state: 'arrived' | 'refused', reason = 0) => {
        entry.state = state
        entry.reason = reason
        // Of a flow that was dropped nobody asks any more.
        if (flow.sent === sent) this.progress(flow)
      }
      const message: Message = {
        topic,
        payload: Buffer.from(payload),
        qos: wanted?.qos ?? 0,
        retain: false,
        properties: null,
        expiresAt: 0,
        tag: '',
        onDelivered: () => settle('arrived'),
        onRefused: reason => settle('refused', reason),
      }
      // Before it is written: its refusal can come at once.
      sent.push(entry)
      const result = wanted ? session.send(message) : 'sent'
      // `ready` calls again once there is room; `closed` ends it.
      if (result === 'full' || result === 'away') {
        sent.pop()
        return
      }
      if (result === 'sent' && entry.state === 'sent') settle('arrived')
    }
  }

  private progress(flow: Flow): void {
    const { delivery, sent } = flow
    if (!delivery) return
    const { messages } = delivery
    const acknowledged = arrivedOf(flow)
    const next = sent[acknowledged]
    if (next?.state === 'refused') {
      const { reason } = next
      this.finish(flow, { kind: 'refused', acknowledged, reason })
      this.forget(flow)
    } else if (acknowledged === messages.length) this.finish(flow, { kind: 'acknowledged', acknowledged })
    // Many clients hold the last acknowledgements back until they hear from us (Nagle's algorithm against delayed
    // acknowledgements of TCP): the next messages are asked for while these are under way.
    else if (messages.length >= MANY && sent.length === messages.length && acknowledged >= messages.length / 2)
      this.finish(flow, { kind: 'acknowledged', acknowledged })
    else delivery.timer.refresh()
  }

  private stalled(flow: Flow): void {
    this.finish(flow, { kind: 'stalled', acknowledged: arrivedOf(flow) })
    flow.session.connection?.end(Reason.administrative, 'kicked')
  }

  /** Tells how far the delivery came; what was told is not part of the next one. */
  private finish(flow: Flow, answer: SubscriberAnswer): void {
    const { delivery } = flow
    if (!delivery) return
    clearTimeout(delivery.timer)
    flow.delivery = null
    if (answer.kind !== 'away') flow.sent.splice(0, answer.acknowledged)
    delivery.done(answer)
  }

  private drop(subscriptionId: string): void {
    const flow = this.flows.get(subscriptionId)
    if (!flow) return
    this.finish(flow, gone(arrivedOf(flow)))
    this.forget(flow)
  }

  private forget(flow: Flow): void {
    flow.sent = []
    if (this.flows.get(flow.session.device.id) === flow) this.flows.delete(flow.session.device.id)
  }

  kick(subscriptionId: string): void {
    this.sessions.get(subscriptionId)?.connection?.end(Reason.administrative, 'kicked')
  }

  count(): number {
    return this.sessions.size
  }
}

/** How many from the front have arrived. */
function arrivedOf({ sent }: Flow): number {
  const open = sent.findIndex(({ state }) => state !== 'arrived')
  return open < 0 ? sent.length : open
}

const gone = (acknowledged: number): SubscriberAnswer =>
  acknowledged > 0 ? { kind: 'acknowledged', acknowledged } : { kind: 'away' }
