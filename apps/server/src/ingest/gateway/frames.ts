import type { Clock } from '../../lib/clock.ts'
import type { RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import { FrameMemory, FrameRing, FrameWords } from './frame-ring.ts'

export interface FramesOptions {
  clock: Clock
  /** Ids begin above those of an earlier life of the gateway. */
  epoch: number
  /** Frames of watched devices, as they come. `missed`: so many were too many to tell. */
  told(device: number, frames: RawFrame[], missed: number): void
  /** Devices whose frames are kept; those not heard of for the longest time go first. */
  devices?: number
}

/** Memory of a device nobody watches; of one that is watched. */
const QUIET = { size: 3 * 1024, longest: 1024 }
const WATCHED = { size: 256 * 1024, longest: 8 * 1024 }
const DEVICES = 4_096
/** What devices with long frames take beyond their own, so that a hundred of each stay: some hundreds of them at once. */
const BEYOND = 64 * 2 ** 20
const MAX_WATCHED = 64
/** Frames told of one device in one turn: a browser cannot show more, and the channel to the API is shared. */
const MOST_AT_ONCE = 40
const TELL_EVERY_MS = 200

interface Pending {
  frames: RawFrame[]
  missed: number
}

/**
 * The last 100 raw frames of every device that was heard of lately, in bounded memory (30 MB, 64 MB more for long frames, 16 MB
 * more for what is watched). A frame of a device that nobody watches costs a look-up and a copy of its first bytes.
 */
export class Frames {
  private young = new Map<number, FrameRing>()
  private old = new Map<number, FrameRing>()
  private spare: FrameRing[] = []
  private readonly watched = new Map<number, FrameRing>()
  private readonly pending = new Map<number, Pending>()
  private timer: NodeJS.Timeout | null = null
  private readonly words = new FrameWords()
  private readonly memory = new FrameMemory(BEYOND)
  private lastId: number
  /** Resolves when frames of an earlier life are back. */
  ready: Promise<void> = Promise.resolve()
  private readonly half: number

  constructor(private readonly options: FramesOptions) {
    // Ids stay within 2^53: a thousand for each millisecond since 1970.
    this.lastId = options.epoch * 1_000
    this.half = Math.max(1, Math.floor((options.devices ?? DEVICES) / 2))
  }

  add(device: number, direction: 'up' | 'down', bytes: Buffer, channel: string, note: string): void {
    this.lastId++
    const now = this.options.clock.now()
    const watched = this.watched.size > 0 ? this.watched.get(device) : undefined
    const ring = watched ?? this.young.get(device) ?? this.ringOf(device)
    ring.write(this.lastId, now, direction === 'up', bytes, bytes.length, channel, note)
    if (watched) this.tell(device, direction, now, bytes, channel, note)
  }

  /** Oldest first, at most 100. */
  of(device: number): RawFrame[] {
    const ring = this.watched.get(device) ?? this.young.get(device) ?? this.old.get(device)
    return ring?.read() ?? []
  }

  /** Devices with frames, those heard of lately first. */
  devices(): number[] {
    return [...this.watched.keys(), ...this.young.keys(), ...this.old.keys()]
  }

  /** Puts frames of an earlier life, oldest first, before what has come since. Nobody is pushed out for them. */
  restore(device: number, frames: readonly RawFrame[]): void {
    const known = this.watched.get(device) ?? this.young.get(device) ?? this.old.get(device)
    const ring = known ?? this.ringOfThePast(device)
    if (!ring) return
    const since = ring.read()
    ring.clear()
    const longest = this.watched.has(device) ? WATCHED.longest : QUIET.longest
    for (const frame of [...frames, ...since]) put(ring, frame, longest)
  }

  /** From now on frames of these devices are told, and of no others. */
  watch(devices: readonly number[]): void {
    const wanted = new Set(devices.slice(0, MAX_WATCHED))
    for (const device of [...this.watched.keys()]) {
      if (wanted.has(device)) continue
      const ring = this.watched.get(device)!
      this.watched.delete(device)
      this.pending.delete(device)
      this.moveInto(this.ringOf(device), ring, QUIET.longest)
    }
    for (const device of wanted) {
      if (this.watched.has(device)) continue
      const ring = new FrameRing(WATCHED.size, WATCHED.longest, this.words)
      const before = this.young.get(device) ?? this.old.get(device)
      if (before) this.moveInto(ring, before, WATCHED.longest)
      this.watched.set(device, ring)
    }
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  /** Devices whose frames are kept. */
  get size(): number {
    return this.young.size + this.old.size
  }

  /** Two generations instead of an order of use: what was not heard of while one filled up goes with the next. */
  private ringOf(device: number): FrameRing {
    const known = this.young.get(device)
    if (known) return known
    let ring = this.old.get(device)
    if (ring) this.old.delete(device)
    else {
      ring = this.spare.pop() ?? new FrameRing(QUIET.size, QUIET.longest, this.words, this.memory)
      ring.clear()
    }
    if (this.young.size >= this.half) {
      this.spare = [...this.old.values()]
      for (const gone of this.spare) gone.clear()
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(device, ring)
    return ring
  }

  private moveInto(ring: FrameRing, from: FrameRing, longest: number): void {
    const frames = from.read()
    ring.clear()
    for (const frame of frames) put(ring, frame, longest)
  }

  /** Null: there is no room beside those that were heard of in this life. */
  private ringOfThePast(device: number): FrameRing | null {
    const generation = [this.young, this.old].find(({ size }) => size < this.half)
    if (!generation) return null
    const ring = new FrameRing(QUIET.size, QUIET.longest, this.words, this.memory)
    generation.set(device, ring)
    return ring
  }

  private tell(
    device: number,
    direction: 'up' | 'down',
    at: number,
    bytes: Buffer,
    channel: string,
    note: string,
  ): void {
    let pending = this.pending.get(device)
    if (!pending) {
      pending = { frames: [], missed: 0 }
      this.pending.set(device, pending)
    }
    if (pending.frames.length >= MOST_AT_ONCE) pending.missed++
    else
      pending.frames.push({
        id: this.lastId,
        at,
        direction,
        bytes: Uint8Array.from(bytes.subarray(0, WATCHED.longest)),
        size: bytes.length,
        channel,
        note,
      })
    this.timer ??= setTimeout(() => this.flush(), TELL_EVERY_MS).unref()
  }

  private flush(): void {
    this.timer = null
    for (const [device, { frames, missed }] of this.pending) this.options.told(device, frames, missed)
    this.pending.clear()
  }
}

function put(ring: FrameRing, { id, at, direction, bytes, size, channel, note }: RawFrame, longest: number): void {
  ring.write(id, at, direction === 'up', Buffer.from(bytes.subarray(0, longest)), size, channel, note)
}
