import { identityContract } from '@thingwright/contracts/identity.contract'
import { AppError } from '../../lib/errors.ts'
import { type BoundRoute, bind, type HttpInfo } from '../../lib/http.ts'
import type { SmsPort } from '../notifications/index.ts'
import type { IdentityService, TokenInput } from './identity.service.ts'
import type { SmsCodes } from './sms-codes.ts'
import { REFRESH_DAYS } from './tokens.ts'

const COOKIE = 'tw_refresh'

export interface IdentityRouteOptions {
  identity: IdentityService
  smsCodes: SmsCodes
  sms: SmsPort
  /** Only over https may the cookie be marked Secure. */
  secureCookie: boolean
  /** The panel of simulated messages is shown. */
  demo: boolean
}

export function identityRoutes({ identity, smsCodes, sms, secureCookie, demo }: IdentityRouteOptions): BoundRoute[] {
  return [
    bind(identityContract.token, async (ctx, { body }, http) => {
      const client = identity.client(header(http, 'authorization'))
      const input: TokenInput =
        client === 'web' && body.grant_type === 'refresh_token' ? { ...body, refresh_token: readCookie(http) } : body
      const reply = await identity.token(client, input, {
        ip: http.ip,
        userAgent: http.userAgent,
        locale: ctx.locale,
        requestId: ctx.requestId,
      })
      if (client !== 'web') return reply
      const { refresh_token, ...rest } = reply
      http.setHeader('set-cookie', cookie(refresh_token, REFRESH_DAYS * 86_400, secureCookie))
      return rest
    }),
    bind(identityContract.smsCode, async (ctx, { body }) => ({
      ok: true,
      ...(await smsCodes.send(body.phone, body.purpose, ctx.locale)),
    })),
    bind(identityContract.revoke, async (_ctx, { body }, http) => {
      await identity.revoke(body.refresh_token ?? readCookie(http))
      http.setHeader('set-cookie', cookie('', 0, secureCookie))
      return { ok: true }
    }),
    bind(identityContract.me, ctx => identity.me(ctx)),
    bind(identityContract.updateMe, (ctx, { body }) => identity.updateMe(ctx, body)),
    bind(identityContract.simulatedSms, async () => {
      const items = demo ? sms.outbox() : null
      if (!items) throw new AppError('request.not_found')
      return { items }
    }),
  ]
}

function header(http: HttpInfo, name: string): string | undefined {
  const value = http.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function readCookie(http: HttpInfo): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9._-]{1,200})`).exec(header(http, 'cookie') ?? '')?.[1]
}

function cookie(value: string, maxAge: number, secure: boolean): string {
  return `${COOKIE}=${value}; Path=/oauth; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}
