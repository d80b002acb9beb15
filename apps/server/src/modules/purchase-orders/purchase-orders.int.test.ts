import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createWalletsService, findWallet, releaseUnits, reserveUnits, settleUnits, unitsOf } from '../wallets/index.ts'
import { createMessageUnits } from './message-units.ts'
import { moneyFixture } from './purchase-orders.fixtures.ts'
import { type PurchaseOrdersModule, purchaseOrdersModule } from './purchase-orders.module.ts'

const seal = (purpose: string) => createCryptoBox('a secret of the installation, long enough', purpose)
let m: Management
let money: PurchaseOrdersModule
let now = Date.now()
let operator: Ctx
beforeAll(async () => {
  m = await management()
  money = moneyFixture(m.database, { now: () => now, objectStore: m.store })
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  for (const item of [
    { sku: 'basic', kind: 'plan', spec: { months: 1, quotas: { devices: 100 } }, priceFen: 10_000 },
    { sku: 'pro', kind: 'plan', spec: { months: 12, quotas: { devices: 1000 } }, priceFen: 1_560_000 },
    { sku: 'more', kind: 'expansion', spec: { quota: 'devices', quantity: 50 }, priceFen: 3_000 },
    { sku: 'sms-100', kind: 'sms', spec: { units: 100, gift: 10, months: 12 }, priceFen: 800 },
  ] as const)
    await money.catalogue.create(operator, {
      ...item,
      name: item.sku,
      ename: item.sku,
      text: '',
      etext: '',
      state: 'published',
      position: 0,
    })
})

const at = (ctx: Ctx): Ctx => ({ ...ctx, now })
async function rich(fen = 100_000): Promise<Company> {
  const own = await company(m.db)
  if (fen > 0) await money.desk.credit(at(operator), own.id, { giftFen: fen, reason: 'test' })
  return own
}
const buy = async (own: Company, sku: string, quantity = 1) => {
  const order = await money.orders.create(at(own.ctx), { items: [{ sku, quantity }] })
  return order.state === 'pending' ? money.orders.pay(at(own.ctx), order.id, { provider: 'balance' }) : order
}
const assetsOf = async (own: Company) => {
  const { rows } = await m.db.superuser.query(
    `select w.available_fen as available, w.frozen_fen as frozen, t.status, t.expires_at as "expiresAt", t.settings->'quotas'->>'devices' as devices
     from tenants t left join wallets w on w.tenant_id = t.id where t.id = $1`,
    [own.id],
  )
  return rows[0] as {
    available: number
    frozen: number
    status: string
    expiresAt: Date | null
    devices: string | null
  }
}
const mismatches = async (own: Company) =>
  (await money.desk.reconciliation(now)).items.filter(({ tenantId }) => tenantId === own.id)

