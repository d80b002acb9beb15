import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { inBackground } from '../../../lib/background.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createFramer } from '../../../lib/links/framer.ts'
import { MAX_REGISTER_BYTES } from '../../../lib/links/register-packet.ts'
import { linkSettings } from '../../../lib/links/settings.ts'
import { bytesOf } from '../../../lib/links/written-bytes.ts'
import type { Logger } from '../../../lib/log.ts'
import type { LinkPortState, SessionInfo } from '../../../modules/devices/gateway.port.ts'
import { Lru } from '../../memory/lru.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import type { DisconnectReason, IngestPort, Transport } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { framesOf } from '../links/json-line.ts'
import type { LinkDirectory, LinkedProduct } from '../links/link-directory.ts'
import { OwnPorts } from '../links/own-ports.ts'
import { Registrar, withoutSecret } from '../links/registrar.ts'
import { Strangers } from '../links/strangers.ts'

export interface UdpTransportOptions {
  port: IngestPort
  products: LinkDirectory
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  host: string
  listen: { port: number; tryNext: number }
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
}

export interface UdpTransport extends Transport {
  port(): number | null
  linkPorts(): LinkPortState[]
  changed(what: { device?: number; product?: number }): void
  adopt(device: DeviceRecord, address: string): SessionInfo
  metrics(): Record<string, number>
}

/** Where a device was last heard of: its session is this address until it was silent for its offline delay. */
interface Place {
  device: DeviceRecord
  /** Null: known from the gateway's earlier life, and not heard of since. */
  socket: Socket | null
  address: string
  host: string
  port: number
  /** What it registered with. */
  packet: Buffer
}

/** Sign-ins under way: of one address, and in all. */
const SIGN_INS = { perAddress: 20, inAll: 200 }
/** Datagrams of one address that wait for its sign-in. */
const MOST_WAITING = 8
/** Refused packets of one address in this time before it is ignored for as long. */
const REFUSALS = { most: 20, inMs: 10_000 }
const LF = 10

