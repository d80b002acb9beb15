import { reconnectDelay } from './backoff.ts'
import type { Channel, ChannelHandlers, CommandRequest, Question, UpMessage } from './channel.ts'
import { ConnectionLostError, NotSupportedError, RefusedError, SignInRefusedError } from './errors.ts'
import { parseObject } from './json.ts'

export interface HttpChannelOptions {
  url: string
  productKey: string
  deviceNo: string
  deviceSecret: string
  random: () => number
  /** How long the platform may hold a question for commands. */
  pollSeconds: number
}

const REQUEST_TIMEOUT_MS = 30_000
/** One after the other: HTTP keeps no order between connections. */
const WINDOW = 1

/**
 * HTTP: one request per message, its 2xx means durable. "Online" is what the last request said. Commands are fetched
 * by long poll, only once somebody handles them.
 */
export class HttpChannel implements Channel {
  readonly window = WINDOW
  readonly #options: HttpChannelOptions
  readonly #handlers: ChannelHandlers
  readonly #base: string
  readonly #abort = new AbortController()
  #online = false
  #attempt = 0
  #timer: NodeJS.Timeout | null = null
  #commandsWanted = false
  #polling = false

  constructor(options: HttpChannelOptions, handlers: ChannelHandlers) {
    this.#options = options
    this.#handlers = handlers
    const { url, productKey, deviceNo } = options
    const path = `${encodeURIComponent(productKey)}/${encodeURIComponent(deviceNo)}`
    this.#base = `${url.replace(/\/+$/, '')}/device/v1/${path}/`
  }

  get online(): boolean {
    return this.#online
  }

  /** Finds out whether the platform is there and lets us in. */
  start(): void {
    this.#request('GET', 'commands?wait=0', null, REQUEST_TIMEOUT_MS)
      .then(text => {
        if (this.#abort.signal.aborted) return
        this.#attempt = 0
        this.#online = true
        this.#handlers.online()
        this.#hand(text)
        if (this.#commandsWanted) this.#pollSoon()
      })
      .catch((error: Error) => this.#dropped(error))
  }

  async transmit(message: UpMessage): Promise<void> {
    if (!this.#online) throw new ConnectionLostError('not connected')
    try {
      await this.#request('POST', pathOf(message), message.payload, REQUEST_TIMEOUT_MS)
    } catch (error) {
      if (error instanceof RefusedError) throw error
      this.#dropped(error as Error)
      throw new ConnectionLostError((error as Error).message)
    }
  }

  /** Over HTTP bytes come from the address of the notice. */
  readonly requestChunks = null

  async ask(question: Question, payload: string, timeoutMs: number): Promise<string> {
    if (question === 'firmware') {
      const module = parseObject(payload)?.module
      const query = typeof module === 'string' ? `?module=${encodeURIComponent(module)}` : ''
      return this.#request('GET', `ota/pull${query}`, null, timeoutMs)
    }
    throw new NotSupportedError(`${question} needs MQTT`)
  }

  wantCommands(): void {
    this.#commandsWanted = true
    if (this.#online) this.#pollSoon()
  }

  async close(): Promise<void> {
    this.#online = false
    if (this.#timer) clearTimeout(this.#timer)
    this.#abort.abort()
  }

  #pollSoon(): void {
    this.#poll().catch((error: Error) => this.#dropped(error))
  }

  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    const seconds = this.#options.pollSeconds
    try {
      while (this.#online) {
        this.#hand(await this.#request('GET', `commands?wait=${seconds}`, null, (seconds + 15) * 1_000))
      }
    } catch (error) {
      this.#dropped(error as Error)
    } finally {
      this.#polling = false
    }
  }

  #hand(text: string): void {
    const commands = parseObject(text)?.commands
    if (!Array.isArray(commands)) return
    for (const raw of commands as Record<string, unknown>[]) {
      const { id, kind, identifier, params } = raw
      if (kind === 'firmware' && typeof params === 'object' && params !== null) {
        this.#handlers.firmware(params as Record<string, unknown>)
        continue
      }
      if (typeof id !== 'string' || (kind !== 'property_set' && kind !== 'service')) continue
      this.#handlers.command({
        id,
        kind,
        identifier: typeof identifier === 'string' ? identifier : '',
        params: typeof params === 'object' && params !== null ? (params as CommandRequest['params']) : {},
      })
    }
  }

  #dropped(error: Error): void {
    if (this.#abort.signal.aborted || this.#timer) return
    this.#online = false
    const delay = reconnectDelay(this.#attempt++, error instanceof SignInRefusedError, this.#options.random)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.start()
    }, delay)
    this.#handlers.offline(error)
  }

  /** @returns the body of a 2xx */
  async #request(method: string, path: string, body: string | null, timeoutMs: number): Promise<string> {
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#options.deviceSecret}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await response.text()
    if (response.ok) return text
    const { status } = response
    if (status === 401 || status === 403) throw new SignInRefusedError(status)
    if (status === 429 || status >= 500) throw new ConnectionLostError(`HTTP ${status}`)
    const { code, message } = parseObject(text) ?? {}
    throw new RefusedError(status, typeof code === 'string' ? code : '', String(message ?? `HTTP ${status}`))
  }
}

function pathOf(message: UpMessage): string {
  switch (message.kind) {
    case 'property':
      return 'property'
    case 'event':
      return `event/${encodeURIComponent(message.identifier)}`
    case 'firmware':
      return `ota/${message.what}`
    case 'reply':
      return `commands/${encodeURIComponent(message.command.id)}/reply`
  }
}