describe('orders', () => {
  it('bought from the balance are given at once, and the money is gone once', async () => {
    const own = await rich()
    const order = await buy(own, 'sms-100', 2)
    expect(order).toMatchObject({ state: 'completed', paidFen: 1_600, provider: 'balance', kind: 'sms' })
    expect(order.events.map(({ event }) => event)).toEqual(['submit', 'pay', 'begin', 'complete'])
    expect(await assetsOf(own)).toMatchObject({ available: 98_400 })
    await expect(money.orders.pay(at(own.ctx), order.id, { provider: 'balance' })).rejects.toMatchObject({
      code: 'order.state',
      params: { state: 'completed', wanted: 'pending' },
    })
    expect(await money.payments.deliver(order.id)).toBe(true)
    const { rows } = await m.db.superuser.query(
      'select kind, total, left_units, gift from unit_batches where tenant_id = $1 order by gift',
      [own.id],
    )
    expect(rows).toEqual([
      { kind: 'sms', total: 200, left_units: 200, gift: false },
      { kind: 'sms', total: 20, left_units: 20, gift: true },
    ])
    expect(await mismatches(own)).toEqual([])
  })

  it('are refused when the balance does not cover them, and nothing moves', async () => {
    const own = await rich(700)
    const order = await money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })
    await expect(money.orders.pay(at(own.ctx), order.id, { provider: 'balance' })).rejects.toMatchObject({
      code: 'wallet.insufficient',
      params: { available: '7.00', needed: '8.00' },
    })
    expect((await money.orders.get(at(own.ctx), order.id)).payments).toEqual([])
    expect(await assetsOf(own)).toMatchObject({ available: 700 })
    await money.desk.credit(at(operator), own.id, { creditFen: 100, reason: 'a line' })
    await money.orders.pay(at(own.ctx), order.id, { provider: 'balance' })
    expect(await assetsOf(own)).toMatchObject({ available: -100 })
  })

  it('of 200 at once against a balance for 100, exactly 100 are paid', async () => {
    const own = await rich(80_000)
    const orders = await Promise.all(
      Array.from({ length: 200 }, () => money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })),
    )
    const paid = await Promise.allSettled(
      orders.map(({ id }) => money.orders.pay(at(own.ctx), id, { provider: 'balance' })),
    )
    expect(paid.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
    expect(await assetsOf(own)).toMatchObject({ available: 0 })
    expect(await mismatches(own)).toEqual([])
  }, 60_000)

  it('paid over a provider are booked once, however often it says so, and never with another amount', async () => {
    const own = await rich(0)
    const order = await money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })
    const { payments } = await money.orders.pay(at(own.ctx), order.id, { provider: 'simulated' })
    const [payment] = payments
    expect(payment).toMatchObject({ state: 'pending', codeUrl: expect.stringContaining(payment!.no) })
    const again = await money.orders.pay(at(own.ctx), order.id, { provider: 'simulated' })
    expect(again.payments.map(({ id }) => id)).toEqual([payment!.id])
    const said = (amountFen: number) =>
      money.payments.succeeded(payment!.id, { amountFen, providerNo: 'X1' }, own.ctx.actor)
    await expect(said(799)).rejects.toMatchObject({ code: 'payment.amount_differs' })
    expect((await money.orders.get(at(own.ctx), order.id)).state).toBe('pending')
    await Promise.all([said(800), said(800), said(800)])
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'completed', paidFen: 800 })
    const booked = await m.db.superuser.query(
      'select count(*)::int as n from ledger_transactions where tenant_id = $1',
      [own.id],
    )
    expect(booked.rows[0].n).toBe(1)
    expect(await mismatches(own)).toEqual([])
  })

  it('closed before the money came leave it on the balance', async () => {
    const own = await rich(0)
    const order = await money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })
    const { payments } = await money.orders.pay(at(own.ctx), order.id, { provider: 'simulated' })
    now += 31 * 60_000
    await money.work(now)
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'closed' })
    await money.payments.succeeded(payments[0]!.id, { amountFen: 800, providerNo: 'late' }, own.ctx.actor)
    expect(await assetsOf(own)).toMatchObject({ available: 800 })
    expect((await money.orders.get(at(own.ctx), order.id)).state).toBe('closed')
    expect(await mismatches(own)).toEqual([])
  })

  it('that were paid and not given when the server ended are given after it starts, once', async () => {
    const own = await rich(0)
    const order = await money.orders.create(at(own.ctx), { items: [{ sku: 'sms-100' }] })
    const { payments } = await money.orders.pay(at(own.ctx), order.id, { provider: 'simulated' })
    // The state that a kill leaves between the payment and what was bought.
    await m.db.superuser.query(`update payments set state = 'succeeded', paid_at = now() where id = $1`, [
      payments[0]!.id,
    ])
    await m.db.superuser.query(
      `update purchase_orders set state = 'paid', paid_fen = 800, paid_at = now() where id = $1`,
      [order.id],
    )
    await Promise.all([money.work(now), money.work(now)])
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'completed' })
    const { rows } = await m.db.superuser.query(
      'select count(*)::int as batches, sum(total)::int as units from unit_batches where tenant_id = $1',
      [own.id],
    )
    expect(rows[0]).toEqual({ batches: 2, units: 110 })
    // The books say what is missing: nobody booked this money.
    expect((await mismatches(own)).map(({ kind }) => kind)).toEqual(['payment_not_booked'])
  })

  it('are used up by texts: what was not sent comes back, and where nothing is left nothing is sent', async () => {
    const own = await rich()
    const units = createMessageUnits({ database: m.database, now: () => now })
    expect(await units.reserve(own.id, 'sms', 1, 'nobody', false)).toBe(false)
    await buy(own, 'sms-100')
    const left = async () => {
      const all = await m.database.withTenant(own.ctx, scope => unitsOf(scope, own.id, now))
      return all.find(one => one.kind === 'sms')!.left
    }
    const before = await left()
    expect(await units.reserve(own.id, 'sms', 3, 'a:1', false)).toBe(true)
    expect(await units.reserve(own.id, 'sms', 3, 'a:1', false)).toBe(true)
    await units.settle(own.id, 'sms', 'a:1', 2)
    expect(await left()).toBe(before - 2)
    expect(await units.reserve(own.id, 'sms', 4, 'b:1', false)).toBe(true)
    await units.release(own.id, 'b:1')
    expect(await left()).toBe(before - 2)
    const { items } = await createWalletsService(m).unitUses(at(own.ctx), {})
    expect(items.map(({ state, units: used }) => [state, used])).toEqual([
      ['released', 4],
      ['settled', 2],
    ])
  })

  it('are not needed by an urgent text: it is paid from the balance, given back when it was not sent, unless switched off', async () => {
    const own = await rich()
    const units = createMessageUnits({ database: m.database, now: () => now })
    const wallets = createWalletsService(m)
    const wallet = () => m.database.withTenant(own.ctx, scope => findWallet(scope, own.id))
    const { availableFen: full = 0, version = 0 } = (await wallet()) ?? {}
    expect(await units.reserve(own.id, 'sms', 2, 'plain:1', false)).toBe(false)
    for (let again = 0; again < 2; again++) expect(await units.reserve(own.id, 'sms', 2, 'grave:1', true)).toBe(true)
    // 100 texts cost 8 yuan.
    expect((await wallet())?.availableFen).toBe(full - 16)
    await units.settle(own.id, 'sms', 'grave:1', 2)
    const [noted] = (await wallets.consumption(at(own.ctx), {})).items
    expect(noted).toMatchObject({ item: 'sms', quantity: 2, amountFen: 16, balanceAfterFen: full - 16 })
    expect(await units.reserve(own.id, 'sms', 3, 'grave:2', true)).toBe(true)
    for (let again = 0; again < 2; again++) await units.release(own.id, 'grave:2')
    expect((await wallet())?.availableFen).toBe(full - 16)
    const off = await wallets.settings(at(own.ctx), { version, warnFen: null, urgentOnBalance: false })
    expect(off.urgentOnBalance).toBe(false)
    expect(await units.reserve(own.id, 'sms', 1, 'grave:3', true)).toBe(false)
    const poor = await company(m.db)
    expect(await units.reserve(poor.id, 'sms', 1, 'grave:4', true)).toBe(false)
    expect(await mismatches(own)).toEqual([])
  })

  it('ask for what is sold, and are nobody else’s', async () => {
    const [own, other] = [await rich(), await rich()]
    await expect(money.orders.create(at(own.ctx), { items: [{ sku: 'nothing' }] })).rejects.toMatchObject({
      code: 'order.item_unknown',
    })
    const order = await buy(own, 'sms-100')
    await expect(money.orders.get(at(other.ctx), order.id)).rejects.toMatchObject({ code: 'order.not_found' })
    await expect(money.orders.cancel(at(other.ctx), order.id)).rejects.toMatchObject({ code: 'order.not_found' })
    expect((await money.orders.list(at(other.ctx), { total: '1' })).total).toBe(0)
  })
})

