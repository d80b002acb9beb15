import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type {
  DeadLetter,
  DeliveryLogItem,
  PayloadPreview,
  SubscriptionItem,
  SubscriptionKind,
  SubscriptionPayload,
  subscriptionsContract,
  TrialOutcome,
} from '@thingwright/contracts/subscriptions.contract'
import { type Ctx, dataScopeOf, ownerIdOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { inTransaction } from '../../lib/database/in-transaction.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { type Deliverers, sensorsOf } from './deliverers.ts'
import type { SubscriptionRule } from './matcher.ts'
import { createPayloadWriter, type StoredItem, trialProblems } from './payload.ts'
import * as queue from './queue.repo.ts'
import { findSample, type Sample, type SampleDeps } from './samples.ts'
import { toDeadLetter, toLogItem, toTrial } from './subscriptions.mapping.ts'
import * as repo from './subscriptions.repo.ts'
import { audit, type SubscriptionsService } from './subscriptions.service.ts'
import type { DeliveryBatch } from './target.port.ts'

type Contract = typeof subscriptionsContract

export interface SubscriptionQueueService {
  log(
    ctx: Ctx,
    id: string,
    input: QueryOf<Contract['log']>,
  ): Promise<{ items: DeliveryLogItem[]; nextCursor: string | null }>
  deadLetters(
    ctx: Ctx,
    id: string,
    input: QueryOf<Contract['deadLetters']>,
  ): Promise<{ items: DeadLetter[]; nextCursor: string | null }>
  replayDeadLetters(ctx: Ctx, id: string, ids: readonly string[] | null): Promise<{ items: number }>
  removeDeadLetters(ctx: Ctx, id: string, ids: readonly string[] | null): Promise<{ items: number }>
  replay(ctx: Ctx, id: string, from: number | string): Promise<{ items: number; from: string }>
  items(
    ctx: Ctx,
    id: string,
    input: QueryOf<Contract['items']>,
  ): Promise<{ items: unknown[]; cursor: number; backlog: number }>
  acknowledge(ctx: Ctx, id: string, cursor: number): Promise<{ cursor: number; backlog: number }>
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<PayloadPreview>
  test(ctx: Ctx, id: string): Promise<TrialOutcome>
}

export interface SubscriptionQueueDeps extends SampleDeps {
  database: Database
  queuePool: queue.QueuePool
  deliverers: Deliverers
  subscriptions: SubscriptionsService
}

const TEST_TIMEOUT_MS = 15_000
/** Characters of one page that is pulled. */
const MAX_PAGE = 4_000_000

export function createSubscriptionQueueService(deps: SubscriptionQueueDeps): SubscriptionQueueService {
  const { database, queuePool, deliverers, subscriptions } = deps

  async function pulled(ctx: Ctx, id: string): Promise<repo.ListedRow> {
    const row = await database.withTenant(ctx, scope => subscriptions.visible(scope, id))
    if (row.target_kind !== 'pull') throw new AppError('subscription.not_pull')
    return row
  }

  async function factsOf(id: string): Promise<queue.QueueFacts> {
    const [facts] = await queue.factsOf(queuePool, [id])
    if (!facts) throw new AppError('subscription.not_found')
    return facts
  }

  /** A sample as the subscription would write it. */
  async function written(
    payload: SubscriptionPayload,
    tenantId: string,
    { item, device }: Sample,
  ): Promise<{ message: string; body: string; contentType: string }> {
    const sensors = payload.format === 'tlink' ? await sensorsOf(queuePool, item.productKey) : new Map()
    const writer = createPayloadWriter(payload, { tenantId, sensors: () => sensors })
    const message = writer.message({ seq: 0, at: item.ts, device, item: JSON.stringify(item) }, item)
    return { message, body: writer.body([message]), contentType: writer.contentType }
  }

  return {
    async log(ctx, id, input) {
      const limit = input.limit ?? 20
      const before = decodeCursor(input.cursor, 1)?.[0] ?? null
      if (before !== null && !Number.isSafeInteger(before)) throw new AppError('request.cursor_invalid')
      const rows = await database.withTenant(ctx, async scope => {
        await subscriptions.visible(scope, id)
        return repo.log(scope, id, { before: before as number | null, failed: input.failed === '1', limit: limit + 1 })
      })
      const page = rows.slice(0, limit)
      return { items: page.map(toLogItem), nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null }
    },

    async deadLetters(ctx, id, input) {
      const limit = input.limit ?? 20
      const after = decodeCursor(input.cursor, 2)
      if (after?.some(part => typeof part !== 'string')) throw new AppError('request.cursor_invalid')
      const rows = await readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          await subscriptions.visible(scope, id)
          return repo.deadLetters(scope, id, { after: after as [string, string] | null, limit: limit + 1 })
        }),
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map(toDeadLetter),
        nextCursor: rows.length > limit && last ? encodeCursor([last.place, last.id]) : null,
      }
    },

    async replayDeadLetters(ctx, id, ids) {
      await database.withTenant(ctx, async scope => {
        const row = await subscriptions.visible(scope, id)
        await audit(scope, ctx, 'subscription.replay', row, null, { deadLetters: ids?.length ?? 'all' })
      })
      const items = await inTransaction(queuePool, client => queue.requeueDead(client, id, ids, ctx.now))
      deliverers.wake([id])
      return { items }
    },

    removeDeadLetters: (ctx, id, ids) =>
      database.withTenant(ctx, async scope => {
        const row = await subscriptions.visible(scope, id)
        const items = await repo.removeDeadLetters(scope, id, ids)
        await audit(scope, ctx, 'subscription.clear_dead_letters', row, null, { items })
        return { items }
      }),

    replay: (ctx, id, from) =>
      deliverers.hold(id, async () => {
        const at = typeof from === 'number' ? from : Date.parse(from)
        const row = await database.withTenant(ctx, scope => subscriptions.visible(scope, id))
        const first = await queue.firstSince(queuePool, id, at)
        const progress = await queue.readProgress(queuePool, id)
        if (!first || !progress) throw new AppError('subscription.replay_nothing')
        const ackedSeq = Math.min(progress.ackedSeq, first.seq - 1)
        const items = progress.ackedSeq - ackedSeq
        await database.withTenant(ctx, scope =>
          audit(scope, ctx, 'subscription.replay', row, null, { from: new Date(first.at).toISOString(), items }),
        )
        await queue.saveProgress(queuePool, id, {
          ...progress,
          ackedSeq,
          headSince: null,
          headAttempts: 0,
          nextTryAt: null,
        })
        return { items, from: new Date(first.at).toISOString() }
      }),

    async items(ctx, id, input) {
      const row = await pulled(ctx, id)
      const limit = input.limit ?? 100
      const before = await factsOf(id)
      const from = input.cursor ?? before.ackedSeq
      const waitMs = (input.wait ?? 0) * 1000
      // Before the look, so that what comes in between is not missed.
      const arrival = waitMs > 0 ? deliverers.arrival(id, waitMs) : null
      let found = await queue.readAfter(queuePool, id, from, limit)
      if (found.length === 0 && arrival) {
        await arrival.promise
        found = await queue.readAfter(queuePool, id, from, limit)
      } else arrival?.cancel()
      const items = await render(row, found)
      const { lastSeq, ackedSeq } = await factsOf(id)
      return { items, cursor: found[items.length - 1]?.seq ?? from, backlog: lastSeq - ackedSeq }
    },

    async acknowledge(ctx, id, cursor) {
      await pulled(ctx, id)
      const acked = await queue.acknowledge(queuePool, id, cursor, new Date(ctx.now))
      if (acked === null) throw new AppError('subscription.cursor_ahead')
      const { lastSeq, ackedSeq } = await factsOf(id)
      return { cursor: acked, backlog: lastSeq - ackedSeq }
    },

    async preview(ctx, { payload, kinds = ['property'], filter = {} }) {
      const sample = await findSample(deps, ctx, ruleOf(ctx, kinds, filter))
      const problems = trialProblems(payload, sample.item)
      const fatal = problems.some(({ code }) => code === 'syntax' || code === 'unknown')
      const text = fatal
        ? { message: '', body: '', contentType: payload.contentType ?? 'application/json' }
        : await written(payload, ctx.tenantId, sample)
      return { real: sample.real, sample: sample.item, ...text, problems }
    },

    async test(ctx, id) {
      const row = await database.withTenant(ctx, async scope => {
        const found = await subscriptions.visible(scope, id)
        await audit(scope, ctx, 'subscription.test', found, null, null)
        return found
      })
      const sample = await findSample(deps, ctx, ruleOf(ctx, row.kinds, row.filter))
      const item: SubscriptionItem = { ...sample.item, id: `test-${newId(ctx.now)}` }
      const { message, body, contentType } = await written(row.payload, ctx.tenantId, { ...sample, item })
      const { type, ts, productKey, deviceNo, deviceId } = item
      const batch: DeliveryBatch = {
        subscriptionId: id,
        tenantId: ctx.tenantId,
        items: [{ cursor: 0, id: item.id, type, ts, productKey, deviceNo, deviceId, payload: message }],
        body,
        contentType,
        attempt: 1,
      }
      if (row.target_kind === 'pull') return toTrial({ kind: 'away' }, batch)
      return toTrial(await deliverers.test(row, batch, TEST_TIMEOUT_MS), batch)
    },
  }

  async function render(row: repo.ListedRow, found: readonly StoredItem[]): Promise<unknown[]> {
    const sensors = new Map<string, Awaited<ReturnType<typeof sensorsOf>>>()
    const writer = createPayloadWriter(row.payload, {
      tenantId: row.tenant_id,
      sensors: productKey => sensors.get(productKey) ?? new Map(),
    })
    const items: unknown[] = []
    let chars = 0
    for (const stored of found) {
      const parsed = JSON.parse(stored.item) as SubscriptionItem
      if (writer.needsSensors && !sensors.has(parsed.productKey))
        sensors.set(parsed.productKey, await sensorsOf(queuePool, parsed.productKey))
      const text = writer.message(stored, parsed)
      chars += text.length
      if (items.length > 0 && chars > MAX_PAGE) break
      items.push(row.payload.format === 'envelope' ? parsed : jsonOr(text))
    }
    return items
  }
}

/** What the caller would get, were it his. */
function ruleOf(ctx: Ctx, kinds: readonly SubscriptionKind[], filter: SubscriptionRule['filter']): SubscriptionRule {
  return {
    id: '',
    tenantId: ctx.tenantId,
    kinds,
    filter,
    dataScope: dataScopeOf(ctx.actor),
    createdBy: ownerIdOf(ctx.actor),
    since: 0,
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
