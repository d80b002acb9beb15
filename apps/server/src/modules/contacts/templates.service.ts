import type { BodyOf, ParamsOf } from '@thingwright/contracts'
import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import {
  MESSAGE_CHANNELS,
  OWN_CHANNELS,
  TEMPLATE_EVENTS,
  TEMPLATE_VARIABLES,
} from '@thingwright/contracts/contacts.words'
import type {
  NotificationTemplateView,
  notificationTemplatesContract,
  TemplatePreview,
} from '@thingwright/contracts/notification-templates.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { smsParts } from './channel.port.ts'
import * as channels from './channels.repo.ts'
import { addressOf } from './channels.service.ts'
import { builtIn, fill, variablesIn, variablesOf } from './message-text.ts'
import words from './message-words.json' with { type: 'json' }
import type { AlarmFacts } from './queue.repo.ts'
import * as records from './records.repo.ts'
import { getRecord } from './records.service.ts'
import * as repo from './templates.repo.ts'

type Contract = typeof notificationTemplatesContract
type Key = ParamsOf<Contract['set']>

export interface TemplatesService {
  list(ctx: Ctx): Promise<{ items: NotificationTemplateView[] }>
  /** @throws AppError template.variable with the name, alarm.not_found */
  preview(ctx: Ctx, input: BodyOf<Contract['preview']>): Promise<TemplatePreview>
  /** @throws AppError template.variable, template.code, version.conflict */
  set(ctx: Ctx, key: Key, input: BodyOf<Contract['set']>): Promise<NotificationTemplateView>
  /** Sends one message now. A refusal is in the record, not an error. */
  test(ctx: Ctx, key: Key, input: BodyOf<Contract['test']>): Promise<NotificationRecordView>
  reset(ctx: Ctx, key: Key): Promise<NotificationTemplateView>
}

export interface TemplatesDeps {
  database: Database
  timeZone(tenantId: string): Promise<string>
  consoleUrl(): string
  /** Sends what is due now. */
  sendNow(recordId: string): Promise<void>
  now(): number
}

const LOCALES = ['zh', 'en'] as const
const OWN = new Set<string>(OWN_CHANNELS)

