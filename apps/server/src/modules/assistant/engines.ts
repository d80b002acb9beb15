import type { Ctx } from '../../lib/context.ts'
import type { Engine } from './engine.ts'
import type { LlmPort } from './llm.port.ts'
import { createBuiltinEngine } from './provisional-engine.ts'
import { type AssistantSettings, costFen } from './settings.service.ts'

export interface EngineChoice {
  engine: Engine
  /** The month's tokens are used up: the built-in engine stands in for a model. */
  overQuota: boolean
  /** What so many tokens cost, in fen. */
  costFen(promptTokens: number, completionTokens: number): number
}

/** Which engine answers a company now. */
export interface Engines {
  /** Null: the company switched the assistant off. */
  of(ctx: Ctx): Promise<EngineChoice | null>
  /** Answers when a model does not. */
  readonly builtin: Engine
}

export function createEngines(deps: {
  settings: AssistantSettings
  llm: LlmPort
  now(): number
  builtin?: Engine | undefined
}): Engines {
  const builtin = deps.builtin ?? createBuiltinEngine()
  return {
    builtin,
    async of(ctx) {
      const effective = await deps.settings.effective(ctx.tenantId, deps.now())
      if (effective.engine === 'off') return null
      return {
        engine: builtin,
        overQuota: effective.overQuota && effective.target !== null,
        costFen: (prompt, completion) => costFen(effective, prompt, completion),
      }
    },
  }
}
