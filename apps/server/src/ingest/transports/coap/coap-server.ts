import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { Logger } from '../../../lib/log.ts'
import { afterSilence, type Silence } from '../../../lib/silence.ts'
import { Lru } from '../../memory/lru.ts'
import {
  blockOption,
  blockValue,
  type CoapMessage,
  type CoapOption,
  Code,
  decodeMessage,
  encodeMessage,
  MessageType,
  OptionNumber,
  unknownCritical,
  urlOf,
} from './message.ts'

/** A peer as "ip:port" and as the socket wants it. */
export interface CoapPeer {
  address: string
  remote: Pick<RemoteInfo, 'address' | 'port'>
}

export interface CoapAnswer {
  code: number
  payload?: Buffer
  options?: CoapOption[]
}

export interface CoapServerOptions {
  logger: Logger
  /** Epoch-free ms. */
  now(): number
  /** Answers a request once; an acknowledgement waits for that. */
  handle(request: CoapMessage, peer: CoapPeer, answer: (answer: CoapAnswer) => void): void
  /** A sign of life of an address without a request (CoAP ping). */
  ping(peer: CoapPeer): void
  listen: { host: string; port: number; tryNext: number }
}

/** Longest datagram that is looked at: a block of 1024 bytes with its options. */
const MAX_DATAGRAM = 1_500
const BLOCK_SZX = 6
/** How long a message id means the same message, ms (EXCHANGE_LIFETIME, RFC 7252 §4.8.2). */
const EXCHANGE_MS = 247_000
const RECENT = 20_000
/** How long the rest of a long answer can be fetched, and how many such answers are kept. */
const REST_MS = 60_000
const LONG_ANSWERS = 500
/** Retransmission (§4.8): the first after 2 to 3 s, then twice as long, four times. */
const ACK_TIMEOUT_MS = 2_000
const MAX_RETRANSMIT = 4

interface Recent {
  at: number
  /** Null while it is being worked on: a repetition of the request is not a second one. */
  answer: Buffer | null
}

interface Notification {
  bytes: Buffer
  peer: CoapPeer
  tries: number
  silence: Silence
  done(result: 'acknowledged' | 'refused' | 'lost'): void
}

/**
 * A CoAP server over UDP (RFC 7252) with block-wise answers (RFC 7959) and confirmable notifications (RFC 7641). A
 * confirmable request is acknowledged by its answer and by nothing earlier; its repetitions get the same answer.
 */
export class CoapServer {
  private socket: Socket | null = null
  private readonly recent = new Lru<string, Recent>(RECENT)
  private readonly long = new Lru<string, { at: number; payload: Buffer; code: number; options: CoapOption[] }>(
    LONG_ANSWERS,
  )
  private readonly notifications = new Map<string, Notification>()
  private lastMessageId = Math.floor(Math.random() * 0x10000)

  constructor(private readonly options: CoapServerOptions) {}

  get port(): number | null {
    return this.socket?.address().port ?? null
  }

