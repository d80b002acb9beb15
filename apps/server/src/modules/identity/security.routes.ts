import { securityContract } from '@thingwright/contracts/security.contract'
import { isAppError } from '../../lib/errors.ts'
import { type BoundRoute, bind, type HttpInfo, RedirectReply } from '../../lib/http.ts'
import type { Closing } from './closing.service.ts'
import { peerOf } from './identity.routes.ts'
import type { OidcService } from './oidc.service.ts'
import type { OwnPasskeys } from './own-passkeys.service.ts'
import type { OwnSecurity } from './own-security.service.ts'
import { relyingParty } from './passkeys.ts'
import { loginIdOf, type Proofs } from './proofs.ts'
import type { SecondStep } from './second-step.ts'
import type { SecurityPolicyService } from './security-policy.ts'
import type { TokenReplyWithRefresh } from './session-start.ts'
import type { SessionsService } from './sessions.service.ts'
import type { SignInHistory } from './sign-in-history.ts'

export interface SecurityRouteDeps {
  own: OwnSecurity
  passkeys: OwnPasskeys
  proofs: Proofs
  sessions: SessionsService
  history: SignInHistory
  policy: SecurityPolicyService
  closing: Closing
  oidc: OidcService
  secondStep: SecondStep
  requireFreshProof: Proofs['requireFreshProof']
  /** PUBLIC_URL; null: what the request was addressed to. */
  publicUrl: string | null
  secureCookie: boolean
  /** Gives a session to the console (cookies). */
  answer(client: string, reply: TokenReplyWithRefresh, http: HttpInfo, newSession: boolean): unknown
}

const OIDC_COOKIE = 'tw_oidc'
const CALLBACK = '/oauth/oidc/callback'

