import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { reconnectDelay } from './backoff.ts'
import type { Channel, ChannelHandlers, CommandRequest, Question, UpMessage } from './channel.ts'
import { ConnectionLostError, RefusedError, SignInRefusedError, TimeoutError } from './errors.ts'
import type { ChunkAsk, ReceivedChunk } from './firmware/link.ts'
import { parseObject } from './json.ts'

export interface MqttChannelOptions {
  url: string
  productKey: string
  deviceNo: string
  deviceSecret: string
  protocolVersion: 4 | 5
  keepAliveSeconds: number
  tls?: { ca?: string | Buffer; rejectUnauthorized?: boolean }
  random: () => number
}

const CONNECT_TIMEOUT_MS = 15_000
const WINDOW = 16
const QUESTIONS = {
  shadow: { ask: 'shadow/get', answer: 'shadow/get_reply' },
  ntp: { ask: 'ntp/request', answer: 'ntp/response' },
  firmware: { ask: 'ota/pull', answer: 'ota/notify' },
} as const

/**
 * MQTT over TCP, TLS or WebSocket. Each connection is a fresh client with a clean session: what was not confirmed is
 * the outbox's to send again, and commands wait in the platform, so nothing needs a stored session.
 */
export class MqttChannel implements Channel {
  readonly window = WINDOW
  readonly #options: MqttChannelOptions
  readonly #handlers: ChannelHandlers
  readonly #prefix: string
  readonly #answers = new Map<string, ((text: string) => void)[]>()
  /** What to do with each publish under way when the connection goes. */
  readonly #lost = new Set<() => void>()
  #client: MqttClient | null = null
  #online = false
  #attempt = 0
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: MqttChannelOptions, handlers: ChannelHandlers) {
    this.#options = options
    this.#handlers = handlers
    this.#prefix = `things/${options.productKey}/${options.deviceNo}/`
  }

  get online(): boolean {
    return this.#online
  }

  start(): void {
    const { url, productKey, deviceNo, deviceSecret, protocolVersion, keepAliveSeconds, tls } = this.#options
    const options: IClientOptions = {
      username: `${productKey}/${deviceNo}`,
      password: deviceSecret,
      clientId: `${productKey}.${deviceNo}`.slice(0, 128),
      protocolVersion,
      clean: true,
      keepalive: keepAliveSeconds,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Our own pauses: jittered and growing.
      reconnectPeriod: 0,
      queueQoSZero: false,
      ...tls,
    }
    const client = connect(url, options)
    this.#client = client
    let last: Error = new ConnectionLostError('connection closed')
    client.on('connect', () => {
      this.#signedIn(client).catch((error: Error) => this.#dropped(client, error))
    })
    client.on('message', (topic, payload) => this.#received(topic, payload))
    client.on('error', error => {
      last = signInRefusal(error) ?? error
      client.end(true)
    })
    client.on('close', () => {
      if (this.#client === client) this.#dropped(client, last)
    })
  }

  async transmit(message: UpMessage): Promise<void> {
    const client = this.#client
    if (!client || !this.#online) throw new ConnectionLostError('not connected')
    await new Promise<void>((resolve, reject) => {
      const lost = () => reject(new ConnectionLostError('connection closed before the acknowledgement'))
      this.#lost.add(lost)
      client.publish(this.#prefix + suffixOf(message), message.payload, { qos: 1 }, error => {
        this.#lost.delete(lost)
        if (!error) resolve()
        else reject(refusal(error) ?? new ConnectionLostError(error.message))
      })
    })
  }

  readonly requestChunks = (ask: ChunkAsk): void => {
    if (this.#online) this.#client?.publish(`${this.#prefix}ota/request`, JSON.stringify(ask), { qos: 0 })
  }

  async ask(question: Question, payload: string, timeoutMs: number): Promise<string> {
    const client = this.#client
    if (!client || !this.#online) throw new ConnectionLostError('not connected')
    const { ask, answer } = QUESTIONS[question]
    return new Promise<string>((resolve, reject) => {
      const waiting = this.#answers.get(answer) ?? []
      this.#answers.set(answer, waiting)
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(answered), 1)
        reject(new TimeoutError(`no answer to ${ask}`))
      }, timeoutMs)
      const answered = (text: string) => {
        clearTimeout(timer)
        resolve(text)
      }
      waiting.push(answered)
      client.publish(this.#prefix + ask, payload, { qos: 0 })
    })
  }

  wantCommands(): void {
    // They come by themselves once subscribed.
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#online = false
    if (this.#timer) clearTimeout(this.#timer)
    const client = this.#client
    this.#client = null
    if (client) await client.endAsync(!client.connected)
    this.#loseAll()
  }

  #loseAll(): void {
    const lost = [...this.#lost]
    this.#lost.clear()
    for (const tell of lost) tell()
  }

  async #signedIn(client: MqttClient): Promise<void> {
    try {
      await client.subscribeAsync(`${this.#prefix}#`, { qos: 1 })
    } catch {
      client.end(true)
      return
    }
    if (this.#client !== client) return
    this.#attempt = 0
    this.#online = true
    this.#handlers.online()
  }

  #dropped(client: MqttClient, error: Error): void {
    this.#online = false
    this.#client = null
    client.end(true)
    this.#loseAll()
    if (this.#closed) return
    const delay = reconnectDelay(this.#attempt++, error instanceof SignInRefusedError, this.#options.random)
    this.#timer = setTimeout(() => this.start(), delay)
    this.#handlers.offline(error)
  }

  #received(topic: string, payload: Buffer): void {
    if (!topic.startsWith(this.#prefix)) return
    const suffix = topic.slice(this.#prefix.length)
    const chunk = chunkOf(suffix, payload)
    if (chunk) {
      this.#handlers.chunk(chunk)
      return
    }
    const text = payload.toString()
    const answered = this.#answers.get(suffix)?.shift()
    if (answered) {
      answered(text)
      return
    }
    if (suffix === 'ota/notify') {
      const notify = parseObject(text)
      if (notify) this.#handlers.firmware(notify)
      return
    }
    const request = commandOf(suffix, text)
    if (request) this.#handlers.command(request)
  }
}

function suffixOf(message: UpMessage): string {
  switch (message.kind) {
    case 'property':
      return 'property/post'
    case 'event':
      return `event/${message.identifier}/post`
    case 'firmware':
      return `ota/${message.what}`
    case 'reply': {
      const { kind, identifier } = message.command
      return kind === 'service' ? `service/${identifier}/invoke_reply` : 'property/set_reply'
    }
  }
}

/** `ota/data/{id}/{offset}` holds bytes, `ota/data/{id}/refused` why there are none. */
function chunkOf(suffix: string, payload: Buffer): ReceivedChunk | null {
  const [, id, place] = /^ota\/data\/([^/]+)\/(\d+|refused)$/.exec(suffix) ?? []
  if (!id || !place) return null
  if (place !== 'refused') return { id, offset: Number(place), bytes: payload }
  const { offset, code } = parseObject(payload.toString()) ?? {}
  return { id, offset: Number(offset), bytes: null, code: String(code) }
}

function commandOf(suffix: string, text: string): CommandRequest | null {
  const identifier = /^service\/([^/]+)\/invoke$/.exec(suffix)?.[1]
  if (identifier === undefined && suffix !== 'property/set') return null
  const body = parseObject(text)
  if (typeof body?.id !== 'string') return null
  const params =
    typeof body.params === 'object' && body.params !== null ? (body.params as CommandRequest['params']) : {}
  return identifier === undefined
    ? { id: body.id, kind: 'property_set', identifier: '', params }
    : { id: body.id, kind: 'service', identifier, params }
}

/** CONNACK codes of bad or missing rights: 4, 5 (3.1.1), 0x86, 0x87 (5.0). */
function signInRefusal(error: Error): SignInRefusedError | null {
  const code = codeOf(error)
  return code !== null && [4, 5, 0x86, 0x87].includes(code) ? new SignInRefusedError(code) : null
}

/** PUBACK with a reason code from 0x80 up (5.0): the platform has the message and refuses it. */
function refusal(error: Error): RefusedError | null {
  const code = codeOf(error)
  if (code === null || code < 0x80) return null
  return new RefusedError(code, '', `refused with reason code 0x${code.toString(16)}`)
}

function codeOf(error: Error): number | null {
  const { code } = error as { code?: unknown }
  return typeof code === 'number' ? code : null
}
