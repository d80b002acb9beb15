import { randomBytes } from 'node:crypto'
import { codePicture } from './code-picture.ts'
import { document, encrypt, sha1 } from './crypto.ts'
import { type Answer, type Body, refuse, type Shared } from './shared.ts'
import type { SubscribeSide } from './subscribe.ts'

/** The registration of a third-party platform. */
export interface Platform {
  appId: string
  secret: string
  token: string
  aesKey: string
  /** Where tickets and authorisations go, and messages with `$APPID$`. */
  eventUrl: string
  messageUrl: string
}

export interface MiniProgram {
  appId: string
  name: string
  principal: string
  status: number
  domains: Record<string, string[]>
  authorized: boolean
  refreshToken: string
  trial: { version: string; ext: Body } | null
  audit: { id: number; version: string; status: number; reason: string } | null
  released: string[]
  testers: Map<string, string>
  withdrawnToday: number
}

const SECONDS = 7_200
const TEMPLATES = [
  { template_id: 1, user_version: '1.0.0', user_desc: 'Devices and alarms', create_time: 1_700_000_000 },
  { template_id: 2, user_version: '1.1.0', user_desc: 'Control of devices', create_time: 1_710_000_000 },
]

/** WeChat's side of third-party platforms: tickets, authorisations, code of mini-programs. */
export class PlatformSide {
  platform: Platform | null = null
  readonly programs = new Map<string, MiniProgram>()
  private ticket = ''
  private readonly component = new Map<string, number>()
  private readonly preAuth = new Map<string, number>()
  private readonly codes = new Map<string, { appId: string; until: number }>()
  private readonly tokens = new Map<string, { appId: string; until: number }>()

  constructor(
    private readonly shared: Shared,
    private readonly subscribe: SubscribeSide,
  ) {}

  program(appId: string): MiniProgram {
    const found = this.programs.get(appId)
    if (!found) throw new Error(`there is no mini-program ${appId}`)
    return found
  }

  /** Somebody registers a mini-program. */
  register(appId: string, name: string): MiniProgram {
    const program: MiniProgram = {
      appId,
      name,
      principal: `${name} Ltd`,
      status: 1,
      domains: { RequestDomain: [], WsRequestDomain: [], UploadDomain: [], DownloadDomain: [] },
      authorized: false,
      refreshToken: '',
      trial: null,
      audit: null,
      released: [],
      testers: new Map(),
      withdrawnToday: 0,
    }
    this.programs.set(appId, program)
    return program
  }

