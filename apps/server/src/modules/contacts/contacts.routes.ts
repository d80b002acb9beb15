import { alarmLinksContract } from '@thingwright/contracts/alarm-links.contract'
import { contactsContract } from '@thingwright/contracts/contacts.contract'
import { notificationChannelsContract } from '@thingwright/contracts/notification-channels.contract'
import { notificationTemplatesContract } from '@thingwright/contracts/notification-templates.contract'
import { pushDevicesContract } from '@thingwright/contracts/push-devices.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AlarmLinks } from './alarm-links.service.ts'
import type { ChannelsService } from './channels.service.ts'
import type { ContactCodes } from './contact-codes.service.ts'
import { createContactExports } from './contact-export.ts'
import type { ContactGroupsService } from './contact-groups.service.ts'
import type { ContactsService } from './contacts.service.ts'
import type { PolicyService } from './policy.service.ts'
import type { PushDevicesService } from './push-devices.service.ts'
import { takeReceipts } from './receipts.service.ts'
import { listRecords, type Resend } from './records.service.ts'
import type { TemplatesService } from './templates.service.ts'

export interface ContactsRoutesDeps {
  database: Database
  now(): number
  service: ContactsService
  codes: ContactCodes
  channels: ChannelsService
  policy: PolicyService
  groups: ContactGroupsService
  links: AlarmLinks
  templates: TemplatesService
  resend: Resend
  pushDevices: PushDevicesService
  /** Of the installation, base64url. */
  pushPublicKey: string
}

export function contactsRoutes(deps: ContactsRoutesDeps): BoundRoute[] {
  const { database, service: contacts, codes, channels, policy, groups, links, templates } = deps
  const texts = notificationTemplatesContract
  const of = notificationChannelsContract
  const exports = createContactExports(database)
  return [
    bind(contactsContract.list, (ctx, { query }) => contacts.list(ctx, query)),
    bind(contactsContract.create, (ctx, { body }) => contacts.create(ctx, body)),
    bind(contactsContract.ways, ctx => contacts.ways(ctx)),
    bind(contactsContract.get, (ctx, { params }) => contacts.get(ctx, params.id)),
    bind(contactsContract.update, (ctx, { params, body }) => contacts.update(ctx, params.id, body)),
    bind(contactsContract.sendCode, (ctx, { params, body }) => codes.send(ctx, params.id, body.to)),
    bind(contactsContract.verify, (ctx, { params, body }) => codes.verify(ctx, params.id, body.code, body.to)),
    bind(contactsContract.remove, (ctx, { params }) => contacts.remove(ctx, params.id)),
    bind(contactsContract.records, (ctx, { query }) => listRecords(database, ctx, query)),
    bind(contactsContract.export, (ctx, { query }) => exports.contacts(ctx, query)),
    bind(contactsContract.exportRecords, (ctx, { query }) => exports.records(ctx, query)),
    bind(pushDevicesContract.key, async () => ({ publicKey: deps.pushPublicKey })),
    bind(pushDevicesContract.list, (ctx, { query }) => deps.pushDevices.list(ctx, query)),
    bind(pushDevicesContract.create, (ctx, { body }) => deps.pushDevices.create(ctx, body)),
    bind(pushDevicesContract.test, (ctx, { params }) => deps.pushDevices.test(ctx, params.id)),
    bind(pushDevicesContract.remove, (ctx, { params }) => deps.pushDevices.remove(ctx, params.id)),
    bind(alarmLinksContract.look, (_, { body }) => links.look(body.token)),
    bind(alarmLinksContract.acknowledge, (ctx, { body }) => links.acknowledge(body.token, ctx.now)),
    bind(of.list, (ctx, { query }) => channels.list(ctx, query)),
    bind(of.create, (ctx, { body }) => channels.create(ctx, body)),
    bind(of.get, (ctx, { params }) => channels.get(ctx, params.id)),
    bind(of.update, (ctx, { params, body }) => channels.update(ctx, params.id, body)),
    bind(of.test, (ctx, { params, body }) => channels.test(ctx, params.id, body)),
    bind(of.remove, (ctx, { params }) => channels.remove(ctx, params.id)),
    bind(of.policy, ctx => policy.get(ctx)),
    bind(of.setPolicy, (ctx, { body }) => policy.set(ctx, body)),
    bind(of.triggerMessages, (ctx, { params }) => policy.ofTrigger(ctx, params.id)),
    bind(of.setTriggerMessages, (ctx, { params, body }) => policy.setOfTrigger(ctx, params.id, body)),
    bind(of.groups, (ctx, { query }) => groups.list(ctx, query)),
    bind(of.createGroup, (ctx, { body }) => groups.create(ctx, body)),
    bind(of.updateGroup, (ctx, { params, body }) => groups.update(ctx, params.id, body)),
    bind(of.removeGroup, (ctx, { params }) => groups.remove(ctx, params.id)),
    bind(texts.list, ctx => templates.list(ctx)),
    bind(texts.preview, (ctx, { body }) => templates.preview(ctx, body)),
    bind(texts.set, (ctx, { params, body }) => templates.set(ctx, params, body)),
    bind(texts.test, (ctx, { params, body }) => templates.test(ctx, params, body)),
    bind(texts.reset, (ctx, { params }) => templates.reset(ctx, params)),
    bind(of.resend, (ctx, { params }) => deps.resend(ctx, params.id)),
    bind(of.receipts, (_, { params, body }) => takeReceipts(deps, params.vendor, params.connectionId, body)),
  ]
}
