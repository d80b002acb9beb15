import { type Answer, type Body, refuse, type Shared } from './shared.ts'

export interface SentSubscribe {
  appId: string
  touser: string
  templateId: string
  page: string
  lang: string
  data: Record<string, string>
}

/** What WeChat takes for a kind of field; any other kind is unknown to it. */
const VALUES: Readonly<Record<string, RegExp>> = {
  thing: /^.{1,20}$/su,
  number: /^-?\d{1,28}(\.\d{1,4})?$/u,
  letter: /^[A-Za-z]{1,32}$/u,
  symbol: /^[^\p{L}\p{N}\s]{1,5}$/u,
  character_string: /^[\x21-\x7e]{1,32}$/u,
  time: /^(\d{4}(年|[-/.])\d{1,2}(月|[-/.])\d{1,2}日? ?)?\d{1,2}:\d{2}(:\d{2})?$/u,
  date: /^\d{4}(年|[-/.])\d{1,2}(月|[-/.])\d{1,2}日?( ?\d{1,2}:\d{2}(:\d{2})?)?$/u,
  phrase: /^\p{Script=Han}{1,5}$/u,
  phone_number: /^[\d+() -]{1,17}$/u,
}

/** Subscribe messages of mini-programs: each permission of a user allows one message (message/subscribe/send). */
export class SubscribeSide {
  readonly sent: SentSubscribe[] = []
  /** Keys of the fields of each template, by mini-program and id. */
  private readonly templates = new Map<string, string[]>()
  private readonly people = new Set<string>()
  private readonly allowed = new Map<string, number>()

  constructor(private readonly shared: Shared) {}

  /** The owner chose a template of WeChat's library. @param keys such as `thing1` */
  addTemplate(appId: string, templateId: string, keys: readonly string[]): void {
    this.templates.set(`${appId} ${templateId}`, [...keys])
  }

  /** Somebody opened the mini-program. */
  meet(appId: string, openid: string): void {
    this.people.add(`${appId} ${openid}`)
  }

  /** A person says yes to one message of each template, or takes everything back. */
  decide(appId: string, openid: string, templateIds: readonly string[], answer: 'accept' | 'reject'): void {
    this.meet(appId, openid)
    for (const id of templateIds) {
      const key = `${appId} ${openid} ${id}`
      this.allowed.set(key, answer === 'accept' ? (this.allowed.get(key) ?? 0) + 1 : 0)
    }
  }

  send(appId: string, body: Body): Answer {
    const openid = String(body.touser ?? '')
    const templateId = String(body.template_id ?? '')
    if (!this.people.has(`${appId} ${openid}`)) return refuse(40003, 'invalid openid')
    const keys = this.templates.get(`${appId} ${templateId}`)
    if (!keys) return refuse(40037, 'invalid template_id')
    if (typeof body.page === 'string' && !body.page.startsWith('pages/')) return refuse(41030, 'invalid page')
    const data = (body.data ?? {}) as Record<string, { value?: unknown }>
    const wrong = [...new Set([...keys, ...Object.keys(data)])].find(
      key => !keys.includes(key) || !fits(key, data[key]?.value),
    )
    if (wrong !== undefined) return refuse(47003, `argument invalid! data.${wrong}.value invalid`)
    const key = `${appId} ${openid} ${templateId}`
    const left = this.allowed.get(key) ?? 0
    if (left < 1) return refuse(43101, 'user refuse to accept the msg')
    this.allowed.set(key, left - 1)
    this.sent.push({
      appId,
      touser: openid,
      templateId,
      page: String(body.page ?? ''),
      lang: String(body.lang ?? ''),
      data: Object.fromEntries(Object.entries(data).map(([name, { value }]) => [name, String(value)])),
    })
    return { errcode: 0, errmsg: 'ok', msgid: this.shared.serial() }
  }
}

function fits(key: string, value: unknown): boolean {
  const kind = /^([a-z_]+?)\d+$/.exec(key)?.[1] ?? ''
  return typeof value === 'string' && (VALUES[kind]?.test(value) ?? false)
}
