import type { ErrorCode } from '@thingwright/contracts/errors'
import type { Clock } from '../../../lib/clock.ts'
import { isConnectionLost } from '../../../lib/database/database-errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import type { Logger } from '../../../lib/log.ts'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import type { DeviceCall } from '../../channel/device-frames.ts'
import { channelName, Desk } from '../../dialects/desk.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import { credentialOf } from '../../sign-in-request.ts'
import type { DisconnectReason, IngestPort, SignInResult, Transport } from '../../transport.port.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'
import { MAX_BODY } from './body.ts'
import { withId } from './command-json.ts'
import { type DeviceRequest, readDevicePath } from './device-path.ts'
import { LongPolls } from './long-polls.ts'
import { isPlain, isReadable } from './media-types.ts'
import type { Exchange } from './node-adapter.ts'
import { refuseSignIn, register } from './registration.ts'
import { json, type RefusalOptions, refusal, refusedParams, TAKEN } from './replies.ts'
import { serveThingsboard, type ThingsboardHttpOptions } from './thingsboard-http.ts'
import { isThingsboardPath } from './thingsboard-path.ts'

export interface HttpTransportOptions {
  port: IngestPort
  clock: Clock
  monotonic: Clock
  logger: Logger
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  /** Gives the device the commands that wait for it; resolves when the queue was looked at. */
  takeCommands(device: DeviceRecord): Promise<void>
  /** Commands whose answer broke off: back into the queue. */
  returnCommands(device: number, ids: string[]): void
  /** Which kind of reply a command of this device takes; null: it has no such command. */
  replyChannel(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null>
}

type RefusedSignIn = (SignInResult & { ok: false })['reason']

export interface HttpTransport extends Transport {
  handle(call: DeviceCall, exchange: Exchange): void
  /** Whether an open request of the device waits for commands. */
  isWaiting(device: number): boolean
  /** Devices with an open request. */
  polls(): number
  /** Goes on with a session of the gateway's earlier life. */
  adopt(device: DeviceRecord, address: string): SessionInfo
}

/** Devices over HTTP: one request is one message, and its 2xx means durable (interfaces.md §4). */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { port, logger } = options
  const polls = new LongPolls(options.returnCommands)
  const links = new ShortLinks({ ...options, transport: 'http', isWaiting: device => polls.isWaiting(device) })
  const thingsboard: ThingsboardHttpOptions = {
    port,
    desk: new Desk(port, logger, () => options.clock.now()),
    seen(device, { address, httpVersion, body }) {
      const info = links.seen(device, address, httpVersion)
      info.messagesIn++
      info.bytesIn += body.length
    },
    hold: (device, exchange, waitMs, style) =>
      polls.hold(device.num, exchange, waitMs, () => options.takeCommands(device), style),
  }
  let busy = 0
  let stopping = false
  let idle: (() => void) | null = null

  function handle(call: DeviceCall, outer: Exchange): void {
    const arrivedAt = options.clock.now()
    const foreign = isThingsboardPath(call.url)
    const wanted = foreign ? null : readDevicePath(call.method, call.url)
    if (!wanted && !foreign) {
      outer.answer(refusal(call.language, 'device_path.unknown_path'))
      return
    }
    if (stopping) {
      outer.answer(refusal(call.language, 'server.stopping', { retryAfter: 2 }))
      return
    }
    const exchange = counted(outer)
    const served = wanted
      ? serve(wanted, call, exchange, arrivedAt)
      : serveThingsboard(thingsboard, call, exchange, arrivedAt)
    served.catch(error => {
      const away = isConnectionLost(error)
      if (!away) logger.error({ err: error }, 'device request failed')
      exchange.answer(
        away ? refusal(call.language, 'server.unavailable', { retryAfter: 2 }) : refusal(call.language, 'server.error'),
      )
    })
  }

  /** An exchange counts as busy until it is answered or its asker is gone. */
  function counted(outer: Exchange): Exchange {
    busy++
    let open = true
    const close = () => {
      if (!open) return
      open = false
      busy--
      if (busy === 0) idle?.()
    }
    let leave: (() => void) | null = null
    outer.onGone(() => {
      leave?.()
      close()
    })
    return {
      answer(answer) {
        outer.answer(answer)
        close()
      },
      gone: outer.gone,
      onGone(handler) {
        leave = handler
      },
    }
  }