/** Raw UDP: a register packet from an address makes it the device's, then every datagram is one or more frames. */
export function createUdpTransport(options: UdpTransportOptions): UdpTransport {
  const { port, products, clock, monotonic, logger } = options
  const has = (linkType: string) => linkType === 'udp'
  const registrar = new Registrar({ port, products, transport: 'udp', has })
  const strangers = new Strangers(SIGN_INS)
  const refused = new Lru<string, { count: number; until: number }>(10_000)
  const byAddress = new Map<string, Place>()
  const byDevice = new Map<number, Place>()
  /** Datagrams that came while their sender's register packet was looked at. */
  const signingIn = new Map<string, Buffer[]>()
  const ownPorts = new OwnPorts({ open: product => openOwn(product), logger })
  const links = new ShortLinks({
    transport: 'udp',
    clock,
    monotonic,
    opened: options.opened,
    closed(device, reason) {
      const place = byDevice.get(device.num)
      byDevice.delete(device.num)
      if (place && byAddress.get(place.address)?.device.num === device.num) byAddress.delete(place.address)
      options.closed(device, reason)
    },
    isWaiting: () => false,
  })
  let shared: Socket | null = null
  let stopping = false

  async function openOwn(product: LinkedProduct): Promise<{ close(): void }> {
    const socket = await bind(product, product.ownPort ?? 0)
    return { close: () => socket.close() }
  }

  function bind(own: LinkedProduct | null, wanted: number): Promise<Socket> {
    const socket = createSocket({ type: options.host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 })
    socket.on('message', (bytes, from) => receive(socket, own, bytes, from))
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.bind({ port: wanted, address: options.host, exclusive: true }, () => {
        socket.off('error', reject)
        socket.on('error', error => logger.warn({ err: error }, 'UDP port failed'))
        resolve(socket)
      })
    })
  }

  async function bindNext({ port: wanted, tryNext }: UdpTransportOptions['listen']): Promise<Socket> {
    for (let offset = 0; ; offset++) {
      try {
        return await bind(null, wanted === 0 ? 0 : wanted + offset)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || offset >= tryNext || wanted === 0) throw error
      }
    }
  }

  function receive(socket: Socket, own: LinkedProduct | null, bytes: Buffer, from: RemoteInfo): void {
    if (stopping || bytes.length === 0) return
    const address = `${from.address}:${from.port}`
    const place = byAddress.get(address)
    // A device that restarted registers again from the same address: the line is not a frame.
    if (place && !registersAgain(place, bytes)) {
      place.socket = socket
      take(place, bytes)
    } else
      register(socket, own, Buffer.from(bytes), address, from).catch(error =>
        logger.error({ err: error }, 'a datagram could not be taken'),
      )
  }

  async function register(
    socket: Socket,
    own: LinkedProduct | null,
    bytes: Buffer,
    address: string,
    from: RemoteInfo,
  ): Promise<void> {
    const failed = refused.get(from.address)
    if (failed && failed.count >= REFUSALS.most && failed.until > monotonic.now()) return
    const waiting = signingIn.get(address)
    if (waiting) {
      if (waiting.length < MOST_WAITING) waiting.push(bytes)
      return
    }
    const ticket = strangers.enter(from.address)
    if (!ticket) return
    const behind: Buffer[] = []
    signingIn.set(address, behind)
    try {
      const { packet, rest } = firstPacket(bytes, own)
      const result = await registrar.register(packet, own, address)
      if (stopping) return
      if (!result.ok) {
        if (result.reason !== 'unavailable') fail(from.address)
        return
      }
      refused.delete(from.address)
      open({ device: result.device, socket, address, host: from.address, port: from.port, packet }, packet, rest)
    } finally {
      signingIn.delete(address)
      ticket.leave()
      for (const next of behind) receive(socket, own, next, from)
    }
  }

  function open(place: Place, packet: Buffer, rest: Buffer): void {
    const { device, address } = place
    const before = byAddress.get(address)
    if (before && before.device.num !== device.num) links.close(before.device.num, 'taken_over')
    const old = byDevice.get(device.num)
    if (old) byAddress.delete(old.address)
    byAddress.set(address, place)
    byDevice.set(device.num, place)
    const info = links.seen(device, address, 'raw')
    info.bytesIn += packet.length
    port.frame(device, 'up', withoutSecret(packet), { channel: 'udp', note: 'register' })
    port.sessionReady(device)
    if (rest.length > 0) take(place, rest)
  }

  function take(place: Place, bytes: Buffer): void {
    const { device, address } = place
    const info = links.seen(device, address, 'raw')
    info.bytesIn += bytes.length
    if (port.limited(device) > 0 || !port.hasRoom(device)) {
      note(device, 'rate_limited', { bytes: bytes.length })
      return
    }
    const product = port.settingsOf(device)
    const settings = linkSettings(product?.link ?? {}, product?.format.kind)
    // A datagram is what its sender took for a frame: no script is asked where it ends.
    const whole = settings.framing.kind === 'script'
    const framer = createFramer(whole ? { ...settings, framing: { kind: 'none' } } : settings, place.packet)
    const onCut: Parameters<typeof framer.push>[1] = (kind, frame) => {
      if (kind === 'frame') {
        info.messagesIn++
        port.frame(device, 'up', frame, { channel: 'udp' })
        port.accept({ device, channel: { kind: 'raw' }, payload: frame, arrivedAt: clock.now() }, nothing)
      } else if (kind === 'heartbeat') {
        port.frame(device, 'up', frame, { channel: 'udp', note: 'heartbeat' })
        const reply = settings.heartbeat?.reply && bytesOf(settings.heartbeat.reply)
        if (reply) send(place, reply)
      } else if (kind === 'registration') {
        port.frame(device, 'up', withoutSecret(frame), { channel: 'udp', note: 'register' })
      } else {
        port.frame(device, 'up', frame, { channel: 'udp', note: kind })
        note(device, kind === 'incomplete' ? 'frame_incomplete' : 'frame_too_long', {
          begins: frame.subarray(0, 64).toString('hex'),
        })
      }
    }
    framer.push(bytes, onCut)
    framer.flush(onCut)
  }

  function send(place: Place, bytes: Buffer): void {
    const info = links.session(place.device.num)
    if (info) info.bytesOut += bytes.length
    port.frame(place.device, 'down', bytes, { channel: 'udp' })
    place.socket?.send(bytes, place.port, place.host, error => {
      if (error) logger.debug({ err: error }, 'datagram not sent')
    })
  }

  function fail(ip: string): void {
    const now = monotonic.now()
    const before = refused.get(ip)
    const count = before && before.until > now ? before.count + 1 : 1
    refused.set(ip, { count, until: now + REFUSALS.inMs })
  }

  function note(device: DeviceRecord, event: string, detail: Record<string, unknown>): void {
    const address = links.session(device.num)?.address ?? ''
    port.note(device.productKey, device.deviceNo, event, { ...detail, address, transport: 'udp' })
  }

  products.onRead(() => {
    if (!stopping) inBackground('opening ports of products', ownPorts.show(products.withOwnPort(has)))
  })

  return {
    port: () => (shared ? shared.address().port : null),
    linkPorts: () => ownPorts.states(),
    changed({ product }) {
      if (product !== undefined) products.changed()
    },
    /** A session of the gateway's earlier life goes on from its address. */
    adopt(device, address) {
      const cut = address.lastIndexOf(':')
      if (cut > 0) {
        const host = address.slice(0, cut)
        const place = { device, socket: shared, address, host, port: Number(address.slice(cut + 1)), packet: EMPTY }
        byAddress.set(address, place)
        byDevice.set(device.num, place)
      }
      return links.adopt(device, address)
    },
    async start() {
      shared = await bindNext(options.listen)
      for (const place of byDevice.values()) place.socket = shared
      links.start()
      await products.start()
      await ownPorts.show(products.withOwnPort(has))
    },
    async stop() {
      stopping = true
      links.stop()
      await ownPorts.close()
      shared?.close()
      shared = null
    },
    deliver(device, message) {
      const place = byDevice.get(device.num)
      if (!place) return 'not_reachable'
      const frames = framesOf(message)
      if (frames.length === 0) return 'not_reachable'
      for (const frame of frames) send(place, frame)
      const info = links.session(device.num)
      if (info) info.messagesOut++
      return 'sent'
    },
    kick: (device, reason) => links.close(device, reason),
    session: device => links.session(device),
    metrics: () => ({ udp_sessions_state: byDevice.size, udp_own_ports_state: ownPorts.states().length }),
  }
}

/** The register packet and what came behind it in the same datagram. */
function firstPacket(bytes: Buffer, own: LinkedProduct | null): { packet: Buffer; rest: Buffer } {
  const rule = own?.settings.register
  if (rule?.end === 'length' && rule.length !== undefined)
    return { packet: bytes.subarray(0, rule.length), rest: bytes.subarray(rule.length) }
  const at = rule?.kind === 'hex' || rule?.end === 'gap' ? -1 : bytes.indexOf(LF)
  return at < 0
    ? { packet: bytes, rest: bytes.subarray(bytes.length) }
    : { packet: bytes.subarray(0, at), rest: bytes.subarray(at + 1) }
}

/** Whether a known device says again who it is. */
function registersAgain({ device, packet }: Place, bytes: Buffer): boolean {
  if (packet.length > 0 && bytes.length - packet.length <= 2 && bytes.subarray(0, packet.length).equals(packet))
    return true
  const line = `${device.productKey}/${device.deviceNo}/`
  return bytes.length <= MAX_REGISTER_BYTES && bytes.toString('latin1', 0, line.length) === line
}

const EMPTY = Buffer.alloc(0)

function nothing(): void {}
