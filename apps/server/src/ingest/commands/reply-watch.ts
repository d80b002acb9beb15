import type { Clock } from '../../lib/clock.ts'
import type { ReplyMatcher, Transport } from '../transport.port.ts'

interface Awaited {
  commandId: string
  matcher: ReplyMatcher
  /** Epoch ms after which its answer is not waited for. */
  until: number
}

/** As many as may be on their way to one device. */
const PER_DEVICE = 16

/** Which frames devices owe us: a frame that fits is the answer to the oldest command that waits for such a one. */
export class ReplyWatch {
  private readonly waiting = new Map<number, Awaited[]>()

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.waiting.size
  }

  expect(device: number, commandId: string, matcher: ReplyMatcher, withinMs: number): void {
    const until = this.clock.now() + withinMs
    const others = this.open(device).filter(each => each.commandId !== commandId)
    this.waiting.set(device, [...others, { commandId, matcher, until }].slice(-PER_DEVICE))
  }

  /** It did not leave after all. */
  drop(device: number, commandId: string): void {
    const left = this.open(device).filter(each => each.commandId !== commandId)
    if (left.length > 0) this.waiting.set(device, left)
    else this.waiting.delete(device)
  }

  /** The command that a frame answers, which is then no longer waited for; null: none. */
  take(device: number, frame: Buffer): { commandId: string; carriesData: boolean } | null {
    if (!this.waiting.has(device)) return null
    const found = this.open(device).find(each => each.matcher.matches(frame))
    if (!found) return null
    this.drop(device, found.commandId)
    return { commandId: found.commandId, carriesData: found.matcher.carriesData }
  }

  /** A delivery after which it is known what the device owes us. */
  watching(deliver: Transport['deliver']): Transport['deliver'] {
    return (device, message, delivered) => {
      const { commandId, expects, timeoutMs } = message
      // Before it leaves: the answer may be quicker than we are.
      if (expects) this.expect(device.num, commandId, expects, timeoutMs ?? 0)
      const result = deliver(device, message, delivered)
      if (expects && result === 'not_reachable') this.drop(device.num, commandId)
      return result
    }
  }

  private open(device: number): Awaited[] {
    const now = this.clock.now()
    return (this.waiting.get(device) ?? []).filter(each => each.until > now)
  }
}
