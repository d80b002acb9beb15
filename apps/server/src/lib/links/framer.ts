import type { Framing, LinkSettings } from '@thingwright/contracts/links.contract'
import { bytesOf } from './written-bytes.ts'

export type CutKind =
  | 'frame'
  | 'heartbeat'
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

export function createFramer(
  settings: Pick<LinkSettings, 'framing' | 'heartbeat' | 'maxFrameBytes' | 'idleGapMs'>,
): Framer {
  return new StreamFramer(
    cutterOf(settings),
    settings.heartbeat ? bytesOf(settings.heartbeat.packet) : null,
    settings.maxFrameBytes,
  )
}

class StreamFramer implements Framer {
  private kept: Buffer = EMPTY
  /** Inside an overlong frame, until its end. */
  private skipping = false
  private broken = false

  constructor(
    private readonly cutter: Cutter,
    private readonly heartbeat: Buffer | null,
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
    if (kept.length > 0) onCut(this.cutter.openEnded ? 'frame' : 'incomplete', kept)
  }

  /** @returns how many bytes are done with; 0: more are needed */
  private step(bytes: Buffer, onCut: OnCut): number {
    if (this.heartbeat && !this.skipping) {
      const same = Math.min(bytes.length, this.heartbeat.length)
      if (bytes.subarray(0, same).equals(this.heartbeat.subarray(0, same))) {
        if (same < this.heartbeat.length) return 0
        onCut('heartbeat', Buffer.from(this.heartbeat))
        return same
      }
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
    else if (cut.take > 0) onCut('frame', Buffer.from(bytes.subarray(0, cut.take)))
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
    case 'script':
      throw new Error('a framing script is run by its own framer')
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
