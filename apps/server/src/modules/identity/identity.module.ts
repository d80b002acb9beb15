import type { SessionView } from '@thingwright/contracts/security.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { BoundRoute, HttpInfo } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { StandingOf } from '../end-users/standing.port.ts'
import type { Inbox, MailPort, SmsPort } from '../notifications/index.ts'
import type { SupportService, TenantsService } from '../tenants/index.ts'
import { type ApiKeySignIn, NO_API_KEYS, programToken } from './api-key-sign-in.ts'
import { createCaptchas } from './captchas.ts'
import { type CodesPerDay, createCodeLimits } from './code-limits.ts'
import { type LoginRow, loginById } from './identity.repo.ts'
import { identityRoutes, peerOf, sessionAnswer } from './identity.routes.ts'
import { createIdentityService, type IdentityService } from './identity.service.ts'
import { createKnownBrowsers } from './known-browsers.ts'
import lockNotice from './lock-notice.json' with { type: 'json' }
import { createIdentityMails, type IdentityMails } from './mails.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { createOwnAddresses } from './own-addresses.service.ts'
import { createPasswordReset, type PasswordReset } from './password-reset.service.ts'
import { createRegistration, type RegistrationOptions } from './registration.service.ts'
import { createSecurityModule, type SecurityLinks, type SecurityModule } from './security.module.ts'
import { createSecurityMessages } from './security-messages.ts'
import { createSessionStart, type Peer, type SessionStart, type TokenReplyWithRefresh } from './session-start.ts'
import { sessionsOfLogin } from './sessions.service.ts'
import { createSignInGuard, LOCK_MINUTES, type SignInGuard } from './sign-in-guard.ts'
import { createSignInHistory, type SignInHistory } from './sign-in-history.ts'
import { createSmsCodes, type SmsCodes } from './sms-codes.ts'
import { createTokenGrants } from './token-grants.ts'
import { createTokens, type Tokens } from './tokens.ts'

export interface IdentityDeps {
  database: Database
  tenants: Pick<TenantsService, 'get' | 'settings' | 'updateSettings'>
  /** What lets an operator into a company. */
  support: Pick<SupportService, 'access'>
  /** Sign-in of programs; absent: there are none. */
  apiKeys?: ApiKeySignIn
  sms: SmsPort
  mail: MailPort
  inbox: Inbox
  createCompany: RegistrationOptions['createCompany']
  /** What an end user may do now. */
  standingOf: StandingOf
  secretKey: string
  logger: Logger
  /** Addresses of the routes that ask for a menu permission. */
  menuKeys: readonly string[]
  /** Address of the console for links, without a slash at the end. */
  publicUrl(): string
  /** PUBLIC_URL as it was set; null: what a request was addressed to. */
  fixedUrl: string | null
  /** CIDRs of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  /** What a closed company and a new member mean elsewhere. */
  links: Pick<SecurityLinks, 'holdMember' | 'purgeCompany'>
  /** Only over https may cookies be marked Secure. */
  secureCookie: boolean
  /** The panel of simulated messages is shown. */
  demo: boolean
  /** Messages that strangers may cause in a day; CODES_PER_DAY when absent. */
  codesPerDay?: CodesPerDay
  now(): number
}

export interface IdentityModule extends ModuleParts {
  service: IdentityService
  routes: BoundRoute[]
  tokens: Tokens
  sessions: SessionStart
  guard: SignInGuard
  smsCodes: SmsCodes
  mails: IdentityMails
  passwordReset: PasswordReset
  security: SecurityModule
  /** Sessions and sign-ins of an end user whom the caller may see: the modules of end users ask for nobody else's. */
  customers: {
    sessions(ctx: Ctx, loginId: string): Promise<{ items: SessionView[] }>
    signIns(
      ctx: Ctx,
      loginId: string,
      input: { limit?: number | undefined; cursor?: string | undefined },
    ): ReturnType<SignInHistory['list']>
  }
  /**
   * Lets an end user in who proved himself by WeChat, and gives the session to his browser.
   * @throws AppError auth.login_frozen, end_user.expired, auth.second_factor_required …
   */
  admitCustomer(ctx: Ctx, tenantId: string, loginId: string, http: HttpInfo): Promise<void>
  /** The same for a mini-program, which keeps its tokens itself. */
  admitApplet(ctx: Ctx, tenantId: string, loginId: string, http: HttpInfo): Promise<TokenReplyWithRefresh>
  /** Gives a session to its client, with its cookies. */
  answer: ReturnType<typeof sessionAnswer>
}

