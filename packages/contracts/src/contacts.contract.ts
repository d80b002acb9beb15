import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { MESSAGE_CHANNELS, PERSONAL_CHANNELS, RECEIPTS, RECORD_KINDS, RECORD_STATES } from './contacts.words.ts'
import { route } from './route.ts'

const Clock = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:MM' })
/** A stretch of the day in which nobody is disturbed; one that ends before it begins crosses midnight. */
export const QuietHours = Type.Object(
  {
    from: Clock,
    to: Clock,
    zone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name of a time zone' }),
    exceptLevel: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5, description: 'Alarms of this level and graver ones come all the same' }),
    ),
  },
  { additionalProperties: false },
)
export type QuietHours = Static<typeof QuietHours>

const Ways = Type.Array(Words(PERSONAL_CHANNELS), {
  maxItems: PERSONAL_CHANNELS.length,
  uniqueItems: true,
  description: 'Ways in which messages reach the contact, of those that the level has; null: all of them',
})

export const ContactView = Type.Object({
  id: Id,
  name: Type.String(),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String({ description: 'With its country, such as +8613800000000' })),
  phoneVerifiedAt: Nullable(IsoTime),
  wechatOpenid: Nullable(Type.String()),
  hasPush: Type.Boolean({ description: 'Browsers or installed apps receive its messages' }),
  hasApplet: Type.Boolean({ description: 'Its person allowed messages of the mini-program' }),
  escalationOnly: Type.Boolean({ description: 'Told only by a step of the escalation' }),
  quiet: Nullable(QuietHours),
  perHour: Nullable(Type.Integer()),
  ways: Nullable(Ways),
  owner: Nullable(Type.Object({ id: Id, name: Type.String() }, { description: 'The end user whose contact it is' })),
  locale: Words(['zh', 'en']),
  minLevel: Type.Integer({ description: 'Receives alarms of this level and graver ones' }),
  enabled: Type.Boolean(),
  verifiedAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type ContactView = Static<typeof ContactView>

export const NotificationRecordView = Type.Object({
  id: Id,
  alarmId: Nullable(Id),
  triggerName: Nullable(Type.String()),
  level: Nullable(Type.Integer()),
  deviceName: Nullable(Type.String()),
  contactId: Nullable(Id),
  contactName: Type.String(),
  channel: Words(MESSAGE_CHANNELS),
  channelId: Nullable(Id),
  kind: Words(RECORD_KINDS),
  step: Type.Integer({ description: 'Of the escalation, or the number of the repeat' }),
  address: Type.String(),
  state: Words(RECORD_STATES),
  attempts: Type.Integer(),
  merged: Type.Boolean({ description: 'Went out with others in one message' }),
  maybeTwice: Type.Boolean({ description: 'The server ended while it was sent: it may have arrived twice' }),
  reason: Nullable(Type.String()),
  title: Nullable(Type.String()),
  content: Nullable(Type.String({ description: 'What was sent, without the link that acknowledges the alarm' })),
  receipt: Nullable(Words(RECEIPTS)),
  receiptReason: Nullable(Type.String()),
  receiptAt: Nullable(IsoTime),
  cost: Type.Integer({ description: 'Units: parts of a text, calls' }),
  simulated: Type.Boolean(),
  sentAt: Nullable(IsoTime),
  createdAt: IsoTime,
})
export type NotificationRecordView = Static<typeof NotificationRecordView>

const Email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+\\.[^\\s@<>,;]+$' })
const Phone = Type.String({ maxLength: 20, description: 'Mainland numbers without a country are taken as +86' })
const Openid = Type.String({ minLength: 6, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })
const settings = {
  email: Type.Optional(Nullable(Email)),
  phone: Type.Optional(Nullable(Phone)),
  wechatOpenid: Type.Optional(Nullable(Openid)),
  escalationOnly: Type.Optional(Type.Boolean()),
  quiet: Type.Optional(Nullable(QuietHours)),
  perHour: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 180 }))),
  ways: Type.Optional(Nullable(Ways)),
  locale: Type.Optional(Words(['zh', 'en'])),
  minLevel: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  enabled: Type.Optional(Type.Boolean()),
}
const closed = { additionalProperties: false }
const whose = {
  userId: Type.Optional(
    Type.Union([Id, Words(['none'])], { description: 'An end user with those below; none: the company’s own' }),
  ),
}
const recordFilters = {
  state: Type.Optional(Words(RECORD_STATES)),
  channel: Type.Optional(Words(MESSAGE_CHANNELS)),
  kind: Type.Optional(Words(RECORD_KINDS)),
  alarmId: Type.Optional(Id),
  contactId: Type.Optional(Id),
}
const format = Words(['csv', 'xlsx'])

