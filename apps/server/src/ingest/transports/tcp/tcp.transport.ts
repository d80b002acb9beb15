import { createServer, type Server, type Socket } from 'node:net'
import { inBackground } from '../../../lib/background.ts'
import type { Clock } from '../../../lib/clock.ts'
import { linkSettings, TCP_LINKS } from '../../../lib/links/settings.ts'
import type { Logger } from '../../../lib/log.ts'
import { afterSilence, type Silence } from '../../../lib/silence.ts'
import type { LinkPortState, SessionInfo } from '../../../modules/devices/gateway.port.ts'
import type { PollingState } from '../../../modules/diagnosis/diagnosis.port.ts'
import type { ScriptRunner } from '../../codecs/script/script.codec.ts'
import { TimerWheel } from '../../memory/timer-wheel.ts'
import type { DisconnectReason, IngestPort, Transport } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { LinkDirectory, LinkedProduct } from '../links/link-directory.ts'
import { OwnPorts } from '../links/own-ports.ts'
import { Registrar, withoutSecret } from '../links/registrar.ts'
import { Strangers, type Ticket } from '../links/strangers.ts'
import type { Driver } from './driver.ts'
import { FirstPacket } from './first-packet.ts'
import { FrameDriver } from './frame-driver.ts'
import { TcpSession } from './tcp-session.ts'

export interface TcpTransportOptions {
  port: IngestPort
  products: LinkDirectory
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  host: string
  /** The shared port; 0: chosen by the system. */
  listen: { port: number; tryNext: number }
  /** Calls back once the product's settings in force are the newest. */
  whenCurrent(product: number, then: () => void): void
  /** Where framing scripts run. */
  scripts?: ScriptRunner
  /** Speaks with devices that are polled; null: frames only. */
  modbus?: {
    start(): void
    stop(): void
    drive(session: TcpSession, linkType: string, registration?: Buffer): Driver | null
    changed(what: { device?: number; product?: number }): void
    polling(device: number, gateway: number | null): PollingState | null
    metrics(): Record<string, number>
  }
  tuning?: Partial<TcpTuning>
}

export interface TcpTuning {
  /** How long a stranger has until it is signed in, ms. */
  signInMs: number
  /** Silence that ends a register packet on the shared port and on a port of a product's own, ms. */
  sharedGapMs: number
  ownGapMs: number
  /** Connections that have not signed in: from one address, and in all. */
  strangersPerAddress: number
  strangers: number
}

const TUNING: TcpTuning = {
  signInMs: 10_000,
  sharedGapMs: 1_000,
  ownGapMs: 300,
  strangersPerAddress: 200,
  strangers: 5_000,
}

export interface TcpTransport extends Transport {
  /** The shared port, once started. */
  port(): number | null
  linkPorts(): LinkPortState[]
  changed(what: { device?: number; product?: number }): void
  /** How a device is polled over the connection of its own or of its gateway; null: it is not. */
  polling(device: number, gateway: number | null): PollingState | null
  metrics(): Record<string, number>
}