describe('a plan', () => {
  it('starts a company, is renewed behind its end, and gives its quotas with expansions', async () => {
    const own = await rich(10_000_000)
    await m.db.superuser.query(
      `update tenants set status = 'expired', expires_at = now() - interval '1 day' where id = $1`,
      [own.id],
    )
    await buy(own, 'basic')
    const first = await assetsOf(own)
    expect(first).toMatchObject({ status: 'active', devices: '100' })
    await buy(own, 'basic')
    const second = await assetsOf(own)
    expect(second.expiresAt!.getTime() - first.expiresAt!.getTime()).toBeGreaterThan(27 * 86_400_000)
    const more = await buy(own, 'more', 2)
    expect(more.items[0]!.prorated).toMatchObject({ to: second.expiresAt!.toISOString() })
    expect(more.payableFen).toBeGreaterThan(6_000)
    expect(await assetsOf(own)).toMatchObject({ devices: '200' })
    // The expansion ends with the term.
    now = second.expiresAt!.getTime() + 1000
    await money.work(now)
    expect(await assetsOf(own)).toMatchObject({ devices: '100' })
  })

  it('that is dearer begins now and takes off what is left; a cheaper one waits for the end', async () => {
    const own = await rich(10_000_000)
    await m.db.superuser.query(`update tenants set status = 'expired', expires_at = null where id = $1`, [own.id])
    await buy(own, 'basic')
    const { expiresAt } = await assetsOf(own)
    now += (expiresAt!.getTime() - now) / 2
    const up = await buy(own, 'pro')
    expect(up.items[0]!.prorated!.creditFen).toBeGreaterThan(4_900)
    expect(up.items[0]!.prorated!.creditFen).toBeLessThanOrEqual(5_000)
    expect(up.payableFen).toBe(1_560_000 - up.items[0]!.prorated!.creditFen)
    expect(await assetsOf(own)).toMatchObject({ devices: '1000' })
    const end = (await assetsOf(own)).expiresAt!
    const down = await buy(own, 'basic')
    expect(down).toMatchObject({ state: 'completed', payableFen: 0 })
    expect(await assetsOf(own)).toMatchObject({ devices: '1000', expiresAt: end })
    now = end.getTime() + 1000
    await money.work(now)
    expect(await assetsOf(own)).toMatchObject({ devices: '100', expiresAt: end })
  })

  it('is what an expansion belongs to', async () => {
    const own = await rich()
    await expect(money.orders.create(at(own.ctx), { items: [{ sku: 'more' }] })).rejects.toMatchObject({
      code: 'order.expansion_without_plan',
    })
  })
})

