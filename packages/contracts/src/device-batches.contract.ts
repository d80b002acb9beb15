import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listQuery, Nullable, Words } from './common.ts'
import { deviceFilters, OfflineDelay, Tag } from './devices.contract.ts'
import { route } from './route.ts'

/** Devices that one batch may hold. */
export const BATCH_MAX_DEVICES = 100_000

export const BATCH_ACTIONS = [
  'enable',
  'disable',
  'recycle',
  'restore',
  'purge',
  'move',
  'tags',
  'offlineDelay',
  'product',
] as const
export type BatchAction = (typeof BATCH_ACTIONS)[number]

const strict = { additionalProperties: false } as const
const Tags = Type.Array(Tag, { maxItems: 20, uniqueItems: true })

/** What is done with each device. */
export const DeviceChange = Type.Union([
  Type.Object({ action: Words(['enable', 'disable', 'recycle', 'restore', 'purge']) }, strict),
  Type.Object({ action: Words(['move']), groupId: Nullable(Id) }, strict),
  Type.Object({ action: Words(['tags']), add: Tags, remove: Tags }, strict),
  Type.Object({ action: Words(['offlineDelay']), seconds: Nullable(OfflineDelay) }, strict),
  Type.Object(
    {
      action: Words(['product']),
      productId: Id,
      acceptLoss: Type.Boolean({ description: 'Properties that the new product does not have may vanish from sight' }),
    },
    strict,
  ),
])
export type DeviceChange = Static<typeof DeviceChange>

/** Chosen devices, or all that a list's filters show when the batch is made. */
export const BatchTarget = Type.Union([
  Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 10_000 }) }, strict),
  Type.Object({ filter: Type.Object({ q: listQuery.q, ...deviceFilters }, strict) }, strict),
])
export type BatchTarget = Static<typeof BatchTarget>

export const ProductMapping = Type.Object({
  /** Properties that both products have alike: latest values and history go on. */
  kept: Type.Array(Type.String()),
  /** Properties that the new product lacks or has otherwise, of any of the devices' products. */
  lost: Type.Array(Type.Object({ identifier: Type.String(), reason: Words(['missing', 'type']) })),
  /** Properties that only the new product has. */
  added: Type.Array(Type.String()),
  /** Devices whose number the new product has already; they stay where they are. */
  numbersTaken: Type.Integer(),
})
export type ProductMapping = Static<typeof ProductMapping>

export const BatchView = Type.Object({
  id: Id,
  action: Words(BATCH_ACTIONS),
  taskId: Nullable(Id),
  total: Type.Integer(),
  done: Type.Integer(),
  failed: Type.Integer(),
  retryOf: Nullable(Id),
  createdAt: IsoTime,
})
export type BatchView = Static<typeof BatchView>

const Started = Type.Object({ id: Id, taskId: Id, count: Type.Integer() })

export const deviceBatchesContract = {
  preview: route({
    method: 'POST',
    path: '/api/v1/device-batches/preview',
    tag: 'Devices',
    summary: 'How many devices a batch would touch, and what a change of product would lose; changes nothing',
    permission: 'device:write',
    audit: { none: 'changes nothing' },
    body: Type.Object({ target: BatchTarget, productId: Type.Optional(Id) }, strict),
    response: Type.Object({ count: Type.Integer(), mapping: Nullable(ProductMapping) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/device-batches',
    tag: 'Devices',
    summary:
      'Changes up to 100,000 devices as a task with progress; recycle, restore and purge need device:delete, purge a fresh proof',
    permission: 'device:write',
    audit: 'device.batch',
    status: 202,
    body: Type.Object(
      {
        target: BatchTarget,
        change: DeviceChange,
        expected: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Devices the caller saw; refused when there are others by now' }),
        ),
      },
      strict,
    ),
    response: Started,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/device-batches/{id}',
    tag: 'Devices',
    summary: 'How far a batch of one’s own is',
    permission: 'device:write',
    params: IdParams,
    response: BatchView,
  }),
  retry: route({
    method: 'POST',
    path: '/api/v1/device-batches/{id}/retry',
    tag: 'Devices',
    summary: 'The same once more for the devices with which it failed',
    permission: 'device:write',
    audit: 'device.batch',
    status: 202,
    params: IdParams,
    response: Started,
  }),
}
