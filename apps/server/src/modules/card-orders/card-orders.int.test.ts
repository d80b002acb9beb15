import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { silentLogger } from '../../lib/log.ts'
import { createPurchaseOrdersModule, type PurchaseOrdersModule } from '../purchase-orders/index.ts'
import { type CardOrdersModule, createCardOrdersModule } from './card-orders.module.ts'

const DAY_MS = 86_400_000
const seal = (purpose: string) => createCryptoBox('a secret of the installation, long enough', purpose)
const ADDRESS = { name: '张三', phone: '13800000000', region: '福建省福州市', line: '软件大道 89 号' }
let m: Management
let money: PurchaseOrdersModule
let cards: CardOrdersModule
let now = Date.now()
let operator: Ctx
let sourceId: string
/** ICCIDs of twenty digits that follow each other. */
const iccid = (n: number) => `8986032026${String(n).padStart(10, '0')}`

beforeAll(async () => {
  m = await management()
  money = createPurchaseOrdersModule({
    database: m.database,
    logger: silentLogger,
    quotas: { usage: async () => [] },
    paymentClients: () => {
      throw new Error('nobody pays online here')
    },
    outboundAllow: [],
    objectStore: m.store,
    addresses: () => ({ httpUrl: '' }),
    seal,
    now: () => now,
  })
  cards = createCardOrdersModule({
    database: m.database,
    seal,
    outboundAllow: [],
    logger: silentLogger,
    now: () => now,
  })
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  const plan = { monthMb: 30, months: 12, cardFen: 500 } as const
  for (const item of [
    { sku: 'cmcc-30', spec: { ...plan, carrier: 'cmcc', use: 'single', forms: ['2ff', 'embedded'] }, priceFen: 2_400 },
    {
      sku: 'cmcc-100',
      spec: { ...plan, monthMb: 100, carrier: 'cmcc', use: 'single', forms: ['2ff'] },
      priceFen: 6_000,
    },
    { sku: 'ctcc-30', spec: { ...plan, carrier: 'ctcc', use: 'single', forms: ['2ff'] }, priceFen: 2_400 },
  ] as const)
    await money.catalogue.create(operator, {
      ...item,
      kind: 'sim',
      spec: { ...item.spec, forms: [...item.spec.forms] },
      name: item.sku,
      ename: item.sku,
      text: '',
      etext: '',
      state: 'published',
      position: 0,
    })
  const source = { name: '平台发卡', kind: 'onelink', account: 'A1', password: 'p1' } as const
  for (const baseUrl of ['https://carrier.example:99999/', 'https://127.1/', 'https://carrier.example:0/'])
    await expect(cards.desk.createSource(operator, { ...source, baseUrl })).rejects.toMatchObject({
      code: 'carrier.address_blocked',
    })
  sourceId = (await cards.desk.createSource(operator, source)).id
})

const at = (ctx: Ctx): Ctx => ({ ...ctx, now })
async function rich(): Promise<Company> {
  const own = await company(m.db)
  await money.desk.credit(at(operator), own.id, { giftFen: 10_000_000, reason: 'test' })
  return own
}
async function paid(own: Company, quantity: number, sku = 'cmcc-30', form: '2ff' | 'embedded' = '2ff') {
  const order = await cards.service.create(at(own.ctx), { sku, quantity, form, address: ADDRESS })
  await money.orders.pay(at(own.ctx), order.id, { provider: 'balance' })
  await cards.work(now)
  return order
}
const fill = (from: number, count: number, form: '2ff' | 'embedded' = '2ff') =>
  cards.desk.addStock(at(operator), {
    sourceId,
    form,
    use: 'single',
    cards: Array.from({ length: count }, (_, i) => ({ iccid: iccid(from + i), msisdn: `1064800${from + i}` })),
  })
const SENT = { logisticsCompany: '顺丰速运', logisticsNo: 'SF1234567890' }
const ship = (id: string, from: number, to: number) =>
  cards.desk.ship(at(operator), id, { from: iccid(from), to: iccid(to), ...SENT })
