import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Words } from './common.ts'
import { CHAIN_STEPS, REGISTRATION_MODES } from './device-identity.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const

// ───────────── topic rights, limits ─────────────

/** A topic below the device's own prefix; `+` and `#` as in MQTT, `#` only at the end. */
const TopicPattern = Type.String({ minLength: 1, maxLength: 128, pattern: '^([^#+/]+|\\+)(/([^#+/]+|\\+))*(/#)?$|^#$' })
const TopicPatterns = Type.Array(TopicPattern, { maxItems: 20, uniqueItems: true })

export const TopicList = Type.Object(
  { allow: TopicPatterns, deny: TopicPatterns },
  { ...closed, description: 'An empty allow list allows everything below the prefix; deny wins' },
)
export type TopicList = Static<typeof TopicList>

export const TopicRights = Type.Object(
  { publish: Nullable(TopicList), subscribe: Nullable(TopicList) },
  { ...closed, description: 'null: not restricted here; of a device: as its product says' },
)
export type TopicRights = Static<typeof TopicRights>

const MessagesPerSecond = Nullable(
  Type.Number({
    minimum: 0.01,
    maximum: 10_000,
    description: 'null: not limited here; of a device: as its product says',
  }),
)

const access = { topics: TopicRights, messagesPerSecond: MessagesPerSecond }
const AccessChange = Type.Object(
  { topics: Type.Optional(TopicRights), messagesPerSecond: Type.Optional(MessagesPerSecond) },
  closed,
)

const Overlap = Type.Object(
  { overlapSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86400, default: 86400 })) },
  closed,
)

// ───────────── products ─────────────

export const RegistrationMode = Words(REGISTRATION_MODES, {
  description:
    'off; allow_new: a new number becomes a new device; pre_registered: only devices that were added before; approve: a new number waits for a yes',
})
export type RegistrationMode = Static<typeof RegistrationMode>

export const ProductIdentityView = Type.Object({
  registration: RegistrationMode,
  hasSecret: Type.Boolean(),
  previousSecretUntil: Nullable(IsoTime),
  waiting: Type.Integer({ description: 'Registrations that wait for a yes' }),
  ...access,
})
export type ProductIdentityView = Static<typeof ProductIdentityView>

export const RegistrationView = Type.Object({
  id: Id,
  deviceNo: Type.String(),
  state: Words(['waiting', 'approved', 'rejected']),
  address: Type.String(),
  asks: Type.Integer(),
  firstAskedAt: IsoTime,
  lastAskedAt: IsoTime,
  expiresAt: IsoTime,
  decidedBy: Nullable(Type.String()),
})
export type RegistrationView = Static<typeof RegistrationView>

export const productIdentityContract = {
  get: route({
    method: 'GET',
    path: '/api/v1/products/{id}/identity',
    tag: 'Device identity',
    summary: 'How devices of the product get in: registration, topic rights, limit of flow (no secret)',
    permission: 'product:read',
    params: IdParams,
    response: ProductIdentityView,
  }),
  set: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/identity',
    tag: 'Device identity',
    summary: 'Changes registration, topic rights or limit; what is absent stays. Connected devices sign in anew',
    permission: 'product:write',
    audit: 'product.identity',
    params: IdParams,
    body: Type.Object({ registration: Type.Optional(RegistrationMode), ...AccessChange.properties }, closed),
    response: ProductIdentityView,
  }),
  rotateSecret: route({
    method: 'POST',
    path: '/api/v1/products/{id}/rotate-secret',
    tag: 'Device identity',
    summary: 'Makes the product’s secret, or a new one; shown once, the old one works on for the overlap',
    permission: 'device:secret',
    audit: 'product.rotate_secret',
    params: IdParams,
    body: Overlap,
    response: Type.Object({ productSecret: Type.String(), previousSecretUntil: Nullable(IsoTime) }),
  }),
  registrations: route({
    method: 'GET',
    path: '/api/v1/products/{id}/registrations',
    tag: 'Device identity',
    summary: 'Devices that asked to be registered, the latest first; those that expired are left out',
    permission: 'device:read',
    params: IdParams,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      state: Type.Optional(Words(['waiting', 'approved', 'rejected'])),
    }),
    response: listOf(RegistrationView),
  }),
  decide: route({
    method: 'POST',
    path: '/api/v1/products/{id}/registrations/decide',
    tag: 'Device identity',
    summary:
      'Approves or rejects registrations; an approved one becomes a device at once and gets its secret when it asks again',
    permission: 'device:write',
    audit: 'device.registration',
    params: IdParams,
    body: Type.Object(
      {
        decision: Words(['approve', 'reject']),
        ids: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }),
      },
      closed,
    ),
    response: Type.Object({
      items: Type.Array(
        Type.Object({ id: Id, deviceNo: Type.String(), ok: Type.Boolean(), code: Nullable(Type.String()) }),
      ),
    }),
  }),
}

