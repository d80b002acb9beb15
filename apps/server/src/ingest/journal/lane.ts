import { type LaneItem, LaneQueue, type LaneQueueLimits } from './lane-queue.ts'
import { GivenUp, LaneWriter, type LaneWriterOptions, type WriterCounters } from './lane-writer.ts'

export interface LaneOptions extends Omit<LaneWriterOptions, 'signal' | 'onFault'> {
  limits: LaneQueueLimits
  /** A message waits at most this long for others, ms. */
  collectMs: number
}

const AHEAD_EVERY_MS = 60_000

/**
 * One lane: collects messages, lets the writer commit them one flush at a time, so that commit order is sequence order
 * (design.md §6), and holds the sockets while it cannot.
 */
export class Lane {
  private readonly queue: LaneQueue
  private readonly writer: LaneWriter
  private readonly abort = new AbortController()
  /** The writer is at work. */
  private busy = true
  private faulted = true
  private diskLow = false
  private stopping = false
  private timer: NodeJS.Timeout | null = null
  private immediate: NodeJS.Immediate | null = null
  /** When the waiting messages have waited long enough; like all times here on the monotonic clock. */
  private flushAt = 0
  private lastFlushAt = Number.NEGATIVE_INFINITY
  private aheadAt = 0
  private idle: () => void = () => {}
  private stopped: Promise<void> | null = null

  constructor(private readonly options: LaneOptions) {
    this.queue = new LaneQueue(options.limits)
    this.writer = new LaneWriter({
      ...options,
      logger: options.logger.child({ lane: options.lane }),
      signal: this.abort.signal,
      onFault: faulted => this.setFaulted(faulted),
    })
  }

  get hasRoom(): boolean {
    return !this.faulted && !this.diskLow && !this.stopping && !this.queue.isFull
  }

  get isFaulted(): boolean {
    return this.faulted
  }

  /** The database itself ran out of room, and has not written since. */
  get isDiskFull(): boolean {
    return this.faulted && this.writer.foundDiskFull
  }

  get queued(): number {
    return this.queue.rows
  }

  get counters(): WriterCounters {
    return this.writer.counters
  }

  /** Connects, takes the lane's lock, makes partitions. Waits as long as it takes. */
  async start(): Promise<void> {
    await this.writer.connect()
    this.aheadAt = performance.now() + AHEAD_EVERY_MS
    this.busy = false
    this.tick()
  }

  append(item: LaneItem): void {
    const isFirst = this.queue.isEmpty
    // A lane that was quiet writes at once; a busy one lets messages share a flush.
    if (isFirst) this.flushAt = this.nextFlushAt(performance.now())
    this.queue.push(item)
    if (!this.busy && !this.immediate && (isFirst || this.queue.hasFullFlush)) this.tick()
  }

  onDrain(resume: () => void): void {
    this.queue.wait(resume)
    if (this.hasRoom) setImmediate(() => this.drain())
  }

  /** While the disk is nearly full nothing is written and so nothing acknowledged. */
  setDiskLow(low: boolean): void {
    this.diskLow = low
    this.tick()
    this.drain()
  }

  forget(device: number): void {
    this.writer.latest.forget(device)
  }

  /** Writes what was taken and what `latest` lacks, then lets go of the lane; gives up after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void> {
    this.stopped ??= this.stopOnce(timeoutMs)
    return this.stopped
  }

  private async stopOnce(timeoutMs: number): Promise<void> {
    this.stopping = true
    const idle = new Promise<void>(resolve => {
      this.idle = resolve
    })
    const timer = setTimeout(() => this.abort.abort(), timeoutMs)
    this.tick()
    await idle
    clearTimeout(timer)
    this.clearTimers()
    if (!this.queue.isEmpty)
      this.options.logger.error(
        { messages: this.queue.rows },
        'stopped with messages that are not stored nor acknowledged',
      )
    await this.writer.close()
  }

  /** Decides what to do next. Called after everything that may have changed it. */
  private tick(): void {
    if (this.busy) return
    this.clearTimers()
    const now = performance.now()
    if (this.abort.signal.aborted) this.idle()
    else if (!this.writer.isConnected) this.work(() => this.reconnect())
    else if (this.diskLow) {
      if (this.stopping) this.idle()
    } else if (!this.queue.isEmpty) {
      if (this.flushAt <= now || this.queue.hasFullFlush || this.stopping) this.flushSoon()
      else this.tickAt(this.flushAt, now)
    } else {
      const job = this.upkeep(now)
      if (job) this.work(job)
      else if (this.stopping) this.idle()
      else this.tickAt(Math.min(this.writer.latest.nextDueAt() ?? Infinity, this.aheadAt), now)
    }
  }

  private tickAt(at: number, now: number): void {
    this.timer = setTimeout(() => this.tick(), Math.max(at - now, 1))
  }

  /** What there is to do while no messages wait. */
  private upkeep(now: number): (() => Promise<void>) | null {
    const { writer, stopping } = this
    if (now >= this.aheadAt) return () => this.makePartitionsAhead(now)
    if (writer.latest.wantsRows(now, stopping)) return () => writer.loadLatest()
    if (writer.latest.isDue(now, stopping)) return () => writer.checkpoint(stopping)
    return null
  }

  /**
   * At once for a lane that was quiet. Else at the next mark of a clock that all lanes share, so that they are awake
   * together: waking up costs a process more than a flush of few rows.
   */
  private nextFlushAt(now: number): number {
    const { collectMs } = this.options
    if (now >= this.lastFlushAt + collectMs) return now
    return Math.floor(now / collectMs + 1) * collectMs
  }

  /** Flushes at the end of this round of the event loop, with everything that arrived in it. */
  private flushSoon(): void {
    this.immediate = setImmediate(() => {
      this.immediate = null
      if (!this.busy) this.work(() => this.flush())
    })
  }

  private async flush(): Promise<void> {
    const now = performance.now()
    this.lastFlushAt = now
    const items = this.queue.take()
    this.flushAt = this.nextFlushAt(now)
    await this.writer.write(items)
    this.drain()
    // Under load these would never get their turn in `tick`.
    if (this.writer.latest.wantsRows(now, false)) await this.writer.loadLatest()
    if (this.writer.wantsOwnCheckpoint(now)) await this.writer.checkpoint(false)
    if (now >= this.aheadAt) await this.makePartitionsAhead(now)
  }

  private async reconnect(): Promise<void> {
    await this.writer.connect()
  }

  private async makePartitionsAhead(now: number): Promise<void> {
    this.aheadAt = now + AHEAD_EVERY_MS
    await this.writer.makePartitionsAhead()
  }

  private work(job: () => Promise<void>): void {
    this.busy = true
    job()
      .catch((error: unknown) => {
        if (!(error instanceof GivenUp)) this.options.logger.error({ err: error }, 'the lane could not do its work')
        else this.options.logger.error('stopped in the middle of a flush; its messages are not acknowledged')
      })
      .finally(() => {
        this.busy = false
        this.tick()
      })
  }

  private setFaulted(faulted: boolean): void {
    if (this.faulted === faulted) return
    this.faulted = faulted
    if (faulted) this.tick()
    else this.drain()
  }

  private drain(): void {
    this.queue.drain(() => this.hasRoom)
  }

  private clearTimers(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    if (this.immediate) clearImmediate(this.immediate)
    this.immediate = null
  }
}
