import { createServer, type Socket } from 'node:net'
import mqttPacket, { type IPublishPacket, type Packet } from 'mqtt-packet'

export interface BrokerOptions {
  port?: number
  host?: string
  username?: string
  password?: string
  /** Told of each message of QoS 1 that a client acknowledged. */
  acknowledged?(packet: IPublishPacket): void
  /** Refuses MQTT 5, as brokers of old do. */
  onlyMqtt3?: boolean
}

interface Session {
  clientId: string
  filter: string | null
  socket: Socket | null
  version: number
  /** Of QoS 1, not acknowledged yet. */
  kept: Map<number, IPublishPacket>
  nextId: number
}

export interface SimulatedBroker {
  host: string
  port: number
  username: string
  password: string
  /** Filters that clients listen with now. */
  filters(): string[]
  /** Messages that a client has not acknowledged. */
  unacknowledged(): number
  publish(topic: string, payload: Buffer, qos?: 0 | 1): void
  /** Ends every connection; sessions stay. */
  cut(): void
  close(): Promise<void>
}

/** The broker beside a ChirpStack: users, subscriptions with wildcards, sessions that outlive a connection, QoS 0 and 1. */
export async function startBroker(options: BrokerOptions = {}): Promise<SimulatedBroker> {
  const { host = '127.0.0.1', username = 'chirpstack', password = 'simulated' } = options
  const sessions = new Map<string, Session>()
  const sockets = new Set<Socket>()

  const send = ({ socket, version }: Session, packet: Packet) => {
    if (socket && !socket.destroyed) socket.write(mqttPacket.generate(packet, { protocolVersion: version }))
  }

  function matches(filter: string, topic: string): boolean {
    const [wanted, given] = [filter.split('/'), topic.split('/')]
    for (const [at, level] of wanted.entries()) {
      if (level === '#') return true
      if (given[at] === undefined || (level !== '+' && level !== given[at])) return false
    }
    return wanted.length === given.length
  }

  function publish(topic: string, payload: Buffer, qos: 0 | 1 = 1): void {
    for (const session of sessions.values()) {
      if (session.filter === null || !matches(session.filter, topic)) continue
      const packet: IPublishPacket = { cmd: 'publish', topic, payload, qos, dup: false, retain: false }
      if (qos === 1) {
        packet.messageId = session.nextId
        session.nextId = (session.nextId % 65_535) + 1
        session.kept.set(packet.messageId, packet)
      }
      send(session, packet)
    }
  }

  const server = createServer(socket => {
    sockets.add(socket)
    const parser = mqttPacket.parser()
    let session: Session | null = null
    parser.on('packet', packet => {
      if (packet.cmd === 'connect') {
        const version = packet.protocolVersion ?? 4
        const refuse = (code3: number, code5: number) => {
          const code = version === 5 ? { reasonCode: code5 } : { returnCode: code3 }
          socket.end(
            mqttPacket.generate({ cmd: 'connack', sessionPresent: false, ...code }, { protocolVersion: version }),
          )
        }
        if (version === 5 && options.onlyMqtt3) {
          socket.end(mqttPacket.generate({ cmd: 'connack', sessionPresent: false, returnCode: 1 }))
          return
        }
        if (packet.username !== username || packet.password?.toString() !== password) {
          refuse(5, 0x87)
          return
        }
        const before = packet.clean ? undefined : sessions.get(packet.clientId)
        before?.socket?.destroy()
        session = before ?? { clientId: packet.clientId, filter: null, socket, version, kept: new Map(), nextId: 1 }
        session.socket = socket
        session.version = version
        sessions.set(packet.clientId, session)
        const code = version === 5 ? { reasonCode: 0 } : { returnCode: 0 }
        send(session, { cmd: 'connack', sessionPresent: before !== undefined, ...code })
        for (const kept of session.kept.values()) send(session, { ...kept, dup: true })
        return
      }
      if (!session) {
        socket.destroy()
        return
      }
      switch (packet.cmd) {
        case 'subscribe':
          session.filter = packet.subscriptions[0]!.topic
          send(session, { cmd: 'suback', messageId: packet.messageId!, granted: [1] })
          break
        case 'publish':
          publish(packet.topic, packet.payload as Buffer, packet.qos === 1 ? 1 : 0)
          if (packet.qos === 1) send(session, { cmd: 'puback', messageId: packet.messageId! })
          break
        case 'puback':
          {
            const kept = session.kept.get(packet.messageId!)
            session.kept.delete(packet.messageId!)
            if (kept) options.acknowledged?.(kept)
          }
          break
        case 'pingreq':
          send(session, { cmd: 'pingresp' })
          break
        case 'disconnect':
          socket.end()
          break
        default:
      }
    })
    parser.on('error', () => socket.destroy())
    socket.on('data', chunk => parser.parse(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      if (session?.socket === socket) session.socket = null
    })
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, host, resolve))

  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    host,
    port: (server.address() as { port: number }).port,
    username,
    password,
    filters: () => [...sessions.values()].flatMap(({ socket, filter }) => (socket && filter !== null ? [filter] : [])),
    unacknowledged: () => [...sessions.values()].reduce((sum, { kept }) => sum + kept.size, 0),
    publish,
    cut,
    async close() {
      cut()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