export function createTemplatesService(deps: TemplatesDeps): TemplatesService {
  const { database } = deps

  const viewOf = (key: Key, own: repo.OwnTemplate | undefined): NotificationTemplateView =>
    own
      ? { ...key, ...wordsOf(own), version: own.version, changedAt: own.changedAt.toISOString() }
      : {
          ...key,
          ...builtIn(key.channel, key.event, key.locale),
          approvalReason: null,
          version: 0,
          changedAt: null,
        }

  async function known(scope: TenantScope, key: Key): Promise<repo.OwnTemplate | undefined> {
    return (await repo.list(scope)).find(isOf(key))
  }

  async function filled(
    scope: TenantScope,
    { event, locale }: Pick<Key, 'event' | 'locale'>,
    text: { subject: string; body: string },
    alarmId: string | null,
  ) {
    const facts = await repo.alarmFacts(scope, alarmId, event)
    if (alarmId !== null && !facts) throw new AppError('alarm.not_found')
    const page = `${deps.consoleUrl()}/manage/user/center/alarm`
    // The link that acknowledges is made when a message leaves: what stands here acknowledges nothing.
    const links = { page, link: `${deps.consoleUrl()}/alonePage/Acknowledge` }
    const zone = await deps.timeZone(scope.tenantId)
    const variables = variablesOf(facts ?? sampleOf(locale, deps.now()), locale, zone, links)
    return { subject: fill(text.subject, variables), text: fill(text.body, variables), sample: facts === undefined }
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, key: Key, values: object) =>
    recordAudit(scope, ctx, {
      action: `notification_template.${verb}`,
      objectType: 'notification_template',
      objectName: `${key.channel} / ${key.event} / ${key.locale}`,
      ...values,
    })

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => {
        const own = await repo.list(scope)
        return {
          items: MESSAGE_CHANNELS.flatMap(channel =>
            TEMPLATE_EVENTS.flatMap(event =>
              LOCALES.map(locale => ({ channel, event, locale })).map(key => viewOf(key, own.find(isOf(key)))),
            ),
          ),
        }
      }),

    async preview(ctx, { channel, event, locale, subject = '', body, alarmId }) {
      refuseVariables(subject, body)
      return await database.withTenant(ctx, async scope => {
        const made = await filled(scope, { event, locale }, { subject, body }, alarmId ?? null)
        const parts = channel === 'sms' ? smsParts(await repo.signature(scope, 'sms'), made.text) : null
        return { ...made, parts }
      })
    },

    async set(ctx, key, { version, subject = '', body, code = '', approval = 'none', approvalReason = null }) {
      refuseVariables(subject, body)
      return await database.withTenant(ctx, async scope => {
        const before = await known(scope, key)
        const values = { ...key, subject, body, code, approval, approvalReason }
        const after = await repo.set(scope, newId(ctx.now), version, values, new Date(deps.now()))
        if (!after) throw new AppError('version.conflict', { params: { current: viewOf(key, before) } })
        await note(scope, ctx, 'update', key, {
          before: wordsOf(before ?? { ...builtIn(key.channel, key.event, key.locale), approvalReason: null }),
          after: wordsOf(after),
        })
        return viewOf(key, after)
      })
    },

    async test(ctx, key, { to, channelId }) {
      const recordId = newId(ctx.now)
      await database.withTenant(ctx, async scope => {
        const isOwn = OWN.has(key.channel)
        if (key.channel === 'inbox' || (isOwn && channelId === undefined)) throw new AppError('channel.address')
        const account = channelId === undefined ? undefined : await channels.find(scope, channelId)
        if (channelId !== undefined && account?.kind !== key.channel) throw new AppError('channel.not_found')
        const address = addressOf(key.channel, to ?? '')
        const made = await filled(scope, key, viewOf(key, await known(scope, key)), null)
        await records.insert(
          scope,
          {
            id: recordId,
            alarmId: null,
            contactId: null,
            contactName: account?.name ?? '',
            channel: key.channel,
            channelId: channelId ?? null,
            recipient: channelId ?? scope.tenantId,
            kind: 'test',
            address,
            locale: key.locale,
            title: made.subject,
            content: made.text,
          },
          new Date(deps.now() + 60_000),
        )
        await note(scope, ctx, 'test', key, { after: { to: address || account?.name } })
      })
      await deps.sendNow(recordId)
      return await getRecord(database, ctx, recordId)
    },

    reset: (ctx, key) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, key)
        if (before) {
          await repo.remove(scope, key.channel, key.event, key.locale)
          await note(scope, ctx, 'reset', key, { before: wordsOf(before) })
        }
        return viewOf(key, undefined)
      }),
  }
}

const isOf = (key: Key) => (row: repo.OwnTemplate) =>
  row.channel === key.channel && row.event === key.event && row.locale === key.locale

const wordsOf = ({
  subject,
  body,
  code,
  approval,
  approvalReason,
}: Omit<repo.TemplateValues, 'channel' | 'event' | 'locale'>) => ({
  subject,
  body,
  code,
  approval,
  approvalReason,
})

/** @throws AppError template.variable: such a variable would stay empty in every message */
function refuseVariables(...texts: string[]): void {
  for (const name of texts.flatMap(variablesIn))
    if (!(TEMPLATE_VARIABLES as readonly string[]).includes(name))
      throw new AppError('template.variable', { params: { name: name.slice(0, 40) } })
}

/** An alarm that nobody had. */
function sampleOf(locale: 'zh' | 'en', now: number): AlarmFacts {
  const { trigger, device, product, user, property } = words[locale].sample
  return {
    alarmId: null,
    trigger,
    isLoop: false,
    level: 4,
    device,
    deviceNo: 'WS-0001',
    product,
    user,
    at: new Date(now),
    values: [{ property, value: 36.5 }],
    rule: { high: 35 },
  }
}
