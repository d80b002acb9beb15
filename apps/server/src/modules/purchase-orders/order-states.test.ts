import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nextState, ORDER_TRANSITIONS, type OrderEventName } from './order-states.ts'

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/money.md')

/** The table as a diagram of states (Mermaid). */
function diagram(): string {
  const lines = Object.entries(ORDER_TRANSITIONS).flatMap(([event, { from, to }]) =>
    from.map(state => `  ${state} --> ${to === 'before' ? 'state_before' : to}: ${event}`),
  )
  return ['stateDiagram-v2', '  [*] --> pending: submit', ...lines].join('\n')
}

describe('the states of an order', () => {
  it('are drawn in the document as the table has them', () => {
    expect(readFileSync(DOCUMENT, 'utf8')).toContain(diagram())
  })

  it('lead on from the states that the table names, and from no other', () => {
    for (const [event, { from, to }] of Object.entries(ORDER_TRANSITIONS)) {
      for (const state of from)
        expect(nextState(state, event as OrderEventName, 'paid')).toBe(to === 'before' ? 'paid' : to)
      for (const state of ['cancelled', 'closed', 'refunded'] as const)
        expect(() => nextState(state, event as OrderEventName)).toThrow('order.state')
    }
  })
})
