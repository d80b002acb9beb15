import { Readable } from 'node:stream'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { MailMessage, Notice } from '../notifications/index.ts'
import { createInvoicesModule, type InvoicesModule } from './invoices.module.ts'
import { taxNumberOf } from './tax-number.ts'

const TAX = '91350100M000100Y43'
let m: Management
let now = Date.parse('2026-11-10T04:00:00Z')
let operator: Ctx
let mails: MailMessage[] = []
let notices: Notice[] = []
const kept = new Map<string, Buffer>()
let invoices: InvoicesModule

beforeAll(async () => {
  m = await management()
  const desk = await company(m.db)
  operator = { ...desk.ctx, actor: { ...desk.ctx.actor, kind: 'operator' } as Ctx['actor'] }
  invoices = createInvoicesModule({
    database: m.database,
    objectStore: {
      put: async (key, body) => void kept.set(key, body as Buffer),
      get: async key => {
        const body = kept.get(key)
        return body ? { body: Readable.from(body), size: body.length, contentType: 'application/pdf' } : null
      },
    },
    mail: { send: async message => void mails.push(message), outbox: () => null },
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => notices.push(notice)) },
    logger: silentLogger,
    addresses: () => ({ httpUrl: 'https://console.example' }),
  })
})
beforeEach(() => {
  mails = []
  notices = []
})

const at = (ctx: Ctx): Ctx => ({ ...ctx, now })
const file = (name: string, bytes: string | Buffer): UploadedFile =>
  ({ fileName: name, body: Readable.from(Buffer.from(bytes as string)), contentType: '' }) as unknown as UploadedFile

/** A paid order, by real money or from the balance. */
async function paid(own: Company, fen: number, over: { kind?: string; provider?: string } = {}): Promise<string> {
  const id = newId()
  await m.db.superuser.query(
    `insert into purchase_orders (id, no, tenant_id, holder_id, kind, state, items, amount_fen, payable_fen, paid_fen, pay_before, paid_at)
     values ($1::uuid, $1::text, $2, $2, $3, 'completed', '[{"name":"x","ename":"x"}]', $4, $4, $4, now(), now())`,
    [id, own.id, over.kind ?? 'plan', fen],
  )
  await m.db.superuser.query(
    `insert into payments (id, no, tenant_id, order_id, provider, state, amount_fen, paid_at) values ($1::uuid, $1::text, $2, $3, $4, 'succeeded', $5, now())`,
    [newId(), own.id, id, over.provider ?? 'simulated', fen],
  )
  return id
}

async function titled(own: Company): Promise<string> {
  return (await invoices.qualifications.addTitle(at(own.ctx), { kind: 'company', title: 'Pumps Ltd', taxNo: TAX })).id
}

async function ask(own: Company, orders: { orderId: string; amountFen?: number }[], titleId: string) {
  return invoices.service.create(at(own.ctx), { type: 'ordinary', titleId, orders, email: 'pay@example.com' })
}

async function issued(own: Company, id: string, number: string) {
  const { version } = await invoices.service.get(at(own.ctx), id)
  const accepted = await invoices.desk.act(at(operator), id, { action: 'accept', version })
  await invoices.desk.addFile(at(operator), id, file('invoice.pdf', '%PDF-1.7 x'))
  return invoices.desk.act(at(operator), id, { action: 'issue', number, version: accepted.version })
}

const invoicedOf = async (orderId: string) => {
  const { rows } = await m.db.superuser.query(
    'select invoiced_fen::int as fen, invoice_state as state from purchase_orders where id = $1',
    [orderId],
  )
  return rows[0] as { fen: number; state: string }
}

