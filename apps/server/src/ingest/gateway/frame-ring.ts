import type { RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'

/** Frames kept of a device (features.md §1.5). */
export const FRAMES = 100

/** Where the numbers of a frame stand in `numbers`: six for each. */
const WORDS = 6
const START = 0
const KEPT = 1
const SIZE = 2
const UP = 3
const CHANNEL = 4
const NOTE = 5

/** Shorter ones are copied here: a call into the runtime costs more than they do. */
const SMALL = 64

/** The words of channels and notes as numbers, so that a frame holds no text of its own. Bounded: there are few. */
export class FrameWords {
  private readonly numbers = new Map<string, number>([['', 0]])
  private readonly words: string[] = ['']

  numberOf(word: string): number {
    const known = this.numbers.get(word)
    if (known !== undefined) return known
    // Topics that somebody makes up one after the other: they stand in the log of refused messages.
    if (this.words.length >= MAX_WORDS) return 0
    const short = word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}…` : word
    this.words.push(short)
    this.numbers.set(word, this.words.length - 1)
    return this.words.length - 1
  }

  wordOf(number: number): string {
    return this.words[number] ?? ''
  }
}

const MAX_WORDS = 4_096
const LONGEST_WORD = 512

/** Bytes that rings may take beyond their own size, all together. */
export class FrameMemory {
  constructor(private left: number) {}

  take(bytes: number): boolean {
    if (bytes > this.left) return false
    this.left -= bytes
    return true
  }

  give(bytes: number): void {
    this.left += bytes
  }
}

/**
 * The last frames of one device in memory of its own: writing one allocates nothing, so a busy device costs the garbage
 * collector nothing.
 */
export class FrameRing {
  private bytes: Buffer
  /** Id and time of each frame. */
  private readonly times = new Float64Array(FRAMES * 2)
  private readonly numbers = new Uint32Array(FRAMES * WORDS)
  private first = 0
  private count = 0
  private at = 0

  /**
   * @param size bytes of the memory
   * @param longest bytes kept of one frame
   */
  constructor(
    private readonly size: number,
    private readonly longest: number,
    private readonly words: FrameWords,
    private readonly memory: FrameMemory | null = null,
  ) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** Forgets everything, and gives back what it took beyond its own size. */
  clear(): void {
    if (this.bytes.length > this.size) {
      this.memory?.give(this.bytes.length - this.size)
      this.bytes = Buffer.allocUnsafeSlow(this.size)
    }
    this.first = 0
    this.count = 0
    this.at = 0
  }

  write(id: number, at: number, up: boolean, frame: Buffer, size: number, channel: string, note: string): void {
    const kept = frame.length < this.longest ? frame.length : this.longest
    // Even an empty frame has a place, so that places are in order.
    const room = kept === 0 ? 1 : kept
    while (this.memory !== null && this.count < FRAMES && !this.fits(room)) if (!this.grow()) break
    const { bytes, numbers } = this
    let start = this.at
    if (start + room > bytes.length) {
      // What stands between here and the end is older than all that stands before it.
      while (this.count > 0 && numbers[this.first * WORDS + START]! >= start) this.dropFirst()
      start = 0
    }
    const end = start + room
    while (this.count > 0) {
      const oldest = this.first * WORDS
      const begins = numbers[oldest + START]!
      if (this.count < FRAMES && (begins >= end || begins + (numbers[oldest + KEPT]! || 1) <= start)) break
      this.dropFirst()
    }
    if (kept <= SMALL) for (let n = 0; n < kept; n++) bytes[start + n] = frame[n]!
    else frame.copy(bytes, start, 0, kept)
    let slot = this.first + this.count
    if (slot >= FRAMES) slot -= FRAMES
    this.times[slot * 2] = id
    this.times[slot * 2 + 1] = at
    const entry = slot * WORDS
    numbers[entry + START] = start
    numbers[entry + KEPT] = kept
    numbers[entry + SIZE] = size
    numbers[entry + UP] = up ? 1 : 0
    numbers[entry + CHANNEL] = this.words.numberOf(channel)
    numbers[entry + NOTE] = note === '' ? 0 : this.words.numberOf(note)
    this.count++
    this.at = end
  }

  /** Oldest first; the bytes are the caller's own. */
  read(): RawFrame[] {
    return Array.from({ length: this.count }, (_, n) => this.frameAt((this.first + n) % FRAMES))
  }

  /** Whether a frame of this size has room without an older one going. */
  private fits(room: number): boolean {
    if (this.count === 0) return room <= this.bytes.length
    const begins = this.numbers[this.first * WORDS + START]!
    if (this.at <= begins) return this.at + room <= begins
    return this.at + room <= this.bytes.length || room <= begins
  }

  /** Twice the memory, as long as there is some; what it holds stays. */
  private grow(): boolean {
    const now = this.bytes.length
    const next = Math.min(now * 2, FRAMES * this.longest)
    if (next === now || this.memory?.take(next - now) !== true) return false
    const larger = Buffer.allocUnsafeSlow(next)
    let at = 0
    for (let n = 0; n < this.count; n++) {
      const entry = ((this.first + n) % FRAMES) * WORDS
      const begins = this.numbers[entry + START]!
      const room = this.numbers[entry + KEPT]! || 1
      this.bytes.copy(larger, at, begins, begins + room)
      this.numbers[entry + START] = at
      at += room
    }
    this.bytes = larger
    this.at = at
    return true
  }

  private frameAt(slot: number): RawFrame {
    const [start, kept, size, up, channel, note] = this.numbers.subarray(
      slot * WORDS,
      (slot + 1) * WORDS,
    ) as unknown as [number, number, number, number, number, number]
    return {
      id: this.times[slot * 2]!,
      at: this.times[slot * 2 + 1]!,
      direction: up === 1 ? 'up' : 'down',
      size,
      bytes: Uint8Array.from(this.bytes.subarray(start, start + kept)),
      channel: this.words.wordOf(channel),
      note: this.words.wordOf(note),
    }
  }

  private dropFirst(): void {
    this.first = this.first + 1 === FRAMES ? 0 : this.first + 1
    this.count--
  }
}