  private async tell(url: string, values: Record<string, string | number>): Promise<number> {
    const { platform, shared } = this
    if (!platform) throw new Error('there is no platform')
    const timestamp = String(Math.floor(shared.now() / 1_000))
    const nonce = String(shared.serial())
    const encrypted = encrypt(document(values), platform.aesKey, platform.appId)
    const query = new URLSearchParams({
      signature: sha1(platform.token, timestamp, nonce),
      timestamp,
      nonce,
      encrypt_type: 'aes',
      msg_signature: sha1(platform.token, timestamp, nonce, encrypted),
    })
    const answer = await fetch(`${url}?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: document({ AppId: platform.appId, Encrypt: encrypted }),
    })
    const text = await answer.text()
    if (answer.ok && text !== 'success') shared.faults.push(`an event was answered with ${text.slice(0, 50)}`)
    return answer.status
  }

  /** The ticket of every ten minutes. */
  async sendTicket(): Promise<number> {
    this.ticket = `ticket@@@${randomBytes(24).toString('base64url')}`
    return this.tell(this.platform!.eventUrl, {
      AppId: this.platform!.appId,
      CreateTime: Math.floor(this.shared.now() / 1_000),
      InfoType: 'component_verify_ticket',
      ComponentVerifyTicket: this.ticket,
    })
  }

  /** The owner opens the address, scans and agrees. @returns where his browser is sent */
  scanAuthorization(address: string, appId: string): string {
    const url = new URL(address)
    const code = url.searchParams.get('pre_auth_code') ?? ''
    if (url.searchParams.get('component_appid') !== this.platform?.appId) throw new Error('another platform')
    if ((this.preAuth.get(code) ?? 0) < this.shared.now()) throw new Error('the pre-auth code has expired')
    this.preAuth.delete(code)
    const authCode = `queryauthcode@@@${randomBytes(18).toString('base64url')}`
    this.codes.set(authCode, { appId, until: this.shared.now() + 3_600_000 })
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('auth_code', authCode)
    back.searchParams.set('expires_in', '3600')
    return back.href
  }

  /** The owner takes the authorisation back at WeChat. */
  async unauthorize(appId: string): Promise<number> {
    this.program(appId).authorized = false
    return this.tell(this.platform!.eventUrl, {
      AppId: this.platform!.appId,
      CreateTime: Math.floor(this.shared.now() / 1_000),
      InfoType: 'unauthorized',
      AuthorizerAppid: appId,
    })
  }

  /** Somebody at WeChat looks at the code. */
  async decide(appId: string, outcome: 'pass' | 'refuse' | 'delay', reason = ''): Promise<number> {
    const { audit } = this.program(appId)
    if (!audit) throw new Error('nothing is in review')
    audit.status = outcome === 'pass' ? 0 : outcome === 'refuse' ? 1 : 4
    audit.reason = reason
    const event = { pass: 'weapp_audit_success', refuse: 'weapp_audit_fail', delay: 'weapp_audit_delay' }[outcome]
    return this.tell(this.platform!.messageUrl.replace('$APPID$', appId), {
      ToUserName: `gh_${appId.slice(2, 14)}`,
      FromUserName: 'weixin',
      CreateTime: Math.floor(this.shared.now() / 1_000),
      MsgType: 'event',
      Event: event,
      ...(reason ? { Reason: reason } : {}),
    })
  }

  /** Whether a request is the platform's, in the name of a mini-program that let it. @returns null: it is */
  speaksFor(query: URLSearchParams): Answer | null {
    if (query.get('component_appid') !== this.platform?.appId) return refuse(61011, 'invalid component')
    const until = this.component.get(query.get('component_access_token') ?? '')
    if (until === undefined) return refuse(40001, 'invalid credential')
    if (until <= this.shared.now()) return refuse(42001, 'access_token expired')
    const program = this.programs.get(query.get('appid') ?? '')
    return program?.authorized ? null : refuse(61003, 'component is not authorized by this account')
  }

  /** @returns null: it is no request of a platform */
  answer(path: string, query: URLSearchParams, body: Body): Answer | null {
    if (path.startsWith('/cgi-bin/component/')) return this.componentAnswer(path, query, body)
    const known = this.tokens.get(query.get('access_token') ?? '')
    if (!known) return path.startsWith('/wxa/') ? refuse(40001, 'invalid credential') : null
    if (known.until <= this.shared.now()) return refuse(42001, 'access_token expired')
    const program = this.program(known.appId)
    if (!program.authorized) return refuse(61007, 'api is unauthorized to component')
    return this.codeAnswer(path, program, body)
  }

  private componentAnswer(path: string, query: URLSearchParams, body: Body): Answer {
    const { platform, shared } = this
    if (!platform || body.component_appid !== platform.appId) return refuse(61011, 'invalid component')
    if (path === '/cgi-bin/component/api_component_token') {
      if (body.component_appsecret !== platform.secret) return refuse(40125, 'invalid appsecret')
      if (body.component_verify_ticket !== this.ticket || this.ticket === '')
        return refuse(61006, 'component ticket is invalid')
      const value = `component_${randomBytes(18).toString('base64url')}`
      this.component.set(value, shared.now() + SECONDS * 1_000)
      return { component_access_token: value, expires_in: SECONDS }
    }
    const until = this.component.get(query.get('component_access_token') ?? '')
    if (until === undefined) return refuse(40001, 'invalid credential')
    if (until <= shared.now()) return refuse(42001, 'access_token expired')
    switch (path) {
      case '/cgi-bin/component/api_create_preauthcode': {
        const code = `preauthcode@@@${randomBytes(18).toString('base64url')}`
        this.preAuth.set(code, shared.now() + 600_000)
        return { pre_auth_code: code, expires_in: 600 }
      }
      case '/cgi-bin/component/api_query_auth': {
        const code = String(body.authorization_code)
        const found = this.codes.get(code)
        this.codes.delete(code)
        if (!found || found.until <= shared.now()) return refuse(61010, 'code is expired')
        const program = this.program(found.appId)
        program.authorized = true
        program.refreshToken = `refreshtoken@@@${randomBytes(18).toString('base64url')}`
        return {
          authorization_info: {
            authorizer_appid: program.appId,
            authorizer_access_token: this.tokenOf(program),
            expires_in: SECONDS,
            authorizer_refresh_token: program.refreshToken,
            func_info: [17, 18, 25].map(id => ({ funcscope_category: { id } })),
          },
        }
      }
      case '/cgi-bin/component/api_authorizer_token': {
        const program = this.programs.get(String(body.authorizer_appid))
        if (!program?.authorized) return refuse(61003, 'component is not authorized by this account')
        if (body.authorizer_refresh_token !== program.refreshToken) return refuse(61023, 'refresh_token is invalid')
        return {
          authorizer_access_token: this.tokenOf(program),
          expires_in: SECONDS,
          authorizer_refresh_token: program.refreshToken,
        }
      }
      case '/cgi-bin/component/api_get_authorizer_info': {
        const program = this.programs.get(String(body.authorizer_appid))
        if (!program?.authorized) return refuse(61003, 'component is not authorized by this account')
        return {
          authorizer_info: {
            nick_name: program.name,
            head_img: '',
            service_type_info: { id: 0 },
            verify_type_info: { id: 0 },
            user_name: `gh_${program.appId.slice(2, 14)}`,
            principal_name: program.principal,
            account_status: program.status,
            MiniProgramInfo: {
              network: program.domains,
              categories: [{ first: 'Tools', second: 'Devices' }],
              privacy_set: 1,
            },
          },
        }
      }
      default:
        return refuse(404, `${path} does not exist`)
    }
  }

  private tokenOf(program: MiniProgram): string {
    const value = `authorizer_${randomBytes(18).toString('base64url')}`
    this.tokens.set(value, { appId: program.appId, until: this.shared.now() + SECONDS * 1_000 })
    return value
  }

  private codeAnswer(path: string, program: MiniProgram, body: Body): Answer {
    const fine = { errcode: 0, errmsg: 'ok' }
    switch (path) {
      case '/cgi-bin/message/subscribe/send':
        return this.subscribe.send(program.appId, body)
      case '/wxaapi/newtmpl/gettemplate':
        return this.subscribe.templatesOf(program.appId)
      case '/wxa/gettemplatelist':
        return { ...fine, template_list: TEMPLATES }
      case '/wxa/modify_domain':
        program.domains = {
          RequestDomain: body.requestdomain as string[],
          WsRequestDomain: body.wsrequestdomain as string[],
          UploadDomain: body.uploaddomain as string[],
          DownloadDomain: body.downloaddomain as string[],
        }
        return fine
      case '/wxa/commit': {
        if (!TEMPLATES.some(each => each.template_id === body.template_id)) return refuse(85014, 'template not exist')
        if (typeof body.ext_json !== 'string') return refuse(47001, 'ext_json is no string')
        const ext = JSON.parse(body.ext_json) as Body
        if (ext.extAppid !== program.appId) return refuse(85048, 'ext_json appid is wrong')
        program.trial = { version: String(body.user_version), ext }
        return fine
      }
      case '/wxa/get_qrcode':
        return program.trial
          ? { picture: codePicture(`${program.appId} ${program.trial.version}`) }
          : refuse(85086, 'commit code first')
      case '/wxa/submit_audit':
        if (!program.trial) return refuse(85086, 'commit code first')
        if (program.audit && (program.audit.status === 2 || program.audit.status === 4))
          return refuse(85009, 'already in review')
        program.audit = { id: this.shared.serial(), version: program.trial.version, status: 2, reason: '' }
        return { ...fine, auditid: program.audit.id }
      case '/wxa/get_auditstatus':
        return program.audit && program.audit.id === body.auditid
          ? { ...fine, status: program.audit.status, reason: program.audit.reason }
          : refuse(85012, 'invalid audit id')
      case '/wxa/undocodeaudit':
        if (!program.audit || ![2, 4].includes(program.audit.status)) return refuse(85012, 'nothing is in review')
        if (program.withdrawnToday >= 1) return refuse(87013, 'withdraw limit')
        program.withdrawnToday += 1
        program.audit.status = 3
        return fine
      case '/wxa/release':
        if (program.audit?.status !== 0) return refuse(85019, 'no version passed the audit')
        program.released.push(program.audit.version)
        program.audit = null
        return fine
      case '/wxa/revertcoderelease':
        if (program.released.length < 2) return refuse(87011, 'no version to roll back to')
        program.released.pop()
        return fine
      case '/wxa/bind_tester': {
        const id = String(body.wechatid)
        if (id.startsWith('nobody')) return refuse(85001, 'wechat id does not exist')
        program.testers.set(`str_${id}`, id)
        return { ...fine, userstr: `str_${id}` }
      }
      case '/wxa/unbind_tester':
        return program.testers.delete(String(body.userstr)) ? fine : refuse(85004, 'is not bound')
      default:
        return refuse(404, `${path} does not exist`)
    }
  }
}
