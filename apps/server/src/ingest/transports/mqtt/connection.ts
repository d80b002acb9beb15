import { inBackground } from '../../../lib/background.ts'
import type { DisconnectReason, SessionInfo } from '../../transport.port.ts'
import { type Ack, AckQueue, type AckSink, encodeRun } from './acks.ts'
import type { Broker } from './broker.ts'
import {
  type ConnectPacket,
  decodeAck,
  decodeConnect,
  decodeDisconnect,
  decodePublish,
  decodeSubscribe,
  decodeUnsubscribe,
  PublishPacket,
} from './decoder.ts'
import { encodeAck, encodeConnack, encodeDisconnect, encodeSuback, encodeUnsuback, PINGRESP } from './encoder.ts'
import { Framer } from './framer.ts'
import type { InboundPublish, Peer } from './host.ts'
import { InboundTopics } from './inbound-topics.ts'
import { Outgoing } from './outgoing.ts'
import {
  ConnectFault,
  Fault,
  PacketType,
  type ProtocolLevel,
  protocolError,
  Reason,
  TooLarge,
  versionName,
} from './protocol.ts'
import { Registering, type RegistrationReply } from './registering.ts'
import type { Message, Session } from './session.ts'
import { subscribe, unsubscribe } from './subscribing.ts'
import type { Wire } from './wire.ts'

/** Why a connection is not being read; bits, because several can hold at once. */
const Hold = { opening: 1, inFlight: 2, noRoom: 4, slowReader: 8, stopping: 16 } as const

/** One network connection: cuts packets, keeps their order, knows its client's protocol level and limits. */
export class Connection implements AckSink {
  session: Session | null = null
  level: ProtocolLevel = 4
  receiveMaximum = 65_535
  closed = false
  /** Set by the broker's sweep. */
  lastHeard = 0
  heard = true
  readonly openedAt: number
  connect: ConnectPacket | null = null
  connectedAt = 0
  keepAliveSeconds = 0
  private clientId = ''
  private holds = 0
  private heldSince = 0
  private waitingForRoom = false
  private arrivedAt = 0
  private bytesIn = 0
  private bytesOut = 0
  private messagesIn = 0
  private messagesOut = 0
  private out: Buffer[] = []
  private dirty = false
  private unauthenticatedBytes = 0
  private readonly framer: Framer
  private readonly acks = new AckQueue(this)
  private readonly packet = new PublishPacket()
  /** Filled for every publish, read by the host during the call. */
  private readonly message: InboundPublish = {
    packet: this.packet,
    buffer: PINGRESP,
    payload: PINGRESP,
    arrivedAt: 0,
    level: 4,
  }
  private readonly topics: InboundTopics
  private outgoing: Outgoing
  private registering: Registering | null = null
  /** The other side has closed; some of what it sent may still be waiting. */
  private gone = false

  constructor(
    readonly wire: Wire,
    readonly peer: Peer,
    private readonly broker: Broker,
  ) {
    this.openedAt = broker.monotonic()
    this.lastHeard = this.openedAt
    this.topics = new InboundTopics(broker.host, broker.limits)
    this.outgoing = new Outgoing(4, 0, 0, () => broker.now())
    this.framer = new Framer(broker.limits.maxConnectBytes, (first, buffer, start, end) => {
      if (this.session) this.onPacket(first, buffer, start, end)
      else if (this.registering) this.registering.onPacket(first, buffer, start, end)
      else this.onFirstPacket(first, buffer, start, end)
    })
    wire.open({
      data: chunk => this.onData(chunk),
      drain: () => this.release(Hold.slowReader),
      close: () => this.lost(),
    })
  }

  // ── reading ──

  private onData(chunk: Buffer): void {
    if (this.closed) return
    this.heard = true
    this.bytesIn += chunk.length
    this.arrivedAt = this.broker.now()
    try {
      this.framer.push(chunk)
      if (this.holds & Hold.opening && this.framer.held >= this.broker.limits.maxConnectBytes) this.wire.pause()
      if (this.session === null) this.accountUnauthenticated()
    } catch (error) {
      this.failed(error)
    }
  }

