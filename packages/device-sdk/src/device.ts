import type { Channel, ChannelHandlers } from './channel.ts'
import { CommandDesk, type PropertySetHandler, type ServiceHandler } from './command-desk.ts'
import type { FirmwareLink, ReceivedChunk } from './firmware/link.ts'
import { parseObject } from './json.ts'
import { Outbox, type OutboxLimits } from './outbox.ts'

export type Values = Record<string, unknown>

/** Values that belong to one moment, epoch ms. */
export interface Point {
  ts: number
  values: Values
}

export interface Shadow {
  reported: Values
  desired: Values
  version: number
}

export interface TimeSync {
  /** Platform clock minus local clock, ms. */
  offsetMs: number
  roundTripMs: number
}

export type StateListener = (state: 'online' | 'offline', error?: Error) => void

const ANSWER_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 5_000

/**
 * A device of the platform. Posts resolve when the message is durable on the platform's side; without a connection
 * they wait in a bounded buffer and go out, with their own times, when there is one again.
 */
export class Device {
  readonly #channel: Channel
  readonly #outbox: Outbox
  readonly #desk: CommandDesk
  readonly #listeners = new Set<StateListener>()
  readonly #productKey: string
  readonly #notifyHandlers = new Set<(payload: Values) => void>()
  readonly #chunkHandlers = new Set<(chunk: ReceivedChunk) => void>()
  #firmware: FirmwareLink | null = null
  #offsetMs = 0

  /** Use {@link connectDevice} or {@link createDevice}. */
  constructor(
    open: (handlers: ChannelHandlers) => Channel,
    buffer: OutboxLimits,
    productKey: string,
    ready: Promise<void> | null,
  ) {
    this.#productKey = productKey
    this.#desk = new CommandDesk(values => {
      this.postProperties(values).catch(() => {})
    }, ready)
    this.#channel = open({
      online: () => {
        this.#tell('online')
        this.#outbox.pump()
      },
      offline: error => this.#tell('offline', error),
      command: request => {
        this.#desk
          .handle(request)
          .then(payload => this.#outbox.send({ kind: 'reply', command: request, payload }))
          .catch(() => {})
      },
      firmware: payload => {
        for (const handler of this.#notifyHandlers) handler(payload)
      },
      chunk: chunk => {
        for (const handler of this.#chunkHandlers) handler(chunk)
      },
    })
    this.#outbox = new Outbox(this.#channel, buffer)
    this.#channel.start()
  }

  /** Connected and signed in. */
  get online(): boolean {
    return this.#channel.online
  }

  /** Messages not yet confirmed by the platform. */
  get pending(): number {
    return this.#outbox.length
  }

  /**
   * Reports values of one moment, now when `ts` is absent.
   * @throws RefusedError when the platform does not take them, BufferFullError when they were dropped while offline
   */
  postProperties(values: Values, ts: number = this.now()): Promise<void> {
    return this.#outbox.send({ kind: 'property', payload: JSON.stringify({ ts, values }) })
  }

  /** Reports several moments in one message, all taken or none: at most 1,000 and 64 KB. */
  postBatch(points: readonly Point[]): Promise<void> {
    const body = points.map(({ ts, values }) => ({ ts, values }))
    return this.#outbox.send({ kind: 'property', payload: JSON.stringify(body) })
  }

  postEvent(identifier: string, params: Values = {}, ts: number = this.now()): Promise<void> {
    return this.#outbox.send({ kind: 'event', identifier, payload: JSON.stringify({ ts, params }) })
  }

  /** One handler for all writable properties; a later call replaces it. */
  onPropertySet(handler: PropertySetHandler): void {
    this.#desk.onPropertySet(handler)
    this.#channel.wantCommands()
  }

  onService(identifier: string, handler: ServiceHandler): void {
    this.#desk.onService(identifier, handler)
    this.#channel.wantCommands()
  }

  /** Called on every change of the connection. Returns a function that ends it. */
  onState(listener: StateListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What the platform last heard of this device, and what it wants of it. MQTT only. */
  async getShadow(): Promise<Shadow> {
    const answer = parseObject(await this.#channel.ask('shadow', '{}', ANSWER_TIMEOUT_MS)) ?? {}
    const { reported, desired, version } = answer as Partial<Shadow>
    return { reported: reported ?? {}, desired: desired ?? {}, version: version ?? 0 }
  }

  /**
   * Compares clocks with the platform as NTP does (RFC 5905 §8) and from then on dates posts by the platform's clock.
   * MQTT only.
   */
  async syncTime(): Promise<TimeSync> {
    const t0 = Date.now()
    const answer = parseObject(await this.#channel.ask('ntp', JSON.stringify({ t0 }), ANSWER_TIMEOUT_MS))
    const t3 = Date.now()
    const t1 = Number(answer?.t1)
    const t2 = Number(answer?.t2)
    if (!Number.isFinite(t1) || !Number.isFinite(t2)) throw new Error('the answer holds no times')
    this.#offsetMs = Math.round((t1 - t0 + (t2 - t3)) / 2)
    return { offsetMs: this.#offsetMs, roundTripMs: t3 - t0 - (t2 - t1) }
  }

  /**
   * The way to the platform for a {@link FirmwareUpdater}, which does all the rest: downloads, checks, installs, and
   * falls back.
   */
  get firmware(): FirmwareLink {
    this.#firmware ??= this.#openFirmware()
    return this.#firmware
  }

  /** Epoch ms by the platform's clock, as far as {@link syncTime} was asked. */
  now(): number {
    return Date.now() + this.#offsetMs
  }

  /** Waits a moment for what is under way, then signs off. Posts that were not confirmed reject with ClosedError. */
  async close(): Promise<void> {
    if (this.#channel.online) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
      })
      await Promise.race([this.#outbox.drained(), late])
      clearTimeout(timer)
    }
    this.#outbox.close()
    await this.#channel.close()
  }

  #openFirmware(): FirmwareLink {
    const channel = this.#channel
    const say = (what: 'inform' | 'progress', body: object) =>
      this.#outbox.send({ kind: 'firmware', what, payload: JSON.stringify(body) })
    channel.wantCommands()
    return {
      productKey: this.#productKey,
      inform: (module, version) => say('inform', { module, version }),
      progress: report => say('progress', report),
      pull: async module => parseObject(await channel.ask('firmware', JSON.stringify({ module }), ANSWER_TIMEOUT_MS)),
      request: channel.requestChunks,
      onNotify: handler => void this.#notifyHandlers.add(handler),
      onChunk: handler => void this.#chunkHandlers.add(handler),
    }
  }

  #tell(state: 'online' | 'offline', error?: Error): void {
    for (const listener of this.#listeners) listener(state, error)
  }
}
