import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import { pdfTexts } from '../../lib/testing/pdf-text.ts'
import { clockText } from '../../lib/zoned-time.ts'
import { walletsModule } from '../wallets/index.ts'
import { moneyFixture } from './purchase-orders.fixtures.ts'
import type { PurchaseOrdersModule } from './purchase-orders.module.ts'
import { orderReceipt } from './receipt.ts'
import words from './receipt-words.json' with { type: 'json' }

let m: Management
let money: PurchaseOrdersModule
let operator: Ctx
beforeAll(async () => {
  m = await management()
  money = moneyFixture(m.database, { now: Date.now })
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
})

const shown = async (reply: StreamReply) => pdfTexts(await buffer(reply.body)).join('|')
const exportsOf = async (tenantId: string) =>
  (
    await m.db.superuser.query(
      `select action, object_id, after from audit_logs where tenant_id = $1 and action like '%.export'`,
      [tenantId],
    )
  ).rows
const at = (ctx: Ctx, locale: Ctx['locale'] = 'en'): Ctx => ({ ...ctx, locale, now: Date.now() })
async function paidTopUp(ctx: Ctx) {
  const order = await money.orders.recharge(at(ctx), 123_450)
  const { payments } = await money.orders.pay(at(ctx), order.id, { provider: 'simulated' })
  await money.orders.simulate(at(ctx), payments[0]!.id, 'paid')
  return money.orders.get(at(ctx), order.id)
}

describe('a receipt', () => {
  it('is there for what was paid, in both languages, and says that it is no invoice', async () => {
    const own = await company(m.db)
    const order = await paidTopUp(own.ctx)
    for (const locale of ['zh', 'en'] as const) {
      const reply = await orderReceipt(m.database, at(own.ctx, locale), order.id)
      expect(reply.fileName).toBe(`${words[locale].title}-${order.no}.pdf`)
      const text = await shown(reply)
      for (const part of [order.no, order.payments[0]!.no, '¥1234.50', words[locale].title])
        expect(text).toContain(part)
      // Long sentences are broken into lines.
      expect(text.replaceAll('|', '').replaceAll(' ', '')).toContain(words[locale].notInvoice.replaceAll(' ', ''))
      expect(text.replaceAll('|', '').replaceAll(' ', '')).toContain(words[locale].simulated.replaceAll(' ', ''))
    }
    expect(await exportsOf(own.id)).toMatchObject([
      { action: 'purchase_order.export', object_id: order.id, after: { format: 'pdf' } },
      { action: 'purchase_order.export' },
    ])
  })

  it('is refused before anything was paid, and to another company', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const order = await money.orders.recharge(at(own.ctx), 1_000)
    await expect(orderReceipt(m.database, at(own.ctx), order.id)).rejects.toMatchObject({
      code: 'order.receipt_unpaid',
    })
    await expect(orderReceipt(m.database, at(other.ctx), order.id)).rejects.toMatchObject({ code: 'order.not_found' })
    expect(await exportsOf(own.id)).toEqual([])
  })
})

/** By its route: what makes it is the other module's own. */
function statement(ctx: Ctx, month: string): Promise<StreamReply> {
  const { routes = [] } = walletsModule.create({ database: m.database, inbox: { notify: async () => {} } as never })
  const { handler } = routes.find(({ contract }) => contract.path === '/api/v1/balance/statement')!
  const call = handler as unknown as (ctx: Ctx, input: object, http: object) => Promise<StreamReply>
  return call(ctx, { query: { month } }, {})
}

describe('a statement of account', () => {
  it('adds up from the opening to the closing balance of the month', async () => {
    const own = await company(m.db)
    await money.desk.credit(at(operator), own.id, { giftFen: 5_000, reason: 'before' })
    await m.db.superuser.query(`update ledger_entries set at = now() - interval '40 days' where tenant_id = $1`, [
      own.id,
    ])
    await paidTopUp(own.ctx)
    await money.desk.credit(at(operator), own.id, { adjustFen: -450, reason: 'a correction' })
    const month = clockText('Asia/Shanghai', Date.now()).slice(0, 7)
    const text = await shown(await statement(at(own.ctx), month))
    expect(text).toContain('Opening balance|¥50.00')
    expect(text).toContain('Closing balance|¥1280.00')
    for (const part of ['1234.50', '-4.50', 'a correction', month]) expect(text).toContain(part)
    expect(await exportsOf(own.id)).toMatchObject([{ action: 'wallet.export', after: { format: 'pdf', month } }])
  })

  it('is empty for a company without movements, and refused for a month to come', async () => {
    const own = await company(m.db)
    const text = await shown(await statement(at(own.ctx), '2025-02'))
    expect(text).toContain('The balance did not move in this month.')
    await expect(statement(at(own.ctx), '2099-01')).rejects.toMatchObject({
      code: 'wallet.statement_month',
    })
  })
})
