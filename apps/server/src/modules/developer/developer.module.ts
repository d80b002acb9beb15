import type { Actor, ApiKeyActor, Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { Inbox } from '../notifications/index.ts'
import { type ApiKeyGate, createApiKeyGate, rateLimited } from './api-key-gate.ts'
import { createApiKeysService } from './api-keys.service.ts'
import { type CallRecorder, createCallRecorder, type FinishedCall } from './calls/call-recorder.ts'
import { createCallsService } from './calls/calls.service.ts'
import { developerRoutes } from './developer.routes.ts'
import { type EndpointsDeps, endpoints } from './endpoints.ts'
import { createKeyExpiry, type KeyExpiry } from './key-expiry.ts'
import type { RateState } from './key-rate.ts'

export interface DeveloperModuleDeps extends EndpointsDeps {
  database: Database
  logger: Logger
  requireFreshProof(ctx: Ctx): Promise<void>
  inbox: Inbox
  /** Keys, or people that keys stand on, may have lost something: what is open through them is looked at again. */
  onKeysChanged(ids: readonly string[]): void
  now(): number
}

/** What the HTTP layer asks and tells of programs. */
export interface Programs {
  /** Counts a call. @throws AppError rate.limited with the seconds to wait */
  admit(actor: ApiKeyActor): RateState
  note(call: FinishedCall): void
}

export interface DeveloperModule {
  routes: BoundRoute[]
  /** Sign-in of programs. */
  gate: ApiKeyGate
  programs: Programs
  expiry: KeyExpiry
  recorder: Pick<CallRecorder, 'start' | 'stop' | 'flush'>
  actorNow(tenantId: string, keyId: string): Promise<Actor | null>
}

export function createDeveloperModule(deps: DeveloperModuleDeps): DeveloperModule {
  const { database, now } = deps
  const recorder = createCallRecorder({ database, logger: deps.logger, now })
  const gate = createApiKeyGate({
    database,
    onUsed: recorder.used,
    onRefused: recorder.refused,
    onForgotten: deps.onKeysChanged,
    now,
  })
  const keys = createApiKeysService({
    database,
    requireFreshProof: deps.requireFreshProof,
    onChanged: gate.forgetKey,
    flush: recorder.flush,
  })
  const calls = createCallsService({ database, flush: recorder.flush })
  return {
    routes: developerRoutes({ keys, calls, endpoints: ctx => endpoints(deps, ctx) }),
    gate,
    programs: {
      admit({ keyId }) {
        const rate = gate.rates.take(keyId)
        if (!rate.taken) throw rateLimited(rate.retryAfterSeconds)
        return rate
      },
      note: recorder.note,
    },
    expiry: createKeyExpiry({ database, inbox: deps.inbox }),
    recorder,
    actorNow: gate.actorNow,
  }
}