export function securityRoutes(deps: SecurityRouteDeps): BoundRoute[] {
  const { own, passkeys, proofs, sessions, history, policy, closing, oidc, secondStep } = deps
  const c = securityContract
  const hostOf = (http: HttpInfo) => one(http.headers.host)
  const rpOf = (http: HttpInfo) => relyingParty(deps.publicUrl, hostOf(http))
  const callbackOf = (http: HttpInfo) => `${deps.publicUrl ?? `http://${hostOf(http) ?? 'localhost'}`}${CALLBACK}`
  /** The browser that begins is the one that must come back; Lax, because it comes back from another site. */
  const remember = (http: HttpInfo, browser: string, maxAge = 600) =>
    http.setHeader(
      'set-cookie',
      `${OIDC_COOKIE}=${browser}; Path=/oauth/oidc; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${deps.secureCookie ? '; Secure' : ''}`,
    )

  return [
    bind(c.overview, ctx =>
      own.overview(ctx, async (scope, row) => ({
        ...(await oidc.stateOf(scope, row.tenant_id, row.id)),
        ...(await closing.stateOf(scope, row)),
      })),
    ),
    bind(c.changePassword, (ctx, { body }) => own.changePassword(ctx, body)),
    bind(c.sendCode, (ctx, { body }) => own.sendCode(ctx, body)),
    bind(c.totpBegin, ctx => own.totpBegin(ctx)),
    bind(c.totpConfirm, (ctx, { body }) => own.totpConfirm(ctx, body.code)),
    bind(c.totpRemove, ctx => own.totpRemove(ctx)),
    bind(c.setFactors, (ctx, { body }) => own.setFactors(ctx, body.factors)),
    bind(c.backupCodes, ctx => own.backupCodes(ctx)),
    bind(c.passkeyBegin, (ctx, _input, http) => passkeys.begin(ctx, rpOf(http))),
    bind(c.passkeyAdd, (ctx, { body }) => passkeys.add(ctx, body)),
    bind(c.passkeyRename, (ctx, { params, body }) => passkeys.rename(ctx, params.id, body.name)),
    bind(c.passkeyRemove, (ctx, { params }) => passkeys.remove(ctx, params.id)),
    bind(c.resetMemberFactors, (ctx, { params }) => passkeys.resetMember(ctx, params.id)),
    bind(c.proofOptions, (ctx, _input, http) => proofs.options(ctx, () => rpOf(http))),
    bind(c.prove, (ctx, { body }) => proofs.prove(ctx, body)),
    bind(c.sessions, ctx => sessions.mine(ctx)),
    bind(c.endSession, async (ctx, { params }) => {
      await deps.requireFreshProof(ctx)
      return sessions.end(ctx, params.id)
    }),
    bind(c.endOtherSessions, async ctx => {
      await deps.requireFreshProof(ctx)
      return sessions.endOthers(ctx)
    }),
    bind(c.memberSecurity, (ctx, { params }) => sessions.memberSecurity(ctx, params.id)),
    bind(c.memberSessions, (ctx, { params }) => sessions.ofMember(ctx, params.id)),
    bind(c.endMemberSessions, (ctx, { params, body }) => sessions.endOfMember(ctx, params.id, body.sessionId)),
    bind(c.history, (ctx, { query }) => history.list(ctx, loginIdOf(ctx), query)),
    bind(c.companyHistory, (ctx, { query }) => history.list(ctx, null, query)),
    bind(c.companyHistoryExport, (ctx, { query }) => history.export(ctx, query)),
    bind(c.policy, ctx => policy.get(ctx)),
    bind(c.setPolicy, async (ctx, { body }) => {
      await deps.requireFreshProof(ctx)
      return policy.update(ctx, body)
    }),
    bind(c.closeOwn, (ctx, { body }) => closing.closeOwn(ctx, body.username)),
    bind(c.closePreview, ctx => closing.preview(ctx)),
    bind(c.closeCompany, (ctx, { body }) => closing.closeCompany(ctx, body.name)),
    bind(c.keepCompany, ctx => closing.keepCompany(ctx)),
    bind(c.oidc, (ctx, _input, http) => oidc.settings(ctx, callbackOf(http))),
    bind(c.setOidc, (ctx, { body }, http) => oidc.change(ctx, body, callbackOf(http))),
    bind(c.linkOidc, async (ctx, _input, http) => {
      const { url, browser } = await oidc.link(ctx, callbackOf(http))
      remember(http, browser)
      return { url }
    }),
    bind(c.unlinkOidc, (ctx, { params }) => oidc.unlink(ctx, params.id)),

    bind(c.factorCode, (ctx, { body }) => secondStep.sendCode(body, ctx.locale)),
    bind(c.factorSetup, (_ctx, { body }) => secondStep.setup(body.ticket)),
    bind(c.passkeyOptions, (_ctx, { body }, http) => secondStep.passkeyOptions(body.ticket, rpOf(http))),
    bind(c.oidcLookup, (_ctx, { query }) => oidc.lookup(query.company)),
    bind(c.oidcStart, async (_ctx, { body }, http) => {
      const { url, browser } = await oidc.start(body.company, callbackOf(http))
      remember(http, browser)
      return { url }
    }),
    bind(c.oidcCallback, async (ctx, { query }, http) => {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (typeof value === 'string') search.set(name, value)
      try {
        const done = await oidc.finish(search, cookieOf(http), peerOf(ctx, http))
        if ('linked' in done) return new RedirectReply('/admin/security?tab=sso&linked=1')
        if ('notLinked' in done)
          return new RedirectReply(`/admin/security?tab=sso&failed=${encodeURIComponent(done.notLinked)}`)
        deps.answer('web', done.session, http, true)
        return new RedirectReply('/index?sso=ok')
      } catch (error) {
        if (!isAppError(error)) throw error
        // The browser stands here, not a program: the sign-in page says what happened.
        return new RedirectReply(`/index?sso=${encodeURIComponent(error.code)}`)
      }
    }),
  ]
}

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

function cookieOf(http: HttpInfo): string | undefined {
  return new RegExp(`(?:^|;\\s*)${OIDC_COOKIE}=([A-Za-z0-9_-]{1,64})`).exec(one(http.headers.cookie) ?? '')?.[1]
}
