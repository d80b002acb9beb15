import type { SubscriptionPayload } from '@thingwright/contracts/subscriptions.contract'
import type { Logger } from '../../lib/log.ts'
import { DEAD_AFTER_MS, PAUSE_AFTER, REFUSALS, waitAfter } from './backoff.ts'
import { createPayloadWriter, type PayloadWriter, parseStored, type StoredItem } from './payload.ts'
import type { LogRow, ProgressRow } from './queue.repo.ts'
import type { DeliveryBatch, DeliveryItem, DeliveryOutcome, Target, TargetEvents } from './target.port.ts'
import type { SensorNumbers } from './tlink-push.ts'

/** Time as tests can move it. */
export interface Timing {
  now(): number
  /** @returns takes it back */
  after(ms: number, run: () => void): () => void
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}

/** The queue of one subscription as its deliverer sees it. */
export interface DelivererQueue {
  read(after: number, limit: number): Promise<StoredItem[]>
  save(progress: ProgressRow): Promise<void>
  log(row: LogRow): Promise<void>
  bury(items: readonly StoredItem[], why: { reason: string; status: number | null; attempts: number }): Promise<void>
  sensors(productKey: string): Promise<SensorNumbers>
}

export interface DelivererOptions {
  subscriptionId: string
  tenantId: string
  payload: SubscriptionPayload
  maxItems: number
  waitMs: number
  progress: ProgressRow
  queue: DelivererQueue
  open(events: TargetEvents): Target
  timing: Timing
  logger: Logger
  /** 50 failures in a row: nothing is tried any more until somebody resumes it. */
  onGivenUp(error: string): void
}

interface Batch {
  readonly stored: readonly StoredItem[]
  readonly items: readonly DeliveryItem[]
  readonly body: string
}

/** Items that are read at a time. */
const READ = 500
/** Bytes (UTF-16 units) of one body; an item alone may be longer. */
const MAX_BODY = 1_000_000
/** What arrived is written down this often; after a kill it is delivered again, with the ids it had. */
const SAVE_EVERY_MS = 200
const OK_LOG_EVERY_MS = 1_000
/** A target that does not settle is given up this late. */
const HANGING_MS = 60_000
/** A target that is away wakes its delivery when it is back; this is for a wake-up that was lost. */
const AWAY_MS = 30_000
const TROUBLE_MS = 5_000
const LOGGED_BODY = 4_096
const LOGGED_ANSWER = 2_048

/**
 * Delivers the queue of one subscription, one batch after the other, so that a device's items stay in order. A batch that
 * fails is tried again as it is until it arrives, is refused for good or is a day old; nothing overtakes it. It knows
 * nothing of other subscriptions: what hangs here delays nobody.
 */
export class Deliverer {
  private readonly target: Target
  private readonly writer: PayloadWriter
  private readonly abort = new AbortController()
  private readonly sensors = new Map<string, SensorNumbers>()
  private progress: ProgressRow
  private read: StoredItem[] = []
  private batch: Batch | null = null
  /** Halved while the culprit of a refusal is looked for. */
  private limit: number
  private refusals = 0
  private dirty = false
  private savedAt = 0
  private saving: Promise<void> = Promise.resolve()
  private okLoggedAt = Number.NEGATIVE_INFINITY
  private skipped = 0
  private running: Promise<void> | null = null
  private again = false
  private stopped = false
  private isAway = false
  private cancelTimer: (() => void) | null = null

  constructor(private readonly options: DelivererOptions) {
    this.progress = { ...options.progress }
    this.writer = createPayloadWriter(options.payload, {
      tenantId: options.tenantId,
      sensors: productKey => this.sensors.get(productKey) ?? new Map(),
    })
    this.limit = this.most
    this.target = options.open({
      wake: () => {
        this.isAway = false
        this.wake()
      },
    })
  }

  /** There may be something to do. */
  wake(): void {
    if (this.stopped) return
    if (this.running) {
      this.again = true
      return
    }
    this.cancelTimer?.()
    this.cancelTimer = null
    this.running = this.run().finally(() => {
      this.running = null
      if (this.again) {
        this.again = false
        this.wake()
      }
    })
  }

  /** The target's client is away. */
  get away(): boolean {
    return this.isAway
  }

  /** Settles once nothing is under way: for tests, and before progress is read from the database. */
  async settled(): Promise<void> {
    while (this.running) await this.running
  }

  /** Writes down how far it is. */
  async flush(): Promise<void> {
    if (this.dirty) await this.save()
  }

  async stop(): Promise<void> {
    if (this.stopped) return
    this.stopped = true
    this.cancelTimer?.()
    this.abort.abort()
    await this.running
    await this.flush().catch((error: unknown) => this.say(error))
    await this.target.close().catch((error: unknown) => this.say(error))
  }

