import { type FirmwareNotify, readNotify } from '@thingwright/device-sdk/firmware/notify'
import { ChunkSource, HttpSource } from '@thingwright/device-sdk/firmware/source'
import type { Slot } from '@thingwright/device-sdk/firmware/store'
import { FirmwareUpdater } from '@thingwright/device-sdk/firmware/updater'
import { hashOf, readImage, SimulatedBoard, versionIn } from '@thingwright/device-sdk/testing/board'
import { UnitLink } from './unit-link.ts'

/** How a simulated device goes about its firmware. */
export interface FirmwareLife {
  /** What it runs at first. */
  version: string
  module?: string
  /** careless: writes over what it runs and asks nothing, so that a bad image bricks it. */
  behaviour?: 'honest' | 'careless'
  /** Power is lost once, when this is done or said: `downloading` and the other words of progress, `trial`. */
  powerLossIn?: 'downloading' | 'downloaded' | 'verified' | 'installing' | 'trial'
  /** The write at which power is lost is torn, or happens whole; either when absent. */
  torn?: boolean
  /** flash: what it writes is damaged · crash: no new firmware runs on it · refuse: it says no · mute: it says nothing. */
  fault?: 'flash' | 'crash' | 'refuse' | 'mute'
  /** Short pauses after a cut: for tests. */
  hurry?: boolean
  /** Time of a restart, ms. */
  rebootMs?: number
  publicKeys?: readonly string[]
  transport?: 'auto' | 'https' | 'chunks'
  /** What the addresses of notices begin with where they are no whole ones. */
  baseUrl?: string
}

export interface UnitHooks {
  /** Publishes below the device's prefix; false: not now. */
  post(suffix: string, payload: string, acknowledged: () => void): boolean
  /** The device goes dark for so long. */
  reset(downMs: number): void
  /** Nothing will ever run on it again. */
  bricked(): void
}

const REBOOT_MS = 3_000
/** Larger than any simulated device's memory. */
const HISTORY = 50
const MAX_BYTES = 8 * 1024 * 1024

/**
 * The firmware side of a simulated device: a board with two slots (one, when it is careless), a boot loader and the SDK's
 * updater. Resets and losses of power end a life; the next begins when the device is connected again.
 */
export class FirmwareUnit {
  readonly board: SimulatedBoard
  /** Versions that ran, in order. */
  readonly ran: string[] = []
  /** What happened lately, for people. */
  readonly history: string[] = []
  isBricked = false
  readonly #life: FirmwareLife
  readonly #hooks: UnitHooks
  readonly #link: UnitLink
  #updater: FirmwareUpdater | null = null
  #powerLost = false
  #ending: Promise<void> = Promise.resolve()
  #notified: FirmwareNotify | null = null
  #busy = false

  constructor(productKey: string, life: FirmwareLife, hooks: UnitHooks) {
    this.#life = life
    this.#hooks = hooks
    this.board = new SimulatedBoard(life.version, 512)
    this.board.check = (bytes, slot) => this.#check(bytes, slot)
    this.board.flash.onCut = () => this.#reset()
    this.board.flash.damaged = life.fault === 'flash'
    this.#link = new UnitLink(productKey, (suffix, payload, done) => hooks.post(suffix, payload, done))
  }

  get version(): string {
    return this.board.running?.version ?? ''
  }

  /** The device is connected: it starts, unless it runs already. */
  async online(): Promise<void> {
    await this.#ending
    if (this.#updater || this.isBricked) return this.#link.flush()
    const choice = await this.board.boot()
    if (!choice) return this.#brick()
    if (this.ran.at(-1) !== choice.version) this.ran.push(choice.version)
    if (choice.trial && this.#life.powerLossIn === 'trial') this.#losePower()
    const { board } = this
    const { behaviour, fault, module, publicKeys, transport, baseUrl, hurry } = this.#life
    this.#updater = new FirmwareUpdater(this.#link, {
      store: board.flash,
      version: choice.version,
      trial: choice.trial,
      ...(module === undefined ? {} : { module }),
      ...(publicKeys === undefined ? {} : { publicKeys }),
      ...(transport === undefined ? {} : { transport }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(hurry ? { random: () => 0, chunkTimeoutMs: 3_000 } : {}),
      allowDowngrade: true,
      versionOf: slot => this.#versionOf(slot),
      mayInstall: ({ size }) => (fault === 'refuse' ? 'battery_low' : size > MAX_BYTES ? 'too_large' : null),
      restart: () => this.#reset(),
      onState: (state, detail) => {
        this.history.push(detail ? `${state}: ${detail}` : state)
        if (this.history.length > HISTORY) this.history.shift()
        if (state === this.#life.powerLossIn) this.#losePower()
      },
    })
    // Instead of the updater, it listens itself.
    if (behaviour === 'careless' || fault === 'mute')
      this.#link.onNotify(payload => {
        this.#overwrite(payload).catch(() => undefined)
      })
    await this.#updater.start().catch(() => undefined)
  }

  /** A message below `ota/`. */
  receive(suffix: string, payload: Buffer): void {
    if (suffix === 'ota/notify') this.#notified = readNotify(payload.toString()) ?? this.#notified
    this.#link.receive(suffix, payload)
  }

  /** There may be room for messages that wait. */
  flush(): void {
    this.#link.flush()
  }

  /** Ends this life; the next begins with `online`. */
  #reset(): void {
    const updater = this.#updater
    this.#updater = null
    this.#link.clear()
    // The memory has no power; whatever still runs finds that out before it lives again.
    if (updater) this.#ending = updater.stop().catch(() => undefined)
    this.#hooks.reset(this.#life.rebootMs ?? REBOOT_MS)
  }

  #losePower(): void {
    if (this.#powerLost) return
    this.#powerLost = true
    this.board.flash.cutPower(1, !(this.#life.torn ?? Math.random() < 0.5))
  }

  #brick(): void {
    this.isBricked = true
    this.#hooks.bricked()
  }

  #check(bytes: Buffer, slot: Slot): { version: string; crashes: boolean } | null {
    const image = readImage(bytes)
    if (image) return { ...image, crashes: image.crashes || (this.#life.fault === 'crash' && slot === 'b') }
    // Any file will do on a simulated device, as long as it is the one that was meant.
    const meant = this.#notified
    return meant && hashOf(bytes) === meant.sha256
      ? { version: meant.version, crashes: this.#life.fault === 'crash' }
      : null
  }

  async #versionOf(slot: Slot): Promise<string | null> {
    const named = await versionIn(this.board.flash, slot).catch(() => null)
    return named ?? (await this.board.flash.readState())?.update?.notify.version ?? null
  }

  /** Loads straight over what runs, looks at nothing, and starts it. */
  async #overwrite(payload: Record<string, unknown>): Promise<void> {
    const notify = readNotify(payload)
    if (!notify || this.#busy || this.#life.fault === 'mute') return
    this.#busy = true
    const { flash } = this.board
    const { signal } = new AbortController()
    try {
      await this.#link.progress({ id: notify.id, state: 'downloading' })
      await flash.erase('a')
      const chunks = new ChunkSource({ request: this.#link.request })
      this.#link.onChunk(chunk => chunks.receive(chunk))
      const source = this.#life.transport === 'https' ? new HttpSource() : chunks
      await source.fetch(notify, 0, (offset, bytes) => flash.write('a', offset, bytes), signal)
      await this.#link.progress({ id: notify.id, state: 'installing' })
    } catch {
      // Cut in the middle: half a firmware is what it has now.
    }
    this.#busy = false
    this.#reset()
  }
}