  /** Rejects with EADDRINUSE. */
  async start(): Promise<void> {
    const { host, port, tryNext } = this.options.listen
    for (let candidate = port; ; candidate++) {
      const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' })
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('error', reject)
          socket.bind(candidate, host, () => {
            socket.removeListener('error', reject)
            resolve()
          })
        })
      } catch (error) {
        socket.close()
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
        if (!taken || candidate >= port + tryNext) throw error
        continue
      }
      socket.on('error', error => this.options.logger.error({ err: error }, 'CoAP socket'))
      socket.on('message', (bytes, remote) => this.receive(bytes, remote))
      this.socket = socket
      return
    }
  }

  stop(): void {
    for (const notification of this.notifications.values()) notification.silence.end()
    this.notifications.clear()
    this.socket?.close()
    this.socket = null
  }

  /** Sends a confirmable notification until it is acknowledged or given up. */
  notify(
    peer: CoapPeer,
    token: Buffer,
    answer: CoapAnswer,
    done: (result: 'acknowledged' | 'refused' | 'lost') => void,
  ): void {
    const messageId = this.nextMessageId()
    const key = `${peer.address} ${messageId}`
    const bytes = encodeMessage({
      type: MessageType.confirmable,
      code: answer.code,
      messageId,
      token,
      options: answer.options ?? [],
      payload: answer.payload ?? Buffer.alloc(0),
    })
    const again = (): void => {
      if (++notification.tries > MAX_RETRANSMIT) {
        this.notifications.delete(key)
        done('lost')
        return
      }
      this.write(bytes, peer)
      notification.silence = afterSilence(ACK_TIMEOUT_MS * 1.5 * 2 ** notification.tries, again)
    }
    const silence = afterSilence(ACK_TIMEOUT_MS * (1 + Math.random() * 0.5), again)
    const notification: Notification = { bytes, peer, tries: 0, silence, done }
    this.notifications.set(key, notification)
    this.write(bytes, peer)
  }

  private receive(bytes: Buffer, remote: RemoteInfo): void {
    const peer = { address: `${remote.address}:${remote.port}`, remote }
    const message = bytes.length > MAX_DATAGRAM ? null : decodeMessage(bytes)
    if (!message) {
      // A confirmable message that cannot be read is answered with a reset (§4.2); anything else with silence.
      if (bytes.length >= 4 && (bytes[0] as number) >> 4 === 4) this.reset(bytes.readUInt16BE(2), peer)
      return
    }
    if (message.type === MessageType.acknowledgement || message.type === MessageType.reset) {
      this.acknowledged(message, peer)
      return
    }
    if (message.code === Code.empty) {
      if (message.type === MessageType.confirmable) this.reset(message.messageId, peer)
      this.options.ping(peer)
      return
    }
    // Requests are class 0; a response has nobody here who asked.
    if (message.code < 0x20) this.request(message, peer)
  }

  private acknowledged(message: CoapMessage, peer: CoapPeer): void {
    const key = `${peer.address} ${message.messageId}`
    const notification = this.notifications.get(key)
    if (!notification) return
    this.notifications.delete(key)
    notification.silence.end()
    notification.done(message.type === MessageType.acknowledgement ? 'acknowledged' : 'refused')
  }

  private request(message: CoapMessage, peer: CoapPeer): void {
    const key = `${peer.address} ${message.messageId}`
    const known = this.recent.get(key)
    if (known && this.options.now() - known.at < EXCHANGE_MS) {
      if (known.answer) this.write(known.answer, peer)
      return
    }
    const entry: Recent = { at: this.options.now(), answer: null }
    this.recent.set(key, entry)
    let answered = false
    const answer = (said: CoapAnswer): void => {
      if (answered) return
      answered = true
      entry.answer = this.encode(message, peer, said)
      this.write(entry.answer, peer)
    }
    if (unknownCritical(message)) {
      answer({ code: Code.badOption })
      return
    }
    const block = blockOption(message, OptionNumber.block2)
    if (block === false) {
      answer({ code: Code.badOption })
      return
    }
    if (block && block.num > 0) {
      const rest = this.long.get(`${peer.address} ${urlOf(message)}`)
      if (rest && this.options.now() - rest.at < REST_MS) answer(rest)
      else answer({ code: Code.incomplete })
      return
    }
    this.options.handle(message, peer, answer)
  }

  /** The answer to one request: piggybacked on its acknowledgement, cut into blocks where it is long. */
  private encode(request: CoapMessage, peer: CoapPeer, { code, payload, options = [] }: CoapAnswer): Buffer {
    const whole = payload ?? Buffer.alloc(0)
    const asked = blockOption(request, OptionNumber.block2) || null
    const szx = Math.min(asked?.szx ?? BLOCK_SZX, BLOCK_SZX)
    const size = 1 << (szx + 4)
    const num = asked?.num ?? 0
    const from = num * size
    const more = from + size < whole.length
    if (num === 0 && more)
      this.long.set(`${peer.address} ${urlOf(request)}`, { at: this.options.now(), payload: whole, code, options })
    const cut = num > 0 || more
    const confirmable = request.type === MessageType.confirmable
    return encodeMessage({
      type: confirmable ? MessageType.acknowledgement : MessageType.nonConfirmable,
      code,
      messageId: confirmable ? request.messageId : this.nextMessageId(),
      token: request.token,
      options: cut ? [...options, { number: OptionNumber.block2, value: blockValue({ num, more, szx }) }] : options,
      payload: cut ? whole.subarray(from, from + size) : whole,
    })
  }

  private reset(messageId: number, peer: CoapPeer): void {
    const nothing = Buffer.alloc(0)
    this.write(
      encodeMessage({
        type: MessageType.reset,
        code: Code.empty,
        messageId,
        token: nothing,
        options: [],
        payload: nothing,
      }),
      peer,
    )
  }

  private write(bytes: Buffer, { remote }: CoapPeer): void {
    this.socket?.send(bytes, remote.port, remote.address, error => {
      if (error) this.options.logger.debug({ err: error }, 'CoAP message not sent')
    })
  }

  private nextMessageId(): number {
    this.lastMessageId = (this.lastMessageId + 1) & 0xffff
    return this.lastMessageId
  }
}
