import type { Framing, LinkSettings } from '@thingwright/contracts/links.contract'
import { bytesOf } from './written-bytes.ts'

export type CutKind =
  | 'frame'
  | 'heartbeat'
  /** The register packet once more, which is no data. */
  | 'registration'
  /** Longer than the longest frame; the bytes are its beginning. */
  | 'too_long'
  /** Silence came before the frame was whole. */
  | 'incomplete'
  /** A length field that cannot be, or above the longest frame: where the next frame begins is not known any more. */
  | 'broken'

/** Told of every piece in order. The bytes are the listener's own. */
export type OnCut = (kind: CutKind, bytes: Buffer) => void

/** Cuts the stream of one connection into frames. Never throws, and keeps at most one longest frame. */
export interface Framer {
  push(chunk: Buffer, onCut: OnCut): void
  /** The line was silent for the idle gap, or a datagram ended. */
  flush(onCut: OnCut): void
  /** Bytes that wait for more. */
  readonly pending: number
  /** Lets go of what it holds elsewhere. */
  close?(): void
}

/** What one look at the pending bytes says. */
type Cut =
  | 'more'
  /** `take` bytes are the frame, `drop` bytes go with it. */
  | { kind: 'frame'; take: number; drop: number }
  | { kind: 'broken'; head: number }

/** Finds the first whole frame. */
interface Cutter {
  cut(pending: Buffer): Cut
  /** How many bytes at the end of an overlong frame may be the beginning of its end. */
  readonly tail: number
  /** Whether silence ends a frame (or only interrupts it). */
  readonly openEnded: boolean
}

/** @param registration the packet by which this connection registered: sent again it is no data */
export function createFramer(
  settings: Pick<LinkSettings, 'framing' | 'heartbeat' | 'maxFrameBytes' | 'idleGapMs'> &
    Partial<Pick<LinkSettings, 'register'>>,
  registration?: Buffer,
): Framer {
  const heartbeat = settings.heartbeat ? bytesOf(settings.heartbeat.packet) : null
  const asides = new Asides(heartbeat, bareOf(registration), settings.register?.everyFrame === true)
  return settings.framing.kind === 'json'
    ? new JsonFramer(asides, settings.maxFrameBytes)
    : new StreamFramer(cutterOf(settings), asides, settings.maxFrameBytes)
}

/** Without the line end and the filling behind it. */
function bareOf(packet: Buffer | undefined): Buffer | null {
  if (!packet) return null
  let end = packet.length
  while (end > 0 && FILLING.has(packet[end - 1]!)) end--
  return end === 0 ? null : packet.subarray(0, end)
}

/** NUL, tab, LF, CR, blank. */
const FILLING: ReadonlySet<number> = new Set([0, 9, 10, 13, 32])

/** What stands between frames, or before each, and is none: the heartbeat, the register packet. */
class Asides {
  constructor(
    private readonly heartbeat: Buffer | null,
    private readonly registration: Buffer | null,
    private readonly everyFrame: boolean,
  ) {}

  /**
   * Looks at the beginning of a frame.
   * @returns bytes that are done with; 0: none; `more`: what is there may become one
   */
  take(bytes: Buffer, onCut: OnCut): number | 'more' {
    const { heartbeat, registration } = this
    if (heartbeat) {
      const same = Math.min(bytes.length, heartbeat.length)
      if (bytes.subarray(0, same).equals(heartbeat.subarray(0, same))) {
        if (same < heartbeat.length) return 'more'
        onCut('heartbeat', Buffer.from(heartbeat))
        return same
      }
    }
    if (!registration || !this.everyFrame) return 0
    const same = Math.min(bytes.length, registration.length)
    if (!bytes.subarray(0, same).equals(registration.subarray(0, same))) return 0
    if (same < registration.length) return 'more'
    onCut('registration', Buffer.from(registration))
    return same
  }

  /** A whole frame, unless it is nothing but the register packet. */
  frame(bytes: Buffer, onCut: OnCut): void {
    const { registration } = this
    const again = registration !== null && bareOf(bytes)?.equals(registration) === true
    onCut(again ? 'registration' : 'frame', bytes)
  }
}

const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a]
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Cuts a stream into JSON values by their brackets, so that it does not matter how they are laid out or what fills the
 * space between them; what begins with no bracket is a line. Each byte is looked at once.
 */
