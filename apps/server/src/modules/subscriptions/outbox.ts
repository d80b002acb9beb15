import { inTransaction } from '../../lib/database/in-transaction.ts'
import type { Logger } from '../../lib/log.ts'
import { readChains } from './catalogue.repo.ts'
import type { SubscriptionCatalogue } from './catalogue.ts'
import type { Timing } from './deliverer.ts'
import { envelope, eventItemId, type QueuedItem } from './items.ts'
import type { DeviceFacts } from './matcher.ts'
import * as queue from './queue.repo.ts'

export interface OutboxDeps {
  pool: queue.QueuePool
  catalogue: SubscriptionCatalogue
  /** Subscriptions that got something, after the commit. */
  onQueued(ids: string[]): void
  timing: Timing
  logger: Logger
}

/** Events of one transaction. */
const STEP = 500
const POLL_MS = 250
/** Where nobody subscribed to such things. */
const IDLE_MS = 5_000
const TROUBLE_MS = 5_000
const KINDS = ['command', 'lifecycle', 'firmware', 'alarm'] as const

/**
 * Moves what triggers noted (`domain_events`) into the queues, in the order of the commits. An event is deleted in the
 * transaction that queues it: a kill in the middle repeats or loses nothing.
 */
export class Outbox {
  private cancel = () => {}
  private running: Promise<void> = Promise.resolve()
  private stopped = true

  constructor(private readonly deps: OutboxDeps) {}

  start(): void {
    this.stopped = false
    this.later(0)
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.cancel()
    await this.running
  }

  /** One transaction. @returns whether there may be more */
  async step(): Promise<boolean> {
    const { pool, catalogue } = this.deps
    let queued: string[] = []
    const seen = await inTransaction(pool, async client => {
      await catalogue.prepare(client, [])
      const events = await queue.settledEvents(client, STEP)
      if (!events || events.length === 0) return 0
      const items: QueuedItem[] = []
      for (const event of events) items.push(...(await this.itemsOf(client, event)))
      queued = await queue.append(client, items)
      await queue.deleteEvents(
        client,
        events.map(({ id }) => id),
      )
      return events.length
    })
    if (queued.length > 0) this.deps.onQueued(queued)
    return seen === STEP
  }

  private later(ms: number): void {
    if (this.stopped) return
    this.cancel = this.deps.timing.after(ms, () => {
      this.running = this.round().then(next => this.later(next))
    })
  }

  private async round(): Promise<number> {
    try {
      while (!this.stopped && (await this.step()));
      return (await this.deps.catalogue.wantsAny(this.deps.pool, KINDS)) ? POLL_MS : IDLE_MS
    } catch (error) {
      if (!this.stopped) this.deps.logger.warn({ err: error }, 'what happened to devices and commands is queued later')
      return TROUBLE_MS
    }
  }

  private async itemsOf(client: queue.QueueClient, event: queue.DomainEventRow): Promise<QueuedItem[]> {
    const { device, deviceId, deviceNo, productId, tenantId, tags, createdBy } = event
    const { productKey, groupIds, ownerPath, historyFrom } = await readChains(
      client,
      event.groupId,
      productId,
      deviceId,
    )
    if (productKey === null) return []
    const facts: DeviceFacts = {
      num: device,
      id: deviceId,
      tenantId,
      deviceNo,
      productId,
      productKey,
      groupIds,
      tags,
      createdBy,
      ownerPath,
      historyFrom,
    }
    const row = { device, seq: event.id, arrivedAt: event.at, ts: event.at }
    const head = { id: eventItemId(event.id), type: event.kind, ts: event.at, productKey, deviceNo, deviceId }
    return this.deps.catalogue.takersOf(facts).flatMap(matcher => {
      if (!matcher.takesTime(facts, row)) return []
      const data = matcher.take(event.kind, row, event.data, () => JSON.parse(event.data) as Record<string, unknown>)
      return data === null
        ? []
        : [{ subscriptionId: matcher.rule.id, at: event.at, device, item: envelope(head, data) }]
    })
  }
}
