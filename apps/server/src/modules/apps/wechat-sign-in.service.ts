import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { HttpInfo } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { WECHAT_HOST, WechatError, type WechatHttp } from './wechat.port.ts'
import { find } from './wechat-accounts.repo.ts'
import type { WechatClient } from './wechat-client.ts'
import * as repo from './wechat-sign-in.repo.ts'

/** Lets an end user in and gives the session to his browser. @throws AppError when he may not come in, or not by this alone */
export type AdmitCustomer = (ctx: Ctx, tenantId: string, loginId: string, http: HttpInfo) => Promise<void>

export interface WechatSignIn {
  /** Whether the portal has an official account. */
  offer(suffix: string): Promise<{ available: boolean }>
  /** @throws AppError wechat_sign_in.not_offered */
  start(suffix: string, back: string): Promise<{ url: string; browser: string }>
  /** What came of the way through WeChat. @returns the address in the portal that says so */
  finish(
    ctx: Ctx,
    query: { code?: string | undefined; state?: string | undefined },
    browser: string | undefined,
    http: HttpInfo,
  ): Promise<`/${string}`>
  isBound(ctx: Ctx): Promise<{ bound: boolean }>
  /** @throws AppError wechat_sign_in.nothing_to_bind, wechat_sign_in.taken */
  bind(ctx: Ctx, browser: string | undefined): Promise<{ ok: boolean }>
  unbind(ctx: Ctx): Promise<{ ok: boolean }>
}

/** WeChat's page that asks, in WeChat itself. */
const PAGE = 'https://open.weixin.qq.com'
const FLOW_MS = 10 * 60_000
const BIND_MS = 15 * 60_000
const hash = (text: string) => createHash('sha256').update(text).digest()

export function createWechatSignIn(deps: {
  database: Database
  http: WechatHttp
  client: Pick<WechatClient, 'secretsOf'>
  admitCustomer: AdmitCustomer
  now(): number
}): WechatSignIn {
  const { database, now } = deps
  const system = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)

  /** @throws AppError wechat_sign_in.failed with WeChat's own words */
  async function openidOf(accountId: string, code: string): Promise<string> {
    const account = await system(scope => find(scope, accountId))
    if (!account) throw new AppError('wechat_sign_in.not_offered')
    const query = new URLSearchParams({
      appid: account.appId,
      secret: deps.client.secretsOf(account).appSecret,
      code,
      grant_type: 'authorization_code',
    })
    try {
      const answer = await deps.http.ask(account.baseUrl, account.simulated, `/sns/oauth2/access_token?${query}`)
      if (typeof answer.openid === 'string' && answer.openid !== '') return answer.openid
      throw new WechatError(null, 'no openid')
    } catch (error) {
      if (error instanceof WechatError)
        throw new AppError('wechat_sign_in.failed', { params: { reason: error.message }, cause: error })
      throw error
    }
  }

  const loginOf = ({ actor }: Ctx): string => {
    if (actor.kind !== 'end_user') throw new AppError('permission.denied')
    return actor.loginId
  }

  return {
    async offer(suffix) {
      return { available: (await system(scope => repo.accountOfPortal(scope, suffix))) !== undefined }
    },

    async start(suffix, back) {
      const state = randomBytes(24).toString('base64url')
      const browser = randomBytes(24).toString('base64url')
      const { account } = await system(async scope => {
        const portal = await repo.accountOfPortal(scope, suffix)
        const account = portal && (await find(scope, portal.accountId))
        if (!portal || !account) throw new AppError('wechat_sign_in.not_offered')
        await repo.insertFlow(scope, {
          id: newId(now()),
          tenantId: portal.tenantId,
          accountId: account.id,
          suffix,
          stateHash: hash(state),
          browserHash: hash(browser),
          expiresAt: new Date(now() + FLOW_MS),
        })
        return { account }
      })
      const query = new URLSearchParams({
        appid: account.appId,
        redirect_uri: back,
        response_type: 'code',
        scope: 'snsapi_base',
        state,
      })
      const page = account.baseUrl === WECHAT_HOST ? PAGE : account.baseUrl
      return { url: `${page}/connect/oauth2/authorize?${query}#wechat_redirect`, browser }
    },

    async finish(ctx, { code, state }, browser, http) {
      const flow = state ? await system(scope => repo.takeFlow(scope, hash(state))) : undefined
      if (!flow) return '/index'
      const portal = `/w/${flow.suffix}` as const
      try {
        const isOwn = timingSafeEqual(flow.browserHash, hash(browser ?? ''))
        if (flow.openid !== null || !isOwn || flow.expiresAt.getTime() <= now())
          throw new AppError('wechat_sign_in.flow_invalid')
        if (!code) throw new AppError('wechat_sign_in.refused')
        const openid = await openidOf(flow.accountId, code)
        const loginId = await system(scope => repo.boundTo(scope, flow.accountId, openid))
        if (loginId !== null) {
          await deps.admitCustomer(ctx, flow.tenantId, loginId, http)
          return `${portal}?wechat=ok`
        }
        await system(scope =>
          repo.keepOpenid(scope, {
            ...flow,
            id: newId(now()),
            stateHash: randomBytes(32),
            openid,
            expiresAt: new Date(now() + BIND_MS),
          }),
        )
        return `${portal}?wechat=bind`
      } catch (error) {
        if (!isAppError(error)) throw error
        // The browser is here, not a program: the sign-in page says what happened.
        return `${portal}?wechat=${encodeURIComponent(error.code)}`
      }
    },

    isBound: ctx => database.withTenant(ctx, async scope => ({ bound: await repo.isBound(scope, loginOf(ctx)) })),

    async bind(ctx, browser) {
      const loginId = loginOf(ctx)
      const found = browser
        ? await system(scope => repo.takeOpenid(scope, hash(browser), ctx.tenantId, new Date(now())))
        : undefined
      if (!found) throw new AppError('wechat_sign_in.nothing_to_bind')
      return database.withTenant(ctx, async scope => {
        if (!(await repo.bind(scope, found.accountId, found.openid, loginId)))
          throw new AppError('wechat_sign_in.taken')
        await recordAudit(scope, ctx, {
          action: 'end_user.bind_wechat',
          objectType: 'end_user',
          objectId: loginId,
          objectName: 'username' in ctx.actor ? ctx.actor.username : '',
          after: { accountId: found.accountId },
        })
        return { ok: true }
      })
    },

    unbind: ctx =>
      database.withTenant(ctx, async scope => {
        const loginId = loginOf(ctx)
        const removed = await repo.unbind(scope, loginId)
        await recordAudit(scope, ctx, {
          action: 'end_user.unbind_wechat',
          objectType: 'end_user',
          objectId: loginId,
          objectName: 'username' in ctx.actor ? ctx.actor.username : '',
          after: { removed },
        })
        return { ok: true }
      }),
  }
}
