import type { ChangeHouse } from './house.ts'
import { proven } from './people.journey.ts'

const PDF = { name: 'document.pdf', bytes: Buffer.from('%PDF-1.7\n'), type: 'application/pdf' }

/** Invoices over money that was paid in; the operator of the platform's journey issues them. */
export async function invoices(house: ChangeHouse): Promise<void> {
  const { go } = house
  const as = await proven(house, 'operator')
  const topUp = await go('purchaseOrders.recharge', { body: { amountFen: 50_000 } })
  const paying = await go('purchaseOrders.pay', { params: { id: topUp.id }, body: { provider: 'simulated' } })
  const [payment] = paying.payments as { id: string }[]
  await go('purchaseOrders.simulate', { params: { id: payment!.id }, body: { outcome: 'paid' } })

  const document = await go('invoices.addFile', { file: PDF })
  await go('purchaseOrders.addVoucherFile', { file: PDF })
  const facts = {
    title: 'Pumps Ltd',
    taxNo: '91350100M000100Y43',
    address: '1 Road',
    phone: '0591-12345678',
    bank: 'Bank',
    bankAccount: '622200000000',
    fileIds: [document.id],
  }
  const made = await go('invoiceQualifications.create', { body: facts })
  const of = { id: made.id }
  await go('invoiceQualifications.update', { params: of, body: { ...facts, phone: '0591-1', version: made.version } })
  await go('invoiceQualifications.choose', { params: of })
  const title = await go('invoiceTitles.create', { body: { kind: 'person', title: 'Anna' } })
  const ask = (amountFen: number) =>
    go('invoices.create', {
      body: {
        type: 'ordinary',
        titleId: title.id,
        orders: [{ orderId: topUp.id, amountFen }],
        email: 'pay@acme.example',
      },
    })
  const first = await ask(2_000)
  await go('invoices.withdraw', { params: { id: first.id } })
  const invoice = await ask(3_000)
  const params = { id: invoice.id }
  const accepted = await go('invoiceDesk.act', { as, params, body: { action: 'accept', version: invoice.version } })
  await go('invoiceDesk.addFile', { as, params, file: PDF })
  const issue = { action: 'issue', number: '26500000000000000001', version: accepted.version }
  await go('invoiceDesk.act', { as, params, body: issue })
  await go('invoices.send', { params, body: {} })
  await go('invoices.reverse', { params, body: { reason: 'mistaken' } })
  await go('invoiceQualifications.expire', { params: of })
}
