import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Json, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { CONNECTION_STATES } from './sim-cards.words.ts'
import { CALLBACK_REFUSALS, MIRROR_STATES, ONENET_AUTHS, TELECOM_PLATFORMS } from './telecom.words.ts'

const strict = { additionalProperties: false } as const
const tag = 'Telecom keys'
const Secret = Type.String({ minLength: 1, maxLength: 200 })
const Remark = Type.String({ maxLength: 200 })
const Address = Type.String({ maxLength: 300, format: 'uri' })
const Account = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'appKey, or the id of a OneNET user or product',
})
const AllowList = Type.Array(
  Type.String({ minLength: 2, maxLength: 50, description: 'Address or network, 10.1.0.0/16' }),
  {
    maxItems: 50,
    uniqueItems: true,
  },
)
const PlatformProduct = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })
const AesKey = Type.String({ minLength: 16, maxLength: 16, description: 'Of OneNET’s safe mode' })

const settings = {
  remark: Type.Optional(Remark),
  baseUrl: Type.Optional(Address),
  /** OneNET: whether `account` is a user or a product. */
  auth: Type.Optional(Words(ONENET_AUTHS)),
  /** appSecret of CTWing, access key of OneNET. */
  appSecret: Type.Optional(Secret),
  /** Of OneNET's push; empty: none. */
  token: Type.Optional(Type.String({ maxLength: 200 })),
  aesKey: Type.Optional(Type.Union([AesKey, Type.Literal('')])),
  /** A product of the platform that is asked for when the key is verified and no product uses it yet. */
  verifyProduct: Type.Optional(Nullable(PlatformProduct)),
  /** Where callbacks may come from; empty: from anywhere. */
  allow: Type.Optional(AllowList),
}

