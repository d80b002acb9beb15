import type { Permission } from '@thingwright/contracts/permissions'
import { useSession } from './session.ts'

export type { Permission } from '@thingwright/contracts/permissions'

/** Whether a list of rights holds one; `*` stands for all. */
export function holds(rights: readonly string[] | undefined, wanted: Permission): boolean {
  return rights !== undefined && (rights.includes('*') || rights.includes(wanted))
}

/** Whether the signed-in person has the right. The server decides in any case; this hides what would be refused. */
export function usePermission(wanted: Permission): boolean {
  return useSession(s => holds(s.me?.permissions, wanted))
}