describe('a refund', () => {
  it('goes to the balance when an operator agrees, and takes back what is left of the units', async () => {
    const own = await rich(1_000)
    const order = await buy(own, 'sms-100')
    const asked = await money.orders.refund(at(own.ctx), order.id, { way: 'balance', reason: 'too many' })
    expect(asked).toMatchObject({ state: 'refund_requested' })
    await expect(money.orders.refund(at(own.ctx), order.id, { way: 'balance', reason: 'again' })).rejects.toMatchObject(
      { code: 'order.state' },
    )
    const decide = (accept: boolean, reason = '') =>
      money.refunds.decide(at(operator), asked.refunds[0]!.id, { accept, reason })
    await expect(decide(false)).rejects.toMatchObject({ code: 'approval.reason_missing' })
    await decide(true)
    await expect(decide(true)).rejects.toMatchObject({ code: 'approval.decided' })
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'refunded', refundedFen: 800 })
    expect(await assetsOf(own)).toMatchObject({ available: 1_000 })
    const left = await m.db.superuser.query('select sum(left_units)::int as n from unit_batches where tenant_id = $1', [
      own.id,
    ])
    expect(left.rows[0].n).toBe(0)
    expect(await mismatches(own)).toEqual([])
  })

  it('of a part is one, and what is refused goes back to where it was', async () => {
    const own = await rich(1_000)
    const order = await buy(own, 'sms-100')
    const ask = (amountFen?: number) =>
      money.orders.refund(at(own.ctx), order.id, {
        way: 'balance',
        reason: 'part',
        ...(amountFen ? { amountFen } : {}),
      })
    await expect(ask(801)).rejects.toMatchObject({ code: 'order.refund_amount', params: { most: '8.00' } })
    const first = await ask(300)
    await money.refunds.decide(at(operator), first.refunds[0]!.id, { accept: false, reason: 'no' })
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'completed', refundedFen: 0 })
    const second = await ask(300)
    await money.refunds.decide(at(operator), second.refunds[0]!.id, { accept: true, reason: '' })
    expect(await money.orders.get(at(own.ctx), order.id)).toMatchObject({ state: 'partly_refunded', refundedFen: 300 })
    await expect(ask(501)).rejects.toMatchObject({ code: 'order.refund_amount' })
    expect(await assetsOf(own)).toMatchObject({ available: 500 })
    expect(await mismatches(own)).toEqual([])
  })

  it('of a top-up cannot be spent meanwhile, and goes back the way it came', async () => {
    const own = await rich(0)
    const order = await money.orders.recharge(at(own.ctx), 5_000)
    const { payments } = await money.orders.pay(at(own.ctx), order.id, { provider: 'simulated' })
    await money.orders.simulate(at(own.ctx), payments[0]!.id, 'paid')
    expect(await assetsOf(own)).toMatchObject({ available: 5_000 })
    await expect(money.orders.refund(at(own.ctx), order.id, { way: 'balance', reason: 'x' })).rejects.toMatchObject({
      code: 'order.refund_way',
    })
    const asked = await money.orders.refund(at(own.ctx), order.id, { way: 'origin', reason: 'x', amountFen: 2_000 })
    expect(await assetsOf(own)).toMatchObject({ available: 3_000, frozen: 2_000 })
    await money.refunds.decide(at(operator), asked.refunds[0]!.id, { accept: true, reason: '' })
    expect(await assetsOf(own)).toMatchObject({ available: 3_000, frozen: 0 })
    expect(await mismatches(own)).toEqual([])
  })
})