const listed = async (own: Company) =>
  (
    await m.db.superuser.query(
      `select s.id, s.iccid, s.msisdn, s.plan_name as plan, s.plan_kb as kb, s.form, s.expires_at as expires, a.name as account,
         a.source_id as source, a.account as "appId" from sim_cards s join carrier_accounts a on a.id = s.account_id
       where s.tenant_id = $1 order by s.iccid`,
      [own.id],
    )
  ).rows

describe('orders of SIM cards', () => {
  it('are paid for, shipped from the stock, and the cards are listed when they were received', async () => {
    const own = await rich()
    await fill(1_000, 3)
    const order = await paid(own, 3)
    expect(order.payableFen).toBe(3 * (2_400 + 500))
    expect((await cards.service.get(at(own.ctx), order.id)).state).toBe('processing')
    expect((await cards.desk.orders(at(operator), {})).items.map(each => each.id)).toContain(order.id)
    // Looked at again and again by the clock of orders, it still waits for shipping.
    await money.work(now)
    await cards.work(now)
    expect(await listed(own)).toEqual([])

    const shipped = await ship(order.id, 1_000, 1_002)
    expect(shipped).toMatchObject({ state: 'shipped', firstIccid: iccid(1_000), lastIccid: iccid(1_002) })
    const received = await cards.service.receive(at(own.ctx), order.id)
    expect(received.state).toBe('completed')
    const rows = await listed(own)
    expect(rows.map(row => row.iccid)).toEqual([iccid(1_000), iccid(1_001), iccid(1_002)])
    expect(rows[0]).toMatchObject({
      plan: 'cmcc-30',
      kb: 30 * 1_024,
      form: 'plug_in',
      account: '平台发卡',
      source: sourceId,
    })
    expect(rows[0].expires.getTime()).toBeGreaterThan(now + 364 * DAY_MS)
    // The charge is counted once, as SIM cards.
    const { rows: charges } = await m.db.superuser.query(
      'select item, amount_fen::int as fen from consumptions where tenant_id = $1',
      [own.id],
    )
    expect(charges).toEqual([{ item: 'sim', fen: 8_700 }])
    await expect(cards.service.receive(at(own.ctx), order.id)).rejects.toMatchObject({ code: 'order.state' })
  })

  it('get a range that is free, fits and is as long as the order; otherwise nothing is shipped and the reason is named', async () => {
    const own = await rich()
    await fill(2_000, 4)
    await fill(2_100, 2, 'embedded')
    const order = await paid(own, 2)
    const refused = (from: number, to: number, code: string) =>
      expect(ship(order.id, from, to)).rejects.toMatchObject({ code, fields: { to: { code } } })
    await refused(2_001, 2_000, 'card_order.range_backwards')
    await refused(2_000, 2_003, 'card_order.range_count')
    await refused(2_100, 2_101, 'card_order.range_unfit')
    await refused(900_000, 900_001, 'card_order.range_count')
    await ship(order.id, 2_000, 2_001)
    const next = await paid(own, 2)
    await expect(ship(next.id, 2_001, 2_002)).rejects.toMatchObject({
      code: 'card_order.range_not_free',
      params: { count: 1, iccid: iccid(2_001) },
    })
    await ship(next.id, 2_002, 2_003)
    await expect(ship(next.id, 2_002, 2_003)).rejects.toMatchObject({ code: 'card_order.range_not_free' })
  })

  it('two operators who ship the same range at once: one of them does', async () => {
    const [a, b] = [await rich(), await rich()]
    await fill(3_000, 2)
    const orders = [await paid(a, 2), await paid(b, 2)]
    const outcomes = await Promise.allSettled(orders.map(order => ship(order.id, 3_000, 3_001)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('count as received ten days after shipping', async () => {
    const own = await rich()
    await fill(4_000, 1)
    const order = await paid(own, 1)
    await ship(order.id, 4_000, 4_000)
    now += 9.9 * DAY_MS
    await cards.work(now)
    expect((await cards.service.get(at(own.ctx), order.id)).state).toBe('shipped')
    now += 0.2 * DAY_MS
    await cards.work(now)
    expect((await cards.service.get(at(own.ctx), order.id)).state).toBe('completed')
    expect(await listed(own)).toHaveLength(1)
  })

  it('of another company are not seen, and not received', async () => {
    const [own, other] = [await rich(), await rich()]
    await fill(5_000, 1)
    const order = await paid(own, 1)
    await ship(order.id, 5_000, 5_000)
    await expect(cards.service.receive(at(other.ctx), order.id)).rejects.toMatchObject({ code: 'card_order.not_found' })
    expect((await cards.service.list(at(other.ctx), {})).items).toEqual([])
  })

  it('need a form that the plan has, and a plan that is one of cards', async () => {
    const own = await rich()
    const order = { quantity: 1, address: ADDRESS }
    await expect(
      cards.service.create(at(own.ctx), { ...order, sku: 'cmcc-100', form: 'embedded' }),
    ).rejects.toMatchObject({ code: 'card_order.form', fields: { form: { code: 'card_order.form' } } })
    await expect(cards.service.create(at(own.ctx), { ...order, sku: 'no', form: '2ff' })).rejects.toMatchObject({
      code: 'order.item_unknown',
    })
    await expect(money.orders.create(at(own.ctx), { items: [{ sku: 'cmcc-30' }] })).rejects.toMatchObject({
      code: 'card_order.details_missing',
    })
  })

  it('renew cards that were bought here: the term is added at its end, another plan takes its place', async () => {
    const own = await rich()
    await fill(6_000, 1)
    const order = await paid(own, 1)
    await ship(order.id, 6_000, 6_000)
    await cards.service.receive(at(own.ctx), order.id)
    const [before] = await listed(own)
    const renewal = await cards.service.renew(at(own.ctx), { sku: 'cmcc-100', cardOrderId: order.id })
    expect(renewal).toMatchObject({ kind: 'sim_renewal', payableFen: 6_000 })
    await money.orders.pay(at(own.ctx), renewal.id, { provider: 'balance' })
    await cards.work(now)
    await cards.work(now)
    const [after] = await listed(own)
    expect(after.plan).toBe('cmcc-100')
    const expected = new Date(before.expires)
    expected.setUTCFullYear(expected.getUTCFullYear() + 1)
    expect(after.expires).toEqual(expected)
    expect((await money.orders.get(at(own.ctx), renewal.id)).state).toBe('completed')
    await expect(cards.service.renew(at(own.ctx), { sku: 'ctcc-30', cardIds: [before.id] })).rejects.toMatchObject({
      code: 'card_order.plan_of_other_carrier',
    })
    const other = await rich()
    await expect(cards.service.renew(at(other.ctx), { sku: 'cmcc-30', cardIds: [before.id] })).rejects.toMatchObject({
      code: 'card_order.card_unknown',
    })
  })

  it('the stock names each line that is wrong and adds the others', async () => {
    await fill(7_000, 1)
    const result = await cards.desk.addStock(at({ ...operator, locale: 'en' }), {
      sourceId,
      form: '2ff',
      use: 'single',
      cards: [
        { iccid: ' 8986 0320 2600 0000 7001 ' },
        { iccid: '8.98603E+19' },
        { iccid: iccid(7_000) },
        { iccid: iccid(7_002), msisdn: '12ab' },
        { iccid: '898603202600 00007001' },
      ],
    })
    expect(result.added).toBe(1)
    expect(result.problems.map(({ line }) => line)).toEqual([2, 3, 4, 5])
    await cards.desk.removeStock(at(operator), iccid(7_001))
    await expect(cards.desk.removeStock(at(operator), iccid(7_001))).rejects.toMatchObject({
      code: 'card_stock.not_found',
    })
  })

  it('a source whose credentials change takes the accounts of companies along', async () => {
    const own = await rich()
    await fill(8_000, 1)
    const order = await paid(own, 1)
    await ship(order.id, 8_000, 8_000)
    await cards.service.receive(at(own.ctx), order.id)
    const [source] = (await cards.desk.sources(at(operator))).items
    await cards.desk.updateSource(at(operator), source!.id, { version: source!.version, account: 'A2', password: 'p2' })
    expect((await listed(own))[0].appId).toBe('A2')
  })
})
