import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { ApprovalView, operatorContract } from '@thingwright/contracts/operator.contract'
import type { ApprovalSource } from '../../lib/approvals.ts'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'

type Contract = typeof operatorContract

export interface ApprovalsService {
  /** Called when wiring, by whoever has something to approve. */
  register(source: ApprovalSource): void
  list(ctx: Ctx, input: QueryOf<Contract['approvals']>): Promise<ResponseOf<Contract['approvals']>>
  decide(ctx: Ctx, kind: string, id: string, decision: { accept: boolean; reason: string }): Promise<ApprovalView>
  file(ctx: Ctx, kind: string, id: string, fileId: string): Promise<StreamReply>
}

const SHOWN = 200

export function createApprovalsService(): ApprovalsService {
  const sources = new Map<string, ApprovalSource>()

  function sourceOf(kind: string): ApprovalSource {
    const source = sources.get(kind)
    if (!source) throw new AppError('approval.not_found')
    return source
  }
  const named = (source: ApprovalSource, item: Omit<ApprovalView, 'kind' | 'kindTitle'>): ApprovalView => ({
    ...item,
    kind: source.kind,
    kindTitle: source.title,
  })

  return {
    register(source) {
      if (sources.has(source.kind)) throw new Error(`two sources of approvals of the kind ${source.kind}`)
      sources.set(source.kind, source)
    },
    async list(ctx, { state, kind }) {
      const asked = kind ? [sourceOf(kind)] : [...sources.values()]
      const lists = await Promise.all(
        asked.map(async source => (await source.list(ctx, state, SHOWN)).map(item => named(source, item))),
      )
      const at = (item: ApprovalView) => Date.parse(item.decidedAt ?? item.submittedAt)
      const order = state === 'open' ? 1 : -1
      return {
        items: lists
          .flat()
          .sort((a, b) => order * (at(a) - at(b)))
          .slice(0, SHOWN),
        kinds: [...sources.values()].map(source => ({ kind: source.kind, title: source.title })),
      }
    },
    async decide(ctx, kind, id, decision) {
      const source = sourceOf(kind)
      return named(source, await source.decide(ctx, id, decision))
    },
    file(ctx, kind, id, fileId) {
      const { file } = sourceOf(kind)
      if (!file) throw new AppError('company.file_not_found')
      return file(ctx, id, fileId)
    },
  }
}
