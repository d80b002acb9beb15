import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, JsonObject, listOf, Nullable, Version, Words } from './common.ts'
import { ProductDetail } from './products.contract.ts'
import { route } from './route.ts'

const FeatureKind = Words(['property', 'event', 'service'])
const Note = Type.String({ maxLength: 500 })

/** One part of a model that differs between two of its states. */
export const ModelChangeView = Type.Object({
  kind: Words(['added', 'removed', 'changed']),
  of: FeatureKind,
  identifier: Type.String(),
  breaking: Type.Boolean(),
  /** {attributes, breaking}: what differs, and why it can hurt. */
  detail: JsonObject,
  before: Type.Optional(JsonObject),
  after: Type.Optional(JsonObject),
})
export type ModelChangeView = Static<typeof ModelChangeView>

export const ModelVersionView = Type.Object({
  /** 1, 2, 3 … of its product. */
  number: Type.Integer(),
  note: Type.String(),
  publishedAt: IsoTime,
  publishedBy: Nullable(Type.String()),
  /** The version this one took up again. */
  restoredFrom: Nullable(Type.Integer()),
  /** Devices are checked against this one. */
  current: Type.Boolean(),
  properties: Type.Integer(),
  events: Type.Integer(),
  services: Type.Integer(),
})
export type ModelVersionView = Static<typeof ModelVersionView>

/** Something that relies on a part of the model which is about to change. */
export const FeatureUse = Type.Object({
  /** `overlay`, `format`, `command_template` … */
  kind: Type.String(),
  of: FeatureKind,
  identifier: Type.String(),
  count: Type.Integer(),
  /** At most five of them. */
  examples: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
})
export type FeatureUse = Static<typeof FeatureUse>

export const ModelImpact = Type.Object({
  changes: Type.Array(ModelChangeView),
  breaking: Type.Boolean(),
  deviceCount: Type.Integer(),
  onlineCount: Type.Integer(),
  uses: Type.Array(FeatureUse),
})
export type ModelImpact = Static<typeof ModelImpact>

/** A number, or the word of a state that has none. */
const State = Type.String({
  pattern: '^(draft|published|[1-9][0-9]{0,8})$',
  description: 'draft, published or a number',
})
const NumberParams = Type.Object({ id: Id, number: Type.Integer({ minimum: 1 }) })

export const ImportProblem = Type.Object({
  /** Line of the sheet, the head is 1; null: not of a sheet. */
  row: Nullable(Type.Integer()),
  /** Column of the sheet, or path in the document. */
  path: Type.String(),
  code: Type.String(),
  params: JsonObject,
  message: Type.String(),
})
export type ImportProblem = Static<typeof ImportProblem>

export const ImportPreview = Type.Object({
  /** What was read; rows with a problem are not in it. */
  model: JsonObject,
  /** The draft with it taken in. */
  merged: JsonObject,
  /** From the draft to `merged`. */
  changes: Type.Array(ModelChangeView),
  problems: Type.Array(ImportProblem),
  /** What the document says and our model has no place for. */
  dropped: Type.Array(Type.Object({ path: Type.String(), field: Type.String(), became: Type.Optional(Type.String()) })),
})
export type ImportPreview = Static<typeof ImportPreview>

export const DeviceModelView = Type.Object({
  /** Of the product, as devices are checked against it. */
  modelVersion: Type.Integer(),
  /** The device's own model: the product's with the changes over it. */
  model: JsonObject,
  /** {changed: {identifier: {field: value}}, added: [property …]} */
  overlay: JsonObject,
  /** Number of properties that are changed or the device's own. */
  localChanges: Type.Integer(),
  version: Type.Integer(),
})
export type DeviceModelView = Static<typeof DeviceModelView>

