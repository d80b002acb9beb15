import { identityContract } from '@thingwright/contracts/identity.contract'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { type PlannedCall, plannedCall } from '../../lib/tools/tools.ts'
import { createBuiltinEngine } from './builtin/engine.ts'
import type { Engine } from './engine.ts'
import { createModelEngine } from './llm/engine.ts'
import type { Asker } from './llm/prompt.ts'
import type { LlmPort } from './llm.port.ts'
import { outgoingTexts } from './secrets/outgoing.ts'
import { type AssistantSettings, costFen } from './settings.service.ts'

/** An engine that may tell what it took even of a reply that failed. */
export type MeteredEngine = Engine & { spent?(): { promptTokens: number; completionTokens: number } }

export interface EngineChoice {
  /** Of this one reply. */
  engine: MeteredEngine
  /** The month's tokens are used up: the built-in engine stands in for a model. */
  overQuota: boolean
  /** What so many tokens cost, in fen. */
  costFen(promptTokens: number, completionTokens: number): number
  /** Its service refused the key with this status; null: it answered. */
  keyAnswered(status: number | null): Promise<void>
}

/** Which engine answers a company now. */
export interface Engines {
  /** Null: the company switched the assistant off. */
  of(ctx: Ctx): Promise<EngineChoice | null>
  /** Answers when a model does not. */
  readonly builtin: Engine
}

export interface EnginesDeps {
  database: Database
  settings: AssistantSettings
  llm: LlmPort
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  companyName(tenantId: string): Promise<string>
  now(): number
  /** Stands in for the built-in engine (tests). */
  builtin?: Engine | undefined
}

export function createEngines(deps: EnginesDeps): Engines {
  const builtin = deps.builtin ?? createBuiltinEngine()

  /** Names only: what a model may know of the one who asks. */
  async function askerOf(ctx: Ctx): Promise<Asker> {
    const { actor } = ctx
    const name = actor.kind === 'system' ? actorName(actor) : actor.displayName || actor.username
    try {
      const me = (await deps.callApi(ctx, plannedCall(identityContract.me, {}))) as {
        roles: { name: string; ename: string }[]
      }
      return { name, roles: me.roles.map(role => (ctx.locale === 'en' && role.ename ? role.ename : role.name)) }
    } catch (error) {
      if (!isAppError(error)) throw error
      return { name, roles: [] }
    }
  }

  return {
    builtin,
    async of(ctx) {
      const effective = await deps.settings.effective(ctx.tenantId, deps.now())
      if (effective.engine === 'off') return null
      const cost = (prompt: number, completion: number) => costFen(effective, prompt, completion)
      const overQuota = effective.target !== null && effective.overQuota
      if (!effective.target || overQuota)
        return { engine: builtin, overQuota, costFen: cost, keyAnswered: async () => {} }
      const [asker, company] = await Promise.all([askerOf(ctx), deps.companyName(ctx.tenantId)])
      return {
        engine: createModelEngine({
          llm: deps.llm,
          effective,
          asker,
          company,
          outgoing: outgoingTexts(deps.database, ctx.tenantId),
        }),
        overQuota,
        costFen: cost,
        keyAnswered: status => deps.settings.keyAnswered(ctx.tenantId, effective, status),
      }
    },
  }
}
