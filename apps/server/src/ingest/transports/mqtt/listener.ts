import type { IncomingMessage } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { type WebSocket, WebSocketServer } from 'ws'
import type { TransportName } from '../../transport.port.ts'
import type { Ticket } from './admission.ts'
import type { Broker } from './broker.ts'
import { SocketWire, WebSocketWire } from './wire.ts'

export interface ListenAddress {
  host: string
  /** 0 = chosen by the system. */
  port: number
  /** When the port is taken, how many of the following ones are tried. */
  tryNext?: number
}

export interface TlsMaterial {
  /** PEM */
  key: string
  cert: string
}

/** WebSocket subprotocols that mean MQTT; the second is what 3.1 clients ask for. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']
const TLS_HANDSHAKE_MS = 10_000
const VERSIONS = { minVersion: 'TLSv1.2' } as const

/** The doors of the session layer: TCP, TLS, and WebSocket upgrades that an HTTP server hands over. */
export class Listener {
  private readonly servers: Server[] = []
  private readonly tls: TlsServer[] = []
  private readonly sockets = new Set<Socket>()
  private readonly upgrades: WebSocketServer

  constructor(private readonly broker: Broker) {
    this.upgrades = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: broker.limits.maxPacketBytes + 16,
      handleProtocols: offered => SUBPROTOCOLS.find(name => offered.has(name)) ?? false,
    })
  }

  /** Opens a plain port; resolves with the port that was got. Rejects with EADDRINUSE. */
  listenTcp(address: ListenAddress): Promise<number> {
    const server = createServer(socket => {
      const ticket = this.enter(socket)
      if (ticket) this.greet(socket, 'mqtt', ticket)
    })
    return this.listen(server, address)
  }

  /** Opens a TLS port (1.2 and 1.3). */
  listenTls(address: ListenAddress, material: TlsMaterial): Promise<number> {
    const server = createTlsServer({
      ...material,
      ...VERSIONS,
      handshakeTimeout: TLS_HANDSHAKE_MS,
      // A client may show a certificate; whose it is, and whether it counts, is decided at its sign-in.
      requestCert: true,
      rejectUnauthorized: false,
    })
    // Strangers are counted before the handshake, which is the expensive part.
    const waiting = new Map<string, Ticket>()
    server.on('connection', (socket: Socket) => {
      const ticket = this.enter(socket)
      if (!ticket) return
      const name = addressOf(socket)
      waiting.set(name, ticket)
      socket.once('close', () => {
        ticket.leave()
        waiting.delete(name)
      })
    })
    server.on('secureConnection', socket => {
      const ticket = waiting.get(addressOf(socket))
      if (ticket) this.greet(socket, 'mqtts', ticket, socket.getPeerX509Certificate()?.raw)
      else socket.destroy()
    })
    // A failed handshake destroys its socket; without a listener the error would end the process.
    server.on('tlsClientError', () => {})
    this.tls.push(server)
    return this.listen(server, address)
  }

  /** What is met by those who connect from now on; who is connected stays so. */
  renew(material: TlsMaterial): void {
    for (const server of this.tls) server.setSecureContext({ ...material, ...VERSIONS })
  }

  /** Takes over an HTTP upgrade; `address` replaces the peer's when a proxy of ours stands between. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address?: string): void {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim())
    const peer = address ?? `${request.socket.remoteAddress ?? '-'}:${request.socket.remotePort ?? 0}`
    const ticket = this.broker.admission.enter(peer.slice(0, peer.lastIndexOf(':')))
    // MQTT-6.0.0-3: the client asks for the subprotocol
    if (!ticket || !offered.some(name => SUBPROTOCOLS.includes(name))) {
      ticket?.leave()
      socket.end(`HTTP/1.1 ${ticket ? '400 Bad Request' : '503 Service Unavailable'}\r\nConnection: close\r\n\r\n`)
      return
    }
    socket.once('close', () => ticket.leave())
    this.upgrades.handleUpgrade(request, socket, head, (client: WebSocket) => {
      this.broker.accept(new WebSocketWire(client), { address: peer, transport: 'mqtt-ws' }, ticket)
    })
  }

  /** No new connections. */
  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(
        server =>
          new Promise<void>(resolve => {
            server.close(() => resolve())
          }),
      ),
    )
  }

  /** Ends what is still open, whatever its state. */
  destroyAll(): void {
    for (const socket of this.sockets) socket.destroy()
    for (const client of this.upgrades.clients) client.terminate()
  }

  private enter(socket: Socket): Ticket | null {
    const ticket = this.broker.admission.enter(socket.remoteAddress ?? '-')
    if (!ticket) {
      socket.destroy()
      return null
    }
    this.sockets.add(socket)
    socket.once('close', () => {
      this.sockets.delete(socket)
      ticket.leave()
    })
    return ticket
  }

  private greet(socket: Socket, transport: TransportName, ticket: Ticket, certificate?: Buffer): void {
    const peer = { address: addressOf(socket), transport, ...(certificate ? { certificate } : {}) }
    this.broker.accept(new SocketWire(socket), peer, ticket)
  }

  private async listen(server: Server, { host, port, tryNext = 0 }: ListenAddress): Promise<number> {
    for (let candidate = port; ; candidate++) {
      try {
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject)
          server.listen({ host, port: candidate, backlog: 4096 }, () => {
            server.removeListener('error', reject)
            resolve()
          })
        })
        break
      } catch (error) {
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
        if (!taken || candidate >= port + tryNext) throw error
      }
    }
    // accept() can fail later (no file descriptors left): the next connection tries again
    server.on('error', error => this.broker.log.error({ err: error }, 'MQTT listener'))
    this.servers.push(server)
    const bound = server.address()
    return typeof bound === 'object' && bound ? bound.port : port
  }
}

const addressOf = (socket: Socket): string => `${socket.remoteAddress ?? '-'}:${socket.remotePort ?? 0}`
