import type { Clock } from '../../../lib/clock.ts'
import { TimerWheel } from '../../memory/timer-wheel.ts'

/** Slots of this width, ms. */
export const SLOT_MS = 50
const SCALE = 1_000 / SLOT_MS

/** One timer for all polls: an entry is looked at when its time has come, never before. */
export class PollWheel<T> {
  private readonly wheel: TimerWheel<T>
  private timer: NodeJS.Timeout | null = null

  constructor(
    private readonly monotonic: Clock,
    private readonly due: (entry: T) => void,
  ) {
    this.wheel = new TimerWheel(monotonic.now() * SCALE)
  }

  start(): void {
    this.timer = setInterval(() => this.tick(), SLOT_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  /** @param at ms on the clock that never jumps */
  add(entry: T, at: number): void {
    this.wheel.add(entry, at * SCALE)
  }

  tick(): void {
    for (const entry of this.wheel.due(this.monotonic.now() * SCALE)) this.due(entry)
  }
}
