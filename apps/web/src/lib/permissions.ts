import { API_PATHS, type Operation } from '@thingwright/contracts/api-paths'
import { END_USER_OPERATIONS } from '@thingwright/contracts/end-user-routes'
import type { Permission } from '@thingwright/contracts/permissions'
import { useSession } from './session.ts'

export type { Permission } from '@thingwright/contracts/permissions'

/** Whether a list of rights holds one; `*` stands for all. */
export function holds(rights: readonly string[] | undefined, wanted: Permission): boolean {
  return rights !== undefined && (rights.includes('*') || rights.includes(wanted))
}

/** The right that an operation asks for; null: none beyond being signed in. */
export function rightOf(operation: Operation): Permission | null {
  const [, , permission] = API_PATHS[operation]
  return permission === 'public' || permission === 'signed-in' ? null : permission
}

/** Whether the signed-in person, who has these rights, may call the operation: end users reach some of them only. */
export function may(rights: readonly string[] | undefined, operation: Operation): boolean {
  if (useSession.getState().me?.kind === 'end_user' && !END_USER_OPERATIONS.has(operation)) return false
  const right = rightOf(operation)
  return right === null || holds(rights, right)
}

/**
 * Whether the signed-in person may call the operation, as its contract says. The server decides in any case; this hides
 * what would be refused.
 */
export function useMay(operation: Operation): boolean {
  return useSession(s => may(s.me?.permissions, operation))
}