export const contactsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/contacts',
    tag: 'Contacts',
    summary: 'People who receive alarms by mail, the newest first',
    permission: 'contact:read',
    query: Type.Object({ ...listQuery, ...whose }),
    response: listOf(ContactView),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/contacts',
    tag: 'Contacts',
    summary: 'Adds a contact, who receives alarms once the address is verified',
    permission: 'contact:write',
    audit: 'contact.create',
    status: 201,
    body: Type.Object(
      {
        name: Name,
        userId: Type.Optional({ ...Id, description: 'The end user whose contact it becomes' }),
        ...settings,
      },
      closed,
    ),
    example: { body: { name: 'North', email: 'north@example.com' } },
    response: ContactView,
  }),
  ways: route({
    method: 'GET',
    path: '/api/v1/contacts/ways',
    tag: 'Contacts',
    summary: 'Ways in which messages can reach a contact of the caller: what the company offers to end users, or all',
    permission: 'contact:read',
    response: Type.Object({ ways: Ways }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}',
    tag: 'Contacts',
    summary: 'A contact',
    permission: 'contact:read',
    params: IdParams,
    response: ContactView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/contacts/{id}',
    tag: 'Contacts',
    summary: 'Changes a contact; another address has to be verified again',
    permission: 'contact:write',
    audit: 'contact.update',
    params: IdParams,
    body: Type.Object({ version: Version, name: Type.Optional(Name), ...settings }, closed),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'South' } },
    response: ContactView,
  }),
  sendCode: route({
    method: 'POST',
    path: '/api/v1/contacts/{id}/code',
    tag: 'Contacts',
    summary: 'Sends a code to the address or the phone of a contact',
    permission: 'contact:write',
    audit: 'contact.send_code',
    params: IdParams,
    body: Type.Object({ to: Type.Optional(Words(['email', 'phone'])) }, closed),
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
  verify: route({
    method: 'POST',
    path: '/api/v1/contacts/{id}/verify',
    tag: 'Contacts',
    summary: 'Verifies the address with the code that was mailed to it',
    permission: 'contact:write',
    audit: 'contact.verify',
    params: IdParams,
    body: Type.Object(
      { code: Type.String({ pattern: '^\\d{6}$' }), to: Type.Optional(Words(['email', 'phone'])) },
      closed,
    ),
    response: ContactView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/contacts/{id}',
    tag: 'Contacts',
    summary: 'Removes a contact; what was sent stays in the records',
    permission: 'contact:write',
    audit: 'contact.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
  records: route({
    method: 'GET',
    path: '/api/v1/notification-records',
    tag: 'Contacts',
    summary: 'Messages about alarms and what became of them, the newest first',
    permission: 'contact:read',
    query: Type.Object({ ...listQuery, ...recordFilters }),
    response: listOf(NotificationRecordView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/contacts/export',
    tag: 'Contacts',
    summary: 'The contacts of the search as a file, at most 100,000',
    permission: 'contact:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...whose, format }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  exportRecords: route({
    method: 'GET',
    path: '/api/v1/notification-records/export',
    tag: 'Contacts',
    summary: 'The messages of the filters as a file, at most 100,000',
    permission: 'contact:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...recordFilters, format }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
}
