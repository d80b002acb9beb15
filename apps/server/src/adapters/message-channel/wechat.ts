import { wechatFields } from '../../lib/wechat-fields.ts'
import { type ChannelAccount, type ChannelAdapter, ChannelError } from '../../modules/contacts/channel.port.ts'
import type { VendorDeps } from './aliyun.ts'
import { unreadable } from './http-channel.ts'

const HOST = 'https://api.weixin.qq.com'
/** The token is asked for again so long before its end. */
const EARLY_MS = 300_000
const STALE = new Set([40001, 40014, 42001])
const ACCOUNT = new Set([40013, 40125, 40164, 61004, 40243, 48001])
const AGAIN = new Set([-1, 45009, 45011])

/** Template messages of an official account (api.weixin.qq.com/cgi-bin/message/template/send). */
export function createWechatChannel({ http, now }: VendorDeps): ChannelAdapter {
  const tokens = new Map<string, { token: string; until: number }>()

  async function ask(account: ChannelAccount, path: string, body: object): Promise<Record<string, unknown>> {
    const reply = await http.post(
      account.simulator,
      `${account.config.baseUrl || HOST}${path}`,
      { 'content-type': 'application/json' },
      JSON.stringify(body),
    )
    if (!reply.json) throw unreadable(reply.status)
    return reply.json
  }

  async function tokenOf(account: ChannelAccount): Promise<string> {
    const { appId = '' } = account.config
    const key = `${account.simulator ?? account.config.baseUrl ?? ''} ${appId}`
    const kept = tokens.get(key)
    if (kept && kept.until > now()) return kept.token
    const reply = await ask(account, '/cgi-bin/stable_token', {
      grant_type: 'client_credential',
      appid: appId,
      secret: account.secrets.appSecret ?? '',
      force_refresh: false,
    })
    if (typeof reply.access_token !== 'string') throw failure(reply)
    const life = typeof reply.expires_in === 'number' ? reply.expires_in * 1_000 : 0
    tokens.set(key, { token: reply.access_token, until: now() + Math.max(0, life - EARLY_MS) })
    return reply.access_token
  }

  return {
    async send(account, message) {
      if (message.code === '') throw new ChannelError('never', 'no_template_code')
      const body = {
        touser: message.to,
        template_id: message.code,
        ...(message.link ? { url: message.link } : {}),
        client_msg_id: message.id,
        data: Object.fromEntries(Object.entries(wechatFields(message.text)).map(([key, value]) => [key, { value }])),
      }
      for (let isSecond = false; ; isSecond = true) {
        const token = await tokenOf(account)
        const reply = await ask(
          account,
          `/cgi-bin/message/template/send?access_token=${encodeURIComponent(token)}`,
          body,
        )
        const code = reply.errcode ?? 0
        if (code === 0) return { ref: reply.msgid === undefined ? null : String(reply.msgid), cost: 0 }
        // A token that ended early is fetched anew, once.
        if (isSecond || !STALE.has(Number(code))) throw failure(reply)
        tokens.clear()
      }
    },
  }
}

function failure(reply: Record<string, unknown>): ChannelError {
  const code = Number(reply.errcode ?? Number.NaN)
  const kind = ACCOUNT.has(code) || STALE.has(code) ? 'account' : AGAIN.has(code) ? 'again' : 'never'
  return new ChannelError(kind, `${String(reply.errcode ?? '')} ${String(reply.errmsg ?? '')}`.trim())
}
