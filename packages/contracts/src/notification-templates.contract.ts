import { type Static, Type } from 'typebox'
import { Id, IsoTime, Nullable, Words } from './common.ts'
import { NotificationRecordView } from './contacts.contract.ts'
import { MESSAGE_CHANNELS, TEMPLATE_APPROVALS, TEMPLATE_EVENTS } from './contacts.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }
const tag = 'Contacts'
const base = '/api/v1/notification-templates'

const Key = Type.Object({
  channel: Words(MESSAGE_CHANNELS),
  event: Words(TEMPLATE_EVENTS),
  locale: Words(['zh', 'en']),
})
const Subject = Type.String({ maxLength: 200, description: 'Of mails, notices and robots' })
const Body = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '\\S',
  description: 'With variables: a name in braces behind a dollar sign, such as device',
})

export const NotificationTemplateView = Type.Object({
  ...Key.properties,
  subject: Type.String(),
  body: Type.String(),
  code: Type.String({ description: 'What the carrier or WeChat calls it' }),
  approval: Words(TEMPLATE_APPROVALS, { description: 'Of the carrier; pending and rejected ones are not sent' }),
  approvalReason: Nullable(Type.String()),
  version: Type.Integer({ description: '0: the words that are built in' }),
  changedAt: Nullable(IsoTime),
})
export type NotificationTemplateView = Static<typeof NotificationTemplateView>

const TemplatePreview = Type.Object({
  subject: Type.String(),
  text: Type.String(),
  parts: Nullable(Type.Integer({ description: 'Texts that a carrier counts, with the signature of the account' })),
  sample: Type.Boolean({ description: 'Made of sample values: there is no alarm yet' }),
})
export type TemplatePreview = Static<typeof TemplatePreview>

const example = { channel: 'email', event: 'raised', locale: 'en' }

export const notificationTemplatesContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'The words of messages about alarms for every channel, event and language',
    permission: 'contact:read',
    response: Type.Object({ items: Type.Array(NotificationTemplateView) }),
  }),
  preview: route({
    method: 'POST',
    path: `${base}/preview`,
    tag,
    summary: 'How words that are not kept yet would read for an alarm',
    permission: 'contact:read',
    audit: { none: 'changes nothing' },
    body: Type.Object(
      {
        ...Key.properties,
        subject: Type.Optional(Subject),
        body: Body,
        alarmId: Type.Optional({ ...Id, description: 'Absent: the newest alarm' }),
      },
      closed,
    ),
    example: { body: { ...example, body: 'Alarm' } },
    response: TemplatePreview,
  }),
  set: route({
    method: 'PUT',
    path: `${base}/{channel}/{event}/{locale}`,
    tag,
    summary: 'Sets the words; version 0 where they were the built-in ones',
    permission: 'contact:write',
    audit: 'notification_template.update',
    wholeCompany: true,
    params: Key,
    body: Type.Object(
      {
        subject: Type.Optional(Subject),
        body: Body,
        code: Type.Optional(Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]*$' })),
        approval: Type.Optional(Words(TEMPLATE_APPROVALS)),
        approvalReason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
        version: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
      },
      closed,
    ),
    example: {
      params: example,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the message
      body: { subject: '${trigger}', body: '${device}: ${value} at ${time}. ${link}', version: 0 },
    },
    response: NotificationTemplateView,
  }),
  test: route({
    method: 'POST',
    path: `${base}/{channel}/{event}/{locale}/test`,
    tag,
    summary: 'Sends the words that are kept once, filled from the newest alarm; the record tells what became of it',
    permission: 'contact:write',
    audit: 'notification_template.test',
    wholeCompany: true,
    params: Key,
    body: Type.Object(
      {
        to: Type.Optional(Type.String({ maxLength: 254, description: 'Address of mails, texts, calls and WeChat' })),
        channelId: Type.Optional({ ...Id, description: 'Of robots and webhooks' }),
      },
      closed,
    ),
    example: { params: example, body: { to: 'duty@example.com' } },
    response: NotificationRecordView,
  }),
  reset: route({
    method: 'DELETE',
    path: `${base}/{channel}/{event}/{locale}`,
    tag,
    summary: 'Goes back to the built-in words',
    permission: 'contact:write',
    audit: 'notification_template.reset',
    wholeCompany: true,
    params: Key,
    example: { params: example },
    response: NotificationTemplateView,
  }),
}
