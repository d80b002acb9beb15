import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { connectFields } from './connect-schemas.ts'
import { ALARM_FILTERS, LINK_FILTERS } from './devices.words.ts'
import { LinkType, NodeType } from './products.contract.ts'
import { route } from './route.ts'

export const Lifecycle = Words(['inactive', 'active', 'disabled', 'recycled'])
export const Link = Words(['never', 'online', 'offline'])
export const DeviceNo = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,64}$' })
export const Tag = Type.String({ minLength: 1, maxLength: 32 })
/** What a company notes of a device under names of its own, in its order. */
export const Attributes = Type.Array(
  Type.Object(
    { name: Type.String({ minLength: 1, maxLength: 32 }), value: Type.String({ maxLength: 256 }) },
    { additionalProperties: false },
  ),
  { maxItems: 32 },
)
export type Attributes = Static<typeof Attributes>
export const OfflineDelay = Type.Integer({ minimum: 10, maximum: 604800 })

export const DeviceView = Type.Object({
  id: Id,
  deviceNo: Type.String(),
  name: Type.String(),
  productId: Id,
  productKey: Type.String(),
  productName: Type.String(),
  productIcon: Type.String(),
  category: Type.String({ description: 'Of its product' }),
  linkType: LinkType,
  nodeType: NodeType,
  firmware: Nullable(Type.String({ description: 'The version that it reported last, of its default module' })),
  groupId: Nullable(Id),
  groupName: Nullable(Type.String()),
  owner: Nullable(
    Type.Object({ id: Id, name: Type.String() }, { description: 'The end user whose it is; null: the company itself' }),
  ),
  tags: Type.Array(Type.String()),
  attributes: Attributes,
  description: Type.String(),
  location: Nullable(
    Type.Object({
      lng: Type.Number({ minimum: -180, maximum: 180 }),
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      address: Type.Optional(Type.String({ maxLength: 256 })),
    }),
  ),
  lifecycle: Lifecycle,
  link: Link,
  alarmLevel: Type.Integer({ minimum: 0, maximum: 5 }),
  offlineDelaySeconds: Nullable(Type.Integer()),
  lastSeenAt: Nullable(IsoTime),
  onlineSince: Nullable(IsoTime),
  lastOfflineAt: Nullable(IsoTime),
  lastOfflineReason: Nullable(Type.String()),
  activatedAt: Nullable(IsoTime),
  recycledAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type DeviceView = Static<typeof DeviceView>

export const DeviceWithSecret = Type.Object({
  ...DeviceView.properties,
  deviceSecret: Type.String({ description: 'Shown here and after a rotation, never again' }),
  accessToken: Type.Optional(
    Type.String({ description: 'Of a new device whose product allows ThingsBoard firmware: its MQTT user name' }),
  ),
})
export type DeviceWithSecret = Static<typeof DeviceWithSecret>

/** What a list of devices is narrowed by, of their products and of what they run. */
export const kindFilters = {
  category: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  linkType: Type.Optional(LinkType),
  nodeType: Type.Optional(NodeType),
  firmware: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}

/** A part of the map as one filter. */
export const Within = Type.String({
  pattern: '^-?\\d{1,3}(\\.\\d{1,9})?(,-?\\d{1,3}(\\.\\d{1,9})?){3}$',
  description:
    'Devices placed between west, south, east and north (degrees, WGS 84, comma separated); west of more than east lies across 180 degrees',
})

/** What a list of devices is narrowed by. */
export const deviceFilters = {
  productId: Type.Optional(Id),
  groupId: Type.Optional(Id),
  userId: Type.Optional(
    Type.Union([Id, Words(['none'])], { description: 'An end user with those below him; none: the company’s own' }),
  ),
  lifecycle: Type.Optional(Lifecycle),
  link: Type.Optional(Words(LINK_FILTERS)),
  alarmLevel: Type.Optional(Words(ALARM_FILTERS)),
  tag: Type.Optional(Type.String({ maxLength: 32 })),
  within: Type.Optional(Within),
  ...kindFilters,
}

const editable = {
  name: Type.Optional(Name),
  groupId: Type.Optional(Nullable(Id)),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 20 })),
  attributes: Type.Optional(Attributes),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  location: Type.Optional(DeviceView.properties.location),
  offlineDelaySeconds: Type.Optional(Nullable(OfflineDelay)),
}

