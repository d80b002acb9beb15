import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import * as repo from './applets.repo.ts'
import { WECHAT_HOST, WechatError, type WechatHttp } from './wechat.port.ts'

/** The installation's third-party platform at WeChat, from WECHAT_PLATFORM. */
export interface WechatPlatformSettings {
  appId: string
  secret: string
  token: string
  aesKey: string
  /** Where the interface answers. */
  baseUrl: string
  /** Where owners scan. */
  pageUrl: string
}

/** Which platform there is: the one of WECHAT_PLATFORM, else the simulated one of the demo company, for that alone. */
export interface PlatformOf {
  current(): WechatPlatformSettings | null
  /** @returns null: there is none for this company */
  of(tenantId: string): WechatPlatformSettings | null
  isSimulated(): boolean
  /** Takes the simulated one for this company unless a real one is set. */
  simulate(tenantId: string, settings: WechatPlatformSettings): void
}

export function createPlatformOf(set: WechatPlatformSettings | null): PlatformOf {
  let simulated: { tenantId: string; settings: WechatPlatformSettings } | null = null
  return {
    current: () => set ?? simulated?.settings ?? null,
    of: tenantId => set ?? (simulated?.tenantId === tenantId ? simulated.settings : null),
    isSimulated: () => set === null && simulated !== null,
    simulate(tenantId, settings) {
      simulated = { tenantId, settings }
    },
  }
}

/** Asks WeChat as the platform, and as the platform in the name of a mini-program. */
export interface PlatformClient {
  platforms: PlatformOf
  ticketAt(): Promise<Date | null>
  keepTicket(ticket: string): Promise<void>
  /** @throws AppError wechat_platform.missing, wechat_platform.no_ticket; WechatError */
  component(path: string, body: object): Promise<Record<string, unknown>>
  preAuthCode(): Promise<{ code: string; seconds: number }>
  /** What an authorisation grants. @throws WechatError */
  queryAuth(code: string): Promise<Grant>
  /** As the mini-program. @throws WechatError */
  ask(applet: repo.AppletRow, path: string, body?: object): Promise<Record<string, unknown>>
  picture(applet: repo.AppletRow, path: string): Promise<{ type: string; bytes: Buffer }>
  /** The WeChat user to whom a code of wx.login belongs. @throws WechatError */
  openid(applet: repo.AppletRow, code: string): Promise<string>
  seal(id: string, secret: string): Buffer
  /** Whether WeChat is simulated for a mini-program. */
  isSimulated(applet: Pick<repo.AppletRow, 'mode'>): boolean
}

export interface Grant {
  appId: string
  refreshToken: string
  accessToken: string
  seconds: number
  permissions: number[]
}

/** A ticket comes every ten minutes and is good for twelve hours. */
export const TICKET_MS = 12 * 3_600_000
/** Tokens are asked for again so long before their end. */
const EARLY_MS = 300_000