  /** Half a CONNECT costs memory before anybody signed in: all connections share one bound for that. */
  private accountUnauthenticated(): void {
    const held = this.closed ? 0 : this.framer.held
    const room = this.broker.admission.hold(held - this.unauthenticatedBytes)
    this.unauthenticatedBytes = held
    if (!room && held > 0) this.drop()
  }

  private failed(error: unknown): void {
    if (error instanceof ConnectFault) this.refuseFault(error)
    else if (error instanceof Fault) {
      if (this.session) {
        if (error instanceof TooLarge) {
          const { address, transport } = this.peer
          const detail = `${error.size} bytes, at most ${error.limit}`
          this.broker.host.note(this.session, 'too_large', { detail, address, transport })
        } else this.broker.host.note(this.session, 'protocol_error', { reason: error.message })
        this.end(error.reason, 'protocol_error')
      } else this.drop()
    } else {
      this.broker.log.error({ err: error, address: this.peer.address }, 'MQTT connection failed')
      this.end(Reason.unspecified, 'protocol_error')
    }
  }

  private onFirstPacket(first: number, buffer: Buffer, start: number, end: number): void {
    if (first >> 4 !== PacketType.connect) throw protocolError('first packet is not CONNECT')
    const connect = decodeConnect(first, buffer, start, end, this.broker.limits)
    this.level = connect.level
    this.connect = connect
    this.clientId = connect.clientId
    this.receiveMaximum = connect.receiveMaximum
    this.outgoing = new Outgoing(connect.level, connect.maximumPacketSize, connect.topicAliasMaximum, () =>
      this.broker.now(),
    )
    this.framer.shortestForm = connect.level === 5
    // What follows CONNECT waits until it is known who this is.
    this.hold(Hold.opening)
    this.broker.open(this, connect)
  }

  private onPacket(first: number, buffer: Buffer, start: number, end: number): void {
    switch (first >> 4) {
      case PacketType.publish:
        this.onPublish(first, buffer, start, end)
        return
      case PacketType.puback: {
        const { packetId, reason } = decodeAck(PacketType.puback, buffer, start, end, this.level, this.broker.limits)
        this.session?.puback(packetId, reason)
        return
      }
      case PacketType.pubrec: {
        const { packetId, reason } = decodeAck(PacketType.pubrec, buffer, start, end, this.level, this.broker.limits)
        this.session?.pubrec(packetId, reason)
        return
      }
      case PacketType.pubrel: {
        const { packetId } = decodeAck(PacketType.pubrel, buffer, start, end, this.level, this.broker.limits)
        this.session?.release(
          packetId,
          () => this.sendAck(PacketType.pubcomp, packetId),
          // The standard lets a client ask again only on its next connection, so it must get one.
          () => this.end(Reason.serverBusy, 'connection_lost'),
        )
        return
      }
      case PacketType.pubcomp: {
        const { packetId } = decodeAck(PacketType.pubcomp, buffer, start, end, this.level, this.broker.limits)
        this.session?.pubcomp(packetId)
        return
      }
      case PacketType.subscribe:
        this.onSubscribe(buffer, start, end)
        return
      case PacketType.unsubscribe:
        this.onUnsubscribe(buffer, start, end)
        return
      case PacketType.pingreq:
        if (start !== end) throw new Fault(Reason.malformed, 'PINGREQ with a body')
        this.write(PINGRESP)
        return
      case PacketType.disconnect:
        this.onDisconnect(buffer, start, end)
        return
      default:
        throw protocolError('second CONNECT')
    }
  }