describe('a bank transfer', () => {
  it('shows the operator, and nobody of another company, the picture of its voucher', async () => {
    const [own, other] = [await rich(0), await rich(0)]
    const file = (name: string, bytes: Buffer) => ({ fileName: name, contentType: 'x', body: Readable.from([bytes]) })
    const routed = async <T>(of: { ctx: Ctx }, operation: string, params: object, upload?: object) => {
      const route = money.routes.find(
        ({ contract }) => contract.path === operation && (contract.method === 'POST') === !!upload,
      )
      return (await route!.handler(
        at(of.ctx),
        { params, query: {}, body: {} } as never,
        { file: upload } as never,
      )) as T
    }
    const path = '/api/v1/orders/voucher-files'
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const added = await routed<{ id: string; contentType: string }>(own, path, {}, file('回单.gif', png))
    expect(added.contentType).toBe('image/png')
    await expect(routed(own, path, {}, file('voucher.png', Buffer.from('<svg/>')))).rejects.toMatchObject({
      code: 'payment.file_invalid',
    })
    await expect(routed(other, `${path}/{id}`, { id: added.id })).rejects.toMatchObject({
      code: 'payment.file_not_found',
    })
    const order = await money.orders.recharge(at(own.ctx), 100_000)
    const pay = (fileIds: string[]) =>
      money.orders.pay(at(own.ctx), order.id, {
        provider: 'transfer',
        voucher: { number: '2026112600018', payer: '清源物联', fileIds },
      })
    await expect(pay([newId()])).rejects.toMatchObject({ code: 'payment.file_not_found' })
    const sent = await pay([added.id])
    const [source] = money.approvalSources!
    const id = sent.payments[0]!.id
    const item = (await source!.list(operator, 'open', 200)).find(each => each.id === id)
    expect(item!.files).toMatchObject([{ id: added.id, name: '回单.gif', contentType: 'image/png' }])
    expect(await buffer((await source!.file!(operator, id, added.id)).body)).toEqual(png)
    await expect(source!.file!(operator, id, newId())).rejects.toMatchObject({ code: 'payment.file_not_found' })
    await source!.decide(at(operator), id, { accept: false, reason: 'not seen' })
  })

  it('counts when an operator has seen the money; a refused one can be paid another way', async () => {
    const own = await rich(0)
    const order = await money.orders.recharge(at(own.ctx), 100_000)
    await expect(money.orders.pay(at(own.ctx), order.id, { provider: 'transfer' })).rejects.toMatchObject({
      code: 'order.voucher_missing',
    })
    const voucher = { number: '2026112600017', payer: '清源物联' }
    const sent = await money.orders.pay(at(own.ctx), order.id, { provider: 'transfer', voucher })
    expect(sent).toMatchObject({ state: 'pending', paymentState: 'in_review' })
    now += 60 * 60_000
    await money.work(now)
    expect((await money.orders.get(at(own.ctx), order.id)).state).toBe('pending')
    const [source] = money.approvalSources!
    expect((await source!.list(operator, 'open', 200)).map(({ id }) => id)).toContain(sent.payments[0]!.id)
    await source!.decide(at(operator), sent.payments[0]!.id, { accept: false, reason: 'not seen' })
    expect((await money.orders.recharges(at(own.ctx), {})).items[0]).toMatchObject({ state: 'refused' })
    const again = await money.orders.pay(at(own.ctx), order.id, {
      provider: 'transfer',
      voucher: { ...voucher, number: '20261126-2' },
    })
    await source!.decide(at(operator), again.payments[0]!.id, { accept: true, reason: '' })
    expect(await assetsOf(own)).toMatchObject({ available: 100_000 })
    expect((await money.orders.recharges(at(own.ctx), {})).items[0]).toMatchObject({
      state: 'succeeded',
      provider: 'transfer',
    })
    expect(await mismatches(own)).toEqual([])
  })
})

