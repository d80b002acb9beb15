import { type Static, Type } from 'typebox'
import { Empty, Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { FIRMWARE_KINDS, FIRMWARE_MAX_BYTES, FIRMWARE_STATES, FirmwareVersion, ModuleName } from './firmware-schemas.ts'
import { FirmwareStep } from './firmware-views.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }
const base = '/api/v1/firmware-packages'

const Notes = Type.String({ maxLength: 200 })
const OrderNo = Type.Integer({
  minimum: 1,
  maximum: 99_999,
  description: 'Which is newer: once per product and module',
})
/** Own keys and values, handed to the device with the notice. */
const Ext = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$' }), Type.String({ maxLength: 200 }), {
  maxProperties: 20,
})

export const FirmwarePackageView = Type.Object({
  id: Id,
  productId: Id,
  productName: Type.String(),
  productKey: Type.String(),
  name: Type.String(),
  module: Type.String(),
  kind: Words(FIRMWARE_KINDS),
  version: Type.String(),
  fromVersion: Nullable(Type.String({ description: 'Of a delta: the version it starts from' })),
  orderNo: Type.Integer(),
  fileName: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  sha256: Type.String({ description: 'Hexadecimal' }),
  signature: Nullable(Type.String({ description: 'Ed25519 over the manifest (firmware-manifest.ts), base64' })),
  keyId: Nullable(Id),
  keyName: Nullable(Type.String({ description: 'The key of the product that the signature fits' })),
  notes: Type.String(),
  ext: Type.Record(Type.String(), Type.String()),
  state: Words(FIRMWARE_STATES),
  stateNote: Type.String({ description: 'What was said about the verification' }),
  campaigns: Type.Integer(),
  devices: Type.Integer({ description: 'Devices that report this version' }),
  createdBy: Type.String(),
  revision: Type.Integer({ description: 'Counts the changes' }),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type FirmwarePackageView = Static<typeof FirmwarePackageView>

export const FirmwarePath = Type.Object({
  fromVersion: Nullable(Type.String({ description: 'null: not known' })),
  toVersion: Type.String(),
  steps: Type.Array(FirmwareStep, { description: 'One after the other; empty: no way, or already there' }),
  totalBytes: Type.Integer(),
})
export type FirmwarePath = Static<typeof FirmwarePath>

export const FirmwareKeyView = Type.Object({
  id: Id,
  name: Type.String(),
  publicKey: Type.String({ description: 'Ed25519, 32 bytes as base64' }),
  createdBy: Type.String(),
  createdAt: IsoTime,
  packages: Type.Integer({ description: 'Packages that it signed' }),
})
export type FirmwareKeyView = Static<typeof FirmwareKeyView>

export const FirmwareSettingsView = Type.Object({
  productId: Id,
  requireSignature: Type.Boolean({ description: 'Packages without a fitting signature are refused' }),
  requireVerified: Type.Boolean({ description: 'Only packages that were verified on test devices are rolled out' }),
  magicHex: Nullable(Type.String({ description: 'Every full package begins with these bytes' })),
  keys: Type.Array(FirmwareKeyView),
})
export type FirmwareSettingsView = Static<typeof FirmwareSettingsView>

export const FirmwareVersionCount = Type.Object({
  productId: Id,
  productName: Type.String(),
  module: Type.String(),
  version: Nullable(Type.String({ description: 'null: devices that never said one' })),
  packageId: Nullable(Id),
  orderNo: Nullable(Type.Integer()),
  devices: Type.Integer(),
  online: Type.Integer(),
})
export type FirmwareVersionCount = Static<typeof FirmwareVersionCount>

const filters = {
  productId: Type.Optional(Id),
  module: Type.Optional(ModuleName),
  kind: Type.Optional(Words(FIRMWARE_KINDS)),
  state: Type.Optional(Words(FIRMWARE_STATES)),
}

export const firmwareContract = {
  list: route({
    method: 'GET',
    path: base,
    tag: 'Firmware',
    summary: 'Firmware packages; sorts: createdAt, orderNo',
    permission: 'firmware:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(FirmwarePackageView),
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag: 'Firmware',
    summary: 'A firmware package',
    permission: 'firmware:read',
    params: IdParams,
    response: FirmwarePackageView,
  }),
  upload: route({
    method: 'POST',
    path: base,
    tag: 'Firmware',
    summary:
      'Adds a package: the fields first, then the file. Hash and signature are checked while it arrives; ext is JSON text in a form',
    permission: 'firmware:write',
    audit: 'firmware.create',
    status: 201,
    body: Type.Object(
      {
        productId: Id,
        name: Name,
        module: Type.Optional(ModuleName),
        kind: Type.Optional(Words(FIRMWARE_KINDS)),
        version: FirmwareVersion,
        fromVersion: Type.Optional(FirmwareVersion),
        orderNo: OrderNo,
        sha256: Type.Optional(
          Type.String({
            pattern: '^[0-9A-Fa-f]{64}$',
            description: 'What the sender believes: another one is refused',
          }),
        ),
        signature: Type.Optional(
          Type.String({
            minLength: 86,
            maxLength: 88,
            description: 'Ed25519 over the manifest (firmware-manifest.ts), base64',
          }),
        ),
        notes: Type.Optional(Notes),
        ext: Type.Optional(Type.String({ maxLength: 8192, description: 'JSON object of texts' })),
      },
      closed,
    ),
    upload: { maxBytes: FIRMWARE_MAX_BYTES },
    response: FirmwarePackageView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag: 'Firmware',
    summary: 'Changes name, notes or own keys and values; the bytes never change',
    permission: 'firmware:write',
    audit: 'firmware.update',
    params: IdParams,
    body: Type.Object(
      {
        revision: Version,
        name: Type.Optional(Name),
        notes: Type.Optional(Notes),
        ext: Type.Optional(Ext),
      },
      closed,
    ),
    response: FirmwarePackageView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag: 'Firmware',
    summary: 'Removes a package that no campaign has',
    permission: 'firmware:write',
    audit: 'firmware.remove',
    params: IdParams,
    response: Ok,
  }),
  disable: route({
    method: 'POST',
    path: `${base}/{id}/disable`,
    tag: 'Firmware',
    summary: 'No new device is told of it; campaigns with it stop telling',
    permission: 'firmware:write',
    audit: 'firmware.disable',
    params: IdParams,
    response: FirmwarePackageView,
  }),
  enable: route({
    method: 'POST',
    path: `${base}/{id}/enable`,
    tag: 'Firmware',
    summary: 'Makes a disabled package usable again, as unverified',
    permission: 'firmware:write',
    audit: 'firmware.enable',
    params: IdParams,
    response: FirmwarePackageView,
  }),
  verify: route({
    method: 'POST',
    path: `${base}/{id}/verification`,
    tag: 'Firmware',
    summary: 'Tries it on test devices: verified when each of them reports the version, failed when one does not',
    permission: 'firmware:deploy',
    audit: 'firmware.verify',
    params: IdParams,
    status: 201,
    body: Type.Object({ deviceIds: Type.Array(Id, { minItems: 1, maxItems: 20 }) }, closed),
    response: FirmwarePackageView,
  }),
  conclude: route({
    method: 'POST',
    path: `${base}/{id}/verdict`,
    tag: 'Firmware',
    summary: 'A person says whether it is good, with a reason',
    permission: 'firmware:deploy',
    audit: 'firmware.conclude',
    params: IdParams,
    body: Type.Object({ passed: Type.Boolean(), note: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
    response: FirmwarePackageView,
  }),
  file: route({
    method: 'GET',
    path: `${base}/{id}/file`,
    tag: 'Firmware',
    summary: 'The bytes of a package',
    permission: 'firmware:read',
    params: IdParams,
    response: Empty,
    produces: 'application/octet-stream',
  }),
  path: route({
    method: 'GET',
    path: `${base}/{id}/path`,
    tag: 'Firmware',
    summary: 'How a device gets from a version to this one: the fewest bytes over deltas, else the full package',
    permission: 'firmware:read',
    params: IdParams,
    query: Type.Object({ fromVersion: Type.Optional(FirmwareVersion) }),
    response: FirmwarePath,
  }),
  settings: route({
    method: 'GET',
    path: '/api/v1/products/{id}/firmware-settings',
    tag: 'Firmware',
    summary: 'Public keys of a product, and what its packages must fulfil',
    permission: 'firmware:read',
    params: IdParams,
    response: FirmwareSettingsView,
  }),
  setSettings: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/firmware-settings',
    tag: 'Firmware',
    summary: 'What packages of a product must fulfil; asks for a fresh proof of who it is',
    permission: 'firmware:write',
    audit: 'firmware_settings.update',
    params: IdParams,
    body: Type.Object(
      {
        requireSignature: Type.Boolean(),
        requireVerified: Type.Boolean(),
        magicHex: Type.Optional(Nullable(Type.String({ pattern: '^([0-9A-Fa-f]{2}){1,16}$' }))),
      },
      closed,
    ),
    response: FirmwareSettingsView,
  }),
  addKey: route({
    method: 'POST',
    path: '/api/v1/products/{id}/firmware-keys',
    tag: 'Firmware',
    summary: 'Adds a public key (at most 5); asks for a fresh proof of who it is',
    permission: 'firmware:write',
    audit: 'firmware_key.create',
    params: IdParams,
    status: 201,
    body: Type.Object(
      {
        name: Name,
        publicKey: Type.String({ minLength: 43, maxLength: 400, description: 'Base64 of 32 bytes, or PEM (SPKI)' }),
      },
      closed,
    ),
    response: FirmwareKeyView,
  }),
  removeKey: route({
    method: 'DELETE',
    path: '/api/v1/products/{id}/firmware-keys/{keyId}',
    tag: 'Firmware',
    summary: 'Removes a public key; packages keep their signatures. Asks for a fresh proof of who it is',
    permission: 'firmware:write',
    audit: 'firmware_key.remove',
    params: Type.Object({ id: Id, keyId: Id }),
    response: Ok,
  }),
  versions: route({
    method: 'GET',
    path: '/api/v1/firmware-versions',
    tag: 'Firmware',
    summary: 'How many devices run which version: the matrix of product, module and version',
    permission: 'firmware:read',
    query: Type.Object({ productId: Type.Optional(Id), module: Type.Optional(ModuleName) }),
    response: Type.Object({ items: Type.Array(FirmwareVersionCount) }),
  }),
}