// ───────────── certificate authorities ─────────────

export const CaView = Type.Object({
  id: Id,
  name: Type.String(),
  subject: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256' }),
  notBefore: IsoTime,
  notAfter: IsoTime,
  expires: Words(['no', 'soon', 'expired'], { description: 'soon: within 30 days' }),
  state: Words(['unproven', 'active', 'disabled']),
  proofCode: Nullable(Type.String({ description: 'Common name of the certificate that proves possession of the key' })),
  keyKept: Type.Boolean({ description: 'The key is kept here, so certificates can be made in the console' }),
  certificate: Type.String({ description: 'PEM' }),
  devices: Type.Integer({ description: 'Valid device certificates made here' }),
  createdAt: IsoTime,
})
export type CaView = Static<typeof CaView>

const Pem = Type.String({ minLength: 64, maxLength: 16_384 })

export const ChainStep = Type.Object({
  step: Words(CHAIN_STEPS),
  ok: Type.Boolean(),
  detail: Nullable(Type.String({ description: 'A word (not_a_certificate, expired …) or a fact (subject, time)' })),
})
export type ChainStep = Static<typeof ChainStep>

export const deviceCasContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/device-cas',
    tag: 'Device identity',
    summary: 'The company’s CA certificates (at most 20)',
    permission: 'product:read',
    response: Type.Object({ items: Type.Array(CaView) }),
  }),
  add: route({
    method: 'POST',
    path: '/api/v1/device-cas',
    tag: 'Device identity',
    summary: 'Brings a CA certificate; it counts once possession of its key is proven',
    permission: 'device:secret',
    audit: 'device_ca.add',
    status: 201,
    body: Type.Object({ name: Name, certificate: Pem }, closed),
    response: CaView,
  }),
  generate: route({
    method: 'POST',
    path: '/api/v1/device-cas/generate',
    tag: 'Device identity',
    summary: 'Makes a CA whose key is kept here, sealed (ECDSA P-256)',
    permission: 'device:secret',
    audit: 'device_ca.generate',
    status: 201,
    body: Type.Object({ name: Name, years: Type.Integer({ minimum: 1, maximum: 30 }) }, closed),
    response: CaView,
  }),
  prove: route({
    method: 'POST',
    path: '/api/v1/device-cas/{id}/prove',
    tag: 'Device identity',
    summary: 'Proves possession: a certificate signed by the CA whose common name is the code',
    permission: 'device:secret',
    audit: 'device_ca.prove',
    params: IdParams,
    body: Type.Object({ certificate: Pem }, closed),
    response: CaView,
  }),
  setState: route({
    method: 'PUT',
    path: '/api/v1/device-cas/{id}/state',
    tag: 'Device identity',
    summary: 'Disables a CA (its devices are refused from their next sign-in on) or enables it again',
    permission: 'device:secret',
    audit: 'device_ca.state',
    params: IdParams,
    body: Type.Object({ state: Words(['active', 'disabled']) }, closed),
    response: CaView,
  }),
  revoke: route({
    method: 'POST',
    path: '/api/v1/device-cas/{id}/revoke',
    tag: 'Device identity',
    summary: 'Revokes a certificate of the CA by its serial number, wherever it was made',
    permission: 'device:secret',
    audit: 'device_ca.revoke',
    params: IdParams,
    body: Type.Object(
      { serial: Type.String({ minLength: 1, maxLength: 96, pattern: '^[0-9A-Fa-f]+(:[0-9A-Fa-f]+)*$' }) },
      closed,
    ),
    response: CaView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/device-cas/{id}',
    tag: 'Device identity',
    summary: 'Removes a CA on which no valid device certificate hangs',
    permission: 'device:secret',
    audit: 'device_ca.remove',
    params: IdParams,
    response: Ok,
  }),
  test: route({
    method: 'POST',
    path: '/api/v1/device-cas/test',
    tag: 'Device identity',
    summary:
      'Walks the chain of a client certificate step by step as a sign-in would, and stops at the first broken one',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    body: Type.Object({ certificate: Pem }, closed),
    response: Type.Object({ ok: Type.Boolean(), steps: Type.Array(ChainStep) }),
  }),
}

// ───────────── devices ─────────────

export const DeviceCertificateView = Type.Object({
  id: Id,
  caId: Id,
  caName: Type.String(),
  serial: Type.String(),
  subject: Type.String(),
  notAfter: Nullable(IsoTime),
  expires: CaView.properties.expires,
  state: Words(['active', 'revoked']),
  createdAt: IsoTime,
})
export type DeviceCertificateView = Static<typeof DeviceCertificateView>

