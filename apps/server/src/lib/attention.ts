import type { Permission } from '@thingwright/contracts/permissions'
import type { AttentionItem } from '@thingwright/contracts/statistics.contract'
import type { Ctx } from './context.ts'

/**
 * Something that a module knows people should look at; the overview asks all of them. It is not asked for a caller
 * without the right, and its own rules (company, data scope) decide what it finds.
 */
export interface AttentionSource {
  permission: Permission
  /** It concerns the company as a whole: a caller with a narrow data scope is not told. */
  wholeCompany?: true
  find(ctx: Ctx): Promise<AttentionItem[]>
}