describe('what can be invoiced', () => {
  it('is what was really paid: each fen once, gifts never', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const order = await paid(own, 10_000)
    const gift = await paid(own, 5_000, { provider: 'balance' })
    expect(await invoices.service.account(at(own.ctx))).toMatchObject({
      basis: 'order',
      openFen: 15_000,
      limitFen: 10_000,
    })
    const first = await ask(own, [{ orderId: order, amountFen: 6_000 }], titleId)
    expect(first).toMatchObject({ state: 'submitted', amountFen: 6_000, title: 'Pumps Ltd' })
    expect(await invoicedOf(order)).toEqual({ fen: 6_000, state: 'partly' })
    await expect(ask(own, [{ orderId: order, amountFen: 4_001 }], titleId)).rejects.toMatchObject({
      code: 'invoice.amount',
      params: { open: '40.00' },
    })
    await expect(ask(own, [{ orderId: gift }], titleId)).rejects.toMatchObject({
      code: 'invoice.beyond',
      params: { limit: '40.00' },
    })
    await expect(ask(own, [{ orderId: order, amountFen: 999 }], titleId)).rejects.toMatchObject({
      code: 'invoice.too_little',
    })
    await ask(own, [{ orderId: order }], titleId)
    expect(await invoicedOf(order)).toEqual({ fen: 10_000, state: 'issued' })
    // Below the checks of the code stands a constraint.
    await expect(
      m.db.superuser.query('update purchase_orders set invoiced_fen = 10001 where id = $1', [order]),
    ).rejects.toThrow(/purchase_orders_invoiced/)
  })

  it('stays true when twenty ask at once', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const order = await paid(own, 10_000)
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, () => ask(own, [{ orderId: order, amountFen: 3_000 }], titleId)),
    )
    expect(asked.filter(one => one.status === 'fulfilled')).toHaveLength(3)
    expect((await invoicedOf(order)).fen).toBe(9_000)
  })

  it('is money paid in instead of orders where the company chose so, and never both', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const topUp = await paid(own, 10_000, { kind: 'top_up' })
    const order = await paid(own, 10_000, { provider: 'balance' })
    await expect(ask(own, [{ orderId: topUp }], titleId)).rejects.toMatchObject({ code: 'invoice.order' })
    await ask(own, [{ orderId: order, amountFen: 4_000 }], titleId)
    const { version } = await invoices.service.account(at(own.ctx))
    await invoices.service.setAccount(at(own.ctx), { basis: 'top_up', version })
    expect((await invoices.service.sources(at(own.ctx), {})).items.map(one => one.orderId)).toEqual([topUp])
    await expect(ask(own, [{ orderId: topUp }], titleId)).rejects.toMatchObject({ code: 'invoice.beyond' })
    await ask(own, [{ orderId: topUp, amountFen: 6_000 }], titleId)
    expect((await invoices.service.account(at(own.ctx))).limitFen).toBe(0)
  })

  it('belongs to one company', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const order = await paid(own, 10_000)
    await expect(ask(other, [{ orderId: order }], await titled(other))).rejects.toMatchObject({ code: 'invoice.order' })
    const made = await ask(own, [{ orderId: order }], await titled(own))
    await expect(invoices.service.get(at(other.ctx), made.id)).rejects.toMatchObject({ code: 'invoice.not_found' })
    expect((await invoices.service.list(at(other.ctx), {})).items).toEqual([])
  })
})

