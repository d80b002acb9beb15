import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { Desk } from '../../dialects/desk.ts'
import type { DisconnectReason, IngestPort, Transport } from '../../transport.port.ts'
import { Admission } from '../mqtt/admission.ts'
import { defaultLimits } from '../mqtt/limits.ts'
import { DeviceSocket } from './device-socket.ts'
import { type Claim, claimFrom, claimOf, requestOf } from './sign-in.ts'

export interface WebSocketTransportOptions {
  port: IngestPort
  clock: Clock
  /** Time that never jumps, for silence. */
  monotonic: Clock
  logger: Logger
  /** Time for a client to say who it is, ms. */
  signInMs?: number
}

export interface WebSocketTransport extends Transport {
  /** Takes over an HTTP upgrade of `/device/ws`; `address` is the peer that the front door vouches for. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void
  metrics(): Record<string, number>
}

/** Longest frame that is read at all; above 64 KB it is refused as a message (interfaces.md §4). */
const MAX_FRAME = 1024 * 1024
const SIGN_IN_MS = 10_000
/** A silent client is pinged after this, and cut off after as long again, ms. */
const SILENCE_MS = 60_000
const UNAUTHORISED = 4401
const TAKEN_OVER = 4409

/**
 * Devices on a WebSocket of `/device/ws`: the topics of MQTT in JSON envelopes, or frames of the product's own format.
 * Who it is stands in the head, in the query, or in the first message.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): WebSocketTransport {
  const { port, clock, monotonic, logger } = options
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_FRAME })
  const strangers = new Admission(defaultLimits)
  const desk = new Desk(port, logger, () => clock.now())
  const devices = new Map<number, DeviceSocket>()
  let timer: NodeJS.Timeout | null = null
  let stopping = false

  function accept(client: WebSocket, claim: Claim | null, address: string, left: () => void): void {
    // Its reason is the close code that follows.
    client.on('error', () => undefined)
    const late = setTimeout(() => client.close(UNAUTHORISED), options.signInMs ?? SIGN_IN_MS)
    client.once('close', () => clearTimeout(late))
    const enter = (said: Claim | null): void => {
      client.pause()
      // What came in the same packet as the sign-in was read already: it is the device's first messages.
      const early: [Buffer, boolean][] = []
      const keep = (data: Buffer, isBinary: boolean) => early.push([data, isBinary])
      client.on('message', keep)
      signIn(client, said, address)
        .then(known => {
          clearTimeout(late)
          client.off('message', keep)
          if (known) {
            left()
            for (const [data, isBinary] of early) client.emit('message', data, isBinary)
          }
          client.resume()
        })
        .catch((error: Error) => {
          logger.warn({ err: error, address }, 'device could not sign in over a WebSocket')
          client.close(1011)
        })
    }
    if (claim) enter(claim)
    else
      client.once('message', (data: Buffer, isBinary: boolean) => {
        enter(isBinary || data.length > 4_096 ? null : claimFrom(parse(data)))
      })
  }

  async function signIn(client: WebSocket, claim: Claim | null, address: string): Promise<boolean> {
    const request = claim && requestOf(claim, address)
    const result = request ? await port.signIn(request) : ({ ok: false, reason: 'not_allowed' } as const)
    if (client.readyState !== client.OPEN) return false
    if (!result.ok) {
      if (request && 'deviceNo' in request && request.productKey && request.deviceNo && result.reason !== 'unavailable')
        port.note(request.productKey, request.deviceNo, 'sign_in_refused', {
          reason: result.reason,
          address,
          transport: 'websocket',
        })
      client.send(
        JSON.stringify({
          ok: false,
          code: result.reason === 'unavailable' ? 'server.unavailable' : 'device_path.unauthorised',
        }),
      )
      client.close(result.reason === 'unavailable' ? 1013 : UNAUTHORISED)
      return false
    }
    const { device } = result
    client.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return
      const detail = `more than ${MAX_FRAME} bytes`
      port.note(device.productKey, device.deviceNo, 'too_large', { detail, address, transport: 'websocket' })
    })
    finish(devices.get(device.num), TAKEN_OVER, 'taken_over')
    const session = new DeviceSocket(device, client, address, port, desk, clock, monotonic.now())
    devices.set(device.num, session)
    client.on('message', (data: Buffer, isBinary: boolean) => {
      session.heardAt = monotonic.now()
      session.take(data, isBinary)
    })
    client.on('pong', () => {
      session.heardAt = monotonic.now()
    })
    client.once('close', code => finish(session, code, code === 1000 || code === 1001 ? 'client' : 'connection_lost'))
    client.send('{"ok":true}')
    port.sessionOpened(device, session.info)
    return true
  }

  /** Ends a session once, whoever ends it. */
  function finish(session: DeviceSocket | undefined, code: number, reason: DisconnectReason): void {
    if (!session || devices.get(session.device.num) !== session) return
    devices.delete(session.device.num)
    session.end(code)
    port.sessionClosed(session.device, reason)
  }

  function lookForSilence(): void {
    const now = monotonic.now()
    for (const client of server.clients) if (client.readyState === client.OPEN) client.ping()
    for (const session of devices.values())
      if (now - session.heardAt > 2 * SILENCE_MS) finish(session, 1001, 'keep_alive_timeout')
  }

  return {
    async start() {
      timer = setInterval(lookForSilence, SILENCE_MS)
      timer.unref()
    },
    async stop() {
      stopping = true
      if (timer) clearInterval(timer)
      for (const session of [...devices.values()]) finish(session, 1001, 'server_stopping')
      // A client that does not answer the goodbye is cut.
      for (const client of server.clients) setTimeout(() => client.terminate(), 500).unref()
    },
    handleUpgrade(request, socket, head, address) {
      const ticket = stopping ? null : strangers.enter(address.slice(0, address.lastIndexOf(':')))
      if (!ticket) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
        return
      }
      socket.once('close', () => ticket.leave())
      server.handleUpgrade(request, socket, head, client => accept(client, claimOf(request), address, ticket.leave))
    },
    deliver: (device, message) => devices.get(device.num)?.deliver(message) ?? 'not_reachable',
    kick(device: number, reason: DisconnectReason) {
      finish(devices.get(device), reason === 'taken_over' ? TAKEN_OVER : 4403, reason)
    },
    session: device => devices.get(device)?.info ?? null,
    metrics: () => ({ websocket_connections_state: devices.size }),
  }
}

function parse(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8'))
  } catch {
    return null
  }
}