  private onPublish(first: number, buffer: Buffer, start: number, end: number): void {
    const session = this.session as Session
    const { broker, packet } = this
    const { limits } = broker
    decodePublish(first, buffer, start, end, this.level, limits, packet)
    const route = this.topics.routeOf(session, packet, buffer)
    if (packet.retain && this.level === 5) throw new Fault(Reason.retainNotSupported, 'retained messages not available')
    const { qos, packetId } = packet
    if (qos > 0) {
      const open = this.acks.unacknowledged + session.unreleased
      if (this.level === 5 && open >= limits.receiveMaximum && !(qos === 2 && packet.dup)) {
        throw new Fault(Reason.receiveMaximumExceeded, 'receive maximum exceeded')
      }
      if (qos === 2) {
        if (!session.beginInbound(packetId)) {
          if (session.isReceived(packetId)) this.acks.addFinished(packetId, 2)
          return
        }
        if (open >= limits.maxUnreleased) throw new Fault(Reason.quotaExceeded, 'too many unreleased packet ids')
      }
    }
    const payload = buffer.subarray(packet.payloadStart, end)
    this.messagesIn++
    session.taken()
    const ack = this.acks.add(packetId, qos, end - start)
    const message = this.message
    message.buffer = buffer
    message.payload = payload
    message.arrivedAt = this.arrivedAt
    message.level = this.level
    broker.host.publish(session, route, message, ack)
    if (this.acks.pending >= limits.maxInFlight || this.acks.pendingBytes >= limits.maxInFlightBytes) {
      this.hold(Hold.inFlight)
    }
    if (!this.waitingForRoom && !broker.host.hasRoom(session)) this.waitForRoom(session)
  }

  private waitForRoom(session: Session): void {
    this.waitingForRoom = true
    this.hold(Hold.noRoom)
    this.broker.host.onRoom(session, () => {
      this.waitingForRoom = false
      this.release(Hold.noRoom)
    })
  }

  private onSubscribe(buffer: Buffer, start: number, end: number): void {
    const session = this.session as Session
    const { limits, host } = this.broker
    const packet = decodeSubscribe(buffer, start, end, this.level, limits)
    const codes = subscribe(session, packet, this.level, host, limits)
    this.stored(session, () => {
      this.write(encodeSuback(packet.packetId, this.level, codes))
      if (codes.some(code => code < Reason.unspecified)) host.ready(session)
    })
  }

  private onUnsubscribe(buffer: Buffer, start: number, end: number): void {
    const session = this.session as Session
    const { packetId, filters } = decodeUnsubscribe(buffer, start, end, this.level, this.broker.limits)
    const codes = unsubscribe(session, filters)
    this.stored(session, () => this.write(encodeUnsuback(packetId, this.level, codes)))
  }

  /** Answers once the subscriptions are stored; when they cannot be, the connection ends and the client tries again. */
  private stored(session: Session, answer: () => void): void {
    if (!session.durable) {
      answer()
      return
    }
    inBackground(
      'storing subscriptions of a session',
      session.subscriptionsChanged().then(
        () => {
          if (!this.closed) answer()
        },
        (error: Error) => {
          this.broker.log.warn({ err: error, device: session.device.num }, 'subscriptions could not be stored')
          this.end(Reason.serverBusy, 'connection_lost')
        },
      ),
    )
  }

  private onDisconnect(buffer: Buffer, start: number, end: number): void {
    const session = this.session as Session
    const { reason, sessionExpiry } = decodeDisconnect(buffer, start, end, this.level, this.broker.limits)
    if (sessionExpiry >= 0) {
      // MQTT-3.14.2-2
      if (session.expirySeconds === 0 && sessionExpiry > 0) throw protocolError('session expiry was 0 at CONNECT')
      session.expirySeconds = Math.min(sessionExpiry, this.broker.limits.maxSessionExpirySeconds)
    }
    if (reason === Reason.success) session.will = null
    this.finish('client')
    this.wire.end()
  }

  // ── acknowledgements (AckSink) ──

