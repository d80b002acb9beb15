import type { PlanSpec } from '@thingwright/contracts/catalogue.contract'
import { type CompanyQuotas, DEFAULT_SETTINGS } from '@thingwright/contracts/company-settings'
import type { ChargeItem } from '@thingwright/contracts/money.words'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { changeSection, readSettings, setCompanySettings, setCompanyState } from '../tenants/index.ts'
import { insertBatch, insertConsumption } from '../wallets/index.ts'
import { byId } from './catalogue.repo.ts'
import type { OrderRow, Outcome } from './orders.repo.ts'
import * as plans from './plans.repo.ts'
import { addMonths, expansionOf, packUnits, price } from './pricing.ts'

/** Orders that are fulfilled with SIM cards: by those who ship and renew them. */
export const shipsCards = (kind: OrderRow['kind']): boolean => kind === 'sim' || kind === 'sim_renewal'

/** What an order was paid with, for the line in the charges. */
export interface Paid {
  transactionId: string | null
  balanceAfterFen: number | null
}

/**
 * Gives a company what it bought, in the transaction that ends the order: a term, more of a quota, units. A top-up gives
 * nothing more than the money, which came with the payment.
 */
export async function fulfil(scope: SystemScope, order: OrderRow, paid: Paid, now: number): Promise<Outcome | null> {
  const [item] = order.items
  if (!item || order.kind === 'top_up') return null
  const outcome =
    order.kind === 'plan'
      ? await givePlan(scope, order, now)
      : order.kind === 'expansion'
        ? await giveExpansion(scope, order, now)
        : await givePack(scope, order, now)
  await recordCharge(scope, order, paid, outcome?.term ?? null, now)
  return outcome
}

/** Notes in the charges of the company what it paid for an order; nothing for one that cost nothing. */
export async function recordCharge(
  scope: SystemScope,
  order: OrderRow,
  paid: Paid,
  term: { from: string; to: string } | null,
  now: number,
): Promise<void> {
  const [item] = order.items
  if (!item || order.payableFen === 0) return
  await insertConsumption(scope, {
    id: newId(now),
    tenantId: order.tenantId,
    at: new Date(now),
    item: chargeOf(order),
    quantity: item.quantity,
    unit: '',
    unitPriceFen: item.priceFen,
    amountFen: order.payableFen,
    balanceAfterFen: paid.balanceAfterFen,
    objectKind: 'catalogue_item',
    objectId: item.sku,
    objectName: item.name,
    periodFrom: term ? new Date(term.from) : null,
    periodTo: term ? new Date(term.to) : null,
    orderId: order.id,
    orderNo: order.no,
    transactionId: paid.transactionId,
  })
}

function chargeOf(order: OrderRow): ChargeItem {
  if (order.kind === 'plan') return 'platform'
  if (order.kind === 'sms' || order.kind === 'voice') return order.kind
  if (shipsCards(order.kind)) return 'sim'
  const { quota } = expansionOf(order.items[0]!)
  return quota === 'devices' ? 'devices' : quota === 'mediaBytes' ? 'storage' : 'other'
}

async function givePlan(scope: SystemScope, order: OrderRow, now: number): Promise<Outcome> {
  const [item] = order.items
  const term = await plans.termOf(scope, order.tenantId, true)
  const present = await plans.findPlan(scope, order.tenantId, true)
  // What was ordered, at its price; the term is counted from the moment in which it is given.
  const catalogue = (await byId(scope, item!.itemId!))!
  const priced = price(
    { ...catalogue, spec: item!.spec!, priceFen: item!.priceFen },
    item!.quantity,
    present ? { ...present, startedAt: present.startedAt.getTime(), endsAt: present.endsAt.getTime() } : null,
    { status: term.status, expiresAt: term.expiresAt?.getTime() ?? null },
    now,
  )
  if (priced.later !== null) {
    await plans.setNext(scope, order.tenantId, item!.itemId)
    return {}
  }
  const { from, to } = priced.term!
  const spec = item!.spec as PlanSpec
  await plans.storePlan(scope, {
    tenantId: order.tenantId,
    itemId: item!.itemId!,
    sku: item!.sku,
    name: item!.name,
    ename: item!.ename,
    months: spec.months,
    priceFen: item!.priceFen,
    quotas: spec.quotas,
    startedAt: new Date(from),
    endsAt: new Date(to),
  })
  await setTerm(scope, order.tenantId, term, new Date(to))
  await applyQuotas(scope, order.tenantId, now)
  return {
    term: {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      before: term.expiresAt?.toISOString() ?? null,
    },
  }
}

