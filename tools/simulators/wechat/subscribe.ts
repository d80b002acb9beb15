import { type Answer, type Body, refuse, type Shared } from './shared.ts'

export interface SentSubscribe {
  appId: string
  touser: string
  templateId: string
  page: string
  lang: string
  data: Record<string, string>
}

/** A template that the owner chose of WeChat's library. */
export interface SubscribeTemplate {
  title: string
  /** The label that WeChat shows before each field, by the key of the field, such as `thing1`. */
  fields: Record<string, string>
}

/** What people allowed, so that it is known again: keys are mini-program, openid and template with a blank between. */
export interface SubscribeState {
  people: string[]
  allowed: [string, number][]
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
  /** By mini-program and id. */
  private readonly templates = new Map<string, SubscribeTemplate>()
  private readonly people = new Set<string>()
  private readonly allowed = new Map<string, number>()

  constructor(private readonly shared: Shared) {}

  /** The owner chose a template of WeChat's library. @param fields their keys, such as `thing1`, perhaps with words */
  addTemplate(
    appId: string,
    templateId: string,
    fields: readonly string[] | Record<string, string>,
    title = 'Alarm',
  ): void {
    const named = Array.isArray(fields) ? Object.fromEntries(fields.map(key => [key, key])) : { ...fields }
    this.templates.set(`${appId} ${templateId}`, { title, fields: named as Record<string, string> })
  }

  /** The templates of a mini-program (wxaapi/newtmpl/gettemplate). */
  templatesOf(appId: string): Answer {
    const own = [...this.templates].filter(([key]) => key.startsWith(`${appId} `))
    return {
      errcode: 0,
      errmsg: 'ok',
      data: own.map(([key, { title, fields }]) => ({
        priTmplId: key.slice(appId.length + 1),
        title,
        content: Object.entries(fields)
          .map(([field, words]) => `${words}:{{${field}.DATA}}\n`)
          .join(''),
        example: Object.values(fields)
          .map(words => `${words}:…\n`)
          .join(''),
        type: 2,
      })),
    }
  }

  kept(): SubscribeState {
    return { people: [...this.people], allowed: [...this.allowed] }
  }

  restore({ people, allowed }: SubscribeState): void {
    for (const person of people) this.people.add(person)
    for (const [key, count] of allowed) this.allowed.set(key, count)
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
    const template = this.templates.get(`${appId} ${templateId}`)
    if (!template) return refuse(40037, 'invalid template_id')
    if (typeof body.page === 'string' && !body.page.startsWith('pages/')) return refuse(41030, 'invalid page')
    const data = (body.data ?? {}) as Record<string, { value?: unknown }>
    const keys = Object.keys(template.fields)
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