export const DeviceIdentityView = Type.Object({
  hasAccessToken: Type.Boolean(),
  previousTokenUntil: Nullable(IsoTime),
  certificates: Type.Array(DeviceCertificateView),
  own: Type.Object(access, { description: 'What this device does otherwise than its product' }),
  effective: Type.Object(access, { description: 'What is in force' }),
  flow: Type.Array(
    Type.Object({
      day: Type.String({ description: 'yyyy-mm-dd in the company’s time zone' }),
      slowed: Type.Integer({ description: 'Times its connection was read more slowly' }),
      refused: Type.Integer({ description: 'Messages refused over the limit (HTTP 429, UDP, CoAP)' }),
      lastAt: IsoTime,
    }),
    { description: 'Days of the last week on which a limit held it back; the newest first' },
  ),
})
export type DeviceIdentityView = Static<typeof DeviceIdentityView>

export const SignatureMethod = Words(['hmacmd5', 'hmacsha1', 'hmacsha256'])
export type SignatureMethod = Static<typeof SignatureMethod>

export const TripleView = Type.Object({
  /** What the signature was made of. */
  content: Type.String(),
  username: Type.String(),
  password: Type.String(),
  clientId: Nullable(Type.String()),
  timestamp: Type.Integer(),
})
export type TripleView = Static<typeof TripleView>

/** What a company's devices sent in one of its days, and how often its limits or theirs held them back. */
export const FlowDay = Type.Object({
  day: Type.String({ description: 'yyyy-mm-dd in the company’s time zone' }),
  messages: Type.Integer(),
  points: Type.Integer({ description: 'Values of properties, events' }),
  peak: Type.Integer({ description: 'The most messages in one second' }),
  slowed: Type.Integer({ description: 'Times a connection was read more slowly' }),
  refused: Type.Integer({ description: 'Messages refused over a limit' }),
})
export type FlowDay = Static<typeof FlowDay>

export const deviceIdentityContract = {
  companyFlow: route({
    method: 'GET',
    path: '/api/v1/company/device-flow',
    tag: 'Device identity',
    summary:
      'What the company’s devices sent on the last 14 days, and how often limits held them back; the newest day first',
    permission: 'company:read',
    response: Type.Object({ items: Type.Array(FlowDay) }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/identity',
    tag: 'Device identity',
    summary:
      'What the device signs in with (no secret), its certificates, topic rights, limit and how often it was held back',
    permission: 'device:read',
    params: IdParams,
    response: DeviceIdentityView,
  }),
  set: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/identity',
    tag: 'Device identity',
    summary: 'Topic rights and limit of this device; its session ends and comes back under the new ones',
    permission: 'device:write',
    audit: 'device.identity',
    params: IdParams,
    body: AccessChange,
    response: DeviceIdentityView,
  }),
  rotateToken: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/access-token',
    tag: 'Device identity',
    summary: 'Makes the access token, or a new one; shown here, the old one works on for the overlap',
    permission: 'device:secret',
    audit: 'device.rotate_token',
    params: IdParams,
    body: Overlap,
    response: Type.Object({ accessToken: Type.String(), previousTokenUntil: Nullable(IsoTime) }),
  }),
  showToken: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/access-token/show',
    tag: 'Device identity',
    summary: 'Shows the access token once more; asks for a fresh proof of who is asking',
    permission: 'device:secret',
    audit: 'device.show_token',
    params: IdParams,
    response: Type.Object({ accessToken: Type.String() }),
  }),
  removeToken: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}/access-token',
    tag: 'Device identity',
    summary: 'Takes the access token away; who signed in with it is out',
    permission: 'device:secret',
    audit: 'device.remove_token',
    params: IdParams,
    response: Ok,
  }),
  triple: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/triple',
    tag: 'Device identity',
    summary: 'Computes an HMAC sign-in of the device: user name, password, client id',
    permission: 'device:secret',
    audit: 'device.triple',
    params: IdParams,
    body: Type.Object(
      {
        method: SignatureMethod,
        dialect: Words(['own', 'alibaba']),
        clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_.:-]+$' })),
        timestamp: Type.Optional(Type.Integer({ minimum: 0, maximum: 99_999_999_999_999 })),
      },
      closed,
    ),
    response: TripleView,
  }),
  issueCertificate: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/certificates',
    tag: 'Device identity',
    summary: 'Makes a client certificate for the device; its private key is in this answer only',
    permission: 'device:secret',
    audit: 'device.issue_certificate',
    status: 201,
    params: IdParams,
    body: Type.Object({ caId: Id, days: Type.Integer({ minimum: 1, maximum: 3650 }) }, closed),
    response: Type.Object({
      certificate: DeviceCertificateView,
      pem: Type.String(),
      privateKey: Type.String({ description: 'PKCS #8 PEM; shown here and never again' }),
      caPem: Type.String(),
    }),
  }),
  revokeCertificate: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/certificates/{certificateId}/revoke',
    tag: 'Device identity',
    summary: 'Revokes a certificate and ends the device’s session',
    permission: 'device:secret',
    audit: 'device.revoke_certificate',
    params: Type.Object({ id: Id, certificateId: Id }),
    response: DeviceCertificateView,
  }),
}
