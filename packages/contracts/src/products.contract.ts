import { type Static, Type } from 'typebox'
import {
  Id,
  IdParams,
  IsoTime,
  Json,
  JsonObject,
  listOf,
  listQuery,
  Name,
  Nullable,
  Ok,
  Version,
  Words,
} from './common.ts'
import { route } from './route.ts'

export const LINK_TYPES = [
  'mqtt',
  'http',
  'tcp',
  'udp',
  'modbus_rtu',
  'modbus_tcp',
  'coap',
  'websocket',
  'lorawan',
  'nbiot',
  'video',
] as const
export const LinkType = Words(LINK_TYPES)
export const NodeType = Words(['device', 'gateway', 'sub_device'])
/** The thing model is checked by packages/thing-model; its shape in the document is the one documented there. */
export const ThingModelBody = Type.Unsafe<{ properties: unknown[]; events?: unknown[]; services?: unknown[] }>({
  type: 'object',
  required: ['properties'],
  additionalProperties: false,
  properties: {
    properties: { type: 'array', maxItems: 500, items: { type: 'object' } },
    events: { type: 'array', maxItems: 100, items: { type: 'object' } },
    services: { type: 'array', maxItems: 100, items: { type: 'object' } },
  },
})

export const ProductView = Type.Object({
  id: Id,
  productKey: Type.String(),
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  icon: Type.String(),
  linkType: LinkType,
  nodeType: NodeType,
  status: Words(['draft', 'published']),
  offlineDelaySeconds: Type.Integer(),
  groupId: Nullable(Id),
  format: JsonObject,
  modelVersion: Type.Integer(),
  /** The draft differs from what devices are checked against. */
  modelChanged: Type.Boolean(),
  deviceCount: Type.Integer(),
  onlineCount: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type ProductView = Static<typeof ProductView>

export const ProductDetail = Type.Object({
  ...ProductView.properties,
  thingModel: JsonObject,
  publishedModel: Nullable(JsonObject),
})
export type ProductDetail = Static<typeof ProductDetail>

const editable = {
  name: Type.Optional(Name),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  category: Type.Optional(Type.String({ maxLength: 64 })),
  icon: Type.Optional(Type.String({ maxLength: 8192 })),
  offlineDelaySeconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 604800 })),
  groupId: Type.Optional(Nullable(Id)),
}

export const productsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/products',
    tag: 'Products',
    summary: 'Products of the company',
    permission: 'product:read',
    query: Type.Object({
      ...listQuery,
      status: Type.Optional(Words(['draft', 'published'])),
      linkType: Type.Optional(LinkType),
      nodeType: Type.Optional(NodeType),
      groupId: Type.Optional(Id),
    }),
    response: listOf(ProductView),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/products',
    tag: 'Products',
    summary: 'Makes a product; published at once unless draft is true',
    permission: 'product:write',
    audit: 'product.create',
    status: 201,
    body: Type.Object(
      {
        ...editable,
        name: Name,
        linkType: LinkType,
        nodeType: Type.Optional(NodeType),
        thingModel: Type.Optional(ThingModelBody),
        draft: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    response: ProductDetail,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/products/{id}',
    tag: 'Products',
    summary: 'One product with its thing model',
    permission: 'product:read',
    params: IdParams,
    response: ProductDetail,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/products/{id}',
    tag: 'Products',
    summary: 'Changes basic data',
    permission: 'product:write',
    audit: 'product.update',
    params: IdParams,
    body: Type.Object({ version: Version, ...editable }, { additionalProperties: false }),
    response: ProductDetail,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/products/{id}',
    tag: 'Products',
    summary: 'Deletes a product that has no devices',
    permission: 'product:delete',
    audit: 'product.remove',
    params: IdParams,
    response: Ok,
  }),
  setThingModel: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/thing-model',
    tag: 'Products',
    summary: 'Replaces the draft of the thing model',
    permission: 'product:write',
    audit: 'product.thing_model',
    params: IdParams,
    body: Type.Object(
      {
        version: Type.Optional(Version),
        properties: Type.Array(JsonObject, { maxItems: 500 }),
        events: Type.Optional(Type.Array(JsonObject, { maxItems: 100 })),
        services: Type.Optional(Type.Array(JsonObject, { maxItems: 100 })),
      },
      { additionalProperties: false },
    ),
    response: ProductDetail,
  }),
  modelDiff: route({
    method: 'GET',
    path: '/api/v1/products/{id}/thing-model/diff',
    tag: 'Products',
    summary: 'What publishing the draft would change, and how many devices it touches',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({
      changes: Type.Array(
        Type.Object({
          kind: Words(['added', 'removed', 'changed']),
          of: Words(['property', 'event', 'service']),
          identifier: Type.String(),
          breaking: Type.Boolean(),
          detail: JsonObject,
        }),
      ),
      deviceCount: Type.Integer(),
    }),
  }),
  publish: route({
    method: 'POST',
    path: '/api/v1/products/{id}/publish',
    tag: 'Products',
    summary: 'Devices are checked against the draft from now on',
    permission: 'product:write',
    audit: 'product.publish',
    params: IdParams,
    response: ProductDetail,
  }),
  unpublish: route({
    method: 'POST',
    path: '/api/v1/products/{id}/unpublish',
    tag: 'Products',
    summary: 'No device of the product may connect',
    permission: 'product:write',
    audit: 'product.unpublish',
    params: IdParams,
    response: ProductDetail,
  }),
  setFormat: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/format',
    tag: 'Products',
    summary: 'How payloads become values',
    permission: 'product:write',
    audit: 'product.format',
    params: IdParams,
    body: Type.Object({ kind: Words(['json']) }, { additionalProperties: false }),
    response: ProductDetail,
  }),
  tryFormat: route({
    method: 'POST',
    path: '/api/v1/products/{id}/format/try',
    tag: 'Products',
    summary: 'Runs one payload through format and thing model without storing anything',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      {
        channel: Words(['property', 'event']),
        identifier: Type.Optional(Type.String({ maxLength: 64 })),
        payload: Type.String({ maxLength: 65536 }),
        draft: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({
      ok: Type.Boolean(),
      rows: Type.Array(Type.Object({ ts: Type.Integer(), quality: Type.String(), values: JsonObject })),
      reason: Nullable(Type.String()),
      path: Nullable(Type.String()),
      detail: Nullable(Json),
    }),
  }),
  refusedFrames: route({
    method: 'GET',
    path: '/api/v1/products/{id}/refused-frames',
    tag: 'Products',
    summary: 'The last 100 refused messages with their bytes',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          deviceId: Nullable(Id),
          deviceNo: Nullable(Type.String()),
          at: IsoTime,
          reason: Type.String(),
          detail: JsonObject,
          hex: Type.String(),
          text: Nullable(Type.String()),
        }),
      ),
    }),
  }),
}