describe('an invoice', () => {
  it('is withdrawn or rejected before it is issued, and its amount is open again', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const order = await paid(own, 10_000)
    const first = await ask(own, [{ orderId: order }], titleId)
    await invoices.service.withdraw(at(own.ctx), first.id)
    expect(await invoicedOf(order)).toEqual({ fen: 0, state: 'reversed' })
    const second = await ask(own, [{ orderId: order }], titleId)
    await expect(
      invoices.desk.act(at(operator), second.id, { action: 'reject', version: second.version }),
    ).rejects.toMatchObject({ code: 'approval.reason_missing' })
    await invoices.desk.act(at(operator), second.id, {
      action: 'reject',
      reason: 'wrong title',
      version: second.version,
    })
    expect((await invoicedOf(order)).fen).toBe(0)
    expect(notices.map(notice => notice.kind)).toEqual(['invoice.changed'])
    await expect(invoices.service.withdraw(at(own.ctx), second.id)).rejects.toMatchObject({ code: 'invoice.state' })
  })

  it('is issued with its file and number, mailed, and downloaded', async () => {
    const own = await company(m.db)
    const order = await paid(own, 10_000)
    const made = await ask(own, [{ orderId: order }], await titled(own))
    const accepted = await invoices.desk.act(at(operator), made.id, { action: 'accept', version: made.version })
    const number = '26500000000000000001'
    await expect(
      invoices.desk.act(at(operator), made.id, { action: 'issue', number, version: accepted.version }),
    ).rejects.toMatchObject({ code: 'invoice.no_file' })
    await expect(invoices.desk.addFile(at(operator), made.id, file('x.exe', 'MZ'))).rejects.toMatchObject({
      code: 'invoice.file_invalid',
    })
    for (const [name, bytes] of [
      ['invoice.pdf', '%PDF-1.7'],
      ['invoice.ofd', Buffer.from([0x50, 0x4b, 3, 4, 0])],
      ['invoice.xml', '\uFEFF<?xml version="1.0"?><EInvoice/>'],
    ] as const)
      await invoices.desk.addFile(at(operator), made.id, file(name, bytes as string))
    const done = await invoices.desk.act(at(operator), made.id, { action: 'issue', number, version: accepted.version })
    expect(done).toMatchObject({ state: 'delivered', number, companyName: expect.any(String) })
    expect(done.documents.map(one => one.contentType)).toEqual([
      'application/pdf',
      'application/ofd',
      'application/xml',
    ])
    expect(mails).toMatchObject([
      { to: 'pay@example.com', text: expect.stringContaining('https://console.example/invoice/InvoiceList?id=') },
    ])
    expect(done.history.map(entry => entry.state)).toEqual(['submitted', 'issuing', 'issued', 'delivered'])
    const reply = await invoices.service.file(at(own.ctx), done.documents[0]!.id)
    expect(reply.contentType).toBe('application/pdf')
    const other = await company(m.db)
    await expect(invoices.service.file(at(other.ctx), done.documents[0]!.id)).rejects.toMatchObject({
      code: 'invoice.file_not_found',
    })
  })

  it('has a number that no other has', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const [a, b] = [await paid(own, 10_000), await paid(own, 10_000)]
    const [first, second] = [await ask(own, [{ orderId: a }], titleId), await ask(own, [{ orderId: b }], titleId)]
    await issued(own, first.id, '26500000000000000002')
    await expect(issued(own, second.id, '26500000000000000002')).rejects.toMatchObject({ code: 'invoice.number_taken' })
  })

  it('is reversed in part and then whole, and what was reversed can be invoiced again', async () => {
    const own = await company(m.db)
    const titleId = await titled(own)
    const order = await paid(own, 10_000)
    const blue = await ask(own, [{ orderId: order }], titleId)
    await issued(own, blue.id, '26500000000000000003')
    const red = await invoices.service.reverse(at(own.ctx), blue.id, { amountFen: 4_000, reason: 'discounted' })
    expect(red).toMatchObject({ redOf: blue.id, amountFen: 4_000, state: 'submitted' })
    await expect(
      invoices.service.reverse(at(own.ctx), blue.id, { amountFen: 6_001, reason: 'mistaken' }),
    ).rejects.toMatchObject({ code: 'invoice.amount', params: { open: '60.00' } })
    expect((await invoicedOf(order)).fen).toBe(10_000)
    await issued(own, red.id, '26500000000000000004')
    expect(await invoicedOf(order)).toEqual({ fen: 6_000, state: 'partly' })
    expect(await invoices.service.get(at(own.ctx), blue.id)).toMatchObject({ reversedFen: 4_000, reversingFen: 0 })
    const rest = await invoices.service.reverse(at(own.ctx), blue.id, { reason: 'returned' })
    await invoices.service.withdraw(at(own.ctx), rest.id)
    const again = await invoices.service.reverse(at(own.ctx), blue.id, { reason: 'returned' })
    await issued(own, again.id, '26500000000000000005')
    expect(await invoicedOf(order)).toEqual({ fen: 0, state: 'reversed' })
    await ask(own, [{ orderId: order }], titleId)
    expect(await invoicedOf(order)).toEqual({ fen: 10_000, state: 'issued' })
  })

  it('on paper needs an address, a code and a shipment, and is voided in its month only', async () => {
    const own = await company(m.db)
    const order = await paid(own, 10_000)
    const qualificationId = await approved(own)
    const input = { type: 'special_paper' as const, qualificationId, orders: [{ orderId: order }] }
    await expect(invoices.service.create(at(own.ctx), input)).rejects.toMatchObject({ code: 'invoice.address' })
    const addressId = newId()
    await m.db.superuser.query(
      `insert into addresses (id, tenant_id, receiver, phone, province, city, district, detail) values ($1, $2, 'Anna', '13800000000', 'P', 'C', 'D', '1 Road')`,
      [addressId, own.id],
    )
    const made = await invoices.service.create(at(own.ctx), { ...input, addressId })
    expect(made.address).toMatchObject({ receiver: 'Anna' })
    let desk = await invoices.desk.act(at(operator), made.id, { action: 'accept', version: made.version })
    await expect(
      invoices.desk.act(at(operator), made.id, { action: 'issue', number: '12345678', version: desk.version }),
    ).rejects.toMatchObject({ code: 'invoice.number' })
    desk = await invoices.desk.act(at(operator), made.id, {
      action: 'issue',
      number: '12345678',
      code: '3500201130',
      version: desk.version,
    })
    desk = await invoices.desk.act(at(operator), made.id, {
      action: 'ship',
      logistics: { company: 'SF', no: 'SF1' },
      version: desk.version,
    })
    expect(desk).toMatchObject({ state: 'delivered', logistics: { company: 'SF', no: 'SF1' } })
    const before = now
    now = Date.parse('2026-12-01T00:00:00+08:00')
    await expect(
      invoices.desk.act(at(operator), made.id, { action: 'void', reason: 'torn', version: desk.version }),
    ).rejects.toMatchObject({ code: 'invoice.void_late' })
    now = Date.parse('2026-11-30T23:59:59+08:00')
    await invoices.desk.act(at(operator), made.id, { action: 'void', reason: 'torn', version: desk.version })
    now = before
    expect((await invoicedOf(order)).fen).toBe(0)
  })
})