/** Raw TCP: register packet, then frames by the product's framing or Modbus questions (interfaces.md §4). */
export function createTcpTransport(options: TcpTransportOptions): TcpTransport {
  const { port, products, clock, monotonic, logger } = options
  const tuning = { ...TUNING, ...options.tuning }
  const has = (linkType: string) => TCP_LINKS.has(linkType)
  const registrar = new Registrar({ port, products, transport: 'tcp', has })
  const strangers = new Strangers({ perAddress: tuning.strangersPerAddress, inAll: tuning.strangers })
  const sessions = new Map<number, TcpSession>()
  const sockets = new Set<Socket>()
  const wheel = new TimerWheel<TcpSession>(monotonic.now())
  const ownPorts = new OwnPorts({ open: openOwn, logger })
  let shared: Server | null = null
  let timer: NodeJS.Timeout | null = null
  let stopping = false

  function openOwn(product: LinkedProduct): Promise<{ close(): void }> {
    return listenOn(product, product.ownPort ?? 0, 0).then(server => ({
      close() {
        server.close()
        for (const session of sessions.values()) if (session.device.productNum === product.num) session.end('kicked')
      },
    }))
  }

  async function listenOn(own: LinkedProduct | null, wanted: number, tryNext: number): Promise<Server> {
    for (let offset = 0; ; offset++) {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => greet(socket, own))
      try {
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject)
          server.listen({ host: options.host, port: wanted === 0 ? 0 : wanted + offset, backlog: 2_048 }, () => {
            server.off('error', reject)
            server.on('error', error => logger.warn({ err: error }, 'TCP port failed'))
            resolve()
          })
        })
        return server
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || offset >= tryNext || wanted === 0) throw error
      }
    }
  }

  /** A stranger came: it has bounded time and bytes to say who it is. */
  function greet(socket: Socket, own: LinkedProduct | null): void {
    socket.on('error', () => undefined)
    const ticket = stopping ? null : strangers.enter(socket.remoteAddress ?? '-')
    if (!ticket) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      ticket.leave()
    })
    const first = new FirstPacket(own?.settings.register ?? null)
    const deadline = afterSilence(tuning.signInMs, () => socket.destroy())
    let gap: Silence | null = null
    socket.on('close', () => {
      deadline.end()
      gap?.end()
    })
    const whole = (packet: Buffer, rest: Buffer) => {
      gap?.end()
      deadline.end()
      socket.off('data', onData)
      socket.off('end', onEnd)
      socket.pause()
      enter(socket, own, Buffer.from(packet), Buffer.from(rest), ticket).catch(error => {
        logger.error({ err: error }, 'a TCP connection could not be taken')
        socket.destroy()
      })
    }
    const onData = (chunk: Buffer) => {
      gap?.end()
      gap = null
      const found = first.push(chunk)
      if (found === 'too_long') socket.destroy()
      else if (found) whole(found.packet, found.rest)
      else if (first.endsBySilence)
        gap = afterSilence(own ? tuning.ownGapMs : tuning.sharedGapMs, () => whole(first.flush(), EMPTY))
    }
    // Whoever says who it is and hangs up has nothing to tell.
    const onEnd = () => socket.destroy()
    socket.on('data', onData)
    socket.on('end', onEnd)
  }

  async function enter(
    socket: Socket,
    own: LinkedProduct | null,
    packet: Buffer,
    rest: Buffer,
    ticket: Ticket,
  ): Promise<void> {
    const address = `${socket.remoteAddress ?? '-'}:${socket.remotePort ?? 0}`
    const result = await registrar.register(packet, own, address)
    if (socket.destroyed || stopping) return
    if (!result.ok) {
      socket.destroy()
      return
    }
    ticket.leave()
    open(socket, result.device, address, packet, rest)
  }

  function open(socket: Socket, device: DeviceRecord, address: string, packet: Buffer, rest: Buffer): void {
    const product = port.settingsOf(device)
    const settings = linkSettings(product?.link ?? {}, product?.format.kind)
    const linkType = product?.linkType ?? 'tcp'
    sessions.get(device.num)?.end('taken_over')
    const info: SessionInfo = {
      transport: 'tcp',
      clientId: '',
      address,
      protocolVersion: PROTOCOLS[linkType] ?? 'raw',
      keepAliveSeconds: device.offlineDelaySeconds,
      connectedAt: clock.now(),
      subscriptions: [],
      bytesIn: packet.length,
      bytesOut: 0,
      messagesIn: 0,
      messagesOut: 0,
    }
    const session = new TcpSession({
      socket,
      device,
      settings,
      info,
      port,
      now: () => monotonic.now(),
      ended(one, reason) {
        if (sessions.get(device.num) === one) sessions.delete(device.num)
        port.sessionClosed(device, reason)
      },
    })
    sessions.set(device.num, session)
    session.driver =
      options.modbus?.drive(session, linkType, packet) ??
      new FrameDriver({
        device,
        settings,
        info,
        port,
        line: session,
        clock,
        registration: packet,
        ...(options.scripts ? { scripts: options.scripts } : {}),
      })
    wheel.add(session, monotonic.now() + session.silenceMs)
    // The secret of the default line is nobody's business, not even in the raw view.
    port.frame(device, 'up', withoutSecret(packet), { channel: 'tcp', note: 'register' })
    port.sessionOpened(device, info)
    session.receive(rest)
    socket.resume()
  }

  /** Ends what was silent for too long: one look per session and delay, never a walk over all. */
  function tick(): void {
    const now = monotonic.now()
    for (const session of wheel.due(now)) {
      if (sessions.get(session.device.num) !== session) continue
      const due = session.seenAt + session.silenceMs
      if (due > now) wheel.add(session, due)
      else session.end(session.settings.heartbeat ? 'keep_alive_timeout' : 'no_data')
    }
  }

  function changed({ device, product }: { device?: number; product?: number }): void {
    options.modbus?.changed({
      ...(device === undefined ? {} : { device }),
      ...(product === undefined ? {} : { product }),
    })
    if (product === undefined) return
    products.changed()
    options.whenCurrent(product, () => {
      for (const session of [...sessions.values()]) if (session.device.productNum === product) review(session)
    })
  }

  /** A device whose product connects otherwise now comes back by the new settings. */
  function review(session: TcpSession): void {
    const product = port.settingsOf(session.device)
    const settings = linkSettings(product?.link ?? {}, product?.format.kind)
    if (JSON.stringify(settings) !== JSON.stringify(session.settings)) session.end('kicked')
  }

  products.onRead(() => {
    if (!stopping) inBackground('opening ports of products', ownPorts.show(products.withOwnPort(has)))
  })

  return {
    port: () => portOf(shared),
    linkPorts: () => ownPorts.states(),
    changed,
    async start() {
      shared = await listenOn(null, options.listen.port, options.listen.tryNext)
      // A process that was held up reads what came meanwhile before it calls anybody silent.
      timer = setInterval(() => setImmediate(tick), 1_000)
      timer.unref()
      options.modbus?.start()
      await products.start()
      await ownPorts.show(products.withOwnPort(has))
    },
    async stop() {
      stopping = true
      if (timer) clearInterval(timer)
      options.modbus?.stop()
      shared?.close()
      products.stop()
      await ownPorts.close()
      for (const session of [...sessions.values()]) session.end('server_stopping')
      for (const socket of sockets) socket.destroySoon()
    },
    deliver: (device, message, delivered) =>
      sessions.get(device.num)?.driver?.deliver(message, delivered) ?? 'not_reachable',
    kick: (device: number, reason: DisconnectReason) => sessions.get(device)?.end(reason),
    session: device => sessions.get(device)?.info ?? null,
    polling: (device, gateway) => options.modbus?.polling(device, gateway) ?? null,
    metrics: () => ({
      tcp_sessions_state: sessions.size,
      tcp_strangers_state: strangers.waiting,
      tcp_own_ports_state: ownPorts.states().length,
      ...options.modbus?.metrics(),
    }),
  }
}

const EMPTY = Buffer.alloc(0)
const PROTOCOLS: Readonly<Record<string, string>> = { modbus_rtu: 'modbus-rtu', modbus_tcp: 'modbus-tcp' }

function portOf(server: Server | null): number | null {
  const address = server?.address()
  return address && typeof address === 'object' ? address.port : null
}
