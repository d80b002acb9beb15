import type { OwnedKind } from '@thingwright/contracts/members.contract'
import type { TenantScope } from './database/database.ts'

/** Things of one kind that belong to the member who made them; their modules say how they are counted and handed over. */
export interface OwnedObjects {
  kind: OwnedKind
  count(scope: TenantScope, loginId: string): Promise<number>
  /** @returns how many were handed over */
  handOver(scope: TenantScope, from: string, to: string): Promise<number>
}