export const thingModelsContract = {
  versions: route({
    method: 'GET',
    path: '/api/v1/products/{id}/model-versions',
    tag: 'Thing models',
    summary: 'Published versions of the thing model, newest first',
    permission: 'product:read',
    params: IdParams,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      cursor: Type.Optional(Type.String({ maxLength: 128 })),
    }),
    response: listOf(ModelVersionView),
  }),
  version: route({
    method: 'GET',
    path: '/api/v1/products/{id}/model-versions/{number}',
    tag: 'Thing models',
    summary: 'One published version with its model',
    permission: 'product:read',
    params: NumberParams,
    response: Type.Object({ ...ModelVersionView.properties, model: JsonObject }),
  }),
  publish: route({
    method: 'POST',
    path: '/api/v1/products/{id}/model-versions',
    tag: 'Thing models',
    summary: 'Publishes the draft as the next version, with a note',
    permission: 'product:write',
    audit: 'product.publish',
    params: IdParams,
    body: Type.Object({ note: Type.Optional(Note), version: Type.Optional(Version) }, { additionalProperties: false }),
    response: ProductDetail,
  }),
  rollBack: route({
    method: 'POST',
    path: '/api/v1/products/{id}/model-versions/{number}/restore',
    tag: 'Thing models',
    summary: 'Publishes an earlier version again, as the next number; a draft with changes of its own stays',
    permission: 'product:write',
    audit: 'product.model_restore',
    params: NumberParams,
    body: Type.Object({ note: Type.Optional(Note), version: Type.Optional(Version) }, { additionalProperties: false }),
    response: ProductDetail,
  }),
  compare: route({
    method: 'GET',
    path: '/api/v1/products/{id}/model-versions/compare',
    tag: 'Thing models',
    summary: 'What leads from one state of the model to another',
    permission: 'product:read',
    params: IdParams,
    query: Type.Object({ from: State, to: State }),
    response: Type.Object({ changes: Type.Array(ModelChangeView) }),
  }),
  impact: route({
    method: 'GET',
    path: '/api/v1/products/{id}/thing-model/impact',
    tag: 'Thing models',
    summary:
      'What publishing the draft (or restoring a version) would change, for how many devices, and what relies on it',
    permission: 'product:read',
    params: IdParams,
    query: Type.Object({ to: Type.Optional(State) }),
    response: ModelImpact,
  }),
  previewImport: route({
    method: 'POST',
    path: '/api/v1/products/{id}/thing-model/import',
    tag: 'Thing models',
    summary: 'Reads a model from a document, a sheet or another product and shows what it would change; stores nothing',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      {
        source: Words(['json', 'tsl', 'xlsx', 'product']),
        mode: Words(['merge', 'replace']),
        text: Type.Optional(Type.String({ maxLength: 1_000_000, description: 'Of json and tsl' })),
        content: Type.Optional(Type.String({ maxLength: 1_000_000, description: 'Of xlsx: base64' })),
        productId: Type.Optional(Id),
      },
      { additionalProperties: false },
    ),
    response: ImportPreview,
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/products/{id}/thing-model/export',
    tag: 'Thing models',
    summary: 'The model as a file; template: an empty sheet with two examples',
    permission: 'product:read',
    params: IdParams,
    query: Type.Object({ format: Words(['json', 'tsl', 'xlsx', 'template']), of: Type.Optional(State) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  deviceModel: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/thing-model',
    tag: 'Thing models',
    summary: 'The thing model in force for a device, and what in it is its own',
    permission: 'device:read',
    params: IdParams,
    response: DeviceModelView,
  }),
  setDeviceModel: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/thing-model',
    tag: 'Thing models',
    summary: 'Replaces what the device has otherwise than its product',
    permission: 'device:write',
    audit: 'device.thing_model',
    params: IdParams,
    body: Type.Object(
      {
        version: Type.Optional(Version),
        changed: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), JsonObject, { maxProperties: 500 })),
        added: Type.Optional(Type.Array(JsonObject, { maxItems: 500 })),
      },
      { additionalProperties: false },
    ),
    response: DeviceModelView,
  }),
  resetDeviceModel: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}/thing-model',
    tag: 'Thing models',
    summary: 'The device has its product’s model again, without changes of its own',
    permission: 'device:write',
    audit: 'device.thing_model',
    params: IdParams,
    response: DeviceModelView,
  }),
}