export function createIdentityModule(deps: IdentityDeps): IdentityModule {
  const { database, secretKey, now, sms } = deps
  const tokens = createTokens(secretKey, now)
  const apiKeys = deps.apiKeys ?? NO_API_KEYS
  const captchas = createCaptchas(secretKey, now)
  const browsers = createKnownBrowsers(secretKey)
  const guard = createSignInGuard({ captchas, browsers, secretKey, now })
  const messages = createSecurityMessages(sms, deps.mail, deps.logger)
  const history = createSignInHistory({ database, inbox: deps.inbox, messages, now })
  const sessions = createSessionStart(tokens, now, history)
  const security = createSecurityModule(
    {
      database,
      tenants: deps.tenants,
      history,
      messages,
      inbox: deps.inbox,
      secretKey,
      logger: deps.logger,
      publicUrl: deps.fixedUrl,
      secureCookie: deps.secureCookie,
      outboundAllow: deps.outboundAllow,
      now,
    },
    {
      ...deps.links,
      sessions,
      forget: loginId => service.forget(loginId),
      answer: sessionAnswer({ browsers, secureCookie: deps.secureCookie }),
    },
  )
  const limits = createCodeLimits(secretKey, now, deps.codesPerDay)
  const smsCodes = createSmsCodes({ database, sms, codes: createOneTimeCodes('sms', secretKey, now, limits), browsers })
  const mailCodes = createOneTimeCodes('mail', secretKey, now, limits)
  const mails = createIdentityMails(deps.mail, deps.logger)

  /** The owner of a locked name learns of it where he can be reached. */
  function tellLocked(login: LoginRow, peer: Peer): void {
    const facts = { username: login.username, minutes: String(LOCK_MINUTES), ip: peer.ip }
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, key: keyof typeof facts) => facts[key] ?? '')
    if (login.email) mails.tell('locked', login.email, login.locale, facts)
    database
      .withSystemScope('sign-in', scope =>
        deps.inbox.notify(scope, {
          tenantId: login.tenant_id,
          to: { loginIds: [login.id] },
          kind: 'login.locked',
          level: 'warning',
          title: { zh: lockNotice.zh.title, en: lockNotice.en.title },
          text: { zh: fill(lockNotice.zh.text), en: fill(lockNotice.en.text) },
          link: '/admin/security',
        }),
      )
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'notice of a lock was not written'))
  }

  async function endUserClosed(scope: SystemScope, loginId: string) {
    const standing = await deps.standingOf(scope, loginId)
    if (!standing || standing.frozen) return 'auth.login_frozen'
    return standing.endsAt !== null && standing.endsAt <= now() ? 'end_user.expired' : null
  }

  const grants = createTokenGrants({
    database,
    tokens,
    smsCodes,
    guard,
    sessions,
    gate: security.gate,
    steps: security.grants,
    watch: history,
    endUserClosed,
    onLocked: tellLocked,
    now,
  })
  const service = createIdentityService({
    database,
    tenants: deps.tenants,
    tokens,
    grants,
    menuKeys: deps.menuKeys,
    support: deps.support.access,
    standingOf: deps.standingOf,
    apiKeys,
    now,
  })
  const registration = createRegistration({ database, smsCodes, sessions, createCompany: deps.createCompany, now })
  const passwordReset = createPasswordReset({
    database,
    smsCodes,
    limits,
    browsers,
    sms,
    mails,
    guard,
    endSessions: service.endSessions,
    publicUrl: deps.publicUrl,
    now,
  })
  const ownAddresses = createOwnAddresses({
    database,
    smsCodes,
    mailCodes,
    mails,
    sms,
    logger: deps.logger,
    me: service.me,
    requireFreshProof: security.requireFreshProof,
    forget: service.forget,
  })
  const routes = identityRoutes({
    identity: service,
    captchas,
    browsers,
    registration,
    passwordReset,
    ownAddresses,
    smsCodes,
    database,
    programToken: (credentials, peer) => programToken(apiKeys, tokens, credentials, peer),
    sms,
    mail: deps.mail,
    secureCookie: deps.secureCookie,
    demo: deps.demo,
  })
  const answer = sessionAnswer({ browsers, secureCookie: deps.secureCookie })
  /** A session of an end user who proved himself by WeChat. @throws AppError when he may not come in, or not by this alone */
  async function customerSession(client: string, ctx: Ctx, tenantId: string, loginId: string, http: HttpInfo) {
    const peer = peerOf(ctx, http)
    const session = await database.withSystemScope('sign-in', async scope => {
      const login = await loginById(scope, loginId)
      if (login?.kind !== 'end_user' || login.tenant_id !== tenantId || login.state !== 'active')
        return new AppError('auth.login_frozen')
      const closed = await endUserClosed(scope, loginId)
      if (closed) return new AppError(closed)
      return (
        (await security.gate(scope, login, client, peer, 'wechat')) ??
        sessions.begin(scope, login, client, peer, 'wechat')
      )
    })
    if (session instanceof AppError) throw session
    return session
  }

  return {
    service,
    security,
    routes: [...routes, ...security.routes],
    hears: {
      // The caller's context carries the state of his company.
      'company.changed': () => service.forget(),
      'rights.changed': ({ logins }) => {
        for (const loginId of logins) service.forget(loginId)
      },
    },
    sweeps: [{ name: 'closing companies and clearing sign-in history', run: () => security.sweep() }],
    tokens,
    sessions,
    guard,
    smsCodes,
    mails,
    passwordReset,
    async admitCustomer(ctx, tenantId, loginId, http) {
      answer('web', await customerSession('web', ctx, tenantId, loginId, http), http, true)
    },
    admitApplet: (ctx, tenantId, loginId, http) => customerSession('applet', ctx, tenantId, loginId, http),
    customers: {
      sessions: (ctx, loginId) => sessionsOfLogin(database, ctx, loginId, new Date(now())),
      signIns: (ctx, loginId, input) => history.list(ctx, loginId, input),
    },
    answer,
  }
}
