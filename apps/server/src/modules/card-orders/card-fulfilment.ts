import type { SimSpec } from '@thingwright/contracts/catalogue.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { addMonths, advance, holdOrder, type OrderRow, paidOf, recordCharge } from '../purchase-orders/index.ts'
import { cardsAnywhere, givePlatformCards, renewPlatformCards } from '../sim-cards/index.ts'
import * as repo from './card-orders.repo.ts'
import { openSource, type SourceBoxes } from './card-sources.ts'
import { RECEIVE_MS } from './card-views.ts'
import * as stock from './stock.repo.ts'

export interface FulfilmentNeeds {
  database: Database
  boxes: SourceBoxes
  logger: Logger
}

/** Kilobytes of 1024 bytes in a megabyte. */
const KB_PER_MB = 1_024
/** Pauses between tries of a renewal that failed, in ms. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]

/**
 * Cards that were shipped have come: the company gets them and the order ends. The term begins now.
 * @throws AppError order.state, card_order.card_elsewhere
 */
export async function receive(scope: SystemScope, boxes: SourceBoxes, order: OrderRow, ctx: Ctx): Promise<void> {
  const [item] = order.items
  const spec = item!.spec as SimSpec
  const { actor, now } = ctx
  const at = new Date(now)
  const term = { from: at.toISOString(), to: new Date(addMonths(now, spec.months)).toISOString(), before: null }
  await advance(scope, order, 'receive', actor, { outcome: { term }, completedAt: at, endedAt: at })
  await repo.noteReceived(scope, order.id, at)
  const cards = await stock.ofOrder(scope, order.id)
  const elsewhere = await cardsAnywhere(
    scope,
    cards.map(({ iccid }) => iccid),
  )
  if (elsewhere.length > 0)
    throw new AppError('card_order.card_elsewhere', { params: { count: elsewhere.length, iccid: elsewhere[0] } })
  const { form } = (await repo.find(scope, order.id))!
  for (const sourceId of new Set(cards.map(card => card.sourceId))) {
    const source = openSource(boxes, (await stock.source(scope, sourceId))!)
    const own = cards.filter(card => card.sourceId === sourceId)
    await givePlatformCards(scope, boxes.accounts, order.tenantId, source, own, {
      orderId: order.id,
      name: item!.name,
      monthKb: spec.monthMb * KB_PER_MB,
      form: form === 'embedded' ? 'embedded' : 'plug_in',
      use: spec.use,
      months: spec.months,
      expiresAt: new Date(term.to),
    })
  }
  await recordCharge(scope, order, await paidOf(scope, order), term, now)
  await recordAudit(scope, ctx, {
    action: 'purchase_order.receive',
    objectType: 'purchase_order',
    objectId: order.id,
    objectName: order.no,
    after: { cards: cards.length, expiresAt: term.to },
  })
}

/** What time does to orders of cards: paid ones wait for shipping, renewals are given, shipped ones count as received. */
export async function runCardOrders({ database, boxes, logger }: FulfilmentNeeds, now: number): Promise<void> {
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)
  const at = new Date(now)
  for (const { id, kind } of await system(scope => repo.due(scope, at)))
    if (kind === 'sim_renewal') await renewOrFault(id)
    else
      await system(async scope => {
        const order = await holdOrder(scope, id)
        if (order?.state === 'paid')
          await advance(scope, order, 'begin', systemContext(order.tenantId, 'orders', now).actor)
      })
  for (const { id } of await system(scope => repo.shippedBefore(scope, new Date(now - RECEIVE_MS))))
    try {
      await system(async scope => {
        const order = await holdOrder(scope, id)
        if (order?.state !== 'shipped') return
        await receive(scope, boxes, order, systemContext(order.tenantId, 'orders', now))
      })
    } catch (error) {
      logger.error({ err: error, order: id }, 'shipped cards could not be given')
    }

  async function renewOrFault(id: string): Promise<void> {
    try {
      await system(scope => renew(scope, id))
    } catch (error) {
      logger.error({ err: error, order: id }, 'cards could not be renewed')
      await system(async scope => {
        const order = await holdOrder(scope, id)
        if (!order || !['paid', 'processing', 'faulted'].includes(order.state)) return
        const fault = error instanceof AppError ? error.code : 'server.error'
        const pause = PAUSES_MS[Math.min(order.tries, PAUSES_MS.length - 1)]!
        const change = { fault, tries: order.tries + 1, nextTryAt: new Date(now + pause) }
        await advance(scope, order, 'fault', systemContext(order.tenantId, 'orders', now).actor, change, fault)
      })
    }
  }

  async function renew(scope: SystemScope, id: string): Promise<void> {
    const held = await holdOrder(scope, id)
    if (!held || !['paid', 'processing', 'faulted'].includes(held.state)) return
    const ctx = systemContext(held.tenantId, 'orders', now)
    const order = held.state === 'processing' ? held : await advance(scope, held, 'begin', ctx.actor)
    const [item] = order.items
    const spec = item!.spec as SimSpec
    const ids = await repo.cardIdsOf(scope, id)
    const plan = { name: item!.name, monthKb: spec.monthMb * KB_PER_MB, months: spec.months }
    const renewed = await renewPlatformCards(scope, order.tenantId, ids, plan, now)
    if (renewed.length < ids.length)
      throw new AppError('card_order.card_unknown', { params: { count: ids.length - renewed.length } })
    await recordCharge(scope, order, await paidOf(scope, order), null, now)
    await advance(scope, order, 'complete', ctx.actor, { completedAt: at, endedAt: at, outcome: {} })
    await recordAudit(scope, ctx, {
      action: 'purchase_order.fulfil',
      objectType: 'purchase_order',
      objectId: order.id,
      objectName: order.no,
      after: { state: 'completed', cards: ids.length, months: spec.months },
    })
  }
}
