import type { Clock } from '../../../lib/clock.ts'
import { isConnectionLost } from '../../../lib/database/database-errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import type { Logger } from '../../../lib/log.ts'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import { channelName, Desk } from '../../dialects/desk.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import type { DisconnectReason, DownlinkMessage, IngestPort, SignInResult, Transport } from '../../transport.port.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'
import { describeCommand, withId } from '../http/command-json.ts'
import type { DeviceRequest } from '../http/device-path.ts'
import { isThingsboardPath } from '../http/thingsboard-path.ts'
import { BlockStore, MAX_BODY } from './block-store.ts'
import { readCoapRequest } from './coap-path.ts'
import { type CoapAnswer, type CoapPeer, CoapServer } from './coap-server.ts'
import { blockValue, type CoapMessage, Code, OptionNumber, uintOption, uintValue, urlOf } from './message.ts'
import { Observers } from './observers.ts'
import { serveThingsboardCoap } from './thingsboard-coap.ts'

export interface CoapTransportOptions {
  port: IngestPort
  clock: Clock
  monotonic: Clock
  logger: Logger
  listen: { host: string; port: number; tryNext: number }
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  /** Gives the device the commands that wait for it; resolves when the queue was looked at. */
  takeCommands(device: DeviceRecord): Promise<void>
  /** Commands that did not reach their device: back into the queue. */
  returnCommands(device: number, ids: string[]): void
  /** Which kind of reply a command of this device takes; null: it has no such command. */
  replyChannel(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null>
}

export interface CoapTransport extends Transport {
  /** The port that was got, after `start`. */
  port(): number | null
  adopt(device: DeviceRecord, address: string): SessionInfo
  metrics(): Record<string, number>
}

const JSON_FORMAT = { number: OptionNumber.contentFormat, value: uintValue(50) }

/**
 * Devices over CoAP: one request is one message, and the acknowledgement of a confirmable one means durable. Commands are
 * fetched with GET, or told to who observes (RFC 7641).
 */
export function createCoapTransport(options: CoapTransportOptions): CoapTransport {
  const { port, logger, monotonic } = options
  const observers = new Observers()
  const desk = new Desk(port, logger, () => options.clock.now())
  const links = new ShortLinks({
    ...options,
    transport: 'coap',
    closed(device, reason) {
      observers.remove(device.num)
      options.closed(device, reason)
    },
    isWaiting: () => false,
  })
  const blocks = new BlockStore(() => monotonic.now())
  /** Commands for a GET that is being answered. */
  const fetching = new Map<number, DownlinkMessage[]>()
  let stopping = false

  const server = new CoapServer({
    logger,
    now: () => monotonic.now(),
    listen: options.listen,
    handle(request, peer, answer) {
      if (stopping) return answer({ code: Code.unavailable })
      serve(request, peer, answer).catch((error: Error) => {
        const away = isConnectionLost(error)
        if (!away) logger.error({ err: error }, 'CoAP request failed')
        answer({ code: away ? Code.unavailable : Code.serverError })
      })
    },
    ping(peer) {
      const device = observers.at(peer.address)
      if (device) links.seen(device, peer.address, '')
    },
  })

  async function serve(request: CoapMessage, peer: CoapPeer, answer: (said: CoapAnswer) => void): Promise<void> {
    const arrivedAt = options.clock.now()
    if (isThingsboardPath(urlOf(request))) {
      const seen = (device: DeviceRecord) => void links.seen(device, peer.address, '')
      const whole = (device: DeviceRecord | null) => wholeBody(device, request, peer, answer)?.payload ?? null
      return serveThingsboardCoap({ port, desk, seen, whole, refused, later }, request, peer, arrivedAt, answer)
    }
    const read = readCoapRequest(request, peer.address)
    if (typeof read === 'number') return answer({ code: read })
    const result = await port.signIn(read.signIn)
    if (!result.ok) return answer(refusedSignIn(read.wanted, result.reason, peer))
    const { device } = result
    const { wanted } = read
    // A token speaks for its own device alone, whatever the path says.
    if (device.productKey !== wanted.productKey || device.deviceNo !== wanted.deviceNo)
      return answer({ code: Code.unauthorised })
    const info = links.seen(device, peer.address, '')
    if (wanted.kind === 'commands') return fetch(device, request, peer, answer)
    if (wanted.kind === 'register') return answer({ code: Code.notFound })
    const whole = wholeBody(device, request, peer, answer)
    if (!whole) return
    const limitedMs = port.limited(device)
    if (limitedMs > 0) return answer(later(Code.tooMany, limitedMs))
    const below = wanted.sub === undefined ? device : await port.resolveSub(device, wanted.sub)
    if (!below) return unknownBelow(device, wanted.sub ?? '', whole.payload, arrivedAt, answer)
    if (wanted.kind === 'firmware') {
      const notify = await port.firmwarePull(below, Buffer.from(JSON.stringify({ module: wanted.module })))
      return answer(
        notify ? { code: Code.content, payload: notify, options: [JSON_FORMAT] } : later(Code.unavailable, 5_000),
      )
    }
    const channel = wanted.kind === 'uplink' ? wanted.channel : await replyChannelOf(below, wanted.commandId)
    if (!channel) return answer({ code: Code.notFound })
    if (!port.hasRoom(below)) return answer(later(Code.unavailable, 1_000))
    info.messagesIn++
    info.bytesIn += whole.payload.length
    port.frame(below, 'up', whole.payload, { channel: channelName(channel) })
    const payload = wanted.kind === 'reply' ? withId(whole.payload, wanted.commandId) : whole.payload
    const block = whole.block ? [{ number: OptionNumber.block1, value: blockValue(whole.block) }] : []
    port.accept({ device: below, channel, payload, arrivedAt }, (outcome, reason = 'not_storable') => {
      if (outcome === 'stored') answer({ code: Code.changed, options: block })
      else answer(refused(reason === 'too_large' ? Code.tooLarge : Code.unprocessable, reason, block))
    })
  }

  /** The body once its last block is there; null: this block was answered. */
  function wholeBody(
    device: DeviceRecord | null,
    request: CoapMessage,
    peer: CoapPeer,
    answer: (said: CoapAnswer) => void,
  ): Extract<ReturnType<BlockStore['add']>, { kind: 'whole' }> | null {
    const whole = blocks.add(`${peer.address} ${urlOf(request)}`, request)
    if (whole.kind === 'whole') return whole
    if (whole.kind === 'more')
      answer({ code: Code.continue, options: [{ number: OptionNumber.block1, value: blockValue(whole.block) }] })
    else {
      if (whole.why === 'too_large' && device)
        port.note(device.productKey, device.deviceNo, 'too_large', {
          detail: `more than ${MAX_BODY - 1} bytes`,
          address: peer.address,
          transport: 'coap',
        })
      answer({ code: BLOCK_REFUSALS[whole.why] })
    }
    return null
  }

  /** The commands that wait now; with Observe also those to come. */
  async function fetch(
    device: DeviceRecord,
    request: CoapMessage,
    peer: CoapPeer,
    answer: (said: CoapAnswer) => void,
  ): Promise<void> {
    const observe = uintOption(request, OptionNumber.observe)
    if (observe === 1) observers.remove(device.num)
    const messages: DownlinkMessage[] = []
    fetching.set(device.num, messages)
    await options.takeCommands(device)
    if (fetching.get(device.num) === messages) fetching.delete(device.num)
    const observer = observe === 0 ? observers.add(device, peer, request.token) : null
    answer(commandsAnswer(messages, observer?.sequence))
  }

  function unknownBelow(
    device: DeviceRecord,
    sub: string,
    payload: Buffer,
    arrivedAt: number,
    answer: (said: CoapAnswer) => void,
  ): void {
    const channel = { kind: 'unknown', topic: sub, reason: 'sub_device_unknown' } as const
    port.accept({ device, channel, payload, arrivedAt }, () => answer(refused(Code.unprocessable, channel.reason)))
  }

  async function replyChannelOf(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null> {
    return isUuid(commandId) ? options.replyChannel(device, commandId) : null
  }

  function refusedSignIn(
    { productKey, deviceNo }: DeviceRequest,
    reason: (SignInResult & { ok: false })['reason'],
    { address }: CoapPeer,
  ): CoapAnswer {
    if (reason === 'unavailable') return later(Code.unavailable, 2_000)
    if (reason !== 'unknown_device')
      port.note(productKey, deviceNo, 'sign_in_refused', { reason, address, transport: 'coap' })
    const known = reason === 'disabled' || reason === 'company_closed' || reason === 'not_published'
    return { code: known ? Code.forbidden : Code.unauthorised }
  }

  return {
    async start() {
      await server.start()
      links.start()
    },
    async stop() {
      stopping = true
      links.stop()
      server.stop()
    },
    port: () => server.port,
    deliver(device, message, delivered) {
      const taking = fetching.get(device.num)
      const observer = observers.get(device.num)
      if (!taking && !observer) return 'not_reachable'
      const info = links.session(device.num)
      if (info) {
        info.messagesOut++
        info.bytesOut += message.payload.length
      }
      port.frame(device, 'down', message.payload, { channel: message.suffix })
      if (taking) {
        taking.push(message)
        return 'sent'
      }
      if (!observer) return 'not_reachable'
      const said = commandsAnswer([message], ++observer.sequence)
      server.notify(observer.peer, observer.token, said, result => {
        if (result === 'acknowledged') {
          links.seen(device, observer.peer.address, '')
          delivered()
          return
        }
        if (observers.get(device.num) === observer) observers.remove(device.num)
        options.returnCommands(device.num, [message.commandId])
      })
      return 'sent_confirmed_later'
    },
    kick: (device, reason) => links.close(device, reason),
    session: device => links.session(device),
    adopt: (device, address) => links.adopt(device, address),
    metrics: () => ({ coap_observers_state: observers.size }),
  }
}

const BLOCK_REFUSALS = {
  malformed: Code.badRequest,
  incomplete: Code.incomplete,
  too_large: Code.tooLarge,
  busy: Code.unavailable,
} as const

function commandsAnswer(messages: readonly DownlinkMessage[], sequence: number | undefined): CoapAnswer {
  const observe =
    sequence === undefined ? [] : [{ number: OptionNumber.observe, value: uintValue(sequence & 0xffffff) }]
  const payload = Buffer.from(`{"commands":[${messages.map(describeCommand).join(',')}]}`)
  return { code: Code.content, payload, options: [...observe, JSON_FORMAT] }
}

function refused(code: number, reason: string, block: { number: number; value: Buffer }[] = []): CoapAnswer {
  return { code, payload: Buffer.from(JSON.stringify({ reason })), options: [...block, JSON_FORMAT] }
}

/** Come again then (RFC 7252 §5.9.3.4, RFC 8516). */
function later(code: number, ms: number): CoapAnswer {
  return { code, options: [{ number: OptionNumber.maxAge, value: uintValue(Math.ceil(ms / 1_000)) }] }
}
