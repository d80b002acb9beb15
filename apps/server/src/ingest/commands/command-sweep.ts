import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ChangedCommand } from '../../lib/news.ts'

export interface CommandSweepOptions {
  queue: {
    expire(limit: number): Promise<ChangedCommand[]>
    timeOut(limit: number): Promise<(ChangedCommand & { again?: boolean })[]>
    recentlyQueued(afterId: string): Promise<number[]>
  }
  clock: Clock
  /** Devices whose wake-up may have been lost on the way. */
  remind(devices: readonly number[]): void
  /** Devices that did not answer and are asked once more. */
  retry(devices: readonly number[]): void
  onChanged(changed: ChangedCommand[]): void
  logger: Logger
}

const PERIOD_MS = 1_000
/** Commands younger than this at the last sweep are looked at again: they may have been committed after it. */
const OVERLAP_MS = 10_000
const LIMIT = 500

/** Once a second: ends commands whose time is over and finds those whose wake-up was lost. Bounded by indexes, never a walk over the table. */
export class CommandSweep {
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> | null = null
  private from: number
  private failing = false

  constructor(private readonly options: CommandSweepOptions) {
    this.from = options.clock.now() - OVERLAP_MS
  }

  start(): void {
    this.timer = setInterval(() => {
      this.running ??= this.sweep().finally(() => {
        this.running = null
      })
    }, PERIOD_MS)
    this.timer.unref()
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer)
    await this.running
  }

  async sweep(): Promise<void> {
    const { queue, clock, logger } = this.options
    try {
      await this.all(() => queue.expire(LIMIT))
      await this.all(async () => {
        const ended = await queue.timeOut(LIMIT)
        const again = ended.filter(command => command.again).map(command => command.device)
        if (again.length > 0) this.options.retry(again)
        return ended
      })
      const began = clock.now()
      const devices = await queue.recentlyQueued(lowestId(this.from))
      this.from = began - OVERLAP_MS
      if (devices.length > 0) this.options.remind(devices)
      this.failing = false
    } catch (error) {
      // Once per trouble, not once per second.
      if (!this.failing) logger.warn({ err: error }, 'commands not swept')
      this.failing = true
    }
  }

  private async all(step: () => Promise<ChangedCommand[]>): Promise<void> {
    for (;;) {
      const changed = await step()
      if (changed.length > 0) this.options.onChanged(changed)
      if (changed.length < LIMIT) return
    }
  }
}

/** The lowest UUIDv7 of a moment. */
function lowestId(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`
}