describe('units', () => {
  it('come of the batch that ends first, are used once, and come back when nothing was sent', async () => {
    const own = await rich()
    const hold = (key: string, units: number) =>
      m.database.withTenant({ tenantId: own.id }, scope =>
        reserveUnits(scope, { tenantId: own.id, kind: 'sms', key, units, now }),
      )
    expect(await hold('none', 1)).toBe(false)
    await money.desk.credit(at(operator), own.id, { sms: 10, unitMonths: 12, reason: 'later' })
    await money.desk.credit(at(operator), own.id, { sms: 5, unitMonths: 1, reason: 'sooner' })
    const left = async () =>
      (
        await m.db.superuser.query('select left_units from unit_batches where tenant_id = $1 order by expires_at', [
          own.id,
        ])
      ).rows.map(row => row.left_units)
    expect(await hold('a', 7)).toBe(true)
    expect(await hold('a', 7)).toBe(true)
    expect(await left()).toEqual([0, 8])
    expect(await hold('b', 9)).toBe(false)
    await m.database.withTenant({ tenantId: own.id }, scope =>
      settleUnits(scope, { tenantId: own.id, kind: 'sms', key: 'a', units: 6, now }),
    )
    expect(await left()).toEqual([0, 9])
    expect(await hold('c', 4)).toBe(true)
    for (const _ of [1, 2])
      await m.database.withTenant({ tenantId: own.id }, scope => releaseUnits(scope, { tenantId: own.id, key: 'c' }))
    expect(await left()).toEqual([0, 9])
    expect(await mismatches(own)).toEqual([])
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => hold(`p${at}`, 1)))
    expect(all.filter(Boolean)).toHaveLength(9)
    expect(await mismatches(own)).toEqual([])
  })
})

