import { createHash } from 'node:crypto'
import { type BootChoice, chooseSlot } from '../firmware/boot.ts'
import type { FirmwareState, FirmwareStore, Slot } from '../firmware/store.ts'

/** The lights went out in the middle of something. */
export class PowerLost extends Error {
  override readonly name = 'PowerLost'
}

/**
 * Memory as a board has it: what was written stays, and power may be lost at any write, which then is torn: a slot is
 * half written or half erased, the state page is the one before or the new one.
 */
export class SimulatedFlash implements FirmwareStore {
  readonly slots: Record<Slot, Buffer> = { a: Buffer.alloc(0), b: Buffer.alloc(0) }
  /** Every write leaves a wrong bit behind. */
  damaged = false
  /** Told when power is lost. */
  onCut: () => void = () => {}
  /** Writes so far. */
  writes = 0
  /** Power is lost at this write, counted from now; 0: never. */
  #cutIn = 0
  #after = false
  #dead = false
  #state: string | null = null

  /** @param after the write still happens, and nothing after it; else it is torn */
  cutPower(inWrites: number, after: boolean): void {
    this.#cutIn = inWrites
    this.#after = after
  }

  /** Power is back. */
  restore(): void {
    this.#dead = false
    this.#cutIn = 0
  }

  get dead(): boolean {
    return this.#dead
  }

  async readState(): Promise<FirmwareState | null> {
    this.#live()
    return this.#state === null ? null : (JSON.parse(this.#state) as FirmwareState)
  }

  async writeState(state: FirmwareState): Promise<void> {
    const torn = this.#begin()
    if (!torn) this.#state = JSON.stringify(state)
    this.#end()
  }

  async erase(slot: Slot): Promise<void> {
    const torn = this.#begin()
    const before = this.slots[slot]
    // A half erased slot still holds the beginning of what was there.
    this.slots[slot] = torn ? Buffer.from(before.subarray(0, before.length >> 1)) : Buffer.alloc(0)
    this.#end()
  }

  async write(slot: Slot, offset: number, bytes: Uint8Array): Promise<void> {
    const torn = this.#begin()
    const length = torn ? bytes.length >> 1 : bytes.length
    const before = this.slots[slot]
    const whole = Buffer.alloc(Math.max(before.length, offset + bytes.length), 0xff)
    before.copy(whole)
    whole.set(bytes.subarray(0, length), offset)
    if (this.damaged) whole[offset]! ^= 1
    this.slots[slot] = whole
    this.#end()
  }

  async read(slot: Slot, offset: number, length: number): Promise<Uint8Array> {
    this.#live()
    return Buffer.from(this.slots[slot].subarray(offset, offset + length))
  }

  #live(): void {
    if (this.#dead) throw new PowerLost('no power')
  }

  /** @returns whether the write is torn */
  #begin(): boolean {
    this.#live()
    this.writes++
    if (this.#cutIn === 0 || --this.#cutIn > 0) return false
    this.#dead = true
    // The write is on its way still: the board notices a moment later.
    queueMicrotask(() => this.onCut())
    return !this.#after
  }

  #end(): void {
    this.#live()
  }
}

export interface ImageOptions {
  bytes?: number
  /** It is whole and signed, and crashes all the same. */
  crashes?: boolean
  seed?: number
}

/** An image that a simulated board can run: a line that says what it is, a body, and its own SHA-256 at the end. */
export function imageOf(version: string, { bytes = 100_000, crashes = false, seed = 1 }: ImageOptions = {}): Buffer {
  const head = Buffer.from(`${JSON.stringify({ image: 1, version, ...(crashes ? { crashes } : {}) })}\n`)
  const body = Buffer.alloc(Math.max(0, bytes - head.length - 32))
  let x = (seed * 2_654_435_761) >>> 0 || 1
  for (let i = 0; i < body.length; i++) {
    // xorshift32: the same seed makes the same bytes
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    body[i] = x
  }
  const content = Buffer.concat([head, body])
  return Buffer.concat([content, createHash('sha256').update(content).digest()])
}

/** What a board finds in a slot; null: nothing that could run. */
export function readImage(bytes: Buffer): { version: string; crashes: boolean } | null {
  const content = bytes.subarray(0, Math.max(0, bytes.length - 32))
  if (!createHash('sha256').update(content).digest().equals(bytes.subarray(content.length))) return null
  try {
    const head = JSON.parse(content.toString('utf8', 0, content.indexOf(0x0a))) as {
      version: string
      crashes?: boolean
    }
    return { version: head.version, crashes: head.crashes === true }
  } catch {
    return null
  }
}

/** The version that stands in an image, without looking at the rest of it. */
export async function versionIn(store: FirmwareStore, slot: Slot): Promise<string | null> {
  const head = Buffer.from(await store.read(slot, 0, 512))
  const line = head.toString('utf8', 0, Math.max(0, head.indexOf(0x0a)))
  const { version } = JSON.parse(line) as { version?: unknown }
  return typeof version === 'string' ? version : null
}

/** A board with a boot loader: starts what `chooseSlot` says, and starts again when that crashes. */
export class SimulatedBoard {
  readonly flash = new SimulatedFlash()
  /** What is in slot a before anything was installed. */
  readonly factory: Buffer
  readonly factoryVersion: string
  /** Hashes of all images that were ever started, well or not. */
  readonly started: string[] = []
  crashes = 0
  running: BootChoice | null = null
  /** What a board makes of the bytes of a slot; null: they do not run. */
  check: (bytes: Buffer, slot: Slot) => { version: string; crashes: boolean } | null = readImage

  constructor(factoryVersion: string, bytes = 1_000) {
    this.factoryVersion = factoryVersion
    this.factory = imageOf(factoryVersion, { bytes })
    this.flash.slots.a = Buffer.from(this.factory)
  }

  /** Switches on; resolves with what runs. Null: nothing does, and nothing ever will. */
  async boot(): Promise<BootChoice | null> {
    this.flash.restore()
    for (let attempt = 0; attempt < 10; attempt++) {
      const choice = await chooseSlot(this.flash, this.factoryVersion)
      const bytes = this.flash.slots[choice.slot]
      this.started.push(hashOf(bytes))
      const image = this.check(bytes, choice.slot)
      if (image && !image.crashes) {
        this.running = { ...choice, version: image.version }
        return this.running
      }
      this.crashes++
    }
    this.running = null
    return null
  }
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