export const TelecomKeyView = Type.Object({
  id: Id,
  name: Type.String(),
  platform: Words(TELECOM_PLATFORMS),
  remark: Type.String(),
  baseUrl: Type.String(),
  account: Type.String(),
  auth: Words(ONENET_AUTHS),
  /** Its first and last letters. */
  secretHint: Type.String(),
  hasToken: Type.Boolean(),
  hasAesKey: Type.Boolean(),
  verifyProduct: Nullable(Type.String()),
  allow: Type.Array(Type.String()),
  /** The simulated platform of the demo company. */
  simulated: Type.Boolean(),
  state: Words(CONNECTION_STATES),
  /** The platform's own words of the last request that failed. */
  fault: Nullable(Type.Object({ kind: Type.String(), code: Type.String(), text: Type.String() })),
  verifiedAt: Nullable(IsoTime),
  /** Where the platform shall push to; null for who may not change the key. */
  callbackUrl: Nullable(Type.String()),
  lastCallbackAt: Nullable(IsoTime),
  products: Type.Array(Type.Object({ id: Id, name: Type.String(), platformProduct: Type.String() })),
  devices: Type.Integer(),
  refused: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type TelecomKeyView = Static<typeof TelecomKeyView>

export const RefusedCallbackView = Type.Object({
  id: Id,
  reason: Words(CALLBACK_REFUSALS),
  /** What exactly: the refusal of the message, the unknown device … */
  detail: Type.String(),
  source: Type.String(),
  /** The beginning of what was sent. */
  excerpt: Type.String(),
  count: Type.Integer(),
  firstAt: IsoTime,
  lastAt: IsoTime,
})
export type RefusedCallbackView = Static<typeof RefusedCallbackView>

export const TelecomProductView = Type.Object({
  keyId: Id,
  keyName: Type.String(),
  platform: Words(TELECOM_PLATFORMS),
  keyState: Words(CONNECTION_STATES),
  simulated: Type.Boolean(),
  platformProduct: Type.String(),
  /** Master-APIkey, masked; null: none. */
  masterKeyHint: Nullable(Type.String()),
  devices: Type.Object({ mirrored: Type.Integer(), failed: Type.Integer(), waiting: Type.Integer() }),
  version: Type.Integer(),
})
export type TelecomProductView = Static<typeof TelecomProductView>

export const TelecomDeviceView = Type.Object({
  imei: Nullable(Type.String()),
  imsi: Nullable(Type.String()),
  sn: Nullable(Type.String()),
  hasPsk: Type.Boolean(),
  platform: Nullable(Words(TELECOM_PLATFORMS)),
  keyName: Nullable(Type.String()),
  platformDevice: Nullable(Type.String()),
  mirror: Words(MIRROR_STATES),
  /** The platform's own words, why it is not there. */
  mirrorFault: Nullable(Type.String()),
  lastMessageAt: Nullable(IsoTime),
  version: Type.Integer(),
})
export type TelecomDeviceView = Static<typeof TelecomDeviceView>

const filters = {
  platform: Type.Optional(Words(TELECOM_PLATFORMS)),
  state: Type.Optional(Words(CONNECTION_STATES)),
}

export const telecomContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/telecom-keys',
    tag,
    summary: 'Keys of NB-IoT platforms, the newest first; q: a part of a name, an account or a remark',
    permission: 'telecom-key:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(TelecomKeyView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/telecom-keys/export',
    tag,
    summary: 'The same as a file, without secrets',
    permission: 'telecom-key:read',
    wholeCompany: true,
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/telecom-keys',
    tag,
    summary: 'Adds a key of CTWing AEP or OneNET; its secrets are sealed',
    permission: 'telecom-key:write',
    audit: 'telecom_key.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object({ name: Name, platform: Words(TELECOM_PLATFORMS), account: Account, ...settings }, strict),
    example: {
      body: {
        name: 'Meters of the north',
        platform: 'ctwing',
        baseUrl: 'https://platform.invalid',
        account: 'an-app-key',
        appSecret: 'an-example',
      },
    },
    response: TelecomKeyView,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/telecom-keys/{id}',
    tag,
    summary: 'One key',
    permission: 'telecom-key:read',
    wholeCompany: true,
    params: IdParams,
    response: TelecomKeyView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/telecom-keys/{id}',
    tag,
    summary: 'Changes a key; secrets that are not given stay',
    permission: 'telecom-key:write',
    audit: 'telecom_key.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        account: Type.Optional(Account),
        disabled: Type.Optional(Type.Boolean()),
        ...settings,
      },
      strict,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', remark: 'Yard' } },
    response: TelecomKeyView,
  }),
  verify: route({
    method: 'POST',
    path: '/api/v1/telecom-keys/{id}/verify',
    tag,
    summary: 'Makes a signed call that changes nothing, and keeps what the platform said',
    permission: 'telecom-key:write',
    audit: 'telecom_key.verify',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: TelecomKeyView,
  }),
  rotateSecret: route({
    method: 'POST',
    path: '/api/v1/telecom-keys/{id}/rotate-secret',
    tag,
    summary: 'Takes the secret that the platform gave in place of the one before; kept only if the platform takes it',
    permission: 'telecom-key:write',
    audit: 'telecom_key.rotate_secret',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ appSecret: Secret }, strict),
    response: TelecomKeyView,
  }),
  renewAddress: route({
    method: 'POST',
    path: '/api/v1/telecom-keys/{id}/renew-address',
    tag,
    summary: 'Gives the key another callback address; the one before is refused from now on',
    permission: 'telecom-key:write',
    audit: 'telecom_key.renew_address',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: TelecomKeyView,
  }),
  refused: route({
    method: 'GET',
    path: '/api/v1/telecom-keys/{id}/refused-callbacks',
    tag,
    summary: 'What came to the address of a key and was not taken, the newest first',
    permission: 'telecom-key:read',
    wholeCompany: true,
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(RefusedCallbackView),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/telecom-keys/{id}',
    tag,
    summary: 'Removes a key that no product uses any longer',
    permission: 'telecom-key:write',
    audit: 'telecom_key.remove',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
  product: route({
    method: 'GET',
    path: '/api/v1/products/{id}/telecom',
    tag,
    summary: 'The platform behind an NB-IoT product; null: none yet',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ link: Nullable(TelecomProductView) }),
  }),
  setProduct: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/telecom',
    tag,
    summary: 'Says which product of which platform this one is',
    permission: 'telecom-key:write',
    audit: 'telecom_product.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object(
      {
        keyId: Id,
        platformProduct: PlatformProduct,
        /** Of CTWing. Not given: it stays. */
        masterKey: Type.Optional(Secret),
        version: Type.Optional(Version),
      },
      strict,
    ),
    response: Type.Object({ link: Nullable(TelecomProductView) }),
  }),
  clearProduct: route({
    method: 'DELETE',
    path: '/api/v1/products/{id}/telecom',
    tag,
    summary: 'Takes a product from its platform; what the platform keeps of its devices stays there',
    permission: 'telecom-key:write',
    audit: 'telecom_product.remove',
    wholeCompany: true,
    params: IdParams,
    response: Ok,
  }),
  device: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/telecom',
    tag,
    summary: 'The numbers of an NB-IoT device and how it stands at its platform',
    permission: 'device:read',
    params: IdParams,
    response: TelecomDeviceView,
  }),
  setDevice: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/telecom',
    tag,
    summary: 'Sets the numbers of an NB-IoT device; with an IMEI it is made at its platform, if it is not there',
    permission: 'device:write',
    audit: 'telecom_device.update',
    params: IdParams,
    body: Type.Object(
      {
        imei: Nullable(Type.String({ pattern: '^[0-9]{15}$' })),
        imsi: Nullable(Type.String({ pattern: '^[0-9]{15}$' })),
        sn: Nullable(Type.String({ minLength: 1, maxLength: 64 })),
        /** Null: none; not given: it stays. */
        psk: Type.Optional(Nullable(Type.String({ pattern: '^[\\x21-\\x7e]{8,16}$' }))),
        version: Type.Optional(Version),
      },
      strict,
    ),
    response: TelecomDeviceView,
  }),
  registerDevice: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/telecom/register',
    tag,
    summary: 'Makes the device at its platform once more, when that failed',
    permission: 'device:write',
    audit: 'telecom_device.register',
    params: IdParams,
    response: TelecomDeviceView,
  }),
  unregisterDevice: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}/telecom/register',
    tag,
    summary: 'Deletes the device at its platform, with what the platform keeps of it',
    permission: 'device:write',
    audit: 'telecom_device.remove',
    params: IdParams,
    response: TelecomDeviceView,
  }),
}