  inFlightChanged(): void {
    this.session?.settled()
    const { limits } = this.broker
    if (
      this.holds & Hold.inFlight &&
      this.acks.pending <= limits.maxInFlight >> 1 &&
      this.acks.pendingBytes <= limits.maxInFlightBytes >> 1
    ) {
      this.release(Hold.inFlight)
    }
  }

  received(ack: Ack): void {
    const session = this.session as Session
    session.received(ack.packetId)
    if (this.level < 5 || ack.reason < Reason.unspecified) {
      ack.finish()
      return
    }
    // PUBREC with an error ends the exchange: the id is free again, so it must not be remembered.
    if (this.closed) return
    const finish = (): void => ack.finish()
    session.release(ack.packetId, finish, () => {
      // Still remembered, so the exchange goes on as if it were new to us.
      ack.reason = Reason.success
      finish()
    })
  }

  acknowledge(first: Ack, last: Ack): void {
    if (!this.closed) this.write(encodeRun(first, last, this.level))
  }

  // ── writing ──

  /** Collects; everything written in one turn of the event loop leaves in one system call. */
  write(bytes: Buffer): void {
    if (this.closed) return
    this.out.push(bytes)
    if (this.dirty) return
    this.dirty = true
    this.broker.flushLater(this)
  }

  flush(): void {
    this.dirty = false
    if (this.out.length === 0) return
    const bytes = this.out.length === 1 ? (this.out[0] as Buffer) : Buffer.concat(this.out)
    this.out = []
    this.bytesOut += bytes.length
    this.wire.write(bytes)
    if (this.wire.backlog > this.broker.limits.maxWriteBacklogBytes) this.hold(Hold.slowReader)
  }

  sendAck(type: number, packetId: number): void {
    this.write(encodeAck(type, packetId, this.level))
  }

  /** The client does not read what it is sent. */
  get isBackedUp(): boolean {
    return (this.holds & Hold.slowReader) !== 0
  }

  canCarry(message: Message): boolean {
    return this.outgoing.canCarry(message)
  }

  sendPublish(message: Message, packetId: number, dup: boolean): void {
    this.messagesOut++
    const identifiers = this.level === 5 && this.session ? this.session.identifiersFor(message.topic) : []
    this.write(this.outgoing.encode(message, packetId, dup, identifiers))
  }

  // ── life ──

  /** The broker found the session: from here on packets are read. */
  accept(session: Session, connack: Buffer): void {
    this.session = session
    this.broker.admission.hold(-this.unauthenticatedBytes)
    this.unauthenticatedBytes = 0
    this.connectedAt = this.broker.now()
    this.framer.limit = this.broker.limits.maxPacketBytes
    this.write(connack)
  }

  begin(): void {
    this.release(Hold.opening)
  }

  /** A client without a session: the time that a stranger has is its time. */
  register(reply: RegistrationReply): void {
    if (this.closed) return
    this.registering = new Registering(
      reply,
      this.level,
      this.broker.limits,
      bytes => this.write(bytes),
      () => this.drop(),
    )
    this.write(encodeConnack({ level: this.level, sessionPresent: false, code: Reason.success }))
    this.release(Hold.opening)
  }

  /** A client that may not come in. */
  refuse(returnCode: number, reason: number): void {
    if (this.closed) return
    this.write(
      encodeConnack({ level: this.level, sessionPresent: false, code: this.level === 5 ? reason : returnCode }),
    )
    this.flush()
    this.finish('protocol_error')
    this.wire.end()
  }

  private refuseFault(fault: ConnectFault): void {
    if (fault.level !== null) this.level = fault.level
    const codes: Record<number, number> = { [Reason.unsupportedVersion]: 1, [Reason.clientIdInvalid]: 2 }
    const returnCode = codes[fault.reason]
    // Before 5.0 there is no return code for a malformed CONNECT: the connection just ends.
    if (fault.level === null || (fault.level < 5 && returnCode === undefined)) this.drop()
    else this.refuse(returnCode ?? 0, fault.reason)
  }

