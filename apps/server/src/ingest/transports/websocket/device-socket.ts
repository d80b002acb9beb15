import type { WebSocket } from 'ws'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import { decodeDeviceJson } from '../../codecs/json/json.codec.ts'
import { bytesOf } from '../../codecs/json/json-bytes.ts'
import type { Desk, Speaker } from '../../dialects/desk.ts'
import { dialectsOf } from '../../dialects/index.ts'
import { mayPublish } from '../../topics/topic-rights.ts'
import type { DeliveryResult, DownlinkMessage, IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { nameBelow } from '../../uplink.ts'
import { devicePrefix, forbidden, type Route, routeOf } from '../mqtt/topics.ts'
import { answerQuery } from '../queries.ts'

/** Messages taken and not yet durable, above which the socket is read no further. */
const MAX_OPEN = 64
/** Bytes of the longest envelope: a payload of 64 KB in its longest form. */
const MAX_ENVELOPE = 128 * 1_024
/** Bytes a device has not read, above which it gets no more commands. */
const MAX_BACKLOG = 256 * 1_024

/** One signed-in device on its WebSocket. */
export class DeviceSocket {
  readonly info: SessionInfo
  /** On the monotonic clock. */
  heardAt: number
  private ended = false
  private open = 0
  private waiting = false
  private readonly prefix: string
  private readonly speaker: Speaker

  constructor(
    readonly device: DeviceRecord,
    private readonly socket: WebSocket,
    address: string,
    private readonly port: IngestPort,
    private readonly desk: Desk,
    private readonly clock: { now(): number },
    monotonic: number,
  ) {
    this.prefix = devicePrefix(device)
    this.heardAt = monotonic
    this.info = {
      transport: 'websocket',
      clientId: '',
      address,
      protocolVersion: '13',
      keepAliveSeconds: 0,
      connectedAt: clock.now(),
      // Everything below its own prefix comes to it, asked for or not.
      subscriptions: [{ filter: `${this.prefix}#`, qos: 0 }],
      bytesIn: 0,
      bytesOut: 0,
      messagesIn: 0,
      messagesOut: 0,
    }
    this.speaker = {
      device,
      say: ({ topic, payload }) => this.write(topic, payload),
      broken: () => socket.close(1011),
    }
  }

  /** A frame came: JSON `{"id"?, "topic", "payload"}`, or bytes (or text) in the product's own format. */
  take(bytes: Buffer, isBinary: boolean): void {
    if (this.ended) return
    const arrivedAt = this.clock.now()
    this.info.messagesIn++
    this.info.bytesIn += bytes.length
    const message = isBinary ? null : envelopeOf(bytes)
    const channel = message ? message.topic : 'raw/up'
    this.port.frame(this.device, 'up', bytes, { channel })
    const route = this.routeOf(this.prefix + channel, channel)
    this.open++
    const done = (refused: string | null): void => {
      this.open--
      if (message?.id !== undefined)
        this.writeJson({
          ack: message.id,
          code: refused === null ? 0 : 1,
          ...(refused === null ? {} : { message: refused }),
        })
      this.resumeWhenRoom()
    }
    this.perform(route, message ? message.payload : bytes, arrivedAt, done)
    this.resumeWhenRoom()
  }

  deliver(message: DownlinkMessage): DeliveryResult {
    if (this.socket.readyState !== this.socket.OPEN || this.socket.bufferedAmount > MAX_BACKLOG) return 'not_reachable'
    const { frames = [], sub, command } = message
    if (frames.length > 0 && !sub) {
      for (const frame of frames) this.writeBytes(frame)
      return 'sent'
    }
    if (command.kind === 'raw') return 'not_reachable'
    this.write(`${sub ? `sub/${nameBelow(sub)}/` : ''}${message.suffix}`, message.payload)
    return 'sent'
  }

  /** Says goodbye; what still comes is not taken. */
  end(code: number): void {
    this.ended = true
    this.socket.resume()
    this.socket.close(code)
  }

  private perform(route: Route, payload: Buffer, arrivedAt: number, done: (refused: string | null) => void): void {
    const { speaker, desk, port } = this
    if (route.kind === 'uplink') {
      const below = route.sub === undefined ? undefined : { name: route.sub }
      desk.uplink(speaker, below, { channel: route.channel, payload }, { arrivedAt }, done)
    } else if (route.kind === 'message') desk.take(speaker, route.read(payload), { arrivedAt }, done)
    else if (route.kind === 'query') {
      this.about(route.sub)
        .then(about => (about ? answerQuery(port, about, route.query, payload, arrivedAt) : null))
        .then(answer => {
          if (answer) this.write(route.reply, answer)
          done(answer ? null : 'not_answered')
        })
        .catch(() => done('unavailable'))
    } else if (route.kind === 'chunks') {
      const base = route.sub === undefined ? '' : `sub/${route.sub}/`
      this.about(route.sub)
        .then(about => {
          if (about) port.firmwareChunks(about, payload, (suffix, bytes) => this.say(base + suffix, bytes))
          done(about ? null : 'sub_device_unknown')
        })
        .catch(() => done('unavailable'))
    } else done('topic_unknown')
  }

  /** The device a message is about: this one, or one below it. */
  private about(sub: string | undefined): Promise<DeviceRecord | null> {
    return sub === undefined ? Promise.resolve(this.device) : this.port.resolveSub(this.device, sub)
  }

  /** Bytes of firmware, as fast as they are read. */
  private say(topic: string, bytes: Buffer): 'sent' | 'full' | 'away' {
    if (this.socket.readyState !== this.socket.OPEN) return 'away'
    if (this.socket.bufferedAmount > MAX_BACKLOG) return 'full'
    // Bytes that happen to read as JSON are bytes all the same.
    if (topic.endsWith('/refused')) this.write(topic, bytes)
    else this.writeJson({ topic, payload: bytes.toString('hex') })
    return 'sent'
  }

  /** Topics stand below the device's own prefix, or are whole ones of a dialect. */
  private routeOf(topic: string, asWritten: string): Route {
    const route = routeOf(this.prefix, topic)
    const known = route.kind !== 'uplink' || route.channel.kind !== 'unknown'
    if (known) return mayPublish(this.device.rights, asWritten) ? route : forbidden(asWritten)
    for (const dialect of dialectsOf(this.port.settingsOf(this.device))) {
      const read = dialect.read(this.device, asWritten)
      if (read) return { kind: 'message', topic: asWritten, read }
    }
    return asWritten.startsWith(this.prefix) ? routeOf(this.prefix, asWritten) : forbidden(asWritten)
  }

  private resumeWhenRoom(): void {
    if (this.waiting || this.ended) return
    if (this.port.hasRoom(this.device)) {
      if (this.open >= MAX_OPEN) this.socket.pause()
      else this.socket.resume()
      return
    }
    this.waiting = true
    this.socket.pause()
    this.port.onDrain(this.device, () => {
      this.waiting = false
      this.resumeWhenRoom()
    })
  }

  /** JSON stays JSON inside the envelope; other bytes go as hex. */
  private write(topic: string, payload: Buffer): void {
    this.port.frame(this.device, 'down', payload, { channel: topic })
    const text = payload.toString('utf8')
    this.send(
      `{"topic":${JSON.stringify(topic)},"payload":${isJson(text) ? text : JSON.stringify(payload.toString('hex'))}}`,
    )
  }

  private writeBytes(frame: Buffer): void {
    this.port.frame(this.device, 'down', frame, { channel: 'raw/down' })
    this.send(frame)
  }

  private writeJson(value: unknown): void {
    this.send(JSON.stringify(value))
  }

  private send(data: string | Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return
    this.info.messagesOut++
    this.info.bytesOut += data.length
    this.socket.send(data)
  }
}

interface Envelope {
  id?: string | number
  topic: string
  payload: Buffer
}

/** Null for text that is no envelope: it is a message in the product's own format. */
function envelopeOf(bytes: Buffer): Envelope | null {
  if (bytes[0] !== 0x7b) return null
  const decoded = decodeDeviceJson(bytes, MAX_ENVELOPE)
  if (!decoded.ok) return null
  const { id, topic, payload } = decoded.value as Record<string, unknown>
  if (typeof topic !== 'string' || topic.length > 512) return null
  const known = typeof id === 'string' ? id.length <= 64 : typeof id === 'number'
  return { ...(known ? { id: id as string | number } : {}), topic, payload: bytesOf(payload ?? {}) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
