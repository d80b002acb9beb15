import type { SubscriptionPayload, SubscriptionTarget } from '@thingwright/contracts/subscriptions.contract'
import { recordAudit } from '../../lib/audit.ts'
import { inBackground } from '../../lib/background.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { Inbox } from '../notifications/index.ts'
import { sensorTypeOf } from '../tlink-compat/index.ts'
import { readSensors } from './catalogue.repo.ts'
import { Deliverer, type DelivererQueue, type Timing } from './deliverer.ts'
import type { StoredItem } from './payload.ts'
import * as queue from './queue.repo.ts'
import type { SubscriptionSecrets } from './secrets.ts'
import words from './subscription-words.json' with { type: 'json' }
import * as repo from './subscriptions.repo.ts'
import type { DeliveryBatch, DeliveryOutcome, Target, TargetAdapters } from './target.port.ts'
import type { SensorNumbers } from './tlink-push.ts'

export interface DeliverersDeps {
  database: Database
  /** Connections of the telemetry role that the queues have for themselves. */
  queuePool: queue.QueuePool
  adapters: TargetAdapters
  secrets: SubscriptionSecrets
  inbox: Inbox
  timing: Timing
  logger: Logger
  /** How often everything is looked at, ms: the bounds, and what nobody was told of. */
  rounds?: { sweepMs: number; pollMs: number }
}

/** Items that may wait for one subscription, and for how long. */
export const BACKLOG_CAP = 2_000_000
const WAIT_DAYS = 7
/** Delivered items that are kept for a replay. */
export const KEEP_DAYS = 3
export const KEEP_ITEMS = 200_000
const LOG_LINES = 500
const DEAD_LETTERS = 10_000
const DEAD_DAYS = 30
const DAY_MS = 86_400_000
/** Share of the cap at which the company is told. */
const WARN_AT = 0.8
/** Logs and dead letters are looked at every so many sweeps. */
const TRIM_EVERY = 6
/** Rows of one delete. */
const SWEEP_ROWS = 10_000
/** A wake-up that was lost makes items this late. */
const ROUNDS = { sweepMs: 10_000, pollMs: 5_000 }

/** Deliverers of the whole installation: one for each active subscription that has somewhere to deliver to. */
export class Deliverers {
  private readonly running = new Map<string, Deliverer>()
  /** What is done with one subscription comes one after the other. */
  private readonly turns = new Map<string, Promise<unknown>>()
  /** Subscriptions whose deliverer could not be made. */
  private readonly unopened = new Set<string>()
  private readonly waiting = new Map<string, Set<() => void>>()
  private sweeping: Promise<void> | null = null
  private sweeps = 0
  private stopped = false
  private started = false
  private cancelSweep = () => {}
  private cancelPoll = () => {}

  constructor(private readonly deps: DeliverersDeps) {}

  async start(): Promise<void> {
    this.started = true
    const ids = await this.deps.database.withSystemScope('subscriptions', scope => repo.everyId(scope))
    await Promise.all(ids.map(id => this.sync(id)))
    this.sweepLater()
    this.pollLater()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.cancelSweep()
    this.cancelPoll()
    for (const ids of this.waiting.values()) for (const wake of ids) wake()
    await this.sweeping
    await Promise.all(this.turns.values())
    await Promise.all([...this.running.values()].map(deliverer => deliverer.stop()))
    this.running.clear()
  }

  /** Something was put into these queues. */
  wake(ids: readonly string[]): void {
    for (const id of ids) {
      this.running.get(id)?.wake()
      for (const wake of this.waiting.get(id) ?? []) wake()
    }
  }

  /** Settles when something is queued for a subscription, at the latest after so many ms: for who pulls. */
  arrival(id: string, ms: number): { promise: Promise<void>; cancel(): void } {
    let done = () => {}
    const promise = new Promise<void>(resolve => {
      const cancelTimer = this.deps.timing.after(ms, () => done())
      done = () => {
        cancelTimer()
        const waiting = this.waiting.get(id)
        waiting?.delete(done)
        if (waiting?.size === 0) this.waiting.delete(id)
        resolve()
      }
    })
    const waiting = this.waiting.get(id) ?? new Set()
    waiting.add(done)
    this.waiting.set(id, waiting)
    if (this.stopped) done()
    return { promise, cancel: () => done() }
  }