async function setTerm(scope: SystemScope, tenantId: string, term: plans.CompanyTerm, endsAt: Date): Promise<void> {
  // A frozen company stays so, and comes back to what it paid for.
  const frozen = term.status === 'frozen'
  await setCompanyState(scope, tenantId, {
    status: frozen ? 'frozen' : 'active',
    statusBefore: frozen ? 'active' : null,
    frozenReason: term.frozenReason,
    expiresAt: endsAt,
    graceEndsAt: null,
    graceDays: term.graceDays,
  })
  scope.tell('company.changed', { tenantId })
}

async function giveExpansion(scope: SystemScope, order: OrderRow, now: number): Promise<Outcome> {
  const [item] = order.items
  const present = await plans.findPlan(scope, order.tenantId, true)
  const { quota, quantity } = expansionOf(item!)
  const to = new Date(item!.prorated?.to ?? present?.endsAt ?? addMonths(now, 1))
  await plans.insertExpansion(scope, {
    id: newId(now),
    tenantId: order.tenantId,
    orderId: order.id,
    quota,
    quantity,
    endsAt: to,
  })
  await applyQuotas(scope, order.tenantId, now)
  return { term: { from: new Date(now).toISOString(), to: to.toISOString(), before: null } }
}

async function givePack(scope: SystemScope, order: OrderRow, now: number): Promise<Outcome> {
  const [item] = order.items
  const { units, gift, months } = packUnits(item!)
  const to = addMonths(now, months)
  const batch = {
    tenantId: order.tenantId,
    kind: order.kind as 'sms' | 'voice',
    orderId: order.id,
    orderNo: order.no,
    expiresAt: new Date(to),
  }
  await insertBatch(scope, { ...batch, id: newId(now), units, gift: false })
  if (gift > 0) await insertBatch(scope, { ...batch, id: newId(now), units: gift, gift: true })
  return { term: { from: new Date(now).toISOString(), to: new Date(to).toISOString(), before: null } }
}

/** The company's quotas as its plan and its expansions make them. What it has beyond them stays. */
export async function applyQuotas(scope: SystemScope, tenantId: string, now: number): Promise<void> {
  const plan = await plans.findPlan(scope, tenantId)
  if (!plan) return
  const { settings } = await plans.termOf(scope, tenantId, true)
  const present = readSettings(settings)
  const quotas: CompanyQuotas = { ...DEFAULT_SETTINGS.quotas, ...plan.quotas }
  for (const { quota, quantity } of await plans.expansions(scope, tenantId, new Date(now)))
    if (quotas[quota] !== null) quotas[quota] = quotas[quota] + quantity
  const next = changeSection('quotas', present.quotas, quotas)
  await setCompanySettings(scope, tenantId, { ...present, quotas: next })
  scope.tell('company.changed', { tenantId })
}

/** Takes back what an order gave, when all of its money goes back: what is left of its units, its quota, its term. */
export async function takeBack(
  scope: SystemScope,
  order: OrderRow,
  takeBackUnits: (scope: SystemScope, tenantId: string, orderId: string) => Promise<void>,
  now: number,
): Promise<void> {
  if (order.kind === 'sms' || order.kind === 'voice') return takeBackUnits(scope, order.tenantId, order.id)
  if (order.kind === 'expansion') {
    await plans.endExpansion(scope, order.id)
    return applyQuotas(scope, order.tenantId, now)
  }
  if (order.kind !== 'plan' || !order.outcome?.term) return
  const term = await plans.termOf(scope, order.tenantId, true)
  // A later order has moved the end on: then its term stands on this one's, and an operator decides about both.
  if (term.expiresAt?.toISOString() !== order.outcome.term.to) return
  const before = order.outcome.term.before ? Date.parse(order.outcome.term.before) : now
  const endsAt = new Date(Math.max(before, now))
  await plans.setPlanEnd(scope, order.tenantId, endsAt)
  await setTerm(scope, order.tenantId, term, endsAt)
}
