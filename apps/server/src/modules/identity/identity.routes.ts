import { identityContract, type TokenReply } from '@thingwright/contracts/identity.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type BoundRoute, bind, type HttpInfo } from '../../lib/http.ts'
import { personId } from '../../lib/person.ts'
import type { MailPort, SmsPort } from '../notifications/index.ts'
import { type ProgramCredentials, programCredentials } from './api-key-sign-in.ts'
import type { Captchas } from './captchas.ts'
import type { IdentityService } from './identity.service.ts'
import { BROWSER_DAYS, type KnownBrowsers } from './known-browsers.ts'
import type { OwnAddresses } from './own-addresses.service.ts'
import type { PasswordReset } from './password-reset.service.ts'
import type { Registration } from './registration.service.ts'
import type { Peer, TokenReplyWithRefresh } from './session-start.ts'
import type { SmsCodes } from './sms-codes.ts'
import type { TokenInput } from './token-grants.ts'
import { REFRESH_DAYS } from './tokens.ts'

const REFRESH_COOKIE = 'tw_refresh'
const BROWSER_COOKIE = 'tw_browser'

export interface IdentityRouteOptions {
  identity: IdentityService
  captchas: Captchas
  browsers: KnownBrowsers
  registration: Registration
  passwordReset: PasswordReset
  ownAddresses: OwnAddresses
  smsCodes: SmsCodes
  database: Database
  /** The token of a program. */
  programToken(credentials: ProgramCredentials, peer: Peer): Promise<TokenReply>
  sms: SmsPort
  mail: MailPort
  /** Only over https may the cookies be marked Secure. */
  secureCookie: boolean
  /** The panel of simulated messages is shown. */
  demo: boolean
}

export function identityRoutes(options: IdentityRouteOptions): BoundRoute[] {
  const { identity, smsCodes, passwordReset, ownAddresses } = options
  const answer = sessionAnswer(options)

  /** A captcha that was not answered rightly ends the request. */
  async function takeCaptcha(given: { captchaId?: string | undefined; captcha?: string | undefined }): Promise<void> {
    const result = await options.database.withSystemScope('sign-in', scope =>
      options.captchas.check(scope, given.captchaId, given.captcha),
    )
    if (result !== 'right') throw new AppError(result === 'missing' ? 'auth.captcha_required' : 'auth.captcha_wrong')
  }

  return [
    bind(identityContract.token, async (ctx, { body }, http) => {
      if (body.grant_type === 'client_credentials')
        return options.programToken(programCredentials(body, header(http, 'authorization')), peerOf(ctx, http))
      const client = identity.client(header(http, 'authorization'))
      const input: TokenInput =
        client === 'web' && body.grant_type === 'refresh_token'
          ? { ...body, refresh_token: readCookie(http, REFRESH_COOKIE) }
          : body
      const peer = peerOf(ctx, http)
      const reply = await identity.token(client, input, { ...peer, appId: body.thingwrightAppId ?? peer.appId })
      return answer(client, reply, http, body.grant_type !== 'refresh_token')
    }),
    bind(identityContract.captcha, async () => options.captchas.make()),
    bind(identityContract.smsCode, async (ctx, { body }, http) => {
      if (body.purpose === 'register' || body.purpose === 'reset') await takeCaptcha(body)
      // Binding a number is for somebody who is signed in; nobody else has texts sent to numbers of his choice.
      const from =
        body.purpose === 'bind'
          ? { loginId: personId((await identity.authenticate(bearer(http))).actor) }
          : peerOf(ctx, http)
      return { ok: true, ...(await smsCodes.send(body.phone, body.purpose, ctx.locale, from)) }
    }),
    bind(identityContract.register, async (ctx, { body }, http) => {
      const client = publicClient(identity, http)
      return answer(client, await options.registration.register(client, body, peerOf(ctx, http)), http, true)
    }),
    bind(identityContract.resetPassword, (ctx, { body }, http) => passwordReset.reset(body, peerOf(ctx, http))),
    bind(identityContract.resetLink, async (ctx, { body }, http) => {
      await takeCaptcha(body)
      await passwordReset.askByMail(body.email, peerOf(ctx, http))
      return { ok: true }
    }),
    bind(identityContract.revoke, async (ctx, { body }, http) => {
      await identity.revoke(body.refresh_token ?? readCookie(http, REFRESH_COOKIE), peerOf(ctx, http))
      http.setHeader('set-cookie', cookie(REFRESH_COOKIE, '', 0, options.secureCookie))
      return { ok: true }
    }),
    bind(identityContract.me, ctx => identity.me(ctx)),
    bind(identityContract.updateMe, (ctx, { body }) => identity.updateMe(ctx, body)),
    bind(identityContract.changePhone, (ctx, { body }) => ownAddresses.changePhone(ctx, body)),
    bind(identityContract.emailCode, (ctx, { body }) => ownAddresses.sendEmailCode(ctx, body.email)),
    bind(identityContract.changeEmail, (ctx, { body }) => ownAddresses.changeEmail(ctx, body)),
    bind(identityContract.simulatedSms, async () => {
      const items = options.demo ? options.sms.outbox() : null
      if (!items) throw new AppError('request.not_found')
      return { items }
    }),
    bind(identityContract.simulatedMail, async () => {
      const items = options.demo ? options.mail.outbox() : null
      if (!items) throw new AppError('request.not_found')
      return { items }
    }),
  ]
}

/**
 * Gives a session to its client: for the console the refresh token travels as a cookie that no script can read, and
 * the browser is remembered; every other client gets the token in the body.
 */
export function sessionAnswer(options: { browsers: KnownBrowsers; secureCookie: boolean }) {
  return (client: string, reply: TokenReplyWithRefresh, http: HttpInfo, newSession: boolean) => {
    if (client !== 'web') return reply
    const { refresh_token, ...rest } = reply
    const { secureCookie } = options
    http.setHeader('set-cookie', cookie(REFRESH_COOKIE, refresh_token, REFRESH_DAYS * 86_400, secureCookie))
    // A second value of this header is added to the first.
    if (newSession)
      http.setHeader(
        'set-cookie',
        cookie(BROWSER_COOKIE, options.browsers.issue(reply.id), BROWSER_DAYS * 86_400, secureCookie),
      )
    return rest
  }
}

/** The client of a request that may come without one: a browser's form is the console. */
export function publicClient(identity: Pick<IdentityService, 'client'>, http: HttpInfo): string {
  const authorization = header(http, 'authorization')
  return authorization && /^basic /i.test(authorization) ? identity.client(authorization) : 'web'
}

export function peerOf(ctx: Ctx, http: HttpInfo): Peer {
  return {
    ip: http.ip,
    userAgent: http.userAgent,
    locale: ctx.locale,
    requestId: ctx.requestId,
    browser: readCookie(http, BROWSER_COOKIE),
    appId: header(http, 'thingwrightappid') || undefined,
    host: header(http, 'host') || undefined,
  }
}

function header(http: HttpInfo, name: string): string | undefined {
  const value = http.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function bearer(http: HttpInfo): string {
  const token = /^bearer (.+)$/i.exec(header(http, 'authorization') ?? '')?.[1]
  if (!token) throw new AppError('auth.required')
  return token.trim()
}

function readCookie(http: HttpInfo, name: string): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9._-]{1,200})`).exec(header(http, 'cookie') ?? '')?.[1]
}

function cookie(name: string, value: string, maxAge: number, secure: boolean): string {
  return `${name}=${value}; Path=/oauth; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}
