import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../lib/clock.ts'
import type { SessionInfo } from '../../../lib/gateway-port.ts'
import { isUuid } from '../../../lib/ids.ts'
import { PEER_HEADER } from '../../../lib/ipc.ts'
import type { Logger } from '../../../lib/log.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'
import type { DisconnectReason, IngestPort, SignInResult, Transport } from '../transport.ts'
import { isReadable, MAX_BODY, readBody } from './body.ts'
import { type DeviceRequest, readDevicePath } from './device-path.ts'
import { LongPolls } from './long-polls.ts'
import { sendError, sendTaken } from './replies.ts'

export interface HttpTransportOptions {
  port: Pick<IngestPort, 'signIn' | 'accept' | 'hasRoom' | 'note'>
  clock: Clock
  monotonic: Clock
  logger: Logger
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  /** Gives the device the commands that wait for it; resolves when the queue was looked at. */
  takeCommands(device: DeviceRecord): Promise<void>
  /** Commands whose answer broke off: back into the queue. */
  returnCommands(ids: string[]): void
  /** Which kind of reply a command of this device takes; null: it has no such command. */
  replyChannel(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null>
}

export interface HttpTransport extends Transport {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Whether an open request of the device waits for commands. */
  isWaiting(device: number): boolean
  /** Goes on with a session of the gateway's earlier life. */
  adopt(device: DeviceRecord, address: string): SessionInfo
}

/** Devices over HTTP: one request is one message, and its 2xx means durable (interfaces.md §4). */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { port, logger } = options
  const links = new ShortLinks({ ...options, transport: 'http' })
  const polls = new LongPolls(options.returnCommands)
  let busy = 0
  let stopping = false
  let idle: (() => void) | null = null

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const arrivedAt = options.clock.now()
    const wanted = readDevicePath(request.method, request.url)
    if (!wanted) {
      sendError(request, response, 'device_path.unknown_path')
      return
    }
    if (stopping) {
      sendError(request, response, 'server.stopping', { retryAfterSeconds: 2 })
      return
    }
    busy++
    response.once('close', () => {
      busy--
      if (busy === 0) idle?.()
    })
    serve(wanted, request, response, arrivedAt).catch(error => {
      logger.error({ err: error }, 'device request failed')
      sendError(request, response, 'server.error')
    })
  }

  async function serve(
    wanted: DeviceRequest,
    request: IncomingMessage,
    response: ServerResponse,
    arrivedAt: number,
  ): Promise<void> {
    const address = String(request.headers[PEER_HEADER] ?? request.socket.remoteAddress ?? '')
    const secret = bearerOf(request)
    if (!secret) return sendError(request, response, 'device_path.unauthorised')
    const result = await port.signIn({ ...wanted, secret, address, transport: 'http' })
    if (!result.ok) return refuseSignIn(wanted, request, response, result.reason, address)
    const { device } = result
    const info = links.seen(device, address, request.httpVersion)
    if (wanted.kind === 'commands')
      return polls.hold(device.num, response, wanted.waitMs, () => options.takeCommands(device))
    const channel = wanted.kind === 'uplink' ? wanted.channel : await replyChannelOf(device, wanted.commandId)
    if (!channel) return sendError(request, response, 'command.not_found')
    if (!isReadable(request)) return sendError(request, response, 'request.media_type', { close: true })
    if (!port.hasRoom(device)) return sendError(request, response, 'device_path.overloaded', { retryAfterSeconds: 1 })
    const body = await readBody(request)
    if (!body) return
    info.messagesIn++
    info.bytesIn += body.bytes.length
    const payload = wanted.kind === 'reply' && !body.tooLarge ? withId(body.bytes, wanted.commandId) : body.bytes
    port.accept({ device, channel, payload, arrivedAt }, (outcome, reason) => {
      if (response.destroyed) return
      if (outcome === 'stored') return sendTaken(response)
      if (body.tooLarge)
        return sendError(request, response, 'request.too_large', { params: { limit: MAX_BODY }, close: !body.whole })
      sendError(request, response, 'device_path.refused', { params: { reason: reason ?? 'not_storable' } })
    })
  }

  async function replyChannelOf(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null> {
    return isUuid(commandId) ? options.replyChannel(device, commandId) : null
  }

  function refuseSignIn(
    wanted: DeviceRequest,
    request: IncomingMessage,
    response: ServerResponse,
    reason: (SignInResult & { ok: false })['reason'],
    address: string,
  ): void {
    const told = reason !== 'unavailable' && reason !== 'unknown_device'
    if (told) port.note(wanted.productKey, wanted.deviceNo, 'sign_in_refused', { reason, address, transport: 'http' })
    if (reason === 'unavailable') sendError(request, response, 'server.unavailable', { retryAfterSeconds: 2 })
    else if (reason === 'disabled') sendError(request, response, 'device_path.disabled')
    else if (reason === 'not_published') sendError(request, response, 'product.not_published', { status: 403 })
    // Unknown and wrong look the same from outside.
    else sendError(request, response, 'device_path.unauthorised')
  }

  return {
    handle,
    isWaiting: device => polls.isWaiting(device),
    adopt: (device, address) => links.adopt(device, address),
    async start() {
      links.start()
    },
    async stop() {
      stopping = true
      links.stop()
      polls.finishAll()
      if (busy > 0)
        await new Promise<void>(resolve => {
          idle = resolve
        })
    },
    deliver(device, message) {
      if (!polls.give(device.num, message)) return 'not_reachable'
      const info = links.session(device.num)
      if (info) {
        info.messagesOut++
        info.bytesOut += message.payload.length
      }
      return 'sent'
    },
    kick: (device, reason) => links.close(device, reason),
    session: device => links.session(device),
  }
}

function bearerOf(request: IncomingMessage): Buffer | null {
  const header = request.headers.authorization
  if (!header || header.length > 1_024 || header.slice(0, 7).toLowerCase() !== 'bearer ') return null
  const secret = header.slice(7).trim()
  return secret ? Buffer.from(secret) : null
}

/** The reply as MQTT devices send it: the id stands in the path here. What is no JSON object goes on as it is, to be refused. */
function withId(bytes: Buffer, id: string): Buffer {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Buffer.from(JSON.stringify({ ...value, id }))
  } catch {
    // falls through
  }
  return bytes
}
