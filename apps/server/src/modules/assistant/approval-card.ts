import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import type { ApprovalRow, StoredStep } from './approvals.repo.ts'
import { redact } from './redact.ts'

/** After this an approval expires, and a change can no longer be undone. */
export const DAY_MS = 24 * 3_600_000
/** Never an address elsewhere: `//host` and `/\\host` are. */
const OWN_PAGE = /^\/(?![/\\])/
/** Of what a result says on the card; the whole of it stands in the answer. */
const OUTCOME_CHARACTERS = 600

export function isExpired(row: ApprovalRow, now: number): boolean {
  return row.state === 'pending' && now - row.created_at.getTime() > DAY_MS
}

/** Deletes and device control are asked for every time. */
export function mayAllowForChat(steps: readonly Pick<StoredStep, 'class'>[]): boolean {
  return steps.every(step => step.class === 'write')
}

/** The steps that can be taken back now, in the order in which that is done. */
export function undoableSteps(row: ApprovalRow, now: number): StoredStep[] {
  if (row.state !== 'done' && row.state !== 'failed') return []
  if (row.undone_at || !row.decided_at || now - row.decided_at.getTime() > DAY_MS) return []
  return row.steps.filter(isUndoable).reverse()
}

/** What moved a device is never taken back by moving it again: nobody knows what stands beside it now. */
export function isUndoable(step: StoredStep): boolean {
  return step.state === 'done' && step.class !== 'control' && step.undo !== null && step.undo.length > 0
}

/** What is shown of an approval: without secrets. */
export function approvalCard(row: ApprovalRow, now: number): ApprovalCard {
  const undoable = new Set(undoableSteps(row, now))
  return {
    kind: 'approval',
    id: row.id,
    state: isExpired(row, now) ? 'expired' : row.state,
    steps: row.steps.map(step => ({
      tool: step.tool,
      title: step.title,
      class: step.class,
      calls: redact(step.calls),
      effects: redact(step.effects),
      changes: redact(step.changes),
      object:
        step.object?.link && OWN_PAGE.test(step.object.link) ? { title: step.object.name, to: step.object.link } : null,
      state: step.state,
      outcome: step.outcome?.slice(0, OUTCOME_CHARACTERS) ?? null,
      undoable: undoable.has(step),
    })),
    mayAllowForChat: row.chat_id !== null && mayAllowForChat(row.steps),
    undoable: undoable.size > 0,
  }
}

/** A step that is over keeps nothing that is secret; the way back is kept whole while it can be gone. */
export function withoutSecrets(step: StoredStep): StoredStep {
  return {
    ...step,
    input: redact(step.input),
    calls: redact(step.calls),
    changes: redact(step.changes),
    memo: null,
    results: redact(step.results),
  }
}
