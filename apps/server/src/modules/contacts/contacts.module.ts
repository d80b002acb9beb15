import { customerOf, systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { AlarmsService } from '../alarms/index.ts'
import type { Inbox, MailPort, SmsPort } from '../notifications/index.ts'
import { type AlarmLinks, createAlarmLinks } from './alarm-links.service.ts'
import { AlarmMessages } from './alarm-messages.ts'
import type { AppletMessages, ChannelAdapters, Simulators, UnitsPort, WebPush } from './channel.port.ts'
import { CHANNELS_SEAL, ChannelSecrets } from './channel-secrets.ts'
import { type ChannelsService, createChannelsService } from './channels.service.ts'
import { type ContactCodes, createContactCodes } from './contact-codes.service.ts'
import { type ContactGroupsService, createContactGroups } from './contact-groups.service.ts'
import words from './contact-words.json' with { type: 'json' }
import { seedDemoChannels } from './contacts.demo.ts'
import { contactsRoutes } from './contacts.routes.ts'
import { type ContactsService, createContactsService } from './contacts.service.ts'
import { contactsTools } from './contacts.tools.ts'
import { createPolicyService, type PolicyService } from './policy.service.ts'
import { createPush, PUSH_SEAL } from './push.ts'
import { createPushDevices, type PushDevicesService } from './push-devices.service.ts'
import * as queue from './queue.repo.ts'
import { createResend } from './records.service.ts'
import { createMessageSender } from './sender.ts'
import { createTemplatesService, type TemplatesService } from './templates.service.ts'
import { templatesTransfer } from './templates.transfer.ts'

export interface ContactsNeeds {
  database: Database
  mail: MailPort
  sms: SmsPort
  inbox: Inbox
  alarms: { service: Pick<AlarmsService, 'ack'> }
  messageChannels: ChannelAdapters
  webPush: WebPush
  appletMessages: AppletMessages
  simulators: Simulators
  units: UnitsPort
  timeZone(tenantId: string): Promise<string>
  seal(purpose: string): CryptoBox
  logger: Logger
  addresses(): { httpUrl: string }
  now(): number
}

export interface ContactsModule extends ModuleParts {
  service: ContactsService
  codes: ContactCodes
  messages: AlarmMessages
  channels: ChannelsService
  policy: PolicyService
  groups: ContactGroupsService
  links: AlarmLinks
  templates: TemplatesService
  pushDevices: PushDevicesService
  routes: BoundRoute[]
}

const KEEP_RECORDS_MS = 180 * 86_400_000

export function createContactsModule(needs: ContactsNeeds): ContactsModule {
  const { database } = needs
  const consoleUrl = () => needs.addresses().httpUrl
  const secrets = new ChannelSecrets(needs.seal(CHANNELS_SEAL))
  const links = createAlarmLinks({
    ...needs,
    alarms: needs.alarms.service,
    box: needs.seal('alarm-links'),
    consoleUrl,
  })
  const push = createPush({ ...needs, box: needs.seal(PUSH_SEAL) })
  const sender = createMessageSender({
    ...needs,
    push,
    adapters: needs.messageChannels,
    secrets,
    links,
    consoleUrl,
  })
  const messages = new AlarmMessages({ ...needs, sender })
  const service = createContactsService(needs)
  const codes = createContactCodes(needs)
  const channels = createChannelsService({ ...needs, secrets, sendNow: id => messages.sendNow(id) })
  const policy = createPolicyService(needs)
  const groups = createContactGroups(needs)
  const templatesOn = (on: Database) =>
    createTemplatesService({ ...needs, database: on, consoleUrl, sendNow: id => messages.sendNow(id) })
  const templates = templatesOn(database)
  const pushDevices = createPushDevices({ database, push })
  const resend = createResend({ ...needs, sendNow: id => messages.sendNow(id) })
  return {
    service,
    codes,
    messages,
    channels,
    policy,
    groups,
    links,
    templates,
    pushDevices,
    routes: contactsRoutes({
      database,
      now: needs.now,
      service,
      codes,
      channels,
      policy,
      groups,
      links,
      templates,
      resend,
      pushDevices,
      pushPublicKey: needs.webPush.publicKey,
    }),
    search: [found(service)],
    transferSources: [templatesTransfer(database, templatesOn)],
    hears: { 'alarms.changed': ({ ids }) => messages.tell(ids) },
    runs: [
      {
        name: 'messages about alarms',
        phase: 'address',
        start: () => messages.start(),
        stop: () => messages.stop(),
      },
    ],
    sweeps: [
      {
        name: 'records of messages about alarms',
        run: now => database.withSystemScope('alarms', scope => queue.forget(scope, new Date(now - KEEP_RECORDS_MS))),
      },
    ],
    async gauges() {
      const { count, oldest } = await database.withSystemScope('alarms', scope => queue.waiting(scope))
      return {
        alarm_mails_waiting: count,
        alarm_mails_lag_seconds: oldest ? Math.max(0, (needs.now() - oldest.getTime()) / 1_000) : 0,
      }
    },
  }
}

/** The channels for a module that keeps one in step with an account of its own; it sends nothing. */
export function createChannels(
  needs: Pick<ContactsNeeds, 'database' | 'simulators' | 'seal' | 'now'>,
): ChannelsService {
  const secrets = new ChannelSecrets(needs.seal(CHANNELS_SEAL))
  return createChannelsService({ ...needs, secrets, sendNow: async () => {} })
}

/** Takes a receipt of a message for a module that hears the provider. */
export async function noteReceiptOf(
  database: Database,
  channelId: string,
  ref: string,
  receipt: { state: 'delivered' | 'failed'; reason: string | null; at: Date },
): Promise<void> {
  await database.withSystemScope('alarms', scope => queue.noteReceipt(scope, channelId, ref, receipt))
}

const found = (service: ContactsService): SearchSource => ({
  kind: 'contact',
  permission: 'contact:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: item.email ?? item.phone ?? '',
      link: customerOf(ctx.actor)
        ? '/manage/user/center/info?tab=contacts'
        : `/admin/alarme?q=${encodeURIComponent(item.name)}`,
    })),
})

export const contactsModule = defineModule({
  name: 'contacts',
  tools: contactsTools,
  create: createContactsModule,
  async seedDemo(database: Database, tenantId: string, seal: (purpose: string) => CryptoBox) {
    const ctx = systemContext(tenantId, 'demo')
    const service = createContactsService({ database })
    if ((await service.list(ctx, { limit: 1 })).items.length === 0) {
      // Their addresses are not verified, so the demo company sends no mail.
      await service.create(ctx, { name: words.zh.demo, email: 'duty@example.com', minLevel: 3 })
      await service.create(ctx, { name: words.en.demo, email: 'night@example.com', minLevel: 4, locale: 'en' })
    }
    await seedDemoChannels(database, tenantId, seal)
  },
})