export function createPlatformClient(deps: {
  database: Database
  http: WechatHttp
  platforms: PlatformOf
  box: CryptoBox
  now(): number
}): PlatformClient {
  const { database, http, platforms, box, now } = deps
  const read = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)
  let component: { value: string; until: number } | null = null
  const tokens = new Map<string, { value: string; until: number }>()
  const contextOf = (id: string) => `wechat-applet:${id}`

  function platform(): WechatPlatformSettings {
    const settings = platforms.current()
    if (!settings) throw new AppError('wechat_platform.missing')
    return settings
  }

  const until = (seconds: unknown) => now() + Math.max(0, (Number(seconds) || 0) * 1_000 - EARLY_MS)

  async function componentToken(): Promise<string> {
    const { appId, secret, baseUrl } = platform()
    if (component && component.until > now()) return component.value
    const kept = await read(scope => repo.ticket(scope, appId))
    if (!kept || kept.at.getTime() < now() - TICKET_MS) throw new AppError('wechat_platform.no_ticket')
    const answer = await http.ask(baseUrl, platforms.isSimulated(), '/cgi-bin/component/api_component_token', {
      component_appid: appId,
      component_appsecret: secret,
      component_verify_ticket: box.open(kept.cipher, `ticket:${appId}`).toString('utf8'),
    })
    if (typeof answer.component_access_token !== 'string') throw new WechatError(null, 'no component_access_token')
    component = { value: answer.component_access_token, until: until(answer.expires_in) }
    return component.value
  }

  /** With the platform's token; one that ended early is fetched anew, once. */
  async function asComponent(path: string, body: object): Promise<Record<string, unknown>> {
    const { baseUrl } = platform()
    return withComponent(token =>
      http.ask(baseUrl, platforms.isSimulated(), `${path}?component_access_token=${encodeURIComponent(token)}`, body),
    )
  }

  async function withComponent<T>(send: (token: string) => Promise<T>): Promise<T> {
    try {
      return await send(await componentToken())
    } catch (error) {
      if (!(error instanceof WechatError) || !error.isTokenGone) throw error
      component = null
      return send(await componentToken())
    }
  }

  function openSecret(applet: repo.AppletRow): string {
    if (!applet.secretCipher || !applet.appId) throw new WechatError(null, 'not authorised')
    return box.open(applet.secretCipher, contextOf(applet.id)).toString('utf8')
  }

  function grantIn(answer: Record<string, unknown>): Grant {
    const info = (answer.authorization_info ?? {}) as Record<string, unknown>
    const sets = Array.isArray(info.func_info) ? (info.func_info as Record<string, { id?: unknown }>[]) : []
    if (typeof info.authorizer_appid !== 'string' || typeof info.authorizer_refresh_token !== 'string')
      throw new WechatError(null, 'no authorization_info')
    return {
      appId: info.authorizer_appid,
      refreshToken: info.authorizer_refresh_token,
      accessToken: String(info.authorizer_access_token ?? ''),
      seconds: Number(info.expires_in) || 0,
      permissions: sets.map(each => Number(each.funcscope_category?.id)).filter(Number.isInteger),
    }
  }

  async function tokenOf(applet: repo.AppletRow): Promise<string> {
    const kept = tokens.get(applet.id)
    if (kept && kept.until > now()) return kept.value
    const secret = openSecret(applet)
    if (applet.mode === 'own') {
      const answer = await http.ask(...hostOf(applet), '/cgi-bin/stable_token', {
        grant_type: 'client_credential',
        appid: applet.appId,
        secret,
        force_refresh: false,
      })
      if (typeof answer.access_token !== 'string') throw new WechatError(null, 'no access_token')
      tokens.set(applet.id, { value: answer.access_token, until: until(answer.expires_in) })
      return answer.access_token
    }
    const answer = await asComponent('/cgi-bin/component/api_authorizer_token', {
      component_appid: platform().appId,
      authorizer_appid: applet.appId,
      authorizer_refresh_token: secret,
    })
    if (typeof answer.authorizer_access_token !== 'string') throw new WechatError(null, 'no authorizer_access_token')
    tokens.set(applet.id, { value: answer.authorizer_access_token, until: until(answer.expires_in) })
    // Lost, it costs a new authorisation: another one is stored at once.
    const next = answer.authorizer_refresh_token
    if (typeof next === 'string' && next !== '' && next !== secret)
      await read(scope => repo.keepSecret(scope, applet.id, box.seal(next, contextOf(applet.id))))
    return answer.authorizer_access_token
  }

  async function withToken<T>(applet: repo.AppletRow, send: (token: string) => Promise<T>): Promise<T> {
    try {
      return await send(encodeURIComponent(await tokenOf(applet)))
    } catch (error) {
      if (!(error instanceof WechatError) || !error.isTokenGone) throw error
      tokens.delete(applet.id)
      return send(encodeURIComponent(await tokenOf(applet)))
    }
  }

  /** Where a mini-program is asked about, and whether that is the simulator: never for an app id of a company's own. */
  function hostOf({ mode }: Pick<repo.AppletRow, 'mode'>): [base: string, simulated: boolean] {
    const simulated = mode === 'platform' && platforms.isSimulated()
    const settings = platforms.isSimulated() && !simulated ? null : platforms.current()
    return [settings?.baseUrl ?? WECHAT_HOST, simulated]
  }
  const with_ = (path: string, token: string) => `${path}${path.includes('?') ? '&' : '?'}access_token=${token}`

  return {
    platforms,
    isSimulated: applet => hostOf(applet)[1],
    async ticketAt() {
      const settings = platforms.current()
      if (!settings) return null
      return (await read(scope => repo.ticket(scope, settings.appId)))?.at ?? null
    },
    keepTicket: ticket =>
      read(scope =>
        repo.keepTicket(scope, platform().appId, box.seal(ticket, `ticket:${platform().appId}`), new Date(now())),
      ),
    component: asComponent,
    async preAuthCode() {
      const answer = await asComponent('/cgi-bin/component/api_create_preauthcode', {
        component_appid: platform().appId,
      })
      if (typeof answer.pre_auth_code !== 'string') throw new WechatError(null, 'no pre_auth_code')
      return { code: answer.pre_auth_code, seconds: Number(answer.expires_in) || 600 }
    },
    queryAuth: async code =>
      grantIn(
        await asComponent('/cgi-bin/component/api_query_auth', {
          component_appid: platform().appId,
          authorization_code: code,
        }),
      ),
    ask: (applet, path, body) => withToken(applet, token => http.ask(...hostOf(applet), with_(path, token), body)),
    picture: (applet, path) => withToken(applet, token => http.picture(...hostOf(applet), with_(path, token))),
    async openid(applet, code) {
      const asked = new URLSearchParams({ appid: applet.appId ?? '', js_code: code, grant_type: 'authorization_code' })
      let answer: Record<string, unknown>
      if (applet.mode === 'own') {
        asked.set('secret', openSecret(applet))
        answer = await http.ask(...hostOf(applet), `/sns/jscode2session?${asked}`)
      } else {
        asked.set('component_appid', platform().appId)
        answer = await withComponent(token => {
          asked.set('component_access_token', token)
          return http.ask(...hostOf(applet), `/sns/component/jscode2session?${asked}`)
        })
      }
      if (typeof answer.openid !== 'string' || answer.openid === '') throw new WechatError(null, 'no openid')
      return answer.openid
    },
    seal(id, secret) {
      tokens.delete(id)
      return box.seal(secret, contextOf(id))
    },
  }
}
