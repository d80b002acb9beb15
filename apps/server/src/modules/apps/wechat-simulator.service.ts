import { randomBytes } from 'node:crypto'
import type { BodyOf } from '@thingwright/contracts'
import type { wechatSimulatorContract } from '@thingwright/contracts/wechat-simulator.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import words from './app-words.json' with { type: 'json' }
import * as applets from './applets.repo.ts'
import type { AppletsService } from './applets.service.ts'
import type { PlatformOf } from './platform-client.ts'
import { WechatError, type WechatHttp } from './wechat.port.ts'
import * as accounts from './wechat-accounts.repo.ts'
import * as followers from './wechat-followers.repo.ts'

type Contract = typeof wechatSimulatorContract

/** Plays people at the product's own simulator of WeChat; at the real one nothing of this is possible. */
export interface WechatSimulatorService {
  /** @throws AppError wechat_account.not_found, wechat.not_simulated, wechat.failed */
  scan(ctx: Ctx, id: string, ticket: string): Promise<{ ok: boolean }>
  /** @throws AppError wechat_follower.not_found, and those of `scan` */
  unfollow(ctx: Ctx, id: string, followerId: string): Promise<{ ok: boolean }>
  /** @throws AppError wechat.not_simulated, wechat.failed, wechat_applet.authorization_over */
  authorize(ctx: Ctx, address: string): Promise<{ ok: boolean }>
  /** @throws AppError wechat_applet.not_found, wechat.not_simulated, wechat.failed */
  decide(ctx: Ctx, id: string, input: BodyOf<Contract['decide']>): Promise<{ ok: boolean }>
}

export interface WechatSimulatorDeps {
  database: Database
  http: WechatHttp
  platforms: PlatformOf
  applets: Pick<AppletsService, 'complete'>
  /** App id of the mini-program that the simulated WeChat has; null: no simulated WeChat runs. */
  appletId(): string | null
}

export function createWechatSimulator(deps: WechatSimulatorDeps): WechatSimulatorService {
  const { database, platforms } = deps

  async function play(base: string, act: string, body: object): Promise<Record<string, unknown>> {
    try {
      return await deps.http.ask(base, true, `/simulator/${act}`, body)
    } catch (error) {
      if (!(error instanceof WechatError)) throw error
      throw new AppError('wechat.failed', { params: { said: error.text }, cause: error })
    }
  }

  async function account(ctx: Ctx, id: string): Promise<accounts.AccountRow> {
    const row = await database.withTenant(ctx, scope => accounts.find(scope, id))
    if (!row) throw new AppError('wechat_account.not_found')
    if (!row.simulated) throw new AppError('wechat.not_simulated')
    return row
  }

  function platformUrl(ctx: Ctx): string {
    const settings = platforms.of(ctx.tenantId)
    if (!settings || !platforms.isSimulated()) throw new AppError('wechat.not_simulated')
    return settings.baseUrl
  }

  const note = (ctx: Ctx, kind: 'wechat_account' | 'wechat_applet', id: string, name: string, after: object) =>
    database.withTenant(ctx, scope =>
      recordAudit(scope, ctx, {
        action: `${kind}.play`,
        objectType: kind,
        objectId: id,
        objectName: name,
        after: after as Record<string, unknown>,
      }),
    )

  return {
    async scan(ctx, id, ticket) {
      const row = await account(ctx, id)
      const openid = `oSimulated${randomBytes(9).toString('hex')}`
      const nickname = words[ctx.locale].simulatedPerson
      await play(row.baseUrl, 'scan', { appid: row.appId, ticket, openid, nickname })
      await note(ctx, 'wechat_account', id, row.name, { scanned: true, openid })
      return { ok: true }
    },

    async unfollow(ctx, id, followerId) {
      const row = await account(ctx, id)
      const follower = await database.withTenant(ctx, scope => followers.find(scope, id, followerId))
      if (!follower) throw new AppError('wechat_follower.not_found')
      await play(row.baseUrl, 'unfollow', { appid: row.appId, openid: follower.openid })
      await note(ctx, 'wechat_account', id, row.name, { unfollowed: true, openid: follower.openid })
      return { ok: true }
    },

    async authorize(ctx, address) {
      const base = platformUrl(ctx)
      const { location } = await play(base, 'authorize', { address, appid: deps.appletId() })
      const back = new URL(String(location))
      const nonce = back.pathname.split('/').at(-1) ?? ''
      await deps.applets.complete(nonce, back.searchParams.get('auth_code') ?? '')
      const [row] = await database.withTenant(ctx, scope => applets.list(scope))
      await note(ctx, 'wechat_applet', row?.id ?? '', row?.info?.name ?? '', { scanned: true })
      return { ok: true }
    },

    async decide(ctx, id, { outcome, reason = '' }) {
      const base = platformUrl(ctx)
      const row = await database.withTenant(ctx, scope => applets.find(scope, id))
      if (!row) throw new AppError('wechat_applet.not_found')
      await play(base, 'audit', { appid: row.appId, outcome, reason })
      await note(ctx, 'wechat_applet', id, row.info?.name ?? '', { outcome, ...(reason ? { reason } : {}) })
      return { ok: true }
    },
  }
}
