import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../db/testing/management.ts'
import type { Ctx } from '../lib/context.ts'
import type { Database } from '../lib/database/database.ts'
import { AppError } from '../lib/errors.ts'
import type { UploadedFile } from '../lib/http.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import fc from '../lib/testing/fast-check.ts'
import { createInvoicesModule, type InvoicesModule } from '../modules/invoices/invoices.module.ts'
import { moneyFixture } from '../modules/purchase-orders/purchase-orders.fixtures.ts'
import type { PurchaseOrdersModule } from '../modules/purchase-orders/purchase-orders.module.ts'

/** Steps of all runs together; more by `INVOICE_MODEL_STEPS=20000`. */
const { env } = import.meta as unknown as { env: Record<string, string | undefined> }
const STEPS = Number(env.INVOICE_MODEL_STEPS ?? 1_050)
const STEPS_PER_RUN = 150
const TAX = '91350100M000100Y43'
const PRICE = 20_000
const NONE = '00000000-0000-7000-8000-000000000000'
const SKU = 'invoice-model-sms'

type Act = 'on' | 'accept' | 'reject' | 'issue' | 'fail' | 'ship' | 'void'
type Step =
  | { do: 'buy'; way: 'simulated' | 'balance' }
  | { do: 'topUp'; fen: number }
  | { do: 'basis'; basis: 'order' | 'top_up' }
  | { do: 'ask'; on: number; also: boolean; stray: boolean; part: number | null; paper: boolean }
  | { do: 'withdraw'; on: number }
  | { do: 'act'; on: number; action: Act; stale: boolean }
  | { do: 'reverse'; on: number; part: number | null }
  | { do: 'refund'; on: number; part: boolean; way: 'balance' | 'origin'; accept: boolean }
  | { do: 'crash'; after: number }
  | { do: 'both'; on: number; part: number }

const on = fc.nat(40)
const fen = fc.integer({ min: 1_000, max: 6_000 })
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('buy' as const), way: fc.constantFrom('simulated', 'balance') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('topUp' as const), fen: fc.integer({ min: 5_000, max: 60_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('basis' as const), basis: fc.constantFrom('order', 'top_up') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      on,
      also: fc.boolean(),
      stray: fc.nat(4).map(n => n === 0),
      part: fc.option(fen),
      paper: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), on }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      on,
      action: fc.constantFrom('on', 'on', 'on', 'on', 'accept', 'issue', 'reject', 'fail', 'ship', 'void'),
      stale: fc.nat(9).map(n => n === 0),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('reverse' as const), on, part: fc.option(fen) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      on,
      part: fc.boolean(),
      way: fc.constantFrom('balance', 'origin'),
      accept: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), after: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('both' as const), on, part: fen }) },
) as fc.Arbitrary<Step>

interface Paper {
  id: string
  redOf: string | null
  state: string
  fen: number
  reversed: number
  reversing: number
}

/** States with which the desk goes on, by what it does. */
const WORKED: Record<Act, string[]> = {
  on: ['submitted', 'issuing', 'failed'],
  accept: ['submitted', 'failed'],
  reject: ['submitted', 'issuing', 'failed'],
  issue: ['issuing'],
  fail: ['issuing'],
  ship: ['issued'],
  void: ['issued', 'delivered'],
}

class Crash extends Error {}

let m: Management
let operator: Ctx
beforeAll(async () => {
  m = await management()
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  await moneyFixture(m.database, { now: Date.now }).catalogue.create(operator, {
    sku: SKU,
    kind: 'sms',
    spec: { units: 20, gift: 0, months: 36 },
    priceFen: PRICE,
    name: 'model',
    ename: 'model',
    text: '',
    etext: '',
    state: 'published',
    position: 0,
  })
}, 120_000)