  /** The subscription was made, changed, paused, resumed or ended: its deliverer follows. */
  sync(id: string): Promise<void> {
    return this.hold(id, async () => {})
  }

  /** Does something while nothing is delivered for the subscription, then goes on as it is stored then. */
  hold<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.inTurn(id, async () => {
      const deliverer = this.running.get(id)
      this.running.delete(id)
      await deliverer?.stop()
      try {
        return await work()
      } finally {
        await this.open(id).then(
          () => this.unopened.delete(id),
          (error: unknown) => {
            // The database, most likely: it is tried again.
            this.unopened.add(id)
            this.deps.logger.error({ err: error, subscription: id }, 'a subscription cannot be delivered now')
          },
        )
      }
    })
  }

  isAway(id: string): boolean {
    return this.running.get(id)?.away ?? false
  }

  /** What the deliverers know is in the database. */
  async flush(ids: readonly string[]): Promise<void> {
    await Promise.all(
      ids.map(id =>
        this.running
          .get(id)
          ?.flush()
          .catch(() => undefined),
      ),
    )
  }

  /** How the installation's subscriptions stand, for metrics. */
  async gauges(): Promise<Record<string, number>> {
    const running = [...this.running.values()]
    const { waiting, failing, paused } = await queue.totals(this.deps.queuePool)
    return {
      subscriptions_running: running.length,
      subscriptions_away: running.filter(({ away }) => away).length,
      subscriptions_failing: failing,
      subscriptions_paused: paused,
      subscription_items_waiting: waiting,
    }
  }

  /** Settles when nothing is under way; for tests. */
  async settled(): Promise<void> {
    await Promise.all(this.turns.values())
    await Promise.all([...this.running.values()].map(deliverer => deliverer.settled()))
  }

  /** One try of a sample beside the queue. */
  async test(row: repo.SubscriptionRow, batch: DeliveryBatch, timeoutMs: number): Promise<DeliveryOutcome> {
    const target = this.openTarget(row, () => {})
    if (!target) return { kind: 'retry', reason: 'not_available', latencyMs: 0 }
    const abort = new AbortController()
    const cancel = this.deps.timing.after(timeoutMs, () => abort.abort())
    const began = this.deps.timing.now()
    try {
      return await target.test(batch, abort.signal)
    } catch (error) {
      const latencyMs = this.deps.timing.now() - began
      return { kind: 'retry', reason: 'protocol', detail: error instanceof Error ? error.message : '', latencyMs }
    } finally {
      cancel()
      await target.close().catch(() => undefined)
    }
  }

  /** Bounds of everything that grows; runs by itself. */
  sweep(): Promise<void> {
    this.sweeping ??= this.sweepAll().finally(() => {
      this.sweeping = null
    })
    return this.sweeping
  }

  private inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(id) ?? Promise.resolve()
    const turn = before.then(work, work)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    this.turns.set(id, settled)
    inBackground(
      'the turns of a subscription',
      settled.then(() => {
        if (this.turns.get(id) === settled) this.turns.delete(id)
      }),
    )
    return turn
  }

  private async open(id: string): Promise<void> {
    if (this.stopped || !this.started) return
    const row = await this.deps.database.withSystemScope('subscriptions', scope => repo.load(scope, id))
    if (row?.state !== 'active' || row.target_kind === 'pull') return
    const progress = await queue.readProgress(this.deps.queuePool, id)
    if (!progress || !this.deps.adapters[row.target_kind]) return
    const deliverer = new Deliverer({
      subscriptionId: id,
      tenantId: row.tenant_id,
      payload: row.payload as SubscriptionPayload,
      maxItems: row.max_items,
      waitMs: row.wait_ms,
      progress,
      queue: this.queueOf(row),
      open: events => this.openTarget(row, events.wake)!,
      timing: this.deps.timing,
      logger: this.deps.logger,
      onGivenUp: error => inBackground('giving up a subscription', this.giveUp(row, error)),
    })
    this.running.set(id, deliverer)
    deliverer.wake()
  }

  private openTarget(row: repo.SubscriptionRow, wake: () => void): Target | null {
    const adapter = row.target_kind === 'pull' ? undefined : this.deps.adapters[row.target_kind]
    if (!adapter) return null
    const { target, secrets } = this.deps.secrets.open(row, this.deps.timing.now())
    return adapter.open(
      {
        subscriptionId: row.id,
        tenantId: row.tenant_id,
        name: row.name,
        target: target as SubscriptionTarget,
        secrets,
      },
      { wake },
    )
  }

  private queueOf({ id, tenant_id: tenantId }: repo.SubscriptionRow): DelivererQueue {
    const { queuePool, timing } = this.deps
    return {
      read: (after, limit) => queue.readAfter(queuePool, id, after, limit),
      save: progress => queue.saveProgress(queuePool, id, progress),
      log: row => queue.insertLog(queuePool, id, tenantId, row),
      bury: (items: readonly StoredItem[], why) =>
        queue.insertDead(
          queuePool,
          id,
          tenantId,
          items.map(({ device, item }) => ({ id: newId(), device, item })),
          { ...why, at: new Date(timing.now()) },
        ),
      sensors: productKey => sensorsOf(queuePool, productKey),
    }
  }

  private giveUp(row: repo.SubscriptionRow, error: string): Promise<void> {
    return this.hold(row.id, () =>
      this.deps.database.withSystemScope('subscriptions', async scope => {
        if (!(await repo.setState(scope, row.id, 'paused', 'failures'))) return
        // A change that nobody asked for is in the operation log like all others.
        await recordAudit(scope, systemContext(row.tenant_id, 'subscriptions', this.deps.timing.now()), {
          action: 'subscription.pause',
          objectType: 'subscription',
          objectId: row.id,
          objectName: row.name,
          before: { state: row.state },
          after: { state: 'paused', pausedReason: 'failures' },
        })
        await this.deps.inbox.notify(scope, notice(row, 'paused', { error }))
      }),
    ).catch((failure: unknown) =>
      this.deps.logger.error({ err: failure, subscription: row.id }, 'a failing subscription could not be paused'),
    )
  }

  private sweepLater(): void {
    if (this.stopped) return
    this.cancelSweep = this.deps.timing.after((this.deps.rounds ?? ROUNDS).sweepMs, () => {
      inBackground(
        'clearing queues of subscriptions',
        this.sweep().finally(() => this.sweepLater()),
      )
    })
  }

  private pollLater(): void {
    if (this.stopped) return
    this.cancelPoll = this.deps.timing.after((this.deps.rounds ?? ROUNDS).pollMs, () => {
      for (const deliverer of this.running.values()) deliverer.wake()
      for (const id of this.unopened) inBackground('opening a subscription', this.sync(id))
      this.pollLater()
    })
  }

  private async sweepAll(): Promise<void> {
    const { database, queuePool } = this.deps
    const rows = await database.withSystemScope('subscriptions', scope => repo.loadAll(scope))
    const trims = this.sweeps++ % TRIM_EVERY === 0
    await this.flush(rows.map(({ id }) => id))
    const facts = new Map(
      (
        await queue.factsOf(
          queuePool,
          rows.map(({ id }) => id),
        )
      ).map(fact => [fact.id, fact]),
    )
    for (const row of rows) {
      const fact = facts.get(row.id)
      if (!fact || this.stopped) continue
      await this.bound(row, fact)
      await this.clear(row.id, fact, trims)
    }
    while (!this.stopped && (await queue.deleteOrphans(queuePool, SWEEP_ROWS)) === SWEEP_ROWS);
  }

  /** What waits is bounded in number and age: the oldest goes, is counted, and the company is told. */
  private async bound(row: repo.SubscriptionRow, fact: queue.QueueFacts): Promise<void> {
    const { queuePool, timing } = this.deps
    const now = timing.now()
    const backlog = fact.lastSeq - fact.ackedSeq
    const tooOld =
      fact.oldestAt !== null && fact.oldestAt < now - WAIT_DAYS * DAY_MS
        ? await queue.lastWaitingBefore(queuePool, row.id, fact.ackedSeq, now - WAIT_DAYS * DAY_MS)
        : undefined
    const dropTo = Math.max(fact.lastSeq - this.cap, tooOld ?? 0)
    if (dropTo > fact.ackedSeq) await this.drop(row, dropTo)
    const full = backlog >= this.cap * WARN_AT || tooOld !== undefined
    if (full ? await queue.markTold(queuePool, row.id, true) : false)
      await this.deps.database.withSystemScope('subscriptions', scope =>
        this.deps.inbox.notify(scope, notice(row, 'backlog', { items: String(backlog) })),
      )
    // Once for a trouble: where a few items grow old every day, not every day.
    const young = fact.oldestAt === null || fact.oldestAt > now - DAY_MS
    if (backlog < this.cap / 2 && young) await queue.markTold(queuePool, row.id, false)
  }

  /** The cap, smaller in tests. */
  cap = BACKLOG_CAP

  private drop(row: repo.SubscriptionRow, upTo: number): Promise<void> {
    const { queuePool, timing } = this.deps
    return this.hold(row.id, async () => {
      const progress = await queue.readProgress(queuePool, row.id)
      if (!progress || progress.ackedSeq >= upTo) return
      const items = upTo - progress.ackedSeq
      await queue.saveProgress(queuePool, row.id, {
        ...progress,
        ackedSeq: upTo,
        dropped: progress.dropped + items,
        headSince: null,
        headAttempts: 0,
      })
      await queue.insertLog(queuePool, row.id, row.tenant_id, {
        at: new Date(timing.now()),
        result: 'dropped',
        items,
        skipped: 0,
        attempt: 0,
        status: null,
        latencyMs: null,
        reason: 'backlog',
        detail: null,
        firstItemId: null,
        body: null,
        answer: null,
      })
    })
  }

  private async clear(id: string, fact: queue.QueueFacts, trims: boolean): Promise<void> {
    const { queuePool, timing } = this.deps
    const now = timing.now()
    const bounds = { seq: fact.ackedSeq, keepItems: KEEP_ITEMS, at: now - KEEP_DAYS * DAY_MS }
    // Nothing to look for while everything delivered is young and little.
    if (fact.keptSeq !== null && (fact.keptSeq <= fact.ackedSeq - KEEP_ITEMS || fact.keptFrom! < bounds.at))
      while (!this.stopped && (await queue.deleteDelivered(queuePool, id, bounds, SWEEP_ROWS)) === SWEEP_ROWS);
    if (trims)
      await queue.trim(queuePool, id, {
        log: LOG_LINES,
        dead: DEAD_LETTERS,
        deadSince: new Date(now - DEAD_DAYS * DAY_MS),
      })
  }
}

export async function sensorsOf(db: queue.QueueClient, productKey: string): Promise<SensorNumbers> {
  const rows = await readSensors(db, productKey)
  return new Map(
    rows.map(({ identifier, num, property }) => [
      identifier,
      { num, type: property ? sensorTypeOf(property as Parameters<typeof sensorTypeOf>[0]) : 8 },
    ]),
  )
}

function notice(row: repo.SubscriptionRow, kind: 'paused' | 'backlog', params: Record<string, string>) {
  const text = (locale: 'zh' | 'en', part: 'Title' | 'Text') =>
    words[locale][`${kind}${part}`].replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'name' ? row.name : (params[name] ?? ''),
    )
  return {
    tenantId: row.tenant_id,
    to: { permission: 'subscription:write' as const },
    kind: `subscription.${kind}`,
    title: { zh: text('zh', 'Title'), en: text('en', 'Title') },
    text: { zh: text('zh', 'Text'), en: text('en', 'Text') },
    link: `/develop/DataSubscription?id=${row.id}`,
    level: kind === 'paused' ? ('error' as const) : ('warning' as const),
  }
}
