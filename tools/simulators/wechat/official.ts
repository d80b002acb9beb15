import { randomBytes } from 'node:crypto'
import { decrypt, document, element, encrypt, sha1 } from './crypto.ts'
import { type Answer, type Body, refuse, type Shared } from './shared.ts'

export interface Follower {
  openid: string
  nickname: string
  subscribed: boolean
}

export interface SentTemplate {
  touser: string
  templateId: string
  url: string
  data: Record<string, { value: string }>
  msgid: number
}

/** An official account as its owner registered it. */
export interface OfficialAccount {
  appId: string
  secret: string
  originalId: string
  /** What the owner entered as server configuration; null: nothing. */
  server: { url: string; token: string; aesKey: string; mode: 'plain' | 'both' | 'encrypted' } | null
  templates: { template_id: string; title: string; content: string }[]
  menu: unknown
  followers: Map<string, Follower>
  /** Scene of each QR code by its ticket. */
  scenes: Map<string, { scene: string; until: number }>
  sent: SentTemplate[]
  /** Codes of web sign-ins that were not exchanged yet, and whose they are. */
  codes: Map<string, string>
}

export interface Reply {
  status: number
  /** What the follower reads; null: nothing. */
  text: string | null
}

export function newAccount(appId: string, secret: string): OfficialAccount {
  return {
    appId,
    secret,
    originalId: `gh_${appId.slice(2, 14)}`,
    server: null,
    templates: [
      {
        template_id: 'TM00001-alarm',
        title: 'Alarm',
        content: '{{thing1.DATA}} {{thing2.DATA}} {{time3.DATA}}',
      },
    ],
    menu: null,
    followers: new Map(),
    scenes: new Map(),
    sent: [],
    codes: new Map(),
  }
}

/** Requests of an account with its access token. */
export function askOfficial(
  shared: Shared,
  account: OfficialAccount,
  path: string,
  body: Body,
  query: URLSearchParams,
): Answer {
  switch (path) {
    case '/cgi-bin/template/get_all_private_template':
      return { template_list: account.templates }
    case '/cgi-bin/menu/get':
      return account.menu === null ? refuse(46003, 'menu no exist') : { menu: account.menu }
    case '/cgi-bin/menu/create': {
      const fault = menuFault(body)
      if (fault) return fault
      account.menu = body
      return { errcode: 0, errmsg: 'ok' }
    }
    case '/cgi-bin/menu/delete':
      account.menu = null
      return { errcode: 0, errmsg: 'ok' }
    case '/cgi-bin/qrcode/create': {
      const info = body.action_info as { scene?: { scene_str?: unknown } } | undefined
      const scene = String(info?.scene?.scene_str ?? '')
      if (body.action_name !== 'QR_STR_SCENE' || scene.length < 1 || scene.length > 64)
        return refuse(40053, 'invalid action info')
      const seconds = Math.min(Number(body.expire_seconds ?? 60), 2_592_000)
      const ticket = `gQ${randomBytes(24).toString('base64url')}`
      account.scenes.set(ticket, { scene, until: shared.now() + seconds * 1_000 })
      return { ticket, expire_seconds: seconds, url: `http://weixin.qq.com/q/${ticket.slice(2, 30)}` }
    }
    case '/cgi-bin/account/getaccountbasicinfo':
      return {
        errcode: 0,
        errmsg: 'ok',
        appid: account.appId,
        account_type: 2,
        principal_name: 'Pumps Ltd',
        nickname: 'Pumps',
        head_image_url: '',
      }
    case '/cgi-bin/user/info': {
      const follower = account.followers.get(query.get('openid') ?? '')
      if (!follower) return refuse(40003, 'invalid openid')
      return follower.subscribed
        ? { subscribe: 1, openid: follower.openid, nickname: follower.nickname, language: 'zh_CN' }
        : { subscribe: 0, openid: follower.openid }
    }
    case '/cgi-bin/message/template/send': {
      const follower = account.followers.get(String(body.touser))
      if (!follower) return refuse(40003, 'invalid openid')
      if (!follower.subscribed) return refuse(43004, 'require subscribe')
      if (!account.templates.some(each => each.template_id === body.template_id))
        return refuse(40037, 'invalid template_id')
      const msgid = shared.serial()
      account.sent.push({
        touser: follower.openid,
        templateId: String(body.template_id),
        url: String(body.url ?? ''),
        data: (body.data ?? {}) as SentTemplate['data'],
        msgid,
      })
      return { errcode: 0, errmsg: 'ok', msgid }
    }
    default:
      return refuse(404, `${path} does not exist`)
  }
}

/** Somebody says yes on the page of a web sign-in (connect/oauth2/authorize). @returns where WeChat sends his browser */
export function webCode(account: OfficialAccount, page: string, openid: string): string {
  const asked = new URL(page).searchParams
  if (asked.get('response_type') !== 'code' || asked.get('scope') !== 'snsapi_base')
    throw new Error('not a page of a web sign-in')
  const code = randomBytes(16).toString('hex')
  account.codes.set(code, openid)
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.searchParams.set('code', code)
  back.searchParams.set('state', asked.get('state') ?? '')
  return back.href
}