/** A company that buys and asks for invoices, and a process that can die after any transaction. */
async function invoiceModel(own: Company) {
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
  const start = (): { money: PurchaseOrdersModule; invoices: InvoicesModule } => ({
    money: moneyFixture(database, { now: Date.now }),
    invoices: createInvoicesModule({
      database,
      objectStore: { put: async () => undefined, get: async () => null },
      // Every third mail does not go.
      mail: {
        send: async () => {
          mailed += 1
          if (mailed % 3 === 0) throw new Error('the mail server is away')
        },
        outbox: () => null,
      },
      inbox: { notify: async () => undefined },
      logger: silentLogger,
      addresses: () => ({ httpUrl: 'https://console.example' }),
    }),
  })
  let mailed = 0
  let numbers = 0
  let at = start()
  const ctx = (of: Ctx): Ctx => ({ ...of, now: Date.now() })
  const { id: titleId } = await at.invoices.qualifications.addTitle(ctx(own.ctx), {
    kind: 'company',
    title: 'Pumps Ltd',
    taxNo: TAX,
  })
  const upload = (): UploadedFile =>
    ({ fileName: 'a.pdf', contentType: '', body: Readable.from(Buffer.from('%PDF-1.7 x')) }) as unknown as UploadedFile
  const document = await at.invoices.service.addFile(ctx(own.ctx), upload())
  const { id: qualificationId } = await at.invoices.qualifications.create(ctx(own.ctx), {
    title: 'Pumps Ltd',
    taxNo: TAX,
    address: '1 Road',
    phone: '0591-1',
    bank: 'Bank',
    bankAccount: '622200001111',
    fileIds: [document.id],
  })
  await at.invoices.desk.decide(ctx(operator), qualificationId, { accept: true, reason: '' })
  const addressId = newId()
  await m.db.superuser.query(
    `insert into addresses (id, tenant_id, receiver, phone, province, city, district, detail)
     values ($1, $2, 'Anna', '13800000000', 'P', 'C', 'D', '1 Road')`,
    [addressId, own.id],
  )
  const orders: string[] = []
  const asked: string[] = []
  const pick = (all: readonly string[], place: number) => (all.length > 0 ? all[place % all.length] : undefined)

  async function paid(id: string, provider: 'simulated' | 'balance'): Promise<void> {
    const order = await at.money.orders.pay(ctx(own.ctx), id, { provider })
    if (provider === 'simulated') await at.money.orders.simulate(ctx(own.ctx), order.payments.at(-1)!.id, 'paid')
  }
  const create = (ids: string[], part: number | null, paper = false) =>
    at.invoices.service.create(ctx(own.ctx), {
      ...(paper
        ? { type: 'special_paper', qualificationId, addressId }
        : { type: 'ordinary', titleId, email: 'pay@example.com' }),
      orders: ids.map((orderId, place) => ({ orderId, ...(part !== null && place === 0 ? { amountFen: part } : {}) })),
    })

  /** Invoices that a step chooses from: four times of five those with which it can be done. */
  async function within(step: Extract<Step, { on: number }>): Promise<string[]> {
    if (step.on % 5 === 0 || (step.do !== 'act' && step.do !== 'reverse')) return asked
    const { items } = await at.invoices.service.list(ctx(own.ctx), { limit: 100 })
    const wanted = step.do === 'reverse' ? ['issued', 'delivered'] : WORKED[step.action]
    return items
      .filter(({ state, redOf }) => wanted.includes(state) && !(step.do === 'reverse' && redOf))
      .map(({ id }) => id)
  }

  async function act(step: Step): Promise<void> {
    const order = 'on' in step ? pick(orders, step.on) : undefined
    const invoice = 'on' in step ? pick(await within(step), step.on) : undefined
    switch (step.do) {
      case 'buy': {
        const { id } = await at.money.orders.create(ctx(own.ctx), { items: [{ sku: SKU }] })
        orders.push(id)
        return paid(id, step.way)
      }
      case 'topUp': {
        const { id } = await at.money.orders.recharge(ctx(own.ctx), step.fen)
        orders.push(id)
        return paid(id, 'simulated')
      }
      case 'basis': {
        const { version } = await at.invoices.service.account(ctx(own.ctx))
        await at.invoices.service.setAccount(ctx(own.ctx), { basis: step.basis, version })
        return
      }
      case 'ask': {
        const open = step.stray
          ? orders
          : (await at.invoices.service.sources(ctx(own.ctx), {})).items.map(({ orderId }) => orderId)
        const first = pick(open, step.on)
        const other = step.also ? pick(open, step.on + 1) : undefined
        if (!first) throw new AppError('invoice.order')
        asked.push((await create(other ? [first, other] : [first], step.part, step.paper)).id)
        return
      }
      case 'both': {
        // Two members ask for the same order in the same moment.
        if (!order) throw new AppError('order.not_found')
        const made = await Promise.allSettled([create([order], step.part), create([order], step.part)])
        for (const one of made)
          if (one.status === 'fulfilled') asked.push(one.value.id)
          else if (!(one.reason instanceof AppError)) throw one.reason
        return
      }
      case 'withdraw':
        await at.invoices.service.withdraw(ctx(own.ctx), invoice ?? NONE)
        return
      case 'act': {
        if (!invoice) throw new AppError('invoice.not_found')
        const { version, state, files } = await at.invoices.desk.get(ctx(operator), invoice)
        // On: what comes next in the work of the desk.
        const action = step.action !== 'on' ? step.action : state === 'issuing' ? 'issue' : 'accept'
        if (action === 'issue' && state === 'issuing' && files === 0)
          await at.invoices.desk.addFile(ctx(operator), invoice, upload())
        numbers += 1
        const number = `${own.id.slice(-8)}${numbers}`
        await at.invoices.desk.act(ctx(operator), invoice, {
          action,
          reason: 'model',
          ...(action === 'issue' ? { number, code: '3500201130' } : {}),
          ...(action === 'ship' ? { logistics: { company: 'SF', no: 'SF1' } } : {}),
          version: step.stale ? version - 1 : version,
        })
        return
      }
      case 'reverse':
        asked.push(
          (
            await at.invoices.service.reverse(ctx(own.ctx), invoice ?? NONE, {
              reason: 'mistaken',
              ...(step.part === null ? {} : { amountFen: step.part }),
            })
          ).id,
        )
        return
      case 'refund': {
        if (!order) throw new AppError('order.not_found')
        const before = await at.money.orders.get(ctx(own.ctx), order)
        const left = before.paidFen - before.refundedFen
        const after = await at.money.orders.refund(ctx(own.ctx), order, {
          way: step.way,
          reason: 'model',
          ...(step.part && left > 1 ? { amountFen: Math.floor(left / 2) } : {}),
        })
        const open = after.refunds.find(({ state }) => state === 'requested')!
        await at.money.refunds.decide(ctx(operator), open.id, { accept: step.accept, reason: 'model' })
        return
      }
      case 'crash':
        lives = step.after
    }
  }

  return {
    /** What may not be done is refused; anything else that fails is a fault. @returns whether it was done */
    async step(step: Step): Promise<boolean> {
      const dies = lives !== null && step.do !== 'crash'
      let done = true
      try {
        await act(step)
      } catch (error) {
        if (!(error instanceof AppError) && !(error instanceof Crash)) throw error
        done = false
      }
      if (!dies) return done
      lives = null
      at = start()
      // What an answer was lost of is there all the same: the list shows it.
      for (const { id } of (await at.invoices.service.list(ctx(own.ctx), { limit: 100 })).items)
        if (!asked.includes(id)) asked.push(id)
      return done
    },
    /** What always holds, worked out from papers and payments alone. @returns what does not */
    async faults(): Promise<string[]> {
      const read = async <R>(text: string) => (await m.db.superuser.query(text, [own.id])).rows as R[]
      const papers = await read<Paper>(
        `select id, red_of as "redOf", state, amount_fen::int as fen, reversed_fen::int as reversed,
           reversing_fen::int as reversing from invoices where tenant_id = $1`,
      )
      const lines = await read<{ invoice: string; order: string; fen: number; back: number }>(
        `select invoice_id as invoice, order_id as "order", amount_fen::int as fen, released_fen::int as back
         from invoice_lines where tenant_id = $1`,
      )
      const orderRows = await read<{ id: string; kind: string; paid: number; refunded: number; invoiced: number }>(
        `select id, kind, paid_fen::int as paid, refunded_fen::int as refunded, invoiced_fen::int as invoiced
         from purchase_orders where tenant_id = $1`,
      )
      const [real] = await read<{ fen: number }>(
        `select ((select coalesce(sum(amount_fen), 0) from payments
            where tenant_id = $1 and state = 'succeeded' and provider <> 'balance')
          - (select coalesce(sum(r.amount_fen), 0) from refunds r join purchase_orders o on o.id = r.order_id
            where r.tenant_id = $1 and r.state = 'done' and (r.way = 'origin' or o.kind = 'top_up')))::int as fen`,
      )
      const gone = ['rejected', 'withdrawn', 'voided']
      const wrong: string[] = []
      let held = 0
      for (const blue of papers.filter(({ redOf }) => redOf === null)) {
        const reds = papers.filter(({ redOf }) => redOf === blue.id)
        const sum = (states: string[]) =>
          reds.filter(({ state }) => states.includes(state)).reduce((all, red) => all + red.fen, 0)
        const reversed = sum(['issued', 'delivered'])
        const reversing = sum(['submitted', 'issuing', 'failed'])
        if (reversed !== blue.reversed || reversing !== blue.reversing)
          wrong.push(`${blue.id}: reversed ${reversed}, ${reversing}; it says ${blue.reversed}, ${blue.reversing}`)
        if (reversed + reversing > blue.fen) wrong.push(`${blue.id}: more is taken back than it holds`)
        const own = gone.includes(blue.state) ? 0 : blue.fen - reversed
        const inLines = lines
          .filter(({ invoice }) => invoice === blue.id)
          .reduce((all, line) => all + line.fen - line.back, 0)
        if (own !== inLines) wrong.push(`${blue.id} ${blue.state}: holds ${own}, its lines ${inLines}`)
        held += own
      }
      for (const order of orderRows) {
        const inLines = lines
          .filter(({ order: of }) => of === order.id)
          .reduce((all, line) => all + line.fen - line.back, 0)
        if (order.invoiced !== inLines) wrong.push(`order ${order.id}: ${order.invoiced}, its lines ${inLines}`)
        if (inLines > order.paid - order.refunded)
          wrong.push(`order ${order.id}: invoices of ${inLines}, paid ${order.paid - order.refunded}`)
      }
      if (held > real!.fen) wrong.push(`invoices of ${held} for ${real!.fen} of real money`)
      return wrong
    },
  }
}

describe('invoices', () => {
  it('hold no fen twice, whatever is asked, withdrawn, reversed, refunded and cut off', async () => {
    const done = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: STEPS_PER_RUN, maxLength: STEPS_PER_RUN }), async all => {
        const model = await invoiceModel(await company(m.db))
        for (const step of all) {
          if (await model.step(step)) done.set(step.do, (done.get(step.do) ?? 0) + 1)
          expect(await model.faults(), JSON.stringify(step)).toEqual([])
        }
      }),
      { numRuns: Math.ceil(STEPS / STEPS_PER_RUN), endOnFailure: true },
    )
    // A model that only asks for what is refused shows nothing.
    for (const kind of ['ask', 'both', 'withdraw', 'act', 'reverse', 'refund'] as const)
      expect(done.get(kind) ?? 0, kind).toBeGreaterThan(5)
    const { rows } = await m.db.superuser.query(
      `select count(*)::int as n from invoices r join invoices b on b.id = r.red_of
       where r.state in ('issued', 'delivered') and r.amount_fen < b.amount_fen`,
    )
    expect(rows[0].n).toBeGreaterThan(2)
  }, 600_000)
})