class JsonFramer implements Framer {
  private kept: Buffer = EMPTY
  /** Bytes of `kept` that were looked at. */
  private at = 0
  private depth = 0
  private inText = false
  private escaped = false
  /** Inside an overlong value, of which nothing is kept. */
  private skipping = false

  constructor(
    private readonly asides: Asides,
    private readonly max: number,
  ) {}

  get pending(): number {
    return this.kept.length + (this.skipping ? 1 : 0)
  }

  push(chunk: Buffer, onCut: OnCut): void {
    this.kept = this.kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.kept, chunk])
    while (this.kept.length > 0 && this.step(onCut));
  }

  flush(onCut: OnCut): void {
    const { kept, depth, skipping } = this
    this.restart(kept.length)
    this.skipping = false
    if (skipping || kept.length === 0) return
    if (depth > 0) onCut('incomplete', kept)
    else this.asides.frame(kept, onCut)
  }

  /** @returns whether there may be another frame behind it */
  private step(onCut: OnCut): boolean {
    if (this.at === 0 && !this.skipping) {
      const blank = blanksOf(this.kept)
      if (blank > 0) {
        this.restart(blank)
        return true
      }
      // The rest of a byte order mark is on its way.
      if (this.kept.length < BOM.length && BOM.subarray(0, this.kept.length).equals(this.kept)) return false
      const aside = this.asides.take(this.kept, onCut)
      if (aside === 'more') return false
      if (aside > 0) {
        this.restart(aside)
        return true
      }
    }
    const isValue = this.depth > 0 || OPENING.has(this.kept[0]!) || this.skipping
    const end = isValue ? this.endOfValue() : this.endOfLine()
    if (end === -1) return this.overlong(onCut)
    const taken = this.kept.subarray(0, end)
    // The end of a line is none of it.
    const frame = Buffer.from(isValue ? taken : (bareOf(taken) ?? EMPTY))
    const whole = !this.skipping
    this.restart(end)
    this.skipping = false
    if (whole && frame.length > this.max) onCut('too_long', frame.subarray(0, this.max))
    else if (whole) this.asides.frame(frame, onCut)
    return true
  }

  private endOfValue(): number {
    const { kept } = this
    for (; this.at < kept.length; this.at++) {
      const byte = kept[this.at]!
      if (this.escaped) this.escaped = false
      else if (this.inText) {
        if (byte === BACKSLASH) this.escaped = true
        else if (byte === QUOTE) this.inText = false
      } else if (byte === QUOTE) this.inText = true
      else if (OPENING.has(byte)) this.depth++
      else if (CLOSING.has(byte) && --this.depth <= 0) return ++this.at
    }
    return -1
  }

  private endOfLine(): number {
    const end = this.kept.indexOf(NEWLINE, this.at)
    this.at = this.kept.length
    return end === -1 ? -1 : end + 1
  }

  private overlong(onCut: OnCut): false {
    if (this.kept.length <= this.max) return false
    if (!this.skipping) onCut('too_long', Buffer.from(this.kept.subarray(0, this.max)))
    // Its brackets are still counted, its bytes are let go.
    this.skipping = this.depth > 0
    this.kept = EMPTY
    this.at = 0
    return false
  }

  private restart(from: number): void {
    this.kept = Buffer.from(this.kept.subarray(from))
    this.at = 0
    this.depth = 0
    this.inText = false
    this.escaped = false
  }
}

/** Blanks, line ends, filling and byte order marks before a value. */
function blanksOf(bytes: Buffer): number {
  let at = 0
  for (;;) {
    if (bytes.subarray(at, at + 3).equals(BOM)) at += 3
    else if (at < bytes.length && FILLING.has(bytes[at]!)) at++
    else return at
  }
}

class StreamFramer implements Framer {
  private kept: Buffer = EMPTY
  /** Inside an overlong frame, until its end. */
  private skipping = false
  private broken = false

  constructor(
    private readonly cutter: Cutter,
    private readonly asides: Asides,
    private readonly max: number,
  ) {}

  get pending(): number {
    return this.kept.length + (this.skipping ? 1 : 0)
  }

