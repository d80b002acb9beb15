import type { Database, SystemScope } from '../../lib/database/database.ts'
import { wechatFields } from '../../lib/wechat-fields.ts'
import type { Inbox, MailPort, SmsPort } from '../notifications/index.ts'
import type { AlarmLinks } from './alarm-links.service.ts'
import * as permissions from './applet-permissions.repo.ts'
import {
  type AppletMessages,
  type ChannelAccount,
  type ChannelAdapters,
  ChannelError,
  type ChannelMessage,
  type ChannelSent,
  type Simulators,
  smsParts,
  type UnitsPort,
} from './channel.port.ts'
import type { ChannelSecrets } from './channel-secrets.ts'
import { fill, type Locale, type Template, templateOf, variablesIn, variablesOf } from './message-text.ts'
import words from './message-words.json' with { type: 'json' }
import { sendOtherWays } from './no-units.repo.ts'
import type { Push } from './push.ts'
import * as queue from './queue.repo.ts'

export interface SenderDeps {
  database: Database
  mail: MailPort
  /** The operator's carrier, for companies without an account of their own. */
  sms: SmsPort
  inbox: Inbox
  adapters: ChannelAdapters
  simulators: Simulators
  secrets: ChannelSecrets
  links: AlarmLinks
  units: UnitsPort
  push: Push
  appletMessages: AppletMessages
  timeZone(tenantId: string): Promise<string>
  /** Where the console is. */
  consoleUrl(): string
  now(): number
}

/** Sends rows that were claimed and writes down what became of them. */
export interface MessageSender {
  /** @param rows of one receiver and channel, at least one: they go out as one message */
  send(rows: readonly queue.DueRow[]): Promise<void>
}

interface Composed {
  subject: string
  text: string
  link: string | null
  code: string
  /** The carrier has not approved the words. */
  isBlocked: boolean
  params: { name: string; value: string }[]
  data: Record<string, unknown>
  /** The text as the records keep it. */
  kept: string
}

const MAX_TRIES = 5
/** The reason in the record of a text for which the company has no units left. */
const NO_UNITS = 'no_units'
/** Of a subscribe message: the person gave no permission that is left, or WeChat knows of none. */
const NO_PERMISSION = 'no_permission'
const REFUSED = 'refused_by_person'
/** Level of the alarms that must arrive whatever it costs. */
const GRAVEST = 5
/** From this level on a push wakes a telephone that sleeps. */
const URGENT = 4
/** Of a simulated provider, which knows this one where nobody typed another. */
export const SIMULATED_TEMPLATE = 'SIMULATED_1'
/** Channels whose texts are templates that a carrier or WeChat has approved. */
const CARRIED = new Set<string>(['sms', 'voice', 'wechat', 'applet'])
/** Pauses before a try, seconds. */
const PAUSES = [5, 30, 120, 600]

