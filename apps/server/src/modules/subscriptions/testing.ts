import type { Timing } from './deliverer.ts'
import type { DeliveryBatch, DeliveryOutcome, TargetAdapter, TargetEvents, TargetSettings } from './target.port.ts'

/** Time that passes when it is told to. */
export class ManualTiming implements Timing {
  private readonly timers = new Set<{ at: number; run: () => void }>()

  constructor(private ms = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.ms
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.ms + ms, run }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  /** Goes to the next timer within so many ms and runs it; false: there is none, and the time has passed. */
  private next(until: number): boolean {
    let first: { at: number; run: () => void } | undefined
    for (const timer of this.timers) if (timer.at <= until && (!first || timer.at < first.at)) first = timer
    if (!first) {
      this.ms = until
      return false
    }
    this.timers.delete(first)
    this.ms = Math.max(this.ms, first.at)
    first.run()
    return true
  }

  /** Lets time pass, waiting for what each timer starts. */
  async advance(ms: number, settled: () => Promise<void>): Promise<void> {
    const until = this.ms + ms
    await settled()
    while (this.next(until)) await settled()
  }
}

/** A receiver in memory that answers as it is told. */
export class MemoryTarget implements TargetAdapter {
  readonly batches: DeliveryBatch[] = []
  readonly settings: TargetSettings[] = []
  events: TargetEvents | null = null
  answer: (batch: DeliveryBatch, signal: AbortSignal) => DeliveryOutcome | Promise<DeliveryOutcome> = () => OK

  open(settings: TargetSettings, events: TargetEvents) {
    this.settings.push(settings)
    this.events = events
    const deliver = async (batch: DeliveryBatch, signal: AbortSignal) => {
      this.batches.push(batch)
      return this.answer(batch, signal)
    }
    return { deliver, test: deliver, close: async () => {} }
  }

  /** Ids of everything that was offered, try by try. */
  get ids(): string[] {
    return this.batches.flatMap(batch => batch.items.map(item => item.id))
  }
}

export const OK: DeliveryOutcome = { kind: 'ok', latencyMs: 3, status: 200 }
export const FAILED: DeliveryOutcome = { kind: 'retry', reason: 'status', status: 500, latencyMs: 3 }