/** Exchanges a code, once (sns/oauth2/access_token). */
export function webToken(account: OfficialAccount, query: URLSearchParams): Answer {
  if (query.get('secret') !== account.secret) return refuse(40125, 'invalid appsecret')
  if (query.get('grant_type') !== 'authorization_code') return refuse(40002, 'invalid grant_type')
  const code = query.get('code') ?? ''
  const openid = account.codes.get(code)
  if (openid === undefined) return refuse(40029, 'invalid code')
  account.codes.delete(code)
  return { access_token: `web-${code}`, expires_in: 7200, openid, scope: 'snsapi_base' }
}

function menuFault(body: Body): Answer | null {
  const buttons = body.button
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 3) return refuse(40016, 'invalid button size')
  for (const button of buttons as Body[]) {
    const sub = button.sub_button
    if (typeof button.name !== 'string' || Buffer.byteLength(button.name) > 16)
      return refuse(40018, 'invalid button name size')
    if (Array.isArray(sub) && sub.length > 0) {
      if (sub.length > 5) return refuse(40023, 'invalid sub button size')
      if ((sub as Body[]).some(each => Buffer.byteLength(String(each.name ?? '')) > 60))
        return refuse(40025, 'invalid sub button name size')
    } else if (button.type === 'click' ? typeof button.key !== 'string' : typeof button.url !== 'string')
      return refuse(40017, 'invalid button type')
  }
  return null
}

/** What WeChat does when the owner submits the server configuration. @returns whether it was accepted */
export async function submitServer(
  shared: Shared,
  account: OfficialAccount,
  server: NonNullable<OfficialAccount['server']>,
): Promise<boolean> {
  const timestamp = String(Math.floor(shared.now() / 1_000))
  const nonce = String(shared.serial())
  const echostr = randomBytes(8).readBigUInt64BE().toString()
  const signature = sha1(server.token, timestamp, nonce)
  const answer = await fetch(`${server.url}?${new URLSearchParams({ signature, timestamp, nonce, echostr })}`)
  if ((await answer.text()) !== echostr) return false
  account.server = server
  return true
}

/** Sends a message or an event of a follower to the owner's server, as its mode says, and reads the answer. */
export async function push(
  shared: Shared,
  account: OfficialAccount,
  openid: string,
  values: Record<string, string | number>,
): Promise<Reply> {
  if (!account.server) throw new Error('there is no server configuration')
  const { url, token, aesKey, mode } = account.server
  const timestamp = String(Math.floor(shared.now() / 1_000))
  const nonce = String(shared.serial())
  const message = document({
    ToUserName: account.originalId,
    FromUserName: openid,
    CreateTime: Number(timestamp),
    ...values,
  })
  const query = new URLSearchParams({ signature: sha1(token, timestamp, nonce), timestamp, nonce, openid })
  let body = message
  if (mode !== 'plain') {
    const encrypted = encrypt(message, aesKey, account.appId)
    query.set('encrypt_type', 'aes')
    query.set('msg_signature', sha1(token, timestamp, nonce, encrypted))
    const outer = { ToUserName: account.originalId, Encrypt: encrypted }
    body =
      mode === 'both' ? message.replace('</xml>', `<Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`) : document(outer)
  }
  const answer = await fetch(`${url}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body,
  })
  const text = await answer.text()
  if (!answer.ok || text === 'success' || text === '') return { status: answer.status, text: null }
  if (mode === 'plain') return { status: answer.status, text: element(text, 'Content') }
  const encrypted = element(text, 'Encrypt')
  const expected = sha1(token, element(text, 'TimeStamp'), element(text, 'Nonce'), encrypted)
  if (element(text, 'MsgSignature') !== expected) {
    shared.faults.push('an answer has a wrong signature')
    return { status: answer.status, text: null }
  }
  return { status: answer.status, text: element(decrypt(encrypted, aesKey, account.appId), 'Content') }
}

/** A person scans the QR code of a ticket: he follows, or followed already. */
export async function scan(
  shared: Shared,
  account: OfficialAccount,
  ticket: string,
  openid: string,
  nickname = '',
): Promise<Reply> {
  const known = account.scenes.get(ticket)
  if (!known || known.until < shared.now()) throw new Error('the QR code has expired')
  const before = account.followers.get(openid)
  const follows = before?.subscribed === true
  account.followers.set(openid, { openid, nickname: before?.nickname ?? nickname, subscribed: true })
  return push(shared, account, openid, {
    MsgType: 'event',
    Event: follows ? 'SCAN' : 'subscribe',
    EventKey: follows ? known.scene : `qrscene_${known.scene}`,
    Ticket: ticket,
  })
}

export async function unfollow(shared: Shared, account: OfficialAccount, openid: string): Promise<Reply> {
  const known = account.followers.get(openid)
  if (known) known.subscribed = false
  return push(shared, account, openid, { MsgType: 'event', Event: 'unsubscribe', EventKey: '' })
}
