import type { ApprovalView } from '@thingwright/contracts/operator.contract'
import type { Ctx } from './context.ts'
import type { StreamReply } from './http.ts'

/**
 * A kind of thing that waits for an operator's word. A module that has one brings its
 * source (`approvalSources` of its parts); the desk lists and decides through it and knows nothing else of the module.
 */
export interface ApprovalSource {
  /** `noun`, unique; part of the address. */
  kind: string
  title: { zh: string; en: string }
  /** Open: oldest first; decided: newest first. Of every company. */
  list(ctx: Ctx, state: 'open' | 'decided', limit: number): Promise<Omit<ApprovalView, 'kind' | 'kindTitle'>[]>
  /**
   * Decides, tells the company and writes both operation logs (action `operator.decide`), all in one transaction.
   * @throws AppError approval.not_found, approval.decided, approval.reason_missing
   */
  decide(
    ctx: Ctx,
    id: string,
    decision: { accept: boolean; reason: string },
  ): Promise<Omit<ApprovalView, 'kind' | 'kindTitle'>>
  /** A document that belongs to it. */
  file?(ctx: Ctx, id: string, fileId: string): Promise<StreamReply>
}
