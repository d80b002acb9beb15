import { createHmac } from 'node:crypto'
import { trimmedEnd } from '../../lib/trimmed.ts'
import {
  type ChannelAccount,
  type ChannelAdapter,
  ChannelError,
  type ChannelMessage,
} from '../../modules/contacts/channel.port.ts'
import type { VendorDeps } from './aliyun.ts'
import { unreadable } from './http-channel.ts'

/** Of the query of a DingTalk robot: base64, before it is escaped. @param now epoch ms */
export const dingtalkSign = (secret: string, now: number): string =>
  createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64')

/** Of the body of a Feishu robot: the text is the key and nothing is signed. @param seconds epoch seconds */
export const feishuSign = (secret: string, seconds: number): string =>
  createHmac('sha256', `${seconds}\n${secret}`).update('').digest('base64')

/** WeCom counts bytes. */
const WECOM_BYTES = 4_096
const FEISHU_BYTES = 18 * 1024

function cutTo(text: string, bytes: number): string {
  const all = Buffer.from(text)
  if (all.length <= bytes) return text
  const begun = new TextDecoder().decode(all.subarray(0, bytes - 4))
  return `${trimmedEnd(begun, /\uFFFD/)}…`
}

/** Refusals of the robot itself, and those of a moment. */
const FAILURES: Record<string, { account: readonly number[]; again: readonly number[] }> = {
  dingtalk: { account: [310000, 300005, 40035, 400101, 400102, 400106], again: [-1, 130101, 410100] },
  wecom: { account: [93000], again: [-1, 45009] },
  feishu: { account: [19021, 19022, 19024, 19001], again: [11232] },
}

const urlOf = (account: ChannelAccount, path: string) =>
  account.secrets.url || (account.simulator ? `https://simulated.invalid${path}` : '')

async function post({ http }: VendorDeps, account: ChannelAccount, url: string, body: object): Promise<void> {
  const { status, json } = await http.post(
    account.simulator,
    url,
    { 'content-type': 'application/json; charset=utf-8' },
    JSON.stringify(body),
  )
  // Feishu says code, the others errcode; what says neither is no yes.
  const code = account.kind === 'feishu' ? json?.code : json?.errcode
  if (typeof code !== 'number') throw unreadable(status)
  if (code === 0) return
  const { account: fatal, again } = FAILURES[account.kind]!
  const said = `${code} ${String(json?.errmsg ?? json?.msg ?? '')}`.trim()
  throw new ChannelError(fatal.includes(code) ? 'account' : again.includes(code) ? 'again' : 'never', said)
}

/** Robots of groups in DingTalk, WeCom and Feishu. */
export function createRobotChannels(deps: VendorDeps): Record<'dingtalk' | 'wecom' | 'feishu', ChannelAdapter> {
  const sent = { ref: null, cost: 0 }
  const lines = (message: ChannelMessage) => `${message.subject}\n\n${message.text}`
  return {
    dingtalk: {
      async send(account, message) {
        const url = new URL(urlOf(account, '/robot/send?access_token=simulated'))
        const { secret } = account.secrets
        if (secret) {
          const now = deps.now()
          url.searchParams.set('timestamp', String(now))
          url.searchParams.set('sign', dingtalkSign(secret, now))
        }
        const at = (account.config.at ?? '').split(/[\s,;]+/).filter(Boolean)
        const mentions = at.filter(phone => phone !== 'all').map(phone => `@${phone}`)
        await post(deps, account, url.toString(), {
          msgtype: 'markdown',
          markdown: {
            title: message.subject,
            // A number that is to be called must stand in the text too.
            text: [`### ${message.subject}`, message.text.replaceAll('\n', '\n\n'), ...mentions].join('\n\n'),
          },
          at: { atMobiles: at.filter(phone => phone !== 'all'), isAtAll: at.includes('all') },
        })
        return sent
      },
    },
    wecom: {
      async send(account, message) {
        await post(deps, account, urlOf(account, '/cgi-bin/webhook/send?key=simulated'), {
          msgtype: 'markdown',
          markdown: { content: cutTo(`**${message.subject}**\n${message.text}`, WECOM_BYTES) },
        })
        return sent
      },
    },
    feishu: {
      async send(account, message) {
        const { secret } = account.secrets
        const seconds = Math.floor(deps.now() / 1_000)
        await post(deps, account, urlOf(account, '/open-apis/bot/v2/hook/simulated'), {
          ...(secret ? { timestamp: String(seconds), sign: feishuSign(secret, seconds) } : {}),
          msg_type: 'text',
          content: { text: cutTo(lines(message), FEISHU_BYTES) },
        })
        return sent
      },
    },
  }
}
