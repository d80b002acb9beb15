import type { RegisterPacket } from '@thingwright/contracts/links.contract'
import { MAX_REGISTER_BYTES } from '../../../lib/links/register-packet.ts'

const LF = 10

/**
 * Finds the end of a connection's first packet. It ends with its line, after a fixed length, or with a silence, as the
 * product says; on the shared port (no rule) with whichever of line and silence comes first.
 */
export class FirstPacket {
  private kept: Buffer = Buffer.alloc(0)

  constructor(private readonly rule: RegisterPacket | null) {}

  /** Whether a silence ends the packet, once it has begun. */
  get endsBySilence(): boolean {
    return this.kept.length > 0 && this.ends('gap')
  }

  /** @returns the packet and what came behind it; `too_long`; or null while it is not whole */
  push(chunk: Buffer): { packet: Buffer; rest: Buffer } | 'too_long' | null {
    this.kept = this.kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.kept, chunk])
    const length = this.rule?.length
    if (this.rule?.end === 'length' && length !== undefined)
      return this.kept.length < length ? null : this.cut(length, length)
    if (this.ends('line')) {
      const at = this.kept.indexOf(LF)
      if (at >= 0 && at <= MAX_REGISTER_BYTES) return this.cut(at, at + 1)
    }
    return this.kept.length > MAX_REGISTER_BYTES ? 'too_long' : null
  }

  /** The packet as far as it came: the line was silent. */
  flush(): Buffer {
    return this.kept
  }

  private ends(how: 'line' | 'gap'): boolean {
    if (!this.rule) return true
    if (this.rule.end !== undefined) return this.rule.end === how
    // Unless somebody said otherwise text ends either way; bytes may hold an LF, so only silence ends them.
    return this.rule.kind !== 'hex' || how === 'gap'
  }

  private cut(end: number, next: number): { packet: Buffer; rest: Buffer } {
    return { packet: this.kept.subarray(0, end), rest: this.kept.subarray(next) }
  }
}
