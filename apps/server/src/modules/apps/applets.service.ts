import { createHash, randomBytes } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { AppletView, wechatAppletsContract } from '@thingwright/contracts/wechat-applets.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { infoIn } from './applet-info.ts'
import * as repo from './applets.repo.ts'
import { type PlatformClient, TICKET_MS } from './platform-client.ts'
import { WechatError } from './wechat.port.ts'

type Contract = typeof wechatAppletsContract

export interface AppletsService {
  list(ctx: Ctx): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError wechat_platform.missing, wechat_platform.no_ticket, wechat.failed */
  authorize(ctx: Ctx): Promise<ResponseOf<Contract['authorize']>>
  /** The owner comes back from WeChat. @throws AppError wechat_applet.authorization_over, wechat_applet.elsewhere */
  complete(nonce: string, code: string): Promise<void>
  setOwn(ctx: Ctx, input: BodyOf<Contract['setOwn']>): Promise<AppletView>
  refresh(ctx: Ctx, id: string): Promise<AppletView>
  setDomains(ctx: Ctx, id: string, host: string): Promise<AppletView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** WeChat tells that an authorisation was changed or ended. */
  ended(appId: string): Promise<void>
  /** One that may be managed now. @throws AppError wechat_applet.not_found, wechat_applet.not_authorized, wechat_applet.own_mode */
  usable(ctx: Ctx, id: string): Promise<repo.AppletRow>
  /** Asks WeChat in its name; an authorisation that ended is noted. @throws AppError wechat.failed */
  ask(ctx: Ctx, applet: repo.AppletRow, path: string, body?: object): Promise<Record<string, unknown>>
  /** The same for a picture. */
  picture(ctx: Ctx, applet: repo.AppletRow, path: string): Promise<{ type: string; bytes: Buffer }>
}

export interface AppletsDeps {
  database: Database
  client: PlatformClient
  addresses(): { httpUrl: string }
  now(): number
}

/** WeChat: the authorisation is not there any more, its refresh token is wrong, or it was never granted to us. */
const ENDED = new Set([42002, 61003, 61007, 61023])

const hashOf = (nonce: string) => createHash('sha256').update(nonce).digest()

