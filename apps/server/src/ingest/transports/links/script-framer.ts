import { inBackground } from '../../../lib/background.ts'
import type { CutKind, Framer, OnCut } from '../../../lib/links/framer.ts'
import type { ScriptRunner } from '../../codecs/script/script.codec.ts'
import type { ScriptHandle } from '../../codecs/script/script-pool.ts'

/** Cuts of one call: positive a frame of so many bytes, negative so many bytes that are none. */
type Cuts = { ok: true; cuts: number[] } | { ok: false; detail: string }

/** Frames of one call; the rest comes with the next. */
const MOST_CUTS = 256
/** Bytes that wait for the script before the device is read more slowly. */
const HIGH_BYTES = 16_384

/**
 * The author's `frame(bytes)` as a function that cuts all that is there. It stands behind the source, so that lines
 * count as the author sees them.
 */
export function framingSource(source: string): string {
  return `${source}
;function decode(input) {
  if (typeof frame !== 'function') throw new Error('has no function frame(bytes)')
  var bytes = input.bytes, cuts = [], at = 0
  while (at < bytes.length && cuts.length < ${MOST_CUTS}) {
    var length = Math.trunc(Number(frame(bytes.slice(at))))
    if (!length || at + Math.abs(length) > bytes.length) break
    cuts.push(length)
    at += Math.abs(length)
  }
  return { cuts: cuts }
}`
}

async function cut(script: ScriptHandle, bytes: Buffer): Promise<Cuts> {
  const outcome = await script.run({ kind: 'up', hex: bytes.toString('hex'), deviceNo: '', at: 0, variables: {} })
  if (!outcome.ok)
    return { ok: false, detail: outcome.line === null ? outcome.detail : `line ${outcome.line}: ${outcome.detail}` }
  const { cuts } = (outcome.result ?? {}) as { cuts?: unknown }
  return Array.isArray(cuts)
    ? { ok: true, cuts: cuts.filter(one => Number.isInteger(one) && one !== 0) }
    : { ok: false, detail: 'no cuts' }
}

export interface ScriptFramerOptions {
  source: string
  /** Connections of one owner (a product) share the script. */
  owner?: string
  runner: ScriptRunner
  heartbeat: Buffer | null
  maxFrameBytes: number
  onCut: OnCut
  /** The script could not be run on these bytes; they are thrown away. */
  onFailure(detail: string, bytes: Buffer): void
  /** Too much waits for the script, or no longer. */
  onFull(full: boolean): void
}

/** A framer whose rule is a script: it runs elsewhere, so frames come a moment after their bytes, in order. */
export class ScriptFramer implements Framer {
  private readonly script: ScriptHandle
  private kept: Buffer = Buffer.alloc(0)
  private running = false
  /** Bytes came since the script was last asked. */
  private fresh = false
  private silent = false
  private closing = false
  private full = false

  constructor(private readonly options: ScriptFramerOptions) {
    this.script = options.runner.open(framingSource(options.source), options.owner)
  }

  get pending(): number {
    return this.kept.length
  }

  push(chunk: Buffer): void {
    if (this.closing) return
    this.kept = Buffer.concat([this.kept, chunk])
    this.fresh = true
    this.silent = false
    this.tell()
    inBackground('cutting frames by a script', this.work())
  }

  flush(): void {
    this.silent = true
    inBackground('cutting frames by a script', this.work())
  }

  /** What came before is still cut: its sender may have hung up behind it. */
  close(): void {
    if (this.closing) return
    this.closing = true
    if (!this.running) this.script.close()
  }

  private async work(): Promise<void> {
    if (this.running) return
    this.running = true
    try {
      while (this.fresh) {
        this.fresh = false
        await this.round()
      }
    } finally {
      this.running = false
    }
    if (this.closing) {
      this.script.close()
      return
    }
    if (this.silent) {
      this.silent = false
      const rest = this.take(this.kept.length)
      if (rest.length > 0) this.options.onCut('incomplete', rest)
    }
    this.tell()
  }

  private async round(): Promise<void> {
    const { heartbeat, onCut, onFailure, maxFrameBytes } = this.options
    while (
      heartbeat &&
      this.kept.length >= heartbeat.length &&
      this.kept.subarray(0, heartbeat.length).equals(heartbeat)
    )
      onCut('heartbeat', this.take(heartbeat.length))
    if (this.kept.length === 0) return
    const looked = this.kept.length
    const found = await cut(this.script, this.kept)
    if (!found.ok) {
      onFailure(found.detail, this.take(looked))
      return
    }
    for (const length of found.cuts) {
      const bytes = this.take(Math.abs(length))
      if (length > 0) onCut(bytes.length > maxFrameBytes ? 'too_long' : 'frame', bytes.subarray(0, maxFrameBytes))
    }
    // There may be more than one call cuts; and a frame that is longer than any may be never ends.
    if (found.cuts.length === MOST_CUTS) this.fresh = true
    else if (this.kept.length > maxFrameBytes && found.cuts.length === 0 && this.kept.length === looked)
      onCut('too_long', this.take(this.kept.length).subarray(0, maxFrameBytes))
  }

  private take(length: number): Buffer {
    const taken = Buffer.from(this.kept.subarray(0, length))
    this.kept = Buffer.from(this.kept.subarray(length))
    return taken
  }

  private tell(): void {
    const full = this.kept.length > HIGH_BYTES && this.running
    if (full === this.full) return
    this.full = full
    this.options.onFull(full)
  }
}

/** What the console does with framing scripts: the same code as the device path. */
export function framingTools(runner: ScriptRunner) {
  return {
    /** Why the script cannot be used; null: it can. */
    async check(source: string): Promise<string | null> {
      const script = runner.open(framingSource(source))
      try {
        const found = await cut(script, Buffer.from([0]))
        return found.ok ? null : found.detail
      } finally {
        script.close()
      }
    },

    /** Cuts a stream that is followed by silence. */
    async cut(source: string, stream: Buffer, maxFrameBytes: number): Promise<{ kind: CutKind; bytes: Buffer }[]> {
      const script = runner.open(framingSource(source))
      try {
        const found = await cut(script, stream)
        const pieces: { kind: CutKind; bytes: Buffer }[] = []
        let at = 0
        for (const length of found.ok ? found.cuts : []) {
          const bytes = stream.subarray(at, at + Math.abs(length))
          at += Math.abs(length)
          if (length > 0) pieces.push({ kind: length > maxFrameBytes ? 'too_long' : 'frame', bytes })
        }
        if (at < stream.length) pieces.push({ kind: 'incomplete', bytes: stream.subarray(at) })
        return pieces
      } finally {
        script.close()
      }
    },
  }
}
