import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { RECORD_STATES } from './contacts.words.ts'
import { route } from './route.ts'

export const ContactView = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
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
  alarmId: Id,
  triggerName: Type.String(),
  level: Type.Integer(),
  deviceName: Nullable(Type.String()),
  contactId: Nullable(Id),
  contactName: Type.String(),
  channel: Words(['email']),
  kind: Words(['raised', 'cleared']),
  address: Type.String(),
  state: Words(RECORD_STATES),
  attempts: Type.Integer(),
  merged: Type.Boolean({ description: 'Went out with others in one message' }),
  maybeTwice: Type.Boolean({ description: 'The server ended while it was sent: it may have arrived twice' }),
  reason: Nullable(Type.String()),
  sentAt: Nullable(IsoTime),
  createdAt: IsoTime,
})
export type NotificationRecordView = Static<typeof NotificationRecordView>

const Email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+\\.[^\\s@<>,;]+$' })
const settings = {
  locale: Type.Optional(Words(['zh', 'en'])),
  minLevel: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  enabled: Type.Optional(Type.Boolean()),
}
const closed = { additionalProperties: false }

export const contactsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/contacts',
    tag: 'Contacts',
    summary: 'People who receive alarms by mail, the newest first',
    permission: 'contact:read',
    query: Type.Object({ ...listQuery }),
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
    body: Type.Object({ name: Name, email: Email, ...settings }, closed),
    example: { body: { name: 'North', email: 'north@example.com' } },
    response: ContactView,
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
    body: Type.Object(
      { version: Version, name: Type.Optional(Name), email: Type.Optional(Email), ...settings },
      closed,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'South' } },
    response: ContactView,
  }),
  sendCode: route({
    method: 'POST',
    path: '/api/v1/contacts/{id}/code',
    tag: 'Contacts',
    summary: 'Mails a code to the address of a contact',
    permission: 'contact:write',
    audit: 'contact.send_code',
    params: IdParams,
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
    body: Type.Object({ code: Type.String({ pattern: '^\\d{6}$' }) }, closed),
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
    query: Type.Object({
      ...listQuery,
      state: Type.Optional(Words(RECORD_STATES)),
      alarmId: Type.Optional(Id),
      contactId: Type.Optional(Id),
    }),
    response: listOf(NotificationRecordView),
  }),
}
