import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Name, Nullable, Ok } from './common.ts'
import { route } from './route.ts'

export const PushDeviceView = Type.Object({
  id: Id,
  name: Type.String({ description: 'Of the browser, as it was registered' }),
  contactId: Id,
  contactName: Type.String(),
  isMine: Type.Boolean({ description: 'Registered by the caller' }),
  endpointHash: Type.String({
    description: 'SHA-256 of the address of the push service, hex: a browser finds itself by it',
  }),
  sentAt: Nullable(IsoTime),
  createdAt: IsoTime,
})
export type PushDeviceView = Static<typeof PushDeviceView>

const Base64Url = (bytes: string, pattern: string) => Type.String({ pattern, description: `${bytes}, base64url` })

/** Browsers and installed apps to which messages about alarms are pushed (Push API, RFC 8030). */
export const pushDevicesContract = {
  key: route({
    method: 'GET',
    path: '/api/v1/push-devices/key',
    tag: 'Contacts',
    summary: 'The public key of this installation that a browser asks for when it subscribes (VAPID, RFC 8292)',
    permission: 'contact:read',
    response: Type.Object({ publicKey: Type.String({ description: 'P-256, uncompressed, base64url' }) }),
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/push-devices',
    tag: 'Contacts',
    summary: 'Browsers and apps that receive messages of the contacts that the caller may see',
    permission: 'contact:read',
    query: Type.Object({ contactId: Type.Optional(Id) }),
    response: Type.Object({ items: Type.Array(PushDeviceView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/push-devices',
    tag: 'Contacts',
    summary: 'Registers a browser for messages of a contact, or of a new contact with the name of the caller',
    permission: 'contact:write',
    audit: 'push_device.create',
    status: 201,
    body: Type.Object(
      {
        endpoint: Type.String({ minLength: 12, maxLength: 1_000, pattern: '^https://' }),
        keys: Type.Object(
          {
            p256dh: Base64Url('65 bytes', '^[A-Za-z0-9_-]{87}=?$'),
            auth: Base64Url('16 bytes', '^[A-Za-z0-9_-]{22}(==)?$'),
          },
          { additionalProperties: false },
        ),
        name: Name,
        contactId: Type.Optional(Id),
        portal: Type.Optional(
          Type.String({ pattern: '^[a-z0-9-]{2,32}$', description: 'Suffix of the portal that a message opens' }),
        ),
      },
      { additionalProperties: false },
    ),
    example: {
      body: {
        endpoint: 'https://push.example.com/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
        name: 'Chrome · Android',
      },
    },
    response: PushDeviceView,
  }),
  test: route({
    method: 'POST',
    path: '/api/v1/push-devices/{id}/test',
    tag: 'Contacts',
    summary: 'Pushes a test message to one device now',
    permission: 'contact:write',
    audit: 'push_device.test',
    params: IdParams,
    response: Ok,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/push-devices/{id}',
    tag: 'Contacts',
    summary: 'Sends nothing more to a device; a contact that has no other address is removed with it',
    permission: 'contact:write',
    audit: 'push_device.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
