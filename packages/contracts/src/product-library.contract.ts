import { type Static, Type } from 'typebox'
import { Id, IdParams, JsonObject, listQuery, Name, Nullable } from './common.ts'
import { FormatBody } from './format-schemas.ts'
import { FormatSample } from './formats.contract.ts'
import { LinkSettings } from './links.contract.ts'
import { BadValuesRule, LinkType, NodeType, ProductDetail, UnknownKeysRule } from './products.contract.ts'
import { route } from './route.ts'

const Both = Type.Object({ zh: Type.String(), en: Type.String() })

export const LibraryEntry = Type.Object({
  key: Type.String(),
  name: Both,
  description: Both,
  category: Both,
  vendor: Type.String(),
  model: Type.String(),
  keywords: Type.Array(Type.String()),
  linkType: LinkType,
  nodeType: NodeType,
  /** Kind of its data format. */
  format: Type.String(),
  properties: Type.Integer(),
  samples: Type.Integer(),
})
export type LibraryEntry = Static<typeof LibraryEntry>

export const LibraryTemplate = Type.Object({
  ...Type.Omit(LibraryEntry, ['format', 'properties', 'samples']).properties,
  offlineDelaySeconds: Type.Integer(),
  thingModel: JsonObject,
  format: JsonObject,
  link: Type.Optional(JsonObject),
  samples: Type.Array(FormatSample),
})
export type LibraryTemplate = Static<typeof LibraryTemplate>

/** A whole product as a file: what it is, its thing model, how its devices connect, its format with samples. */
export const ProductFile = Type.Object({
  thingwright: Type.Literal('product'),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2, description: '2; files of version 1 have a model only' }),
  ),
  name: Name,
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  category: Type.Optional(Type.String({ maxLength: 64 })),
  icon: Type.Optional(Type.String({ maxLength: 8192 })),
  linkType: LinkType,
  nodeType: Type.Optional(NodeType),
  offlineDelaySeconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 604800 })),
  unknownKeys: Type.Optional(UnknownKeysRule),
  lenientTypes: Type.Optional(Nullable(Type.Boolean())),
  badValues: Type.Optional(BadValuesRule),
  thingModel: JsonObject,
  format: Type.Optional(FormatBody),
  /** Without the port, which belongs to one product alone. */
  link: Type.Optional(Type.Partial(Type.Omit(LinkSettings, ['port']), { additionalProperties: false })),
  samples: Type.Optional(Type.Array(FormatSample, { maxItems: 100 })),
})
export type ProductFile = Static<typeof ProductFile>

const KeyParams = Type.Object({ key: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }) })
const made = {
  name: Type.Optional(Name),
  groupId: Type.Optional(Nullable(Id)),
  draft: Type.Optional(Type.Boolean({ description: 'Not published at once' })),
}

export const productLibraryContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/product-library',
    tag: 'Products',
    summary: 'Ready-made products: thing model, format and sample frames; all that match, best known first',
    permission: 'product:read',
    query: Type.Object({ q: listQuery.q, linkType: Type.Optional(LinkType) }),
    response: Type.Object({ items: Type.Array(LibraryEntry) }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/product-library/{key}',
    tag: 'Products',
    summary: 'One ready-made product with all that would be installed',
    permission: 'product:read',
    params: KeyParams,
    response: LibraryTemplate,
  }),
  install: route({
    method: 'POST',
    path: '/api/v1/product-library/{key}/install',
    tag: 'Products',
    summary: 'Makes a product of the library one of the company’s own, published unless draft is true',
    permission: 'product:write',
    audit: 'product.install',
    status: 201,
    params: KeyParams,
    body: Type.Object(made, { additionalProperties: false }),
    response: ProductDetail,
  }),
  file: route({
    method: 'GET',
    path: '/api/v1/products/{id}/file',
    tag: 'Products',
    summary: 'A product as a file: thing model, link settings, format, samples; no devices, no secrets',
    permission: 'product:read',
    params: IdParams,
    response: ProductFile,
  }),
  importFile: route({
    method: 'POST',
    path: '/api/v1/products/import',
    tag: 'Products',
    summary: 'Makes a product of such a file',
    permission: 'product:write',
    audit: 'product.import',
    status: 201,
    body: Type.Object({ file: ProductFile, ...made }, { additionalProperties: false }),
    response: ProductDetail,
  }),
  copy: route({
    method: 'POST',
    path: '/api/v1/products/{id}/copy',
    tag: 'Products',
    summary: 'The same product once more under another name: thing model, link settings, format, samples; no devices',
    permission: 'product:write',
    audit: 'product.copy',
    status: 201,
    params: IdParams,
    body: Type.Object({ ...made, name: Name }, { additionalProperties: false }),
    response: ProductDetail,
  }),
}
