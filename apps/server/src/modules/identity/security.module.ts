import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute, HttpInfo } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TenantsService } from '../tenants/index.ts'
import { createBackupCodes } from './backup-codes.ts'
import { createClosing } from './closing.service.ts'
import { createFactors } from './factors.ts'
import { createOidc } from './oidc.service.ts'
import { createOidcClient } from './oidc-client.ts'
import { deleteOldCodes } from './one-time-codes.repo.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { createOwnPasskeys } from './own-passkeys.service.ts'
import { createOwnSecurity } from './own-security.service.ts'
import { createPasskeys } from './passkeys.ts'
import { createProofs } from './proofs.ts'
import { createSecondStep, type SecondStep, type SignInGate } from './second-step.ts'
import { securityRoutes } from './security.routes.ts'
import type { SecurityMessages } from './security-messages.ts'
import { createSecurityPolicy } from './security-policy.ts'
import type { SessionStart, TokenReplyWithRefresh } from './session-start.ts'
import { createSessions } from './sessions.service.ts'
import { deleteOldEvents } from './sign-in-history.repo.ts'
import type { SignInHistory } from './sign-in-history.ts'
import { createTotp } from './totp.ts'

export interface SecurityDeps {
  database: Database
  tenants: Pick<TenantsService, 'settings' | 'updateSettings'>
  history: SignInHistory
  messages: SecurityMessages
  inbox: Inbox
  secretKey: string
  logger: Logger
  /** PUBLIC_URL; null: what the request was addressed to. */
  publicUrl: string | null
  secureCookie: boolean
  /** CIDRs of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  now(): number
}

/** What is known only once the sign-in itself is wired: services call it, they do not need it to be made. */
export interface SecurityLinks {
  forget(loginId?: string): void
  sessions: SessionStart
  answer(client: string, reply: TokenReplyWithRefresh, http: HttpInfo, newSession: boolean): unknown
  holdMember(tenantId: string): Promise<void>
  /** What a deleted company leaves outside the database's transactions. May be begun again. */
  purgeCompany(tenantId: string): Promise<void>
}

export interface SecurityModule {
  /** Asked by the sign-in before a session begins. */
  gate: SignInGate
  grants: SecondStep['grants']
  /** For dangerous actions anywhere: @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  routes: BoundRoute[]
  /** Companies whose closing is due, old sign-in history and codes: to be run every hour. */
  sweep(): Promise<void>
}

/** Everything around the sign-in that makes it safe: second step, passkeys, sessions, history, rules, closing, single sign-on. */
export function createSecurityModule(deps: SecurityDeps, links: SecurityLinks): SecurityModule {
  const { database, inbox, history, messages, secretKey, now, logger } = deps
  const sms = createOneTimeCodes('sms', secretKey, now)
  const mail = createOneTimeCodes('mail', secretKey, now)
  const totp = createTotp(createCryptoBox(secretKey, 'totp'), now)
  const backup = createBackupCodes(secretKey, now)
  const passkeys = createPasskeys(now)
  const factors = createFactors({ totp, backup, passkeys, sms, mail, now })
  const proofs = createProofs({ database, factors, passkeys, now })
  const { requireFreshProof } = proofs
  const forget = (loginId?: string) => links.forget(loginId)

  const own = createOwnSecurity({ database, totp, backup, sms, mail, messages, requireFreshProof, forget, now })
  const secondStep = createSecondStep({
    database,
    sessions: links.sessions,
    watch: history,
    factors,
    totp,
    passkeys,
    sms,
    mail,
    messages,
    replacePassword: own.replacePassword,
    now,
  })
  const closing = createClosing({
    database,
    inbox,
    messages,
    requireFreshProof,
    forget,
    purgeCompany: links.purgeCompany,
    logger,
    now,
  })
  const oidc = createOidc({
    database,
    client: createOidcClient(createOutbound({ allow: deps.outboundAllow }), now),
    outboundAllow: deps.outboundAllow,
    box: createCryptoBox(secretKey, 'oidc'),
    sessions: links.sessions,
    gate: secondStep.gate,
    requireFreshProof,
    holdMember: links.holdMember,
    now,
  })

  return {
    gate: secondStep.gate,
    grants: secondStep.grants,
    requireFreshProof,
    routes: securityRoutes({
      own,
      passkeys: createOwnPasskeys({ database, passkeys, inbox, requireFreshProof, forget, now }),
      proofs,
      sessions: createSessions({ database, forget, now }),
      history,
      policy: createSecurityPolicy({ database, tenants: deps.tenants, forget }),
      closing,
      oidc,
      secondStep,
      requireFreshProof,
      publicUrl: deps.publicUrl,
      secureCookie: deps.secureCookie,
      answer: links.answer,
    }),
    async sweep() {
      await closing.sweep()
      await database.withSystemScope('maintenance', scope => deleteOldEvents(scope, new Date(now())))
      await database.withSystemScope('maintenance', scope => deleteOldCodes(scope, new Date(now())))
    },
  }
}
