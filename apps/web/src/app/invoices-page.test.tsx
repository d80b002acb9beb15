// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const row = {
  id: '1',
  no: '2026010100000001',
  type: 'special',
  title: 'Pumps Ltd',
  amountFen: 10_000,
  reversedFen: 4_000,
  reversingFen: 0,
  state: 'delivered',
  reason: null,
  redOf: null,
  redReason: null,
  number: '26500000000000000001',
  files: 1,
  createdAt: AT,
  issuedAt: AT,
  version: 3,
}
const account = { basis: 'order', openFen: 20_000, limitFen: 12_345, minFen: 1_000, version: 0 }

describe('the pages of invoices', () => {
  it('list invoices with what was reversed of them', async () => {
    const opened = await openConsole('/invoice/InvoiceList', { ...company, 'GET /api/v1/invoices': () => page([row]) })
    await expect.poll(opened.text).toContain('26500000000000000001')
    expect(opened.text()).toContain('Partly reversed')
  })

  it('show what can be invoiced, and say that gifts cannot', async () => {
    const opened = await openConsole('/invoice/InvoiceRequest', {
      ...company,
      'GET /api/v1/invoices/sources': () => page([]),
      'GET /api/v1/invoices/account': () => account,
    })
    await expect.poll(opened.text).toContain('Nothing can be invoiced')
    expect(opened.text()).toContain('123.45')
    expect(opened.text()).toContain('Gifts are not invoiced')
  })

  it('list qualifications with the reason of a rejection', async () => {
    const item = {
      id: '1',
      title: 'Pumps Ltd',
      taxNo: '91350100M000100Y43',
      address: '1 Road',
      phone: '1',
      bank: 'Bank',
      bankAccount: '6222',
      state: 'rejected',
      reason: 'unreadable',
      isDefault: true,
      files: [],
      submittedBy: 'Anna',
      submittedAt: AT,
      decidedAt: AT,
      version: 1,
    }
    const opened = await openConsole('/invoice/InvoicingQualification', {
      ...company,
      'GET /api/v1/invoice-qualifications': () => ({ items: [item] }),
    })
    await expect.poll(opened.text).toContain('unreadable')
  })

  it('ask nothing of who may not read', async () => {
    const opened = await openConsole('/invoice/InvoiceList', { ...company }, ['product:read'])
    await expect.poll(opened.text).toContain('money:read')
  })
})