export function createApplets(deps: AppletsDeps): AppletsService {
  const { database, client } = deps
  const read = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)
  const at = () => new Date(deps.now())

  async function known(scope: TenantScope, id: string): Promise<repo.AppletRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('wechat_applet.not_found')
    return row
  }

  const note = (scope: TenantScope, ctx: Ctx, action: `wechat_applet.${string}`, row: repo.AppletRow, after: object) =>
    recordAudit(scope, ctx, {
      action,
      objectType: 'wechat_applet',
      objectId: row.id,
      objectName: row.info?.name ?? row.appId ?? '',
      after: after as Record<string, unknown>,
    })

  /** What WeChat says against it is the answer to the caller. */
  async function told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof WechatError)) throw error
      throw new AppError('wechat.failed', { params: { said: error.message }, cause: error })
    }
  }

  async function managed<T>(ctx: Ctx, applet: repo.AppletRow, work: () => Promise<T>): Promise<T> {
    try {
      return await told(work)
    } catch (error) {
      const cause = error instanceof AppError ? error.cause : null
      if (cause instanceof WechatError && ENDED.has(cause.code ?? 0) && applet.state === 'authorized')
        await end(ctx, applet.id, 'invalid', cause.message)
      throw error
    }
  }

  async function end(ctx: Ctx, id: string, state: 'invalid' | 'cancelled', fault: string | null): Promise<void> {
    await database.withTenant(ctx, async scope => {
      await repo.end(scope, id, state, fault)
      await note(scope, ctx, 'wechat_applet.lost', await known(scope, id), { state, ...(fault ? { said: fault } : {}) })
    })
  }

  async function learn(ctx: Ctx, id: string): Promise<void> {
    const row = await database.withTenant(ctx, scope => known(scope, id))
    const settings = client.platforms.of(ctx.tenantId)
    if (row.mode !== 'platform' || !settings || row.state !== 'authorized') return
    const answer = await managed(ctx, row, () =>
      client.component('/cgi-bin/component/api_get_authorizer_info', {
        component_appid: settings.appId,
        authorizer_appid: row.appId,
      }),
    )
    await database.withTenant(ctx, scope => repo.setInfo(scope, id, infoIn(answer), at()))
  }

  async function store(
    ctx: Ctx,
    id: string,
    grant: { mode: repo.AppletRow['mode']; appId: string; secret: string; permissions: number[] },
  ): Promise<void> {
    try {
      await database.withTenant(ctx, async scope => {
        const cipher = client.seal(id, grant.secret)
        await repo.authorize(scope, id, { ...grant, cipher, at: at() })
        const action = grant.mode === 'own' ? 'wechat_applet.own' : 'wechat_applet.authorize'
        await note(scope, ctx, action, await known(scope, id), { appId: grant.appId, permissions: grant.permissions })
      })
    } catch (error) {
      if (!isUniqueViolation(error, 'wechat_applets_app_key')) throw error
      throw new AppError('wechat_applet.elsewhere', { cause: error })
    }
  }

  return {
    async list(ctx) {
      const settings = client.platforms.of(ctx.tenantId)
      const ticketAt = settings ? await client.ticketAt() : null
      const items = await database.withTenant(ctx, async scope => (await repo.list(scope)).map(toView))
      return {
        items,
        platform: {
          configured: settings !== null,
          simulated: settings !== null && client.platforms.isSimulated(),
          appId: settings?.appId ?? null,
          eventUrl: `${deps.addresses().httpUrl}/callbacks/wechat-platform/events`,
          ticketAt: ticketAt?.toISOString() ?? null,
          ready: ticketAt !== null && ticketAt.getTime() > deps.now() - TICKET_MS,
        },
      }
    },

    async authorize(ctx) {
      const settings = client.platforms.of(ctx.tenantId)
      if (!settings) throw new AppError('wechat_platform.missing')
      const { code, seconds } = await told(() => client.preAuthCode())
      const nonce = randomBytes(24).toString('base64url')
      const expiresAt = new Date(deps.now() + seconds * 1_000)
      await database.withTenant(ctx, async scope => {
        const id = await repo.begin(scope, newId(ctx.now), hashOf(nonce), expiresAt)
        await note(scope, ctx, 'wechat_applet.authorize', await known(scope, id), { begun: true })
      })
      const back = `${deps.addresses().httpUrl}/callbacks/wechat-platform/back/${nonce}`
      const query = new URLSearchParams({
        component_appid: settings.appId,
        pre_auth_code: code,
        redirect_uri: back,
        auth_type: '2',
      })
      const phone = new URLSearchParams({ action: 'bindcomponent', no_scan: '1', ...Object.fromEntries(query) })
      return {
        url: `${settings.pageUrl}/cgi-bin/componentloginpage?${query}`,
        mobileUrl: `https://open.weixin.qq.com/wxaopen/safe/bindcomponent?${phone}#wechat_redirect`,
        expiresAt: expiresAt.toISOString(),
      }
    },

    async complete(nonce, code) {
      const row = await read(scope => repo.takeNonce(scope, hashOf(nonce), at()))
      if (!row) throw new AppError('wechat_applet.authorization_over')
      const ctx = systemContext(row.tenantId, 'wechat', deps.now())
      const grant = await told(() => client.queryAuth(code))
      try {
        await store(ctx, row.id, { ...grant, mode: 'platform', secret: grant.refreshToken })
      } catch (error) {
        // The grant is to this platform: the company that has the mini-program goes on with the newer token.
        await read(async scope => {
          const holder = await repo.ofApp(scope, grant.appId)
          if (holder?.state === 'authorized')
            await repo.keepSecret(scope, holder.id, client.seal(holder.id, grant.refreshToken))
        })
        throw error
      }
      await learn(ctx, row.id)
    },

    async setOwn(ctx, { appId, appSecret }) {
      const id = await database.withTenant(ctx, scope => repo.ensure(scope, newId(ctx.now), 'own'))
      await store(ctx, id, { mode: 'own', appId, secret: appSecret, permissions: [] })
      const row = await database.withTenant(ctx, scope => known(scope, id))
      // Any request with its token shows whether id and secret are right.
      await client.ask(row, '/cgi-bin/account/getaccountbasicinfo').then(
        answer => database.withTenant(ctx, scope => repo.setInfo(scope, id, infoIn({ basic: answer }), at())),
        async (error: unknown) => {
          if (!(error instanceof WechatError)) throw error
          await end(ctx, id, 'invalid', error.message)
        },
      )
      return database.withTenant(ctx, async scope => toView(await known(scope, id)))
    },

    async refresh(ctx, id) {
      await learn(ctx, id)
      return database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await note(scope, ctx, 'wechat_applet.reread', row, { state: row.state })
        return toView(row)
      })
    },

    async setDomains(ctx, id, host) {
      const row = await this.usable(ctx, id)
      await this.ask(ctx, row, '/wxa/modify_domain', {
        action: 'set',
        requestdomain: [`https://${host}`],
        wsrequestdomain: [`wss://${host}`],
        uploaddomain: [`https://${host}`],
        downloaddomain: [`https://${host}`],
      })
      await learn(ctx, id)
      return database.withTenant(ctx, async scope => {
        const now = await known(scope, id)
        await note(scope, ctx, 'wechat_applet.domains', now, { host })
        return toView(now)
      })
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'wechat_applet.remove', row, { appId: row.appId })
        return { ok: true }
      }),

    async ended(appId) {
      const row = await read(scope => repo.ofApp(scope, appId))
      if (row && row.state !== 'cancelled')
        await end(systemContext(row.tenantId, 'wechat', deps.now()), row.id, 'cancelled', null)
    },

    async usable(ctx, id) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      if (row.state !== 'authorized') throw new AppError('wechat_applet.not_authorized')
      if (row.mode === 'own') throw new AppError('wechat_applet.own_mode')
      return row
    },

    ask: (ctx, applet, path, body) => managed(ctx, applet, () => client.ask(applet, path, body)),
    picture: (ctx, applet, path) => managed(ctx, applet, () => client.picture(applet, path)),
  }
}

export function toView(row: repo.AppletRow): AppletView {
  return {
    id: row.id,
    mode: row.mode,
    state: row.state,
    appId: row.appId,
    permissions: row.permissions,
    info: row.info,
    infoAt: row.infoAt?.toISOString() ?? null,
    fault: row.fault,
    authorizedAt: row.authorizedAt?.toISOString() ?? null,
    version: row.version,
  }
}
