import { createHmac } from 'node:crypto'
import type { Asked } from '../platforms/platform-server.ts'
import {
  key,
  type MessageProvider,
  objectIn,
  type ProviderKind,
  type ProviderOptions,
  Refused,
  type Registered,
  startProvider,
} from './shared.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

type Fields = Record<string, unknown>
type RobotRules = Pick<ProviderKind, 'makeAccount' | 'no'> & {
  /** The robot's key in the address. */
  keyOf(asked: Asked): string
  unknown: Refused
  /** Messages a minute. */
  limit: number
  limited: Refused
  /** @throws Refused */
  check(asked: Asked, body: Fields, account: Registered, now: number): void
  yes: object
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const within = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const robot = (path: string, secret?: string) => ({
  config: {},
  secrets: { url: `${path}${key(16)}`, ...(secret ? { secret } : {}) },
})
/** The key at the end of an account's address. */
const endOf = ({ config, secrets }: Registered) => (secrets.url ?? config.url ?? '').split(/[/=]/).at(-1)
const errcode = ({ code, message }: { code: string; message: string }) => ({ errcode: Number(code), errmsg: message })

/** Robots of groups in DingTalk, which sign milliseconds and their secret with it. */
const DINGTALK: RobotRules = {
  makeAccount: () => robot('https://oapi.dingtalk.com/robot/send?access_token=', `SEC${key(32)}`),
  keyOf: ({ path, query }) => (path === '/robot/send' ? (new Map(query).get('access_token') ?? '') : ''),
  unknown: new Refused('300005', 'token is not exist'),
  limit: 20,
  limited: new Refused('130101', 'send too fast, exceed 20 times per minute'),
  check({ query }, body, { secrets }, now) {
    const of = new Map(query)
    const at = of.get('timestamp') ?? ''
    if (!/^\d{13}$/.test(at) || Math.abs(now - Number(at)) > HOUR_MS) throw new Refused('310000', 'invalid timestamp')
    const wanted = createHmac('sha256', secrets.secret!).update(`${at}\n${secrets.secret}`).digest('base64')
    if (of.get('sign') !== wanted) throw new Refused('310000', 'sign not match')
    const { title, text: words } = within(body.markdown)
    const plain = within(body.text).content
    if (body.msgtype === 'markdown' ? text(title) === '' || text(words) === '' : text(plain) === '')
      throw new Refused('40035', 'missing parameter')
  },
  yes: { errcode: 0, errmsg: 'ok' },
  no: errcode,
}

/** Robots of groups in WeCom, which have no secret beside their key. */
const WECOM: RobotRules = {
  makeAccount: () => robot('https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key='),
  keyOf: ({ path, query }) => (path === '/cgi-bin/webhook/send' ? (new Map(query).get('key') ?? '') : ''),
  unknown: new Refused('93000', 'invalid webhook url'),
  limit: 20,
  limited: new Refused('45009', 'api freq out of limit'),
  check(_, body) {
    const [content, most] =
      body.msgtype === 'text' ? [text(within(body.text).content), 2_048] : [text(within(body.markdown).content), 4_096]
    if (content === '' || Buffer.byteLength(content) > most) throw new Refused('40058', `content exceeds ${most} bytes`)
  },
  yes: { errcode: 0, errmsg: 'ok' },
  no: errcode,
}

/** Robots of groups in Feishu, whose text is the key of an empty message. */
const FEISHU: RobotRules = {
  makeAccount: () => robot('https://open.feishu.cn/open-apis/bot/v2/hook/', key(11)),
  keyOf: ({ path }) => /^\/open-apis\/bot\/v2\/hook\/([\w-]+)$/.exec(path)?.[1] ?? '',
  unknown: new Refused('19001', 'param invalid: incoming webhook access token invalid'),
  limit: 100,
  limited: new Refused('11232', 'create message trigger hour limit'),
  check({ body: bytes }, body, { secrets }, now) {
    const at = text(body.timestamp)
    const wanted = createHmac('sha256', `${at}\n${secrets.secret}`).update('').digest('base64')
    if (!/^\d{10}$/.test(at) || Math.abs(now - Number(at) * 1_000) > HOUR_MS || body.sign !== wanted)
      throw new Refused('19021', 'sign match fail or timestamp is not within one hour from current time')
    const isText = body.msg_type === 'text' && text(within(body.content).text) !== ''
    const isCard = body.msg_type === 'interactive' && Array.isArray(within(body.card).elements)
    if ((!isText && !isCard) || Buffer.byteLength(bytes) > 20 * 1_024) throw new Refused('9499', 'Bad Request')
  },
  yes: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' },
  no: ({ code, message }) => ({ code: Number(code), data: {}, msg: message }),
}

/** A company's own program that takes signed messages. */
const WEBHOOK: RobotRules = {
  makeAccount: () => ({
    config: { url: `https://receiver.invalid/alarms/${key(16)}` },
    secrets: { secret: key(24) },
  }),
  keyOf: ({ path }) => /^\/alarms\/(\w+)$/.exec(path)?.[1] ?? '',
  unknown: new Refused('404', 'nobody here', 404),
  limit: Number.POSITIVE_INFINITY,
  limited: new Refused('429', 'too fast', 429),
  check({ body: bytes, headers }, body, { secrets }, now) {
    const fields = new Map(
      String(headers['thingwright-signature'] ?? '')
        .split(',')
        .map(field => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
    )
    const at = fields.get('t') ?? ''
    const wanted = createHmac('sha256', secrets.secret!)
      .update(`${at}.${fields.get('n')}.${bytes}`)
      .digest('hex')
    if (!/^\d{13}$/.test(at) || Math.abs(now - Number(at)) > 5 * MINUTE_MS || fields.get('v1') !== wanted)
      throw new Refused('401', 'the signature does not fit', 401)
    if (text(body.subject) === '') throw new Refused('422', 'a message without a subject', 422)
  },
  yes: { ok: true },
  no: ({ message }) => ({ ok: false, error: message }),
}

const RULES = {
  'dingtalk.robot': DINGTALK,
  'wecom.robot': WECOM,
  'feishu.robot': FEISHU,
  'webhook.webhook': WEBHOOK,
}
export type RobotWay = keyof typeof RULES

/** Robots of one kind: each account has a key in its address. */
export function startRobots(way: RobotWay, options: ProviderOptions = {}): Promise<MessageProvider> {
  const { now = Date.now } = options
  const rules = RULES[way]
  const times = new Map<string, number[]>()
  let count = 0
  return startProvider(
    {
      makeAccount: rules.makeAccount,
      take(asked, accounts) {
        const name = rules.keyOf(asked)
        const account = accounts.find(one => endOf(one) === name)
        if (!account) throw rules.unknown
        const body = objectIn(asked.body)
        if (!body) throw new Refused('40035', 'the body is no JSON')
        rules.check(asked, body, account, now())
        const recent = (times.get(name) ?? []).filter(at => at > now() - MINUTE_MS)
        if (recent.length >= rules.limit) throw rules.limited
        times.set(name, [...recent, now()])
        return { account, taken: { way, to: '', template: '', params: body, body: asked.body, ref: String(++count) } }
      },
      yes: () => rules.yes,
      no: rules.no,
    },
    options,
  )
}
