import { randomBytes } from 'node:crypto'
import type { PreparedChange } from '../../../lib/tools/tools.ts'

/** How long a dry run can be confirmed. */
export const CONFIRM_MS = 10 * 60_000
/** Dry runs that one caller can have waiting; the oldest makes room. */
const PER_CALLER = 50
const IN_ALL = 5000

/** A change as its caller was shown it. */
export interface Proposal {
  /** Company and actor: nobody else can confirm it. */
  caller: string
  tool: string
  input: Record<string, unknown>
  prepared: PreparedChange
}

export interface Confirmations {
  /** Keeps a change until it is confirmed, once, by the same caller with the same arguments. */
  keep(proposal: Proposal): { id: string; expiresAt: number }
  /** `unknown`: used, too late, somebody else's or never given; `other`: given for another tool or other arguments. */
  take(asked: {
    id: string
    caller: string
    tool: string
    input: Record<string, unknown>
  }): Proposal | 'unknown' | 'other'
}

interface Kept extends Proposal {
  until: number
}

/** Changes that wait for their second step, in memory: after a restart the first step is made again. */
export function createConfirmations(now: () => number): Confirmations {
  // In the order in which they were made, which is the order in which they end.
  const kept = new Map<string, Kept>()

  function sweep(caller: string): void {
    const time = now()
    for (const [id, { until }] of kept) {
      if (until > time) break
      kept.delete(id)
    }
    const own = [...kept].filter(([, each]) => each.caller === caller)
    if (own.length >= PER_CALLER) kept.delete(own[0]![0])
    if (kept.size >= IN_ALL) kept.delete(kept.keys().next().value!)
  }

  return {
    keep(proposal) {
      sweep(proposal.caller)
      const id = randomBytes(18).toString('base64url')
      const until = now() + CONFIRM_MS
      kept.set(id, { ...proposal, until })
      return { id, expiresAt: until }
    },
    take({ id, caller, tool, input }) {
      const found = kept.get(id)
      if (!found || found.caller !== caller || found.until <= now()) return 'unknown'
      if (found.tool !== tool || canonical(found.input) !== canonical(input)) return 'other'
      kept.delete(id)
      return found
    },
  }
}

/** The same text for the same arguments in any order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