const Push = Type.Object({ connection: Type.String({ minLength: 1, maxLength: 100 }) })
export const telecomCallbacksContract = {
  ctwing: route({
    method: 'POST',
    path: '/callbacks/ctwing/{connection}',
    tag,
    summary: 'For CTWing AEP: reports, replies and presence of devices; repeated messages change nothing',
    permission: 'public',
    audit: { none: 'a platform reports, nobody acts' },
    params: Push,
    body: Type.Unknown(),
    response: Json,
  }),
  onenet: route({
    method: 'POST',
    path: '/callbacks/onenet/{connection}',
    tag,
    summary: 'For OneNET: signed messages of devices, in the clear or encrypted',
    permission: 'public',
    audit: { none: 'a platform reports, nobody acts' },
    params: Push,
    body: Type.Unknown(),
    response: Json,
  }),
  onenetCheck: route({
    method: 'GET',
    path: '/callbacks/onenet/{connection}',
    tag,
    summary: 'For OneNET: shows that the address knows the token, by answering the message it was sent',
    permission: 'public',
    params: Push,
    query: Type.Object({
      msg: Type.String({ maxLength: 1_000 }),
      nonce: Type.String({ maxLength: 100 }),
      signature: Type.String({ maxLength: 200 }),
    }),
    response: Type.String(),
    produces: 'text/plain',
  }),
}
