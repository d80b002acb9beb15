import { assistantContract as contract } from '@thingwright/contracts/assistant.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AssistantSettings } from './settings.service.ts'
import type { AssistantUsage } from './usage.service.ts'

/** What answers the company, and what it cost. */
export function assistantSettingsRoutes(deps: { settings: AssistantSettings; usage: AssistantUsage }): BoundRoute[] {
  const { settings, usage } = deps
  return [
    bind(contract.settings, ctx => settings.get(ctx)),
    bind(contract.setSettings, (ctx, { body }) => settings.set(ctx, body)),
    bind(contract.testModel, (ctx, { body }) => settings.test(ctx, body)),
    bind(contract.usage, (ctx, { query }) => usage.month(ctx, query.month)),
    bind(contract.replies, (ctx, { query }) => usage.replies(ctx, query)),
  ]
}
