import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { generate, type IConnectPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet'

export interface ReceivedPublish {
  username: string
  topic: string
  payload: string
  qos: number
}

export interface MqttServerOptions {
  /** CONNACK code for a sign-in; 0 lets it in (the default for all). */
  signIn?: (username: string, password: string) => number
  /** What becomes of a publish: `silent` leaves it unacknowledged. */
  onPublish?: (publish: ReceivedPublish) => 'ack' | 'refuse' | 'silent'
  /** What waited for whoever subscribes; it may come before the SUBACK (3.1.1 §3.8.4). */
  waiting?: { topic: string; body: unknown }
}

interface Session {
  socket: Socket
  version: 3 | 4 | 5
  username: string
  subscribed: boolean
}

/**
 * A server with just enough of MQTT to test devices against: sign-in, subscriptions (every subscriber gets what the
 * test sends him), QoS 1 both ways. Not for anything else.
 */
export class TinyMqttServer {
  readonly received: ReceivedPublish[] = []
  /** Every CONNECT that came, newest last. */
  readonly connects: IConnectPacket[] = []
  readonly options: MqttServerOptions
  /** Whoever connects is cut off at once, as where nobody listens; the port stays this server's. */
  away = false
  readonly #server: Server
  readonly #sessions = new Set<Session>()
  readonly #watchers = new Set<() => void>()
  readonly #acks = new Map<number, () => void>()
  #nextId = 1

  private constructor(options: MqttServerOptions) {
    this.options = options
    this.#server = createServer(socket => this.#serve(socket))
  }

  /** Listens on the given port of the loopback, or on one the system chooses. */
  static async start(options: MqttServerOptions = {}, port = 0): Promise<TinyMqttServer> {
    const server = new TinyMqttServer(options)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`
  }

  /** User names with a session that has subscribed. */
  get online(): string[] {
    return [...this.#sessions].filter(session => session.subscribed).map(session => session.username)
  }

  /** Sends at QoS 1 to a subscribed device; resolves when the device has acknowledged. */
  async send(username: string, topic: string, body: unknown): Promise<void> {
    const session = [...this.#sessions].find(candidate => candidate.username === username && candidate.subscribed)
    if (!session) throw new Error(`${username} is not subscribed`)
    const messageId = this.#nextId++
    const acked = new Promise<void>(resolve => this.#acks.set(messageId, resolve))
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    this.#write(session, { cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false })
    await acked
  }

  /** Cuts all connections without a word. */
  cut(): void {
    for (const { socket } of this.#sessions) socket.destroy()
  }

  /** Resolves as soon as the condition holds; looked at after everything that happens here. */
  async until(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
    if (condition()) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(look)
        reject(new Error('the condition did not come true in time'))
      }, timeoutMs)
      const look = () => {
        if (!condition()) return
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
    })
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }

  #serve(socket: Socket): void {
    if (this.away) {
      socket.destroy()
      return
    }
    const session: Session = { socket, version: 4, username: '', subscribed: false }
    const packets = parser()
    this.#sessions.add(session)
    packets.on('packet', packet => {
      this.#handle(session, packet)
      for (const look of this.#watchers) look()
    })
    packets.on('error', () => socket.destroy())
    socket.on('data', data => packets.parse(data))
    socket.on('error', () => {
      // 'close' follows.
    })
    socket.on('close', () => {
      this.#sessions.delete(session)
      for (const look of this.#watchers) look()
    })
  }

  #handle(session: Session, packet: Packet): void {
    switch (packet.cmd) {
      case 'connect':
        this.#signIn(session, packet)
        break
      case 'subscribe':
        session.subscribed = true
        if (this.options.waiting) {
          const { topic, body } = this.options.waiting
          this.#write(session, {
            cmd: 'publish',
            topic,
            payload: JSON.stringify(body),
            qos: 0,
            dup: false,
            retain: false,
          })
        }
        this.#write(session, {
          cmd: 'suback',
          messageId: packet.messageId!,
          granted: packet.subscriptions.map(subscription => subscription.qos),
        })
        break
      case 'publish':
        this.#publishReceived(session, packet)
        break
      case 'puback':
        this.#acks.get(packet.messageId!)?.()
        this.#acks.delete(packet.messageId!)
        break
      case 'pingreq':
        this.#write(session, { cmd: 'pingresp' })
        break
      case 'disconnect':
        session.socket.end()
        break
      default:
    }
  }

  #signIn(session: Session, packet: IConnectPacket): void {
    this.connects.push(packet)
    session.version = packet.protocolVersion ?? 4
    session.username = packet.username ?? ''
    const code = this.options.signIn?.(session.username, packet.password?.toString() ?? '') ?? 0
    this.#write(session, { cmd: 'connack', sessionPresent: false, returnCode: code, reasonCode: code })
    if (code !== 0) session.socket.end()
  }

  #publishReceived(session: Session, packet: IPublishPacket): void {
    const { topic, qos, messageId } = packet
    const publish = { username: session.username, topic, payload: packet.payload.toString(), qos }
    this.received.push(publish)
    const outcome = this.options.onPublish?.(publish) ?? 'ack'
    if (qos === 0 || outcome === 'silent') return
    this.#write(session, { cmd: 'puback', messageId: messageId!, reasonCode: outcome === 'refuse' ? 0x99 : 0 })
  }

  #write(session: Session, packet: Packet): void {
    if (!session.socket.destroyed) session.socket.write(generate(packet, { protocolVersion: session.version }))
  }
}