  /** Ends the connection from our side; a 5.0 client is told why. */
  end(reason: number, why: DisconnectReason): void {
    if (this.closed) return
    if (this.session && this.level === 5) this.write(encodeDisconnect(reason))
    this.flush()
    this.finish(why)
    this.wire.end()
  }

  /** Ends a connection that nobody signed in on. */
  drop(): void {
    if (this.closed) return
    this.finish('protocol_error')
    this.wire.end()
  }

  /** The client is gone. What it sent before is taken all the same, its sign-in included. */
  private lost(): void {
    if (this.closed) return
    this.gone = true
    // The connection is closing: a slow reader is no longer looked for.
    this.holds &= ~Hold.slowReader
    if ((this.holds & Hold.stopping) !== 0 || !this.hasMoreToTake) this.finish('connection_lost')
    else if (this.holds === 0) this.goOn()
  }

  /** Packets that wait for the sign-in, for room, or for commits. */
  private get hasMoreToTake(): boolean {
    if (this.holds & Hold.opening) return this.connect !== null && this.framer.held > 0
    return this.holds !== 0 && this.framer.held > 0
  }

  private finish(why: DisconnectReason): void {
    this.flush()
    this.closed = true
    this.framer.clear()
    this.broker.admission.hold(-this.unauthenticatedBytes)
    this.unauthenticatedBytes = 0
    this.broker.closed(this, why)
  }

  stopReading(): void {
    this.hold(Hold.stopping)
  }

  private hold(why: number): void {
    if (this.gone && why === Hold.slowReader) return
    if (this.holds === 0) {
      this.heldSince = this.broker.monotonic()
      this.framer.stop()
      // A client may send and close in one breath: what it sent is read at once, or its end would take it along.
      if (why !== Hold.opening) this.wire.pause()
    } else if (why !== Hold.opening) this.wire.pause()
    this.holds |= why
  }

  private release(why: number): void {
    if ((this.holds & why) === 0) return
    this.holds &= ~why
    if (this.holds === 0 && !this.closed) this.goOn()
  }

  private goOn(): void {
    this.heard = true
    try {
      this.framer.resume()
    } catch (error) {
      this.failed(error)
    }
    if (this.holds !== 0 || this.closed) return
    if (this.gone) this.finish('connection_lost')
    else this.wire.resume()
  }

  /** Called now and then with monotonic ms: ends what was silent, or deaf, for too long. */
  sweep(now: number): void {
    const { limits } = this.broker
    if (this.heard) {
      this.heard = false
      this.lastHeard = now
    }
    if (this.session === null) {
      // A complete CONNECT may have to wait for the database and for the commits of the connection before it.
      const patience = limits.connectTimeoutMs + (this.connect === null ? 0 : 2 * limits.drainTimeoutMs)
      if (now - this.openedAt <= patience) return
      if (this.gone) this.finish('connection_lost')
      else this.wire.destroy()
      return
    }
    if (this.holds & Hold.slowReader) {
      if (now - this.heldSince > limits.writeStallMs) this.wire.destroy()
      return
    }
    // While we do not read, its silence is our doing.
    if (this.holds !== 0 || this.keepAliveSeconds === 0) return
    if (now - this.lastHeard > this.keepAliveSeconds * 1500) this.end(Reason.keepAliveTimeout, 'keep_alive_timeout')
  }

  info(session: Session): SessionInfo {
    return {
      transport: this.peer.transport,
      clientId: this.clientId,
      address: this.peer.address,
      protocolVersion: versionName[this.level],
      keepAliveSeconds: this.keepAliveSeconds,
      connectedAt: this.connectedAt,
      subscriptions: [...session.subscriptions.values()].map(({ filter, qos }) => ({ filter, qos })),
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      messagesIn: this.messagesIn,
      messagesOut: this.messagesOut,
    }
  }
}
