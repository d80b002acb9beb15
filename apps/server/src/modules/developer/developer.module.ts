import type { Actor, ApiKeyActor, Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { StandingOf } from '../end-users/standing.port.ts'
import type { Inbox } from '../notifications/index.ts'
import { type ApiKeyGate, createApiKeyGate, rateLimited } from './api-key-gate.ts'
import { ownedApiKeys } from './api-keys.repo.ts'
import { createApiKeysService } from './api-keys.service.ts'
import { type CallRecorder, createCallRecorder, type FinishedCall } from './calls/call-recorder.ts'
import { createCallsService } from './calls/calls.service.ts'
import { developerRoutes } from './developer.routes.ts'
import { type EndpointsDeps, endpoints } from './endpoints.ts'
import { createKeyExpiry, type KeyExpiry } from './key-expiry.ts'
import type { RateState } from './key-rate.ts'

export interface ProgramSignInDeps {
  database: Database
  standingOf: StandingOf
  logger: Logger
  now(): number
}

/** Programs as the sign-in meets them: their keys and what is noted of their calls. Needs no people to be signed in. */
export interface ProgramSignIn {
  gate: ApiKeyGate
  recorder: CallRecorder
}

export function createProgramSignIn({ database, standingOf, logger, now }: ProgramSignInDeps): ProgramSignIn {
  const recorder = createCallRecorder({ database, logger, now })
  const gate = createApiKeyGate({ database, standingOf, onUsed: recorder.used, onRefused: recorder.refused, now })
  return { gate, recorder }
}

export interface DeveloperModuleDeps extends EndpointsDeps {
  database: Database
  standingOf: StandingOf
  signIn: ProgramSignIn
  requireFreshProof(ctx: Ctx): Promise<void>
  inbox: Inbox
}

/** What the HTTP layer asks and tells of programs. */
export interface Programs {
  /** Counts a call. @throws AppError rate.limited with the seconds to wait */
  admit(actor: ApiKeyActor): RateState
  note(call: FinishedCall): void
}

export interface DeveloperModule extends ModuleParts {
  routes: BoundRoute[]
  /** Sign-in of programs. */
  gate: ApiKeyGate
  programs: Programs
  expiry: KeyExpiry
  recorder: Pick<CallRecorder, 'start' | 'stop' | 'flush'>
  actorNow(tenantId: string, keyId: string): Promise<Actor | null>
}

export function createDeveloperModule(deps: DeveloperModuleDeps): DeveloperModule {
  const { database } = deps
  const { gate, recorder } = deps.signIn
  const keys = createApiKeysService({
    database,
    standingOf: deps.standingOf,
    requireFreshProof: deps.requireFreshProof,
    onChanged: gate.forgetKey,
    flush: recorder.flush,
  })
  const calls = createCallsService({ database, flush: recorder.flush })
  const expiry = createKeyExpiry({ database, inbox: deps.inbox })
  return {
    owned: [ownedApiKeys],
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
    expiry,
    // Keys that end soon.
    watchCompany: (tenantId, now) => expiry.watch(tenantId, now),
    recorder,
    runs: [{ name: 'calls of programs', phase: 'work', start: () => recorder.start(), stop: () => recorder.stop() }],
    actorNow: gate.actorNow,
  }
}
