import type { ErrorCode } from '@thingwright/contracts/errors'

/** Errors that mean: somebody wanted something he may not have, or that must not be now. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'permission.denied',
  'scope.outside',
  'command.interlocked',
  'command.pin_wrong',
  'command.pin_locked',
  'command.role_required',
])

/** What the operation log calls a request that ended in an error; null: nothing that belongs there. */
export function refusedOutcome(code: string, status: number, method: string): 'refused' | 'failed' | null {
  if (REFUSALS.has(code)) return 'refused'
  return status >= 500 && method !== 'GET' ? 'failed' : null
}