  push(chunk: Buffer, onCut: OnCut): void {
    if (this.broken) return
    const bytes = this.kept.length === 0 ? chunk : Buffer.concat([this.kept, chunk])
    let at = 0
    while (at < bytes.length) {
      const used = this.step(bytes.subarray(at), onCut)
      if (used === 0) break
      at += used
    }
    // The chunk is the socket's: what is kept is copied.
    this.kept = at >= bytes.length ? EMPTY : Buffer.from(bytes.subarray(at))
  }

  flush(onCut: OnCut): void {
    const { kept } = this
    this.kept = EMPTY
    if (this.skipping) {
      this.skipping = false
      return
    }
    if (kept.length === 0) return
    if (this.cutter.openEnded) this.asides.frame(kept, onCut)
    else onCut('incomplete', kept)
  }

  /** @returns how many bytes are done with; 0: more are needed */
  private step(bytes: Buffer, onCut: OnCut): number {
    if (!this.skipping) {
      const aside = this.asides.take(bytes, onCut)
      if (aside === 'more') return 0
      if (aside > 0) return aside
    }
    const cut = this.cutter.cut(bytes)
    if (cut === 'more') return this.overlong(bytes, onCut)
    if (cut.kind === 'broken') {
      this.broken = true
      onCut('broken', Buffer.from(bytes.subarray(0, cut.head)))
      return bytes.length
    }
    if (this.skipping) this.skipping = false
    else if (cut.take > this.max) onCut('too_long', Buffer.from(bytes.subarray(0, this.max)))
    else if (cut.take > 0) this.asides.frame(Buffer.from(bytes.subarray(0, cut.take)), onCut)
    return cut.take + cut.drop
  }

  private overlong(bytes: Buffer, onCut: OnCut): number {
    const certain = bytes.length - this.cutter.tail
    if (!this.skipping) {
      if (certain <= this.max) return 0
      onCut('too_long', Buffer.from(bytes.subarray(0, this.max)))
      this.skipping = true
    }
    return Math.max(0, certain)
  }
}

const EMPTY = Buffer.alloc(0)

function cutterOf({
  framing,
  idleGapMs,
  maxFrameBytes,
}: Pick<LinkSettings, 'framing' | 'idleGapMs' | 'maxFrameBytes'>): Cutter {
  switch (framing.kind) {
    case 'none':
      return {
        // With an idle gap everything up to the silence is one frame; without, whatever arrives together.
        cut: pending => (idleGapMs !== null ? 'more' : { kind: 'frame', take: pending.length, drop: 0 }),
        tail: 0,
        openEnded: true,
      }
    case 'fixed':
      return {
        cut: pending => (pending.length < framing.length ? 'more' : { kind: 'frame', take: framing.length, drop: 0 }),
        tail: framing.length,
        openEnded: false,
      }
    case 'delimiter':
      return delimiterCutter(bytesOf(framing.delimiter) ?? LF, framing.keep === true)
    case 'length':
      return lengthCutter(framing, maxFrameBytes)
    case 'json':
    case 'script':
      throw new Error(`framing ${framing.kind} has its own framer`)
  }
}

const LF = Buffer.from('\n')
const CR = 13

function delimiterCutter(delimiter: Buffer, keep: boolean): Cutter {
  const isLine = delimiter.equals(LF)
  return {
    cut(pending) {
      const at = pending.indexOf(delimiter)
      if (at < 0) return 'more'
      if (keep) return { kind: 'frame', take: at + delimiter.length, drop: 0 }
      // A line may end with CR LF.
      const take = isLine && at > 0 && pending[at - 1] === CR ? at - 1 : at
      return { kind: 'frame', take, drop: at + delimiter.length - take }
    },
    tail: isLine ? 1 : delimiter.length - 1,
    openEnded: true,
  }
}

function lengthCutter(
  { offset, bytes, endian, adjustment }: Extract<Framing, { kind: 'length' }>,
  max: number,
): Cutter {
  const head = offset + bytes
  return {
    cut(pending) {
      if (pending.length < head) return 'more'
      const value = endian === 'big' ? pending.readUIntBE(offset, bytes) : pending.readUIntLE(offset, bytes)
      const length = head + value + adjustment
      if (length < head || length > max) return { kind: 'broken', head }
      return pending.length < length ? 'more' : { kind: 'frame', take: length, drop: 0 }
    },
    // Never overlong: what is too long is seen in its head.
    tail: Math.max(head, max),
    openEnded: false,
  }
}
