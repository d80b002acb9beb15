import type { OnlineProvider } from '@thingwright/contracts/money.words'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { releaseUnits, reserveUnits, settleUnits } from '../wallets/index.ts'
import { NoticeError, type PaymentClient, PaymentError, type PaymentNotice, type Trade } from './payment.port.ts'
import { moneyFixture } from './purchase-orders.fixtures.ts'
import type { PurchaseOrdersModule } from './purchase-orders.module.ts'

interface Own {
  id: string
  ctx: Ctx
}
interface Place {
  database: Database
  // biome-ignore lint/suspicious/noExplicitAny: rows of many statements
  db: { superuser: { query(text: string, params: unknown[]): Promise<{ rows: any[] }> } }
}

/** One thing that happens. `on` chooses among what is there. */
export type Step =
  | { do: 'order' | 'topUp' | 'balance' | 'cancel' | 'reserve' | 'settle' | 'release' | 'notify' | 'forge'; on: number }
  | { do: 'online'; on: number; provider: OnlineProvider }
  | { do: 'scan'; on: number; told: boolean }
  | { do: 'refund'; on: number; part: boolean; way: 'balance' | 'origin'; accept: boolean }
  | { do: 'provider'; way: 'well' | 'silent' | 'slow' }
  | { do: 'wait'; minutes: number }
  | { do: 'crash'; after: number }

class Crash extends Error {}

interface AtProvider {
  no: string
  total: number
  state: 'open' | 'paid' | 'closed'
  refunds: Map<string, { fen: number; done: boolean }>
}

/** A provider of payments in memory: what is true there, whatever this server has heard of it. */
function provider() {
  const trades = new Map<string, AtProvider>()
  let way: 'well' | 'silent' | 'slow' = 'well'
  const heard = () => {
    if (way === 'silent') throw new PaymentError('unreachable', '', true)
  }
  const tradeOf = (trade: AtProvider | undefined): Trade =>
    !trade
      ? { state: 'unknown' }
      : trade.state === 'paid'
        ? { state: 'paid', amountFen: trade.total, providerNo: `T${trade.no}` }
        : { state: trade.state }
  const refundView = (refund: { fen: number; done: boolean } | undefined) => ({
    state: refund ? (refund.done ? ('done' as const) : ('processing' as const)) : ('unknown' as const),
    amountFen: refund?.fen ?? null,
    providerNo: null,
    said: '',
  })
  const client: PaymentClient = {
    async open({ no, amountFen }) {
      heard()
      if (!trades.has(no)) trades.set(no, { no, total: amountFen, state: 'open', refunds: new Map() })
      return { codeUrl: no, pageUrl: null }
    },
    async query(no) {
      heard()
      return tradeOf(trades.get(no))
    },
    async close(no) {
      heard()
      const trade = trades.get(no)
      if (trade?.state === 'paid') throw new PaymentError('ORDERPAID', '', false)
      if (trade) trade.state = 'closed'
    },
    async refund({ paymentNo, refundNo, amountFen }) {
      const trade = trades.get(paymentNo)!
      if (!trade.refunds.has(refundNo)) trade.refunds.set(refundNo, { fen: amountFen, done: way === 'well' })
      // It was done, and the answer is lost.
      heard()
      return refundView(trade.refunds.get(refundNo))
    },
    async queryRefund({ paymentNo, refundNo }) {
      heard()
      const refund = trades.get(paymentNo)?.refunds.get(refundNo)
      if (refund && way === 'well') refund.done = true
      return refundView(refund)
    },
    async read({ headers, body }): Promise<PaymentNotice> {
      if (headers.signed !== 'yes') throw new NoticeError('forged')
      return JSON.parse(body as string) as PaymentNotice
    },
    async test() {},
  }
  return {
    client,
    trades,
    behave: (next: typeof way) => {
      way = next
    },
    notice: (trade: AtProvider) => JSON.stringify({ about: 'payment', no: trade.no, trade: tradeOf(trade) }),
  }
}

export const MODEL_PRICE = 801
export const MODEL_SKU = 'model-sms'
const PROVIDERS = ['wechat', 'alipay'] as const