export const SessionView = Type.Object({
  transport: Type.String(),
  clientId: Type.String(),
  address: Type.String(),
  protocolVersion: Type.String(),
  keepAliveSeconds: Type.Integer(),
  connectedAt: IsoTime,
  subscriptions: Type.Array(Type.Object({ filter: Type.String(), qos: Type.Integer() })),
  bytesIn: Type.Integer(),
  bytesOut: Type.Integer(),
  messagesIn: Type.Integer(),
  messagesOut: Type.Integer(),
})

export const devicesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/devices',
    tag: 'Devices',
    summary: 'Devices of the company; the recycle bin with lifecycle=recycled. Sorts: createdAt, name, lastSeenAt',
    permission: 'device:read',
    query: Type.Object({ ...listQuery, ...deviceFilters }),
    response: listOf(DeviceView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/devices/export',
    tag: 'Devices',
    summary: 'The devices of the filters as a file, at most 100,000; no secrets',
    permission: 'device:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...deviceFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  counts: route({
    method: 'GET',
    path: '/api/v1/devices/counts',
    tag: 'Devices',
    summary: 'How many devices there are by state',
    permission: 'device:read',
    response: Type.Object({
      total: Type.Integer(),
      online: Type.Integer(),
      offline: Type.Integer(),
      never: Type.Integer(),
      disabled: Type.Integer(),
      recycled: Type.Integer(),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/devices',
    tag: 'Devices',
    summary: 'Adds a device; its secret is in this answer only',
    permission: 'device:write',
    audit: 'device.create',
    status: 201,
    body: Type.Object(
      { ...editable, name: Name, productId: Id, deviceNo: Type.Optional(DeviceNo) },
      { additionalProperties: false },
    ),
    response: DeviceWithSecret,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/devices/{id}',
    tag: 'Devices',
    summary: 'One device',
    permission: 'device:read',
    params: IdParams,
    response: DeviceView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/devices/{id}',
    tag: 'Devices',
    summary: 'Changes a device',
    permission: 'device:write',
    audit: 'device.update',
    params: IdParams,
    body: Type.Object({ version: Version, ...editable }, { additionalProperties: false }),
    response: DeviceView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}',
    tag: 'Devices',
    summary: 'Moves a device to the recycle bin; from there, deletes it for good with all its data',
    permission: 'device:delete',
    audit: 'device.remove',
    params: IdParams,
    response: Ok,
  }),
  restore: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/restore',
    tag: 'Devices',
    summary: 'Takes a device out of the recycle bin',
    permission: 'device:delete',
    audit: 'device.restore',
    params: IdParams,
    response: DeviceView,
  }),
  enable: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/enable',
    tag: 'Devices',
    summary: 'Lets a disabled device connect again',
    permission: 'device:write',
    audit: 'device.enable',
    params: IdParams,
    response: DeviceView,
  }),
  disable: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/disable',
    tag: 'Devices',
    summary: 'Ends the session of a device and refuses the next',
    permission: 'device:write',
    audit: 'device.disable',
    params: IdParams,
    response: DeviceView,
  }),
  rotateSecret: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/rotate-secret',
    tag: 'Devices',
    summary: 'A new secret, shown once; the old one works on for the overlap',
    permission: 'device:secret',
    audit: 'device.rotate_secret',
    params: IdParams,
    body: Type.Object(
      { overlapSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86400, default: 86400 })) },
      { additionalProperties: false },
    ),
    response: DeviceWithSecret,
  }),
  session: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/session',
    tag: 'Devices',
    summary: 'The current connection, or null',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({ session: Nullable(SessionView) }),
  }),
  kick: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/kick',
    tag: 'Devices',
    summary: 'Ends the current connection',
    permission: 'device:write',
    audit: 'device.kick',
    params: IdParams,
    response: Ok,
  }),
  access: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/access',
    tag: 'Devices',
    summary: 'Addresses, user name and topics a device connects with (no secret)',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({ ...connectFields, previousSecretUntil: Nullable(IsoTime) }),
  }),
  productAccess: route({
    method: 'GET',
    path: '/api/v1/products/{id}/access',
    tag: 'Products',
    summary: 'Addresses and code with which devices of the product connect; DEVICE_NO stands for the number',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object(connectFields),
  }),
  shadow: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/shadow',
    tag: 'Devices',
    summary: 'Reported and wanted state',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({ reported: JsonObject, desired: JsonObject, version: Type.Integer() }),
  }),
}
