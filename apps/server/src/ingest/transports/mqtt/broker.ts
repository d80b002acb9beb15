import type { Logger } from '../../../lib/log.ts'
import type { DisconnectReason } from '../../transport.port.ts'
import { Admission, type Ticket } from './admission.ts'
import { Connection } from './connection.ts'
import type { ConnectPacket, Will } from './decoder.ts'
import { announce, encodeConnack } from './encoder.ts'
import type { Admission as HostAdmission, MqttHost, Peer } from './host.ts'
import type { MqttLimits } from './limits.ts'
import { Reason } from './protocol.ts'
import { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'
import type { Wire } from './wire.ts'

export interface BrokerOptions {
  host: MqttHost
  store: SessionStore
  limits: MqttLimits
  log: Logger
  /** Epoch ms. */
  now(): number
  /** Ms that only grow. */
  monotonic(): number
}

const SWEEP_MS = 500
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Return codes of 3.1.1 (§3.2.2.3). */
const SERVER_UNAVAILABLE = 3

/** Connections and sessions, and how one takes over the other. */
export class Broker {
  readonly host: MqttHost
  readonly limits: MqttLimits
  readonly log: Logger
  readonly admission: Admission
  readonly sessions = new Map<number, Session>()
  private readonly connections = new Map<Connection, Ticket>()
  private readonly store: SessionStore
  private dirty: Connection[] = []
  private sweeper: NodeJS.Timeout | null = null
  private stopping = false

  constructor(private readonly options: BrokerOptions) {
    this.host = options.host
    this.limits = options.limits
    this.log = options.log
    this.store = options.store
    this.admission = new Admission(options.limits)
  }

  now(): number {
    return this.options.now()
  }

  monotonic(): number {
    return this.options.monotonic()
  }

  /** Signed-in connections. */
  get connected(): number {
    let count = 0
    for (const connection of this.connections.keys()) if (connection.session) count++
    return count
  }

  async start(): Promise<void> {
    await this.store.start()
    // A process that was held up reads what came meanwhile before it calls anybody silent.
    this.sweeper = setInterval(() => setImmediate(() => this.sweep()), SWEEP_MS)
  }

  private sweep(): void {
    if (this.stopping) return
    const now = this.monotonic()
    for (const connection of this.connections.keys()) connection.sweep(now)
  }

  /** A client is on the line. `ticket` counts it among the strangers until it has signed in. */
  accept(wire: Wire, peer: Peer, ticket: Ticket): void {
    if (this.stopping) {
      wire.destroy()
      return
    }
    this.connections.set(new Connection(wire, peer, this), ticket)
  }

  /** A CONNECT arrived. */
  open(connection: Connection, connect: ConnectPacket): void {
    this.signIn(connection, connect).catch((error: Error) => {
      this.log.warn({ err: error, address: connection.peer.address }, 'MQTT session could not be opened')
      connection.refuse(SERVER_UNAVAILABLE, Reason.serverUnavailable)
    })
  }

  private async signIn(connection: Connection, connect: ConnectPacket): Promise<void> {
    if (connect.will?.retain && connect.level === 5) {
      // MQTT-3.2.2-13
      connection.refuse(0, Reason.retainNotSupported)
      return
    }
    const admission = await this.host.signIn(connect, connection.peer)
    if (connection.closed) return
    if (!admission.ok) {
      connection.refuse(admission.returnCode, admission.reason)
      return
    }
    if (admission.ok === 'registering') {
      connection.register(admission.reply)
      return
    }
    const session = this.sessionOf(admission)
    session.openings++
    const turn = session.opening.then(() => this.take(session, connection, connect, admission))
    session.opening = turn.catch(() => {})
    try {
      await turn
    } finally {
      session.openings--
      this.forgetIfDisposable(session)
    }
  }

  private sessionOf(admission: HostAdmission & { ok: true }): Session {
    const { device, prefix } = admission
    let session = this.sessions.get(device.num)
    if (!session) {
      session = new Session(device, prefix, {
        host: this.host,
        store: this.store,
        limits: this.limits,
        log: this.log,
        now: () => this.now(),
        idle: idle => this.forgetIfDisposable(idle),
      })
      this.sessions.set(device.num, session)
    }
    return session
  }

  /** Gives the session to this connection. One at a time per session. */
  private async take(
    session: Session,
    connection: Connection,
    connect: ConnectPacket,
    { device, prefix, implicit, transient }: HostAdmission & { ok: true },
  ): Promise<void> {
    if (connection.closed) return
    if (this.stopping) {
      connection.refuse(SERVER_UNAVAILABLE, Reason.serverStopping)
      return
    }
    session.connection?.end(Reason.takenOver, 'taken_over')
    session.device = device
    session.prefix = prefix
    // What the connection before took must be in the journal before its QoS 2 ids are read or removed.
    if (!(await session.idle(this.limits.drainTimeoutMs))) throw new Error('earlier publishes are not committed yet')
    if (session.expiryTimer) clearTimeout(session.expiryTimer)
    session.expiryTimer = null
    const stored = connect.cleanStart || transient ? null : await this.store.load(device.num)
    if (stored) {
      session.restore(stored)
      // MQTT-3.1.3-9: back in time
      this.cancelWill(session)
    } else {
      this.fireWill(session)
      if (connect.cleanStart && !transient) await this.store.clear(device.num)
      session.reset()
      this.host.ended(session)
    }
    for (const filter of implicit ?? [])
      session.subscriptions.set(filter, { filter, qos: 1, noLocal: false, retainAsPublished: false, identifier: 0 })
    session.expirySeconds = transient ? 0 : Math.min(connect.sessionExpiry, this.limits.maxSessionExpirySeconds)
    session.window = transient?.window ?? null
    session.durable = stored !== null || session.expirySeconds > 0
    if (session.durable) await this.store.open(device.num, session.expirySeconds)
    if (connection.closed) {
      this.endDurable(session)
      return
    }
    this.attach(session, connection, connect, stored !== null)
  }

  private attach(session: Session, connection: Connection, connect: ConnectPacket, sessionPresent: boolean): void {
    const longest = this.limits.maxKeepAliveSeconds
    const shorten = connect.level === 5 && longest > 0 && (connect.keepAlive === 0 || connect.keepAlive > longest)
    connection.keepAliveSeconds = shorten ? longest : connect.keepAlive
    const assigned = connect.clientId === '' ? `${session.device.productKey}/${session.device.deviceNo}` : null
    const facts = {
      sessionExpiry: session.expirySeconds < connect.sessionExpiry ? session.expirySeconds : null,
      assignedClientId: assigned,
      serverKeepAlive: shorten ? longest : null,
      receiveMaximum: this.limits.receiveMaximum,
      maximumPacketSize: this.limits.maxPacketBytes,
      topicAliasMaximum: this.limits.topicAliasMaximum,
    }
    const encode = (briefly: boolean): Buffer =>
      encodeConnack({
        level: connect.level,
        sessionPresent,
        code: Reason.success,
        properties: announce(facts, briefly),
      })
    let connack = encode(false)
    if (connack.length > connect.maximumPacketSize) connack = encode(true)
    if (connack.length > connect.maximumPacketSize) {
      connection.drop()
      this.endDurable(session)
      return
    }
    this.connections.get(connection)?.leave()
    session.will = connect.will
    session.bind(connection)
    connection.accept(session, connack)
    session.redeliver()
    this.host.opened(session)
    if (session.subscriptions.size > 0) this.host.ready(session)
    connection.begin()
  }

  /** Called by a connection when it has ended, whoever ended it. */
  closed(connection: Connection, why: DisconnectReason): void {
    this.connections.get(connection)?.leave()
    this.connections.delete(connection)
    const { session } = connection
    if (!session || session.connection !== connection) return
    session.connection = null
    const { will } = session
    session.will = null
    // A stopping server does not speak for clients that did nothing wrong; they will be back.
    if (will && why !== 'server_stopping') this.scheduleWill(session, will)
    this.endDurable(session)
    this.host.closed(session, why)
    this.forgetIfDisposable(session)
  }

  /** The session has no connection any more: its time of expiry begins, or it is over. */
  private endDurable(session: Session): void {
    const { device, expirySeconds } = session
    if (session.durable && expirySeconds > 0) {
      const ms = expirySeconds * 1000
      this.store.close(device.num, expirySeconds, this.now() + ms).catch(error => this.storeFailed(session, error))
      if (this.limits.maxQueued > 0) {
        session.expiryTimer = setTimeout(() => this.expire(session), Math.min(ms, LONGEST_TIMER_MS))
      }
      return
    }
    if (session.durable) this.store.clear(device.num).catch(error => this.storeFailed(session, error))
    session.reset()
    this.host.ended(session)
  }

  private expire(session: Session): void {
    session.expiryTimer = null
    session.reset()
    this.host.ended(session)
    this.forgetIfDisposable(session)
  }

  private storeFailed(session: Session, error: Error): void {
    this.log.warn({ err: error, device: session.device.num }, 'MQTT session state could not be written')
  }

  // ── wills ──

  /** After the will delay or with the end of the session, whichever comes first (MQTT 5.0 §3.1.3.2.2). */
  private scheduleWill(session: Session, will: Will): void {
    const delay = Math.min(will.delay, session.expirySeconds)
    if (delay === 0) {
      this.host.publishWill(session, will, this.now())
      return
    }
    session.pendingWill = will
    session.willTimer = setTimeout(() => {
      this.fireWill(session)
      this.forgetIfDisposable(session)
    }, delay * 1000)
  }

  private fireWill(session: Session): void {
    const will = session.pendingWill
    this.cancelWill(session)
    if (will) this.host.publishWill(session, will, this.now())
  }

  private cancelWill(session: Session): void {
    if (session.willTimer) clearTimeout(session.willTimer)
    session.willTimer = null
    session.pendingWill = null
  }

  // ── the rest ──

  private forgetIfDisposable(session: Session): void {
    if (session.disposable && this.sessions.get(session.device.num) === session)
      this.sessions.delete(session.device.num)
  }

  /** Writes what a connection collected, at the end of this turn of the event loop. */
  flushLater(connection: Connection): void {
    this.dirty.push(connection)
    if (this.dirty.length === 1) process.nextTick(() => this.flush())
  }

  private flush(): void {
    const dirty = this.dirty
    this.dirty = []
    for (const connection of dirty) connection.flush()
  }

  /** Reads nothing more, lets what was taken be acknowledged, says goodbye. */
  async stop(): Promise<void> {
    this.stopping = true
    if (this.sweeper) clearInterval(this.sweeper)
    for (const connection of this.connections.keys()) connection.stopReading()
    await Promise.all([...this.sessions.values()].map(session => session.idle(this.limits.drainTimeoutMs)))
    this.flush()
    for (const connection of [...this.connections.keys()]) {
      if (connection.session) connection.end(Reason.serverStopping, 'server_stopping')
      else connection.drop()
    }
    for (const session of this.sessions.values()) {
      this.cancelWill(session)
      if (session.expiryTimer) clearTimeout(session.expiryTimer)
    }
    await this.store.stop()
  }
}
