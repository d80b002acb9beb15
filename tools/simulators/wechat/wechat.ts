import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  askOfficial,
  newAccount,
  type OfficialAccount,
  push,
  type Reply,
  scan,
  submitServer,
  unfollow,
  webCode,
  webToken,
} from './official.ts'
import { askPeople, PEOPLE } from './people.ts'
import { PlatformSide } from './platform.ts'
import { type Answer, type Body, refuse, type Shared } from './shared.ts'
import { SubscribeSide } from './subscribe.ts'

export interface WechatOptions {
  port?: number
  host?: string
  now?: () => number
}

/** WeChat's interface for official accounts and mini-programs, as its documents describe it, and people who scan and write. */
export interface Wechat {
  url: string
  faults: string[]
  /** Paths that were asked for, in order. */
  asked: string[]
  /** Third-party platforms and the mini-programs of their customers. */
  platform: PlatformSide
  /** Messages that people allowed in mini-programs. */
  subscribe: SubscribeSide
  account(appId: string, secret?: string): OfficialAccount
  submitServer(appId: string, server: NonNullable<OfficialAccount['server']>): Promise<boolean>
  push(appId: string, openid: string, values: Record<string, string | number>): Promise<Reply>
  scan(appId: string, ticket: string, openid: string, nickname?: string): Promise<Reply>
  unfollow(appId: string, openid: string): Promise<Reply>
  /** Somebody says yes on the page of a web sign-in. @returns where WeChat sends his browser */
  authorize(page: string, openid: string): string
  /** A mini-program asks who uses it (wx.login). @returns the code, good for once */
  loginCode(appId: string, openid: string): string
  /** Access tokens that were given out are good for nothing from now on. */
  forgetTokens(): void
  close(): Promise<void>
}

const TOKEN_SECONDS = 7_200

export async function startWechat(options: WechatOptions = {}): Promise<Wechat> {
  const { host = '127.0.0.1', now = Date.now } = options
  let count = 10_000
  const shared: Shared = { now, serial: () => ++count, faults: [] }
  const asked: string[] = []
  const accounts = new Map<string, OfficialAccount>()
  const subscribe = new SubscribeSide(shared)
  const side = new PlatformSide(shared, subscribe)
  const loginCodes = new Map<string, { appId: string; openid: string }>()
  const tokens = new Map<string, { appId: string; until: number }>()

  function account(appId: string, secret?: string): OfficialAccount {
    let found = accounts.get(appId)
    if (!found) {
      if (secret === undefined) throw new Error(`there is no account ${appId}`)
      found = newAccount(appId, secret)
      accounts.set(appId, found)
    }
    return found
  }

  function token(appId: string, secret: string, force: boolean): Answer {
    const found = accounts.get(appId)
    if (!found) return refuse(40013, 'invalid appid')
    if (found.secret !== secret) return refuse(40125, 'invalid appsecret')
    const kept = [...tokens].find(([, each]) => each.appId === appId && each.until > now() + 300_000)
    if (kept && !force) return { access_token: kept[0], expires_in: Math.floor((kept[1].until - now()) / 1_000) }
    const value = `${shared.serial()}_token_of_${appId}`
    tokens.set(value, { appId, until: now() + TOKEN_SECONDS * 1_000 })
    return { access_token: value, expires_in: TOKEN_SECONDS }
  }

  function appletSession(appId: string, query: URLSearchParams): Answer {
    if (query.get('grant_type') !== 'authorization_code') return refuse(40002, 'invalid grant_type')
    const code = query.get('js_code') ?? ''
    const found = loginCodes.get(code)
    if (found?.appId !== appId) return refuse(40029, 'invalid code')
    loginCodes.delete(code)
    subscribe.meet(appId, found.openid)
    return { openid: found.openid, session_key: Buffer.from(code).toString('base64') }
  }

  function answer(path: string, query: URLSearchParams, body: Body): Answer {
    if (path === '/cgi-bin/stable_token') {
      if (body.grant_type !== 'client_credential') return refuse(40002, 'invalid grant_type')
      return token(String(body.appid), String(body.secret), body.force_refresh === true)
    }
    if (path === '/sns/oauth2/access_token') {
      const found = accounts.get(query.get('appid') ?? '')
      if (!found) return refuse(40013, 'invalid appid')
      return webToken(found, query)
    }
    if (path === '/sns/jscode2session') {
      const appId = query.get('appid') ?? ''
      if (accounts.get(appId)?.secret !== query.get('secret')) return refuse(40125, 'invalid appsecret')
      return appletSession(appId, query)
    }
    if (path === '/sns/component/jscode2session')
      return side.speaksFor(query) ?? appletSession(query.get('appid') ?? '', query)
    const ofPlatform = side.answer(path, query, body)
    if (ofPlatform) return ofPlatform
    const given = query.get('access_token')
    if (!given) return refuse(41001, 'access_token missing')
    const known = tokens.get(given)
    if (!known) return refuse(40001, 'invalid credential, access_token is invalid or not latest')
    if (known.until <= now()) return refuse(42001, 'access_token expired')
    if (path === '/wxaapi/newtmpl/gettemplate') return subscribe.templatesOf(known.appId)
    if (path === '/cgi-bin/message/subscribe/send') return subscribe.send(known.appId, body)
    return askOfficial(shared, account(known.appId), path, body, query)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const url = new URL(request.url ?? '/', 'http://simulator')
    asked.push(url.pathname)
    const text = Buffer.concat(parts).toString('utf8')
    let body: Body = {}
    try {
      if (text !== '') body = JSON.parse(text) as Body
    } catch {
      return send(response, refuse(47001, 'data format error'))
    }
    if (!url.pathname.startsWith(PEOPLE)) return send(response, answer(url.pathname, url.searchParams, body))
    try {
      send(response, { errcode: 0, ...(await askPeople(wechat, url.pathname.slice(PEOPLE.length), body)) })
    } catch (error) {
      send(response, refuse(50000, (error as Error).message))
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, host, resolve))
  const { port } = server.address() as AddressInfo
  const wechat: Wechat = {
    url: `http://${host}:${port}`,
    faults: shared.faults,
    asked,
    platform: side,
    subscribe,
    account,
    submitServer: (appId, config) => submitServer(shared, account(appId), config),
    push: (appId, openid, values) => push(shared, account(appId), openid, values),
    scan: (appId, ticket, openid, nickname) => scan(shared, account(appId), ticket, openid, nickname),
    unfollow: (appId, openid) => unfollow(shared, account(appId), openid),
    authorize: (page, openid) => webCode(account(new URL(page).searchParams.get('appid') ?? ''), page, openid),
    loginCode(appId, openid) {
      const code = `0${shared.serial()}${randomBytes(12).toString('hex')}`
      loginCodes.set(code, { appId, openid })
      return code
    },
    forgetTokens: () => tokens.clear(),
    close: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return wechat
}

function send(response: ServerResponse, answer: Answer): void {
  if ('picture' in answer && Buffer.isBuffer(answer.picture)) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(answer.picture)
    return
  }
  response.writeHead(200, { 'content-type': 'application/json; encoding=utf-8' }).end(JSON.stringify(answer))
}