/** A company, two providers and this server, on which steps are done. What is refused is no fault; what must hold is. */
export async function moneyModel(m: Place, own: Own, operator: Ctx, seal: Parameters<typeof moneyFixture>[1]['seal']) {
  const providers = { wechat: provider(), alipay: provider() }
  let shift = 0
  const now = () => Date.now() + shift
  /** Transactions until the process dies; null: it lives. */
  let lives: number | null = null
  const dying =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (lives === 0) throw new Crash()
      const result = await run(...args)
      if (lives !== null) lives -= 1
      return result
    }
  const database: Database = Object.assign(Object.create(m.database) as Database, {
    withTenant: dying(m.database.withTenant.bind(m.database) as never),
    withSystemScope: dying(m.database.withSystemScope.bind(m.database) as never),
  })
  const start = (): PurchaseOrdersModule =>
    moneyFixture(database, { now, paymentClients: kind => providers[kind].client, ...(seal ? { seal } : {}) })
  let money = start()
  const at = (ctx: Ctx): Ctx => ({ ...ctx, now: now() })
  const orders: string[] = []
  const uses: string[] = []
  let given = 0

  const pick = <T>(all: readonly T[], on: number): T | undefined => (all.length ? all[on % all.length] : undefined)
  const allTrades = () =>
    PROVIDERS.flatMap(kind => [...providers[kind].trades.values()].map(trade => ({ kind, trade })))

  async function act(step: Step): Promise<void> {
    const id = 'on' in step ? pick(orders, step.on) : undefined
    switch (step.do) {
      case 'order':
        orders.push((await money.orders.create(at(own.ctx), { items: [{ sku: MODEL_SKU }] })).id)
        return
      case 'topUp':
        orders.push((await money.orders.recharge(at(own.ctx), 100 + (step.on % 2_000))).id)
        return
      case 'balance':
        if (id) await money.orders.pay(at(own.ctx), id, { provider: 'balance' })
        return
      case 'online':
        if (id) await money.orders.pay(at(own.ctx), id, { provider: step.provider })
        return
      case 'scan': {
        const found = pick(
          allTrades().filter(({ trade }) => trade.state === 'open'),
          step.on,
        )
        if (!found) return
        found.trade.state = 'paid'
        if (step.told) await tell(found)
        return
      }
      case 'notify': {
        // Again, late, in any order.
        const found = pick(
          allTrades().filter(({ trade }) => trade.state === 'paid'),
          step.on,
        )
        if (found) await tell(found)
        return
      }
      case 'forge': {
        const found = pick(allTrades(), step.on)
        if (!found) return
        const paid = { ...found.trade, state: 'paid' as const }
        const less = providers[found.kind].notice({ ...paid, total: paid.total - 1 })
        await refused(
          money.online.take(found.kind, { headers: { signed: 'no' }, body: providers[found.kind].notice(paid) }),
        )
        if (found.trade.state !== 'paid')
          await refused(money.online.take(found.kind, { headers: { signed: 'yes' }, body: less }))
        return
      }
      case 'cancel':
        if (id) await money.orders.cancel(at(own.ctx), id)
        return
      case 'refund': {
        if (!id) return
        const before = await money.orders.get(at(own.ctx), id)
        const left = before.paidFen - before.refundedFen
        const order = await money.orders.refund(at(own.ctx), id, {
          way: step.way,
          reason: 'model',
          ...(step.part && left > 1 ? { amountFen: Math.floor(left / 2) } : {}),
        })
        const open = order.refunds.find(({ state }) => state === 'requested')!
        await money.refunds.decide(at(operator), open.id, { accept: step.accept, reason: 'model' })
        return
      }
      case 'reserve': {
        const key = `use:${uses.length}`
        const ask = { tenantId: own.id, kind: 'sms' as const, key, units: 1 + (step.on % 9), now: now() }
        if (await database.withTenant(own.ctx, scope => reserveUnits(scope, ask))) uses.push(key)
        return
      }
      case 'settle': {
        const key = pick(uses, step.on)
        const ask = { tenantId: own.id, kind: 'sms' as const, key: key ?? '', units: 1 + (step.on % 9), now: now() }
        if (key) await database.withTenant(own.ctx, scope => settleUnits(scope, ask))
        return
      }
      case 'release': {
        const key = pick(uses, step.on)
        if (key) await database.withTenant(own.ctx, scope => releaseUnits(scope, { tenantId: own.id, key }))
        return
      }
      case 'provider':
        for (const kind of PROVIDERS) providers[kind].behave(step.way)
        return
      case 'wait':
        shift += step.minutes * 60_000
        await money.work(now())
        return
      case 'crash':
        // It dies within what it does next, after so many transactions.
        lives = step.after
        return
    }
  }

  const tell = ({ kind, trade }: { kind: OnlineProvider; trade: AtProvider }) =>
    money.online.take(kind, { headers: { signed: 'yes' }, body: providers[kind].notice(trade) })

  async function refused(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (error instanceof AppError) return
      throw error
    }
    throw new Error('what is forged was taken')
  }

  return {
    async gift(fen: number): Promise<void> {
      given += fen
      await money.desk.credit(at(operator), own.id, { giftFen: fen, reason: 'model' })
    },
    /** What the caller may not do is refused; anything else that fails is a fault. */
    async step(step: Step): Promise<void> {
      const dies = lives !== null && step.do !== 'crash'
      try {
        await act(step)
      } catch (error) {
        if (!(error instanceof AppError) && !(error instanceof Crash)) throw error
      }
      if (!dies) return
      lives = null
      money = start()
    },
    /** Time passes, everybody answers, nothing is left to do. */
    async settle(): Promise<void> {
      lives = null
      for (const kind of PROVIDERS) providers[kind].behave('well')
      money = start()
      // A request for a refund on which the process died waits for a person, and its order with it.
      const asked = await m.db.superuser.query(
        `select id from refunds where tenant_id = $1 and state = 'requested' order by created_at, id`,
        [own.id],
      )
      for (const [i, { id }] of asked.rows.entries())
        await money.refunds.decide(at(operator), id, { accept: i % 2 === 1, reason: 'model' })
      for (let round = 0; round < 6; round++) {
        shift += 61 * 60_000
        await money.work(now())
      }
    },
    /** What always holds. @returns what does not */
    async faults(): Promise<string[]> {
      const { rows } = await m.db.superuser.query(
        `select coalesce(w.available_fen, 0)::int as available, coalesce(w.credit_fen, 0)::int as credit,
           coalesce((select sum(amount_fen) from ledger_entries where tenant_id = $1), 0)::int as sum,
           coalesce((select sum(amount_fen) from ledger_entries where tenant_id = $1 and account = 'gifts'), 0)::int as gifts,
           (select count(*) from unit_batches where tenant_id = $1 and left_units < 0)::int as negative,
           (select coalesce(sum(n), 0) from (select count(*) - 1 as n from unit_batches
             where tenant_id = $1 and order_id is not null group by order_id) twice)::int as twice
         from tenants t left join wallets w on w.tenant_id = t.id where t.id = $1`,
        [own.id],
      )
      const { available, credit, sum, gifts, negative, twice } = rows[0]
      return [
        ...(available + credit < 0 ? [`the balance is ${available}`] : []),
        ...(sum !== 0 ? [`entries add up to ${sum}`] : []),
        ...(-gifts !== given ? [`gifts are ${-gifts}, not ${given}`] : []),
        ...(negative > 0 ? ['a batch has less than nothing'] : []),
        ...(twice > 0 ? ['an order was given twice'] : []),
      ]
    },
    /** What holds when nothing is left to do. */
    async ends(): Promise<string[]> {
      const { rows } = await m.db.superuser.query(
        `select coalesce(-sum(amount_fen) filter (where account = 'payments'), 0)::int as paid,
           coalesce(sum(amount_fen) filter (where account = 'income'), 0)::int as earned from ledger_entries where tenant_id = $1`,
        [own.id],
      )
      const goods = await m.db.superuser.query(
        `select coalesce(sum(paid_fen - refunded_fen) filter (where kind <> 'top_up'), 0)::int as earned,
           count(*) filter (where state in ('pending', 'paid', 'processing', 'faulted', 'refund_requested', 'refunding'))::int as open,
           (select count(*) from unit_batches where tenant_id = $1)::int as batches,
           count(*) filter (where kind = 'sms' and paid_fen > 0 and (completed_at is not null or state <> 'refunded'))::int as bought
         from purchase_orders where tenant_id = $1`,
        [own.id],
      )
      const there = allTrades().reduce(
        (all, { trade }) =>
          all +
          (trade.state === 'paid' ? trade.total : 0) -
          [...trade.refunds.values()].reduce((back, { fen }) => back + fen, 0),
        0,
      )
      const { open, earned, batches, bought } = goods.rows[0]
      const books = (await money.desk.reconciliation(now())).items.filter(({ tenantId }) => tenantId === own.id)
      return [
        ...(rows[0].paid !== there ? [`providers hold ${there}, the books say ${rows[0].paid}`] : []),
        ...(rows[0].earned !== earned ? [`orders earned ${earned}, the books say ${rows[0].earned}`] : []),
        ...(open > 0 ? [`${open} orders are still open`] : []),
        ...(batches !== bought ? [`${bought} packs were bought, ${batches} given`] : []),
        ...books.map(({ kind, about, expected, found }) => `${kind} ${about}: ${expected}, ${found}`),
      ]
    },
  }
}