const FACTS = {
  title: 'Pumps Ltd',
  taxNo: TAX,
  address: '1 Road',
  phone: '0591-1',
  bank: 'Bank',
  bankAccount: '6222 0000 1111',
}

async function approved(own: Company): Promise<string> {
  const document = await invoices.qualifications
    .list(at(own.ctx))
    .then(() => invoices.service.addFile(at(own.ctx), file('licence.pdf', '%PDF-1.4')))
  const made = await invoices.qualifications.create(at(own.ctx), { ...FACTS, fileIds: [document.id] })
  await invoices.desk.decide(at(operator), made.id, { accept: true, reason: '' })
  return made.id
}

describe('qualifications', () => {
  it('are looked at by an operator, again after each change', async () => {
    const own = await company(m.db)
    const order = await paid(own, 10_000)
    const document = await invoices.service.addFile(at(own.ctx), file('licence.pdf', '%PDF-1.4'))
    const made = await invoices.qualifications.create(at(own.ctx), { ...FACTS, fileIds: [document.id] })
    expect(made).toMatchObject({ state: 'in_review', isDefault: true, bankAccount: '622200001111' })
    const special = () =>
      invoices.service.create(at(own.ctx), { type: 'special', qualificationId: made.id, orders: [{ orderId: order }] })
    await expect(special()).rejects.toMatchObject({ code: 'invoice.qualification' })
    await expect(invoices.desk.decide(at(operator), made.id, { accept: false, reason: ' ' })).rejects.toMatchObject({
      code: 'approval.reason_missing',
    })
    await invoices.desk.decide(at(operator), made.id, { accept: false, reason: 'unreadable' })
    expect((await invoices.qualifications.list(at(own.ctx))).items[0]).toMatchObject({
      state: 'rejected',
      reason: 'unreadable',
    })
    const again = await invoices.qualifications.update(at(own.ctx), made.id, {
      ...FACTS,
      phone: '0591-2',
      fileIds: [document.id],
      version: (await invoices.qualifications.list(at(own.ctx))).items[0]!.version,
    })
    expect(again).toMatchObject({ state: 'in_review', reason: null })
    await invoices.desk.decide(at(operator), made.id, { accept: true, reason: '' })
    expect(await special()).toMatchObject({ type: 'special', buyer: { bank: 'Bank', taxNo: TAX } })
    await invoices.qualifications.expire(at(own.ctx), made.id)
    expect((await invoices.qualifications.list(at(own.ctx))).items[0]).toMatchObject({
      state: 'expired',
      isDefault: false,
    })
  })

  it.each([
    ['91350100M000100Y43', '91350100M000100Y43'],
    [' 91350100m000100y43 ', '91350100M000100Y43'],
    ['９１３５０１００M０００１００Y４３', '91350100M000100Y43'],
    ['350100123456789', '350100123456789'],
    ['35010019700101123401', '35010019700101123401'],
  ])('take the tax number %s', (text, number) => {
    expect(taxNumberOf(text)).toBe(number)
  })

  it.each(['91350100M000100Y44', '91350100M000100Y4', '', '9135010OM000100Y43', '91350100-M000100Y4'])(
    'refuse the tax number %s',
    text => {
      expect(() => taxNumberOf(text)).toThrow(expect.objectContaining({ code: 'invoice.tax_number' }))
    },
  )
})
