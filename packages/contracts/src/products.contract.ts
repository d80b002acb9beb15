import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { NODE_TYPES, UNKNOWN_KEYS } from './products.words.ts'
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
export const NodeType = Words(NODE_TYPES)
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

/** What becomes of a message with keys that the model does not know. */
export const UnknownKeysRule = Words(UNKNOWN_KEYS, {
  description: 'refuse: the message is refused; ignore: its known values are taken; collect: and the others listed',
})

/** What becomes of a message in which a value cannot be taken. */
export const BadValuesRule = Words(['drop', 'refuse'], {
  description: 'drop: the value is left out and listed, the others are taken; refuse: the message is refused',
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
  unknownKeys: UnknownKeysRule,
  /** Null: taken where its devices may run firmware of other platforms. */
  lenientTypes: Nullable(Type.Boolean()),
  badValues: BadValuesRule,
  modelVersion: Type.Integer(),
  /** The draft differs from what devices are checked against. */
  modelChanged: Type.Boolean(),
  deviceCount: Type.Integer(),
  onlineCount: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
  deletedAt: Nullable(IsoTime),
})
export type ProductView = Static<typeof ProductView>

export const ProductDetail = Type.Object({
  ...ProductView.properties,
  thingModel: JsonObject,
  publishedModel: Nullable(JsonObject),
})
export type ProductDetail = Static<typeof ProductDetail>

/** A published product as far as somebody who adds devices must know it. */
export const ProductChoice = Type.Object({
  id: Id,
  name: Type.String(),
  productKey: Type.String(),
  linkType: LinkType,
  icon: Type.String(),
})
export type ProductChoice = Static<typeof ProductChoice>

const editable = {
  name: Type.Optional(Name),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  category: Type.Optional(Type.String({ maxLength: 64 })),
  icon: Type.Optional(Type.String({ maxLength: 8192 })),
  offlineDelaySeconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 604800 })),
  groupId: Type.Optional(Nullable(Id)),
  unknownKeys: Type.Optional(UnknownKeysRule),
  lenientTypes: Type.Optional(Nullable(Type.Boolean())),
  badValues: Type.Optional(BadValuesRule),
}

const productFilters = {
  category: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  recycled: Type.Optional(Words(['1'], { description: 'Those of the recycle bin instead' })),
  status: Type.Optional(Words(['draft', 'published'])),
  linkType: Type.Optional(LinkType),
  nodeType: Type.Optional(NodeType),
  groupId: Type.Optional(Id),
}

export const productsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/products',
    tag: 'Products',
    summary: 'Products of the company',
    permission: 'product:read',
    query: Type.Object({ ...listQuery, ...productFilters }),
    response: listOf(ProductView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/products/export',
    tag: 'Products',
    summary: 'The products of the filters as a file, at most 100,000',
    permission: 'product:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...productFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  catalogue: route({
    method: 'GET',
    path: '/api/v1/products/catalogue',
    tag: 'Products',
    summary:
      'Published products of the company that devices may be made of, by name, whatever the data scope; at most 50',
    permission: 'device:write',
    query: Type.Object({ q: listQuery.q }),
    response: Type.Object({ items: Type.Array(ProductChoice) }),
  }),
  categories: route({
    method: 'GET',
    path: '/api/v1/products/categories',
    tag: 'Products',
    summary: 'Categories that products of the company have, by name, whatever the data scope; at most 200',
    permission: 'product:read',
    response: Type.Object({ items: Type.Array(Type.String()) }),
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
    summary: 'Moves a product that has no devices to the recycle bin',
    permission: 'product:delete',
    audit: 'product.remove',
    params: IdParams,
    response: Ok,
  }),
  restore: route({
    method: 'POST',
    path: '/api/v1/products/{id}/restore',
    tag: 'Products',
    summary: 'Takes a product out of the recycle bin, not published',
    permission: 'product:delete',
    audit: 'product.restore',
    params: IdParams,
    response: ProductDetail,
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
}
