// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const order = (state: 'completed' | 'pending') => {
  const paid = state === 'completed'
  return {
    id: '1',
    no: '202601010000000001',
    kind: 'sms',
    state,
    items: [
      {
        itemId: null,
        sku: 's',
        kind: 'sms',
        name: 'S',
        ename: 'Pack',
        spec: null,
        quantity: 1,
        priceFen: 800,
        amountFen: 800,
      },
    ],
    amountFen: 800,
    discountFen: 0,
    payableFen: 800,
    paidFen: paid ? 800 : 0,
    refundedFen: 0,
    invoiceState: 'none',
    buyerName: 'Anna',
    remark: '',
    fault: null,
    payBefore: AT,
    createdAt: AT,
    paidAt: paid ? AT : null,
    completedAt: paid ? AT : null,
    endedAt: null,
    provider: 'balance',
    paymentState: paid ? 'succeeded' : null,
    version: 1,
    ways: [],
    payments: paid
      ? [
          {
            id: '2',
            no: 'P1',
            orderId: '1',
            provider: 'balance',
            state: 'succeeded',
            amountFen: 800,
            codeUrl: null,
            pageUrl: null,
            reason: null,
            createdAt: AT,
            paidAt: AT,
            expiresAt: null,
          },
        ]
      : [],
    refunds: [],
    events: [],
  }
}

describe('the pages of money', () => {
  it('offer the receipt of an order that was paid, and of no other', async () => {
    for (const [state, seen, offered] of [
      ['completed', 'P1', true],
      ['pending', 'No payment yet', false],
    ] as const) {
      const opened = await openConsole('/cost/order/detail?id=1', {
        ...company,
        'GET /api/v1/orders/1': () => order(state),
      })
      await expect.poll(opened.text).toContain(seen)
      expect(opened.text().includes('Receipt')).toBe(offered)
    }
  })

  it('offer statements of the balance', async () => {
    const opened = await openConsole('/cost/account/balance', {
      ...company,
      'GET /api/v1/balance/entries': () => page([]),
    })
    await expect.poll(opened.text).toContain('No movements yet')
    expect(opened.text()).toContain('Statement')
  })
})