export function createMessageSender(deps: SenderDeps): MessageSender {
  const { database, mail, sms, inbox, adapters, simulators, secrets, units, now } = deps

  async function compose(rows: readonly queue.DueRow[], account: queue.AccountRow | undefined): Promise<Composed> {
    const { tenantId, channel, locale } = rows[0]!
    const templates = await database.withSystemScope('alarms', scope => queue.templatesOf(scope, tenantId))
    const zone = await deps.timeZone(tenantId)
    const of = words[locale]
    const parts = rows.map(row => partOf(row, templates, zone))
    const [first] = parts
    const sign = account?.config.signName
    const gravest = parts.reduce((a, b) => ((b.row.level ?? 0) > (a.row.level ?? 0) ? b : a))
    // What a carrier's template says cannot hold several alarms: the gravest, and how many there are.
    if (rows.length > 1 && CARRIED.has(channel)) {
      const trigger = fill(of.merged.more, { trigger: gravest.variables.trigger, count: String(rows.length) })
      return messageOf(gravest, { ...gravest.variables, trigger }, sign)
    }
    if (rows.length === 1) return messageOf(first!, first!.variables, sign)
    const count = { count: String(rows.length) }
    const all = parts.map(part => messageOf(part, part.variables, sign))
    const join = (texts: string[]) => [fill(of.merged.body, count), ...texts].join('\n\n')
    return {
      ...all[0]!,
      subject: fill(of.merged.subject, count),
      text: join(all.map(one => one.text)),
      kept: join(all.map(one => one.kept)),
      link: null,
      data: { messages: all.map(one => one.data) },
    }
  }

  function partOf(row: queue.DueRow, templates: readonly queue.TemplateRow[], zone: string) {
    const event = row.kind === 'cleared' ? ('cleared' as const) : ('raised' as const)
    const page = row.alarmId
      ? `${deps.consoleUrl()}/manage/user/center/alarm?alarm=${row.alarmId}`
      : `${deps.consoleUrl()}/admin/alarme`
    const hasLink = row.alarmId !== null && event === 'raised' && row.mayAcknowledge
    const link = hasLink ? deps.links.linkOf(row.id) : page
    return {
      row,
      template: ofPreset(row, event, templateOf(templates, row.channel, event, row.locale)),
      variables: variablesOf(row, row.locale, zone, { link, page }),
      hasLink,
    }
  }

  function messageOf(
    { row, template, hasLink }: ReturnType<typeof partOf>,
    variables: ReturnType<typeof variablesOf>,
    sign: string | undefined,
  ): Composed {
    const gap = row.locale === 'zh' ? '' : ' '
    const before = row.kind === 'repeated' || row.kind === 'escalated' ? words[row.locale][row.kind] + gap : ''
    const subject = row.title ?? before + fill(template.subject, variables)
    const text = row.content ?? fill(template.body, variables)
    const isSms = row.channel === 'sms'
    return {
      subject,
      text,
      link: hasLink ? variables.link : null,
      code: template.code,
      isBlocked: row.kind !== 'test' && (template.approval === 'pending' || template.approval === 'rejected'),
      params: variablesIn(template.body).map(name => ({
        name,
        value: (variables as Record<string, string>)[name] ?? '',
      })),
      kept: (isSms && sign ? `【${sign}】` : '') + (hasLink ? text.replaceAll(variables.link, '…') : text),
      data: {
        id: row.id,
        kind: row.kind,
        alarmId: row.alarmId,
        trigger: row.trigger,
        level: row.level,
        device: row.device,
        deviceNo: row.deviceNo,
        at: row.at?.toISOString() ?? null,
        values: row.values ?? [],
        ...(row.title === null ? {} : { title: row.title }),
        ...(row.content === null ? {} : { text: row.content }),
        link: hasLink ? variables.link : null,
      },
    }
  }

  /** A text of the operator's carrier, paid with units of the company. */
  async function overCarrier(row: queue.DueRow, { text }: Composed): Promise<ChannelSent> {
    const cost = smsParts('', text)
    // Another try takes units of its own: what the last one took is free again, unless nobody knows what became of it.
    const key = `${row.id}:${row.attempts}`
    if (!(await units.reserve(row.tenantId, 'sms', cost, key, row.level === GRAVEST)))
      throw new ChannelError('never', NO_UNITS)
    try {
      await sms.send({ phone: row.address, kind: 'alarm', params: { text }, locale: row.locale })
    } catch (cause) {
      await units.release(row.tenantId, key)
      throw cause
    }
    await units.settle(row.tenantId, 'sms', key, cost)
    return { ref: null, cost }
  }

  /** A subscribe message, which uses up a permission of the person. */
  async function overApplet(row: queue.DueRow, { code, text, isBlocked }: Composed): Promise<ChannelSent> {
    if (isBlocked) throw new ChannelError('never', 'template_not_approved')
    if (code === '') throw new ChannelError('never', 'no_template_code')
    const { tenantId, address: openid, locale } = row
    const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('alarms', work)
    const taken = await system(scope => permissions.take(scope, tenantId, openid, code))
    if (!taken) throw new ChannelError('never', NO_PERMISSION)
    const note = (outcome: 'used' | 'kept' | 'refused') =>
      system(scope => permissions.noteOutcome(scope, taken.contactId, code, outcome))
    try {
      const message = { appId: taken.appId, openid, templateId: code, fields: wechatFields(text), locale }
      const { simulated } = await deps.appletMessages.send(tenantId, message)
      await note('used')
      return { ref: null, cost: 0, simulated }
    } catch (cause) {
      await note(cause instanceof ChannelError && cause.message === REFUSED ? 'refused' : 'kept')
      throw cause
    }
  }

  async function hand(
    row: queue.DueRow,
    account: queue.AccountRow | undefined,
    composed: Composed,
  ): Promise<ChannelSent> {
    if (!account) {
      // The operator's own way: mails and texts leave by it, everything else needs an account.
      if (row.channel === 'sms') return await overCarrier(row, composed)
      if (row.channel === 'push' && row.contactId !== null) {
        const { subject, text } = composed
        const isUrgent = (row.level ?? 0) >= URGENT
        const { alarmId } = row
        await deps.push.toContact(row.contactId, { title: subject, text, tag: alarmId ?? row.id, isUrgent, alarmId })
        return { ref: null, cost: 0 }
      }
      if (row.channel === 'applet') return await overApplet(row, composed)
      if (row.channel !== 'email') throw new ChannelError('never', 'no_account')
      await mail.send({ to: row.address, subject: composed.subject, text: composed.text })
      return { ref: null, cost: 0 }
    }
    if (composed.isBlocked) throw new ChannelError('never', 'template_not_approved')
    if (account.fault) throw new ChannelError('never', account.fault)
    const name = `${account.kind}.${account.provider}`
    const adapter = adapters[name]
    if (!adapter) throw new ChannelError('never', 'no_account')
    if (account.simulated && !simulators.available) throw new ChannelError('never', 'no_simulator')
    const near = account.simulated ? await simulators.account(name, account.id, receiptsOf(account)) : null
    const opened: ChannelAccount = {
      kind: account.kind,
      provider: account.provider,
      config: { ...near?.config, ...account.config },
      secrets: { ...near?.secrets, ...secrets.open(account.id, account.secrets) },
      simulator: near?.address ?? null,
    }
    const code = composed.code === '' && near ? SIMULATED_TEMPLATE : composed.code
    const message: ChannelMessage = { id: row.id, to: row.address, ...composed, code }
    return await adapter.send(opened, message)
  }

  /** Where the provider of an account reports; null: it reports nothing. */
  function receiptsOf({ kind, provider, callbackId }: queue.AccountRow): string | null {
    return kind === 'sms' || kind === 'voice' ? `${deps.consoleUrl()}/callbacks/${provider}/${callbackId}` : null
  }

  /** An account of the provider's that cannot be used: nothing more is sent through it, and people are told. */
  async function stopAccount(scope: SystemScope, account: queue.AccountRow, reason: string): Promise<void> {
    if (!(await queue.setFault(scope, account.id, reason))) return
    const both = (locale: Locale, key: 'title' | 'text') =>
      fill(words[locale].fault[key], { channel: account.name, reason })
    await inbox.notify(scope, {
      tenantId: account.tenantId,
      to: { permission: 'contact:write' },
      kind: 'notification_channel.stopped',
      title: { zh: both('zh', 'title'), en: both('en', 'title') },
      text: { zh: both('zh', 'text'), en: both('en', 'text') },
      link: '/admin/alarme?tab=channels',
      level: 'error',
    })
  }

  /** The notice is there exactly when the record says so. */
  async function toInbox(rows: readonly queue.DueRow[]): Promise<void> {
    const { tenantId, level, kind, alarmId } = rows[0]!
    const [zh, en] = await Promise.all(
      (['zh', 'en'] as const).map(locale =>
        compose(
          rows.map(row => ({ ...row, locale })),
          undefined,
        ),
      ),
    )
    await database.withSystemScope('alarms', async scope => {
      await inbox.notify(scope, {
        tenantId,
        to: { permission: 'alarm:read' },
        kind: kind === 'cleared' ? 'alarm.cleared' : 'alarm.raised',
        title: { zh: zh!.subject.slice(0, 200), en: en!.subject.slice(0, 200) },
        text: { zh: zh!.text.slice(0, 1_000), en: en!.text.slice(0, 1_000) },
        link: alarmId && rows.length === 1 ? `/manage/user/center/alarm?alarm=${alarmId}` : '/manage/user/center/alarm',
        level: kind === 'cleared' ? 'info' : (level ?? 1) >= 4 ? 'error' : 'warning',
      })
      const at = new Date(now())
      await queue.settle(scope, idsOf(rows), {
        state: 'sent',
        reason: null,
        dueAt: at,
        now: at,
        title: zh!.subject,
        content: zh!.kept,
        ref: null,
        cost: 0,
        simulated: false,
      })
    })
  }

  return {
    async send(rows) {
      const row = rows[0]!
      const { tenantId, channel, attempts } = row
      if (channel === 'inbox') {
        await toInbox(rows)
        return
      }
      const account = await database.withSystemScope('alarms', scope =>
        queue.accountOf(scope, tenantId, channel, row.channelId),
      )
      let composed: Composed | null = null
      let sent: ChannelSent = { ref: null, cost: 0 }
      let error: unknown = null
      try {
        composed = await compose(rows, account)
        sent = await hand(row, account, composed)
      } catch (cause) {
        error = cause
      }
      const kind = error === null ? null : kindOf(error)
      const isFinal = kind !== 'again' || attempts + 1 >= MAX_TRIES || row.kind === 'test'
      const at = now()
      await database.withSystemScope('alarms', async scope => {
        await queue.settle(scope, idsOf(rows), {
          state: error === null ? 'sent' : isFinal ? 'failed' : 'pending',
          reason: error === null ? null : (error as Error).message.slice(0, 500),
          dueAt: new Date(at + PAUSES[Math.min(attempts, PAUSES.length - 1)]! * 1_000),
          now: new Date(at),
          title: composed?.subject ?? null,
          content: composed?.kept ?? null,
          ref: sent.ref,
          cost: sent.cost,
          simulated: sent.simulated ?? (account ? account.simulated : channel === 'sms' && sms.outbox() !== null),
        })
        if (error instanceof ChannelError && error.message === NO_UNITS)
          await sendOtherWays(scope, idsOf(rows), new Date(at))
        if (error instanceof ChannelError && (error.message === NO_PERMISSION || error.message === REFUSED))
          await permissions.sendNextWay(scope, idsOf(rows), new Date(at))
        if (account && kind === 'account') await stopAccount(scope, account, (error as Error).message)
      })
    },
  }
}

/** The words of an alarm that its preset has a template of its own for. */
function ofPreset(
  { kind, channel, templates }: queue.DueRow,
  event: 'raised' | 'cleared',
  company: Template,
): Template {
  const own = channel === 'wechat' || channel === 'applet' ? templates?.[channel] : undefined
  if (!own || event === 'cleared' || kind === 'test') return company
  return { ...company, code: own.code, approval: 'none', body: own.body || company.body }
}

const idsOf = (rows: readonly queue.DueRow[]) => rows.map(({ id }) => id)

function kindOf(error: unknown): ChannelError['kind'] {
  if (error instanceof ChannelError) return error.kind
  return (error as { permanent?: boolean }).permanent === true ? 'never' : 'again'
}

/** The built-in words of a test message. */
export function testWords(channel: string, locale: Locale): { subject: string; text: string } {
  const { subject, body } = words[locale].test
  return { subject, text: fill(body, { channel }) }
}
