import type {
  CatalogueItem,
  ExpansionSpec,
  OrderItem,
  PackSpec,
  PlanSpec,
  SimSpec,
} from '@thingwright/contracts/catalogue.contract'
import type { OrderKind } from '@thingwright/contracts/money.words'
import { AppError } from '../../lib/errors.ts'

/** What an expansion costs is said for this long. */
const MONTH_MS = 30 * 86_400_000

/** The plan that a company has, as far as prices depend on it. Times in epoch ms. */
export interface PresentPlan {
  itemId: string
  months: number
  priceFen: number
  /** Of the term that was bought last. */
  startedAt: number
  endsAt: number
}

/** Until when a company may work without a plan: its trial, say. */
export interface PresentTerm {
  status: string
  expiresAt: number | null
}

export interface Priced {
  kind: OrderKind
  item: OrderItem
  payableFen: number
  /** When a term that is bought begins and ends. */
  term: { from: number; to: number } | null
  /** A smaller plan begins then and costs nothing now. */
  later: number | null
}

/** The same day and time some months later; the last day of a month that is shorter. UTC. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}

/**
 * What an item costs a company now.
 * - The same plan again: its term is added at the end of the present one.
 * - A dearer plan (by the month): begins now; what is left of the present plan is taken off, and when that is more than
 *   the new one costs, the new term is as much longer.
 * - A cheaper plan: begins when the present one ends.
 * - SIM cards: the term of their plan and the cards themselves.
 * - An expansion: for the days until the plan ends, rounded up to the fen.
 * @throws AppError order.expansion_without_plan
 */
export function price(
  item: CatalogueItem,
  quantity: number,
  plan: PresentPlan | null,
  term: PresentTerm,
  now: number,
): Priced {
  const line: OrderItem = {
    itemId: item.id,
    sku: item.sku,
    kind: item.kind,
    name: item.name,
    ename: item.ename,
    spec: item.spec,
    quantity,
    priceFen: item.priceFen,
    amountFen: item.priceFen * quantity,
  }
  if (item.kind === 'sms' || item.kind === 'voice')
    return { kind: item.kind, item: line, payableFen: line.amountFen, term: null, later: null }
  // New cards: the term of the plan and the card itself.
  if (item.kind === 'sim') {
    const amountFen = (item.priceFen + (item.spec as SimSpec).cardFen) * quantity
    return { kind: 'sim', item: { ...line, amountFen }, payableFen: amountFen, term: null, later: null }
  }
  if (item.kind === 'expansion') return expansion(line, plan, now)
  return planPrice(item, line, plan, term, now)
}

function expansion(line: OrderItem, plan: PresentPlan | null, now: number): Priced {
  if (!plan || plan.endsAt <= now) throw new AppError('order.expansion_without_plan')
  const amountFen = Math.ceil((line.amountFen * (plan.endsAt - now)) / MONTH_MS)
  const prorated = { from: iso(now), to: iso(plan.endsAt), creditFen: 0 }
  return {
    kind: 'expansion',
    item: { ...line, amountFen, prorated },
    payableFen: amountFen,
    term: { from: now, to: plan.endsAt },
    later: null,
  }
}

function planPrice(
  item: CatalogueItem,
  line: OrderItem,
  plan: PresentPlan | null,
  term: PresentTerm,
  now: number,
): Priced {
  const months = (item.spec as PlanSpec).months * line.quantity
  const begin = (from: number): Priced => ({
    kind: 'plan',
    item: line,
    payableFen: line.amountFen,
    term: { from, to: addMonths(from, months) },
    later: null,
  })
  const runs = plan !== null && plan.endsAt > now
  if (!runs) {
    // Days of a trial or of grace are neither lost nor given twice.
    const inTime = term.status === 'trial' || term.status === 'active' || term.status === 'grace'
    return begin(
      inTime && term.expiresAt !== null && (term.status === 'grace' || term.expiresAt > now) ? term.expiresAt : now,
    )
  }
  if (plan.itemId === item.id) return begin(plan.endsAt)
  const perMonth = (fen: number, of: number) => fen / of
  if (perMonth(item.priceFen, (item.spec as PlanSpec).months) < perMonth(plan.priceFen, plan.months))
    return {
      kind: 'plan',
      item: { ...line, amountFen: 0 },
      payableFen: 0,
      term: null,
      later: plan.endsAt,
    }
  // Counted from the beginning: a month back from the end may be longer than the month that was paid (29 January to
  // 28 February is 30 days, 28 January to 28 February 31).
  const period = addMonths(plan.startedAt, plan.months) - plan.startedAt
  const creditFen = Math.floor((plan.priceFen * (plan.endsAt - now)) / period)
  const to = addMonths(now, months)
  const surplus = creditFen - line.amountFen
  const longer = surplus > 0 && line.amountFen > 0 ? Math.floor(((to - now) * surplus) / line.amountFen) : 0
  return {
    kind: 'plan',
    item: {
      ...line,
      amountFen: Math.max(0, -surplus),
      prorated: { from: iso(now), to: iso(plan.endsAt), creditFen },
    },
    payableFen: Math.max(0, -surplus),
    term: { from: now, to: to + longer },
    later: null,
  }
}

/** What a pack gives. */
export function packUnits(item: OrderItem): { units: number; gift: number; months: number } {
  const spec = item.spec as PackSpec
  return { units: spec.units * item.quantity, gift: spec.gift * item.quantity, months: spec.months }
}

export const expansionOf = (item: OrderItem): ExpansionSpec => {
  const spec = item.spec as ExpansionSpec
  return { quota: spec.quota, quantity: spec.quantity * item.quantity }
}

const iso = (ms: number) => new Date(ms).toISOString()