describe('the books', () => {
  it('tell of each way in which they can differ', async () => {
    const own = await rich(2_000)
    const order = await buy(own, 'sms-100')
    const sql = (text: string, params: unknown[] = [own.id]) => m.db.superuser.query(text, params)
    expect(await mismatches(own)).toEqual([])
    await sql('update wallets set available_fen = available_fen + 1 where tenant_id = $1')
    await sql('update purchase_orders set paid_fen = paid_fen - 1, refunded_fen = 0 where tenant_id = $1')
    await sql('update unit_batches set left_units = left_units - 1 where tenant_id = $1 and not gift')
    await sql(
      `insert into refunds (id, no, tenant_id, order_id, amount_fen, way, state, reason, asked_by) values ($2, $3, $1, $4, 5, 'balance', 'done', '', '')`,
      [own.id, newId(), newId(), order.id],
    )
    await sql(
      `insert into payments (id, no, tenant_id, order_id, provider, state, amount_fen) values ($2, $3, $1, $4, 'simulated', 'succeeded', 5)`,
      [own.id, newId(), newId(), order.id],
    )
    expect((await mismatches(own)).map(({ kind }) => kind).sort()).toEqual([
      'order_paid_differs',
      'payment_not_booked',
      'refund_differs',
      'units_differ',
      'wallet_differs',
    ])
  })

  it('take no entry that does not add up, and let nobody change one', async () => {
    const own = await rich(2_000)
    const wallet = await m.db.superuser.query('select id from wallets where tenant_id = $1', [own.id])
    const alone = m.database.withTenant({ tenantId: own.id }, async scope => {
      const id = newId()
      await raw(
        scope,
        `insert into ledger_transactions (id, no, tenant_id, kind, key, cause_kind, cause_id, actor_kind) values ($1, $3, $2, 'gift', $3, '', '', 'system')`,
        [id, own.id, id],
      )
      await raw(
        scope,
        `insert into ledger_entries (tenant_id, transaction_id, account, wallet_id, amount_fen, kind) values ($1, $2, 'available', $3, 100, 'gift')`,
        [own.id, id, wallet.rows[0].id],
      )
    })
    await expect(alone).rejects.toThrow('do not add up')
    for (const statement of [
      'update ledger_entries set amount_fen = 1 where tenant_id = $1',
      'delete from ledger_entries where tenant_id = $1',
      'update wallets set available_fen = 1 where tenant_id = $1',
    ]) {
      await expect(
        m.database.withTenant({ tenantId: own.id }, scope => raw(scope, statement, [own.id])),
      ).rejects.toThrow('permission denied')
    }
    expect(await assetsOf(own)).toMatchObject({ available: 2_000 })
  })
})

describe('the demo', () => {
  it('has a catalogue, a plan, units and three months of charges, once', async () => {
    const { ctx, id } = await company(m.db)
    for (const _ of [1, 2]) await purchaseOrdersModule.seedDemo?.(m.database, id, seal)
    const { rows } = await m.db.superuser.query(
      `select (select sku from company_plans where tenant_id = $1) as plan,
         (select count(*)::int from purchase_orders where tenant_id = $1 and state = 'completed') as orders,
         (select count(*)::int from purchase_orders where tenant_id = $1 and kind = 'top_up') as recharges,
         (select count(*)::int from consumptions where tenant_id = $1) as charges`,
      [id],
    )
    expect(rows[0]).toMatchObject({ plan: 'professional', orders: 5, recharges: 2 })
    expect(rows[0].charges).toBeGreaterThan(150)
    // The past is movements of the balance, in the order of time, each charge with the balance after it.
    const { rows: past } = await m.db.superuser.query(
      `select count(*)::int as movements, min(at)::date < now() - interval '85 days' as long,
         bool_and(e.at >= earlier or earlier is null) as ordered, min(e.after_fen) > 0 as covered,
         (select count(*)::int from consumptions c where c.tenant_id = $1 and c.transaction_id is not null
           and c.balance_after_fen is not null) as charged
       from (select *, lag(at) over (order by seq) as earlier from ledger_entries where tenant_id = $1 and account = 'available') e`,
      [id],
    )
    expect(past[0]).toMatchObject({ long: true, ordered: true, covered: true })
    expect(past[0].charged).toBeGreaterThan(150)
    expect(past[0].movements).toBeGreaterThan(past[0].charged)
    expect((await money.orders.list(ctx, {})).items).toHaveLength(5)
    expect((await money.orders.recharges(ctx, {})).items.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
    expect((await money.desk.reconciliation(now)).items.filter(({ tenantId }) => tenantId === id)).toEqual([])
  })
})