  private get most(): number {
    return Math.max(1, Math.min(this.options.maxItems, this.writer.maxItems))
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      let wait: number | null
      try {
        wait = await this.step()
        if (wait !== 0) await this.flush()
      } catch (error) {
        // Not the receiver's fault: the database, most likely.
        if (!this.stopped) this.say(error)
        wait = TROUBLE_MS
      }
      if (wait === 0) continue
      if (wait !== null && !this.stopped) this.cancelTimer = this.options.timing.after(wait, () => this.wake())
      return
    }
  }

  /** @returns ms until it goes on by itself; 0: at once; null: when it is woken */
  private async step(): Promise<number | null> {
    const { timing } = this.options
    const now = timing.now()
    const next = this.progress.nextTryAt?.getTime() ?? 0
    if (next > now) return next - now
    if (!this.batch) {
      const ready = await this.fill(now)
      if (ready !== 0) return ready
    }
    const batch = this.batch!
    const outcome = await this.deliver(batch)
    if (this.stopped && outcome.kind !== 'ok' && outcome.kind !== 'partial') return null
    return this.settle(batch, outcome)
  }

  /** Makes the next batch. @returns 0: there is one */
  private async fill(now: number): Promise<number | null> {
    const { queue, waitMs } = this.options
    if (this.read.length < this.limit) {
      const after = this.read.at(-1)?.seq ?? this.progress.ackedSeq
      this.read.push(...(await queue.read(after, READ)))
    }
    if (this.read.length === 0) return null
    const rest = this.read[0]!.at + waitMs - now
    if (waitMs > 0 && rest > 0 && this.read.length < this.limit) return Math.min(rest, waitMs)
    let chars = 0
    let count = 0
    while (count < this.limit && count < this.read.length) {
      chars += this.read[count]!.item.length
      if (count > 0 && chars > MAX_BODY) break
      count++
    }
    this.batch = await this.write(this.read.slice(0, count))
    return 0
  }

  private async write(stored: readonly StoredItem[]): Promise<Batch> {
    const parsed = stored.map(parseStored)
    if (this.writer.needsSensors)
      for (const { productKey } of parsed)
        if (!this.sensors.has(productKey)) this.sensors.set(productKey, await this.options.queue.sensors(productKey))
    const items = stored.map((one, i): DeliveryItem => {
      const { id, type, ts, productKey, deviceNo, deviceId } = parsed[i]!
      return {
        cursor: one.seq,
        id,
        type,
        ts,
        productKey,
        deviceNo,
        deviceId,
        payload: this.writer.message(one, parsed[i]!),
      }
    })
    return { stored, items, body: this.writer.body(items.map(item => item.payload)) }
  }

  private async deliver({ items, body }: Batch): Promise<DeliveryOutcome> {
    const { subscriptionId, tenantId, timing } = this.options
    const batch: DeliveryBatch = {
      subscriptionId,
      tenantId,
      items,
      body,
      contentType: this.writer.contentType,
      attempt: this.progress.headAttempts + 1,
    }
    if (this.stopped) return { kind: 'away' }
    const giveUp = new AbortController()
    const began = timing.now()
    let cancel = () => {}
    let onStop = () => {}
    const hanging = new Promise<DeliveryOutcome>(resolve => {
      cancel = timing.after(HANGING_MS, () => {
        giveUp.abort()
        resolve({ kind: 'retry', reason: 'timeout', latencyMs: timing.now() - began })
      })
      // A stop does not wait for a target that does not answer.
      onStop = () => {
        giveUp.abort()
        resolve({ kind: 'away' })
      }
    })
    this.abort.signal.addEventListener('abort', onStop)
    try {
      return await Promise.race([this.target.deliver(batch, giveUp.signal), hanging])
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      return { kind: 'retry', reason: 'protocol', detail, latencyMs: timing.now() - began }
    } finally {
      cancel()
      this.abort.signal.removeEventListener('abort', onStop)
    }
  }

  private async settle(batch: Batch, outcome: DeliveryOutcome): Promise<number | null> {
    if (outcome.kind === 'away') {
      this.isAway = true
      return AWAY_MS
    }
    this.isAway = false
    if (outcome.kind === 'ok') return this.arrived(batch, batch.items.length, outcome)
    if (outcome.kind === 'partial') {
      const count = Math.min(Math.max(0, Math.floor(outcome.acknowledged)), batch.items.length)
      if (count > 0) return this.arrived(batch, count, outcome)
    }
    return this.failed(batch, outcome.kind === 'partial' ? { ...outcome, kind: 'retry', reason: 'protocol' } : outcome)
  }

  private async arrived(
    batch: Batch,
    count: number,
    outcome: Extract<DeliveryOutcome, { kind: 'ok' | 'partial' }>,
  ): Promise<0> {
    const now = this.options.timing.now()
    const attempt = this.progress.headAttempts + 1
    const hadFailed = this.progress.failures > 0
    this.progress = {
      ...this.progress,
      delivered: this.progress.delivered + count,
      lastDeliveredAt: new Date(now),
      failures: 0,
      failingSince: null,
      lastError: null,
    }
    this.pass(batch.stored[count - 1]!.seq, count)
    this.limit = Math.min(this.most, this.limit * 2)
    // An MQTT client that keeps up acknowledges in parts: that is nothing to write down each time either.
    if (!hadFailed && now - this.okLoggedAt < OK_LOG_EVERY_MS) this.skipped++
    else {
      this.okLoggedAt = now
      await this.log(batch, outcome.kind, count, attempt, outcome)
      this.skipped = 0
    }
    if (hadFailed || now - this.savedAt >= SAVE_EVERY_MS) await this.save()
    return 0
  }

  private async failed(
    batch: Batch,
    outcome: Extract<DeliveryOutcome, { kind: 'retry' | 'refused' }>,
  ): Promise<number | null> {
    const { timing, queue, onGivenUp } = this.options
    const now = timing.now()
    const attempts = this.progress.headAttempts + 1
    const failures = this.progress.failures + 1
    const headSince = this.progress.headSince ?? new Date(now)
    const error = [outcome.reason, outcome.status, outcome.detail].filter(part => part !== undefined).join(' ')
    this.progress = {
      ...this.progress,
      failures,
      failingSince: this.progress.failingSince ?? new Date(now),
      headSince,
      headAttempts: attempts,
      lastFailedAt: new Date(now),
      lastError: error.slice(0, 500),
      nextTryAt: new Date(now + waitAfter(failures, outcome.kind === 'retry' ? outcome.retryAfterMs : 0)),
    }
    await this.log(batch, outcome.kind, batch.items.length, attempts, outcome)
    if (outcome.kind === 'refused' && batch.items.length > 1) {
      // One of them is the culprit: smaller bodies find it, and they are tried at once.
      this.limit = Math.ceil(batch.items.length / 2)
      this.progress = { ...this.progress, failures: failures - 1, headAttempts: 0, headSince: null, nextTryAt: null }
      this.batch = null
    } else {
      this.refusals = outcome.kind === 'refused' ? this.refusals + 1 : 0
      const tooOld = now - headSince.getTime() >= DEAD_AFTER_MS
      if (this.refusals >= REFUSALS || tooOld) {
        const why = { reason: outcome.reason, status: outcome.status ?? null, attempts }
        await queue.bury(batch.stored, why)
        await this.log(batch, 'dead', batch.items.length, attempts, outcome)
        // The next one is not made to wait where this one alone was at fault.
        const nextTryAt = tooOld ? this.progress.nextTryAt : null
        this.pass(batch.stored.at(-1)!.seq, batch.stored.length)
        this.progress = { ...this.progress, nextTryAt }
      }
    }
    await this.save()
    if (failures >= PAUSE_AFTER) {
      onGivenUp(this.progress.lastError ?? '')
      return null
    }
    const next = this.progress.nextTryAt
    return next === null ? 0 : Math.max(1, next.getTime() - now)
  }

  /** Everything up to here need not be tried again. */
  private pass(seq: number, count: number): void {
    this.progress = { ...this.progress, ackedSeq: seq, headSince: null, headAttempts: 0, nextTryAt: null }
    this.read.splice(0, count)
    this.batch = null
    this.refusals = 0
    this.dirty = true
  }

  private save(): Promise<void> {
    const next = this.saving.then(async () => {
      const { progress } = this
      await this.options.queue.save(progress)
      if (this.progress === progress) this.dirty = false
      this.savedAt = this.options.timing.now()
    })
    // One after the other: an older state must not be written over a newer one.
    this.saving = next.catch(() => undefined)
    return next
  }

  private async log(
    { items, body }: Batch,
    result: LogRow['result'],
    count: number,
    attempt: number,
    answer: { status?: number; latencyMs: number; reason?: string; detail?: string; answer?: string },
  ): Promise<void> {
    await this.options.queue.log({
      at: new Date(this.options.timing.now()),
      result,
      items: count,
      skipped: this.skipped,
      attempt,
      status: answer.status ?? null,
      latencyMs: Math.round(answer.latencyMs),
      reason: answer.reason ?? null,
      detail: storable(answer.detail, 500),
      firstItemId: items[0]?.id ?? null,
      body: storable(body, LOGGED_BODY),
      answer: storable(answer.answer, LOGGED_ANSWER),
    })
  }

  private say(error: unknown): void {
    this.options.logger.warn({ err: error, subscription: this.options.subscriptionId }, 'delivering goes on later')
  }
}

/** Text of strangers as PostgreSQL takes it: no NUL, no half of a character. */
export function storable(text: string | undefined, length: number): string | null {
  return text === undefined ? null : text.slice(0, length).replaceAll('\0', '�').toWellFormed()
}
