import { describe, expect, it } from 'vitest'
import { approvalCard, mayAllowForChat, undoableSteps } from './approval-card.ts'
import { filledIn } from './approval-carrier.ts'
import type { ApprovalRow, StoredStep } from './approvals.repo.ts'

const step = (over: Partial<StoredStep> = {}): StoredStep => ({
  tool: 'x_y',
  class: 'write',
  title: 'X',
  input: {},
  dependent: false,
  calls: [],
  effects: [],
  changes: [],
  object: null,
  memo: null,
  state: 'waiting',
  outcome: null,
  results: [],
  undo: null,
  ...over,
})
const row = (over: Partial<ApprovalRow> = {}): ApprovalRow => ({
  id: 'a',
  login_id: 'l',
  chat_id: 'c',
  reply_id: 'r',
  locale: 'en',
  steps: [step()],
  state: 'pending',
  decision: null,
  decided_at: null,
  undone_at: null,
  created_at: new Date(0),
  ...over,
})

describe('the input of a step', () => {
  it('takes ids of the steps before it, in any depth, and nothing else of them', () => {
    const answers = [{ id: 'p1', secret: 's' }, { id: 7 }, null]
    expect(filledIn({ a: '$1.id', b: ['x-$1.id', { c: '$1.id' }], d: 5, e: '$1.secret' }, answers)).toEqual({
      a: 'p1',
      b: ['x-p1', { c: 'p1' }],
      d: 5,
      e: '$1.secret',
    })
    expect(filledIn({ a: '$2.id', b: '$3.id', c: '$9.id' }, answers)).toEqual({ a: '$2.id', b: '$3.id', c: '$9.id' })
  })
})

describe('the card of an approval', () => {
  it('offers the whole chat for writes only', () => {
    expect(mayAllowForChat([step(), step()])).toBe(true)
    for (const other of ['delete', 'control', 'read'] as const)
      expect(mayAllowForChat([step(), step({ class: other })])).toBe(false)
  })

  it('shows calls without secrets and links to pages of the console only', () => {
    const call = { route: 'POST /x', body: { url: 'https://a', secret: 'canary' } }
    for (const link of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])
      expect(
        approvalCard(row({ steps: [step({ object: { kind: 'device', id: '1', name: 'n', link } })] }), 0).steps[0]!
          .object,
      ).toBeNull()
    expect(JSON.stringify(approvalCard(row({ steps: [step({ calls: [call] })] }), 0))).not.toContain('canary')
  })

  it('offers an undo in the reverse order, for a day, for what can be taken back', () => {
    const undo = [{ route: 'DELETE /x' }]
    const steps = [
      step({ title: 'first', state: 'done', undo }),
      step({ title: 'command', state: 'done', class: 'control', undo }),
      step({ title: 'second', state: 'done', undo }),
      step({ title: 'failed', state: 'failed', undo }),
    ]
    const done = row({ steps, state: 'failed', decided_at: new Date(0) })
    expect(undoableSteps(done, 1000).map(({ title }) => title)).toEqual(['second', 'first'])
    expect(approvalCard(done, 1000).steps.map(({ undoable }) => undoable)).toEqual([true, false, true, false])
    expect(undoableSteps(done, 25 * 3_600_000)).toEqual([])
    expect(undoableSteps({ ...done, undone_at: new Date(5) }, 1000)).toEqual([])
    expect(undoableSteps({ ...done, state: 'running' }, 1000)).toEqual([])
  })
})
