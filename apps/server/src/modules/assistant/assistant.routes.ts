import { assistantContract as contract } from '@thingwright/contracts/assistant.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { Approvals } from './approvals.service.ts'
import type { AssistantService } from './assistant.service.ts'

export function assistantRoutes(deps: { service: AssistantService; approvals: Approvals }): BoundRoute[] {
  const { service, approvals } = deps
  const ok = async (work: Promise<void>) => {
    await work
    return { ok: true }
  }
  return [
    bind(contract.status, ctx => service.status(ctx)),
    bind(contract.tools, ctx => service.tools(ctx)),
    bind(contract.chat, (ctx, { query }, http) => service.chat(ctx, query, http)),
    bind(contract.stop, (ctx, { params }) => ok(service.stop(ctx, params.id))),
    bind(contract.rate, (ctx, { params, body }) => ok(service.rate(ctx, params.id, body.rating))),
    bind(contract.removeChat, (ctx, { params }) => ok(service.removeChat(ctx, params.id))),
    bind(contract.clearChats, ctx => ok(service.clearChats(ctx))),
    bind(contract.approval, (ctx, { params }) => approvals.get(ctx, params.id)),
    bind(contract.decide, (ctx, { params, body }) => approvals.decide(ctx, params.id, body.decision)),
    bind(contract.undo, (ctx, { params }) => approvals.undo(ctx, params.id)),
  ]
}
