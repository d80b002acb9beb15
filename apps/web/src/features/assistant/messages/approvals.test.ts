import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import { expect, it } from 'vitest'
import { later } from './approvals.ts'

const card = (state: ApprovalCard['state'], steps: ApprovalCard['steps'][number]['state'][] = ['waiting']) =>
  ({ kind: 'approval', id: 'a', state, steps: steps.map(each => ({ state: each })), undoable: false }) as ApprovalCard

it('an approval never goes back to what it was', () => {
  const order = ['pending', 'running', 'done', 'undone'] as const
  for (const [at, state] of order.entries())
    for (const before of order.slice(0, at)) {
      expect(later(card(before), card(state)).state).toBe(state)
      expect(later(card(state), card(before)).state).toBe(state)
    }
  expect(later(card('denied'), card('pending')).state).toBe('denied')
})

it('of a plan that runs the one with more steps behind it counts, of equals the newer', () => {
  const more = card('running', ['done', 'waiting'])
  expect(later(more, card('running', ['waiting', 'waiting']))).toBe(more)
  const newer = card('running', ['done', 'waiting'])
  expect(later(more, newer)).toBe(newer)
})