  async function serve(wanted: DeviceRequest, call: DeviceCall, exchange: Exchange, arrivedAt: number): Promise<void> {
    const { address, language, body } = call
    const refuse = (code: ErrorCode, why?: RefusalOptions) => exchange.answer(refusal(language, code, why))
    const secret = bearerOf(call.authorization)
    if (wanted.kind === 'register') return exchange.answer(await register(port, wanted.productKey, secret, call))
    const request = secret && credentialOf(wanted, secret, { address, transport: 'http' })
    // A registration has its own address; here a product's secret is a wrong one.
    if (!request || request.kind === 'registration') return refuse('device_path.unauthorised')
    const result = await port.signIn(request)
    if (!result.ok) {
      noteRefusal(wanted, result.reason, address)
      return exchange.answer(refuseSignIn(language, result.reason))
    }
    const { device } = result
    const info = links.seen(device, address, call.httpVersion)
    if (wanted.kind === 'commands')
      return polls.hold(device.num, exchange, wanted.waitMs, () => options.takeCommands(device))
    const below = wanted.sub === undefined ? device : await port.resolveSub(device, wanted.sub)
    if (!below) return unknownBelow(device, wanted, body, arrivedAt, refuse)
    if (wanted.kind === 'firmware') {
      const notify = await port.firmwarePull(below, Buffer.from(JSON.stringify({ module: wanted.module })))
      return notify ? exchange.answer(json(notify.toString('utf8'))) : refuse('server.unavailable', { retryAfter: 5 })
    }
    const channel = wanted.kind === 'uplink' ? wanted.channel : await replyChannelOf(below, wanted.commandId)
    if (!channel) return refuse('command.not_found')
    if (channel.kind === 'raw' ? !isPlain(call) : !isReadable(call)) return refuse('request.media_type')
    const limitedMs = port.limited(device)
    if (limitedMs > 0) {
      const seconds = Math.ceil(limitedMs / 1000)
      return refuse('rate.limited', { params: { seconds }, retryAfter: seconds })
    }
    if (!port.hasRoom(below)) return refuse('device_path.overloaded', { retryAfter: 1 })
    info.messagesIn++
    info.bytesIn += body.length
    port.frame(below, 'up', body, { channel: channelName(channel) })
    const tooLarge = body.length > MAX_BODY
    const payload = wanted.kind === 'reply' && !tooLarge ? withId(body, wanted.commandId) : body
    port.accept({ device: below, channel, payload, arrivedAt }, (outcome, reason, path) => {
      if (outcome === 'stored') exchange.answer(TAKEN)
      else if (tooLarge) refuse('request.too_large', { params: { limit: MAX_BODY } })
      else refuse('device_path.refused', { params: refusedParams(reason ?? 'not_storable', path) })
    })
  }

  /** A device that is not bound to the gateway: kept as a refusal of the gateway. */
  function unknownBelow(
    device: DeviceRecord,
    { sub = '' }: { sub?: string },
    payload: Buffer,
    arrivedAt: number,
    refuse: (code: ErrorCode, why?: RefusalOptions) => void,
  ): void {
    const channel = { kind: 'unknown', topic: sub, reason: 'sub_device_unknown' } as const
    port.accept({ device, channel, payload, arrivedAt }, () =>
      refuse('device_path.refused', { params: refusedParams(channel.reason, sub) }),
    )
  }

  async function replyChannelOf(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null> {
    return isUuid(commandId) ? options.replyChannel(device, commandId) : null
  }

  function noteRefusal(wanted: DeviceRequest, reason: RefusedSignIn, address: string): void {
    if (reason !== 'unavailable' && reason !== 'unknown_device')
      port.note(wanted.productKey, wanted.deviceNo, 'sign_in_refused', { reason, address, transport: 'http' })
  }

  return {
    handle,
    polls: () => polls.size,
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
        port.frame(device, 'down', message.payload, { channel: message.suffix })
      }
      return 'sent'
    },
    kick(device, reason) {
      polls.end(device)
      links.close(device, reason)
    },
    session: device => links.session(device),
  }
}

function bearerOf(header: string): Buffer | null {
  if (header.length > 1_024 || header.slice(0, 7).toLowerCase() !== 'bearer ') return null
  const secret = header.slice(7).trim()
  return secret ? Buffer.from(secret) : null
}
