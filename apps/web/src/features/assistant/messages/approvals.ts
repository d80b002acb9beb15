import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import { useCallback, useEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import { ApiError, call } from '../../../lib/api-client.ts'
import { isSilent } from '../../../lib/errors.ts'
import { onSessionEnd } from '../../../lib/session.ts'

const RANK = { pending: 0, running: 1, done: 2, failed: 2, denied: 2, expired: 2, undone: 3 } as const
const settledSteps = (card: ApprovalCard) => card.steps.filter(step => step.state !== 'waiting').length

/** The one that tells more of what happened: an approval never goes back. Of equals the second. */
export function later(a: ApprovalCard, b: ApprovalCard): ApprovalCard {
  if (RANK[a.state] !== RANK[b.state]) return RANK[a.state] > RANK[b.state] ? a : b
  return settledSteps(a) > settledSteps(b) ? a : b
}

/** What this page knows of approvals beyond what stands in the messages; gone with the session. */
const useKnown = create<Record<string, ApprovalCard>>(() => ({}))
onSessionEnd(() => useKnown.setState({}, true))

/** Whether the server may know more of it than a message of earlier does. */
const mayBeStale = (card: ApprovalCard) =>
  card.state === 'pending' ||
  card.state === 'running' ||
  (card.undoable && (card.state === 'done' || card.state === 'failed'))

export interface Approval {
  /** As far as it is known now. */
  card: ApprovalCard
  busy: 'once' | 'chat' | 'deny' | 'undo' | null
  /** Why the last decision was not taken. */
  failure: unknown
  decide(decision: 'once' | 'chat' | 'deny'): Promise<void>
  undo(): Promise<void>
}

/**
 * One approval: what its message says, what the server says of an old one, and the decision. `arriving`: the reply is
 * still coming, so that its own stream tells what happens. `onCard` is told what did not come by the stream.
 */
export function useApproval(given: ApprovalCard, arriving: boolean, onCard: (card: ApprovalCard) => void): Approval {
  const known = useKnown(state => state[given.id])
  const card = known ? later(known, given) : given
  const [busy, setBusy] = useState<Approval['busy']>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const tell = useRef(onCard)
  tell.current = onCard
  const keep = useCallback((next: ApprovalCard) => {
    useKnown.setState({ [next.id]: next })
    tell.current(next)
  }, [])
  const reread = useCallback(
    async () => keep(await call('assistant.approval', { params: { id: given.id } })),
    [given.id, keep],
  )
  const ask = !arriving && known === undefined && mayBeStale(given)
  useEffect(() => {
    // Where it cannot be read (no connection, taken away after its time) it is shown as it was.
    if (ask) reread().catch(() => undefined)
  }, [ask, reread])
  const run = async (what: NonNullable<Approval['busy']>, work: () => Promise<ApprovalCard>) => {
    setBusy(what)
    setFailure(null)
    try {
      keep(await work())
    } catch (error) {
      // Decided elsewhere meanwhile: what came of it is the answer.
      if (error instanceof ApiError && error.code === 'assistant.already_decided') await reread().catch(setFailure)
      else if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(null)
    }
  }
  const params = { id: given.id }
  return {
    card,
    busy,
    failure,
    decide: decision => run(decision, () => call('assistant.decide', { params, body: { decision } })),
    undo: () => run('undo', () => call('assistant.undo', { params })),
  }
}
