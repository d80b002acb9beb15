import { type Static, Type } from 'typebox'
import { EpochMs, Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { API_KEY_STATES } from './developer.words.ts'
import { route } from './route.ts'

export { API_KEY_STATES } from './developer.words.ts'

const Kind = <const K extends string>(kind: K) => Type.Unsafe<K>({ type: 'string', const: kind })

/**
 * Which products and devices a key shows: all that its maker sees, or of these some groups with everything below them,
 * or some products. Never more than its maker sees at the moment of the call.
 */
export const ApiKeyDataScope = Type.Union([
  Type.Object({ kind: Words(['all']) }, { additionalProperties: false }),
  Type.Object(
    { kind: Kind('groups'), groupIds: Type.Array(Id, { minItems: 1, maxItems: 50, uniqueItems: true }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { kind: Kind('products'), productIds: Type.Array(Id, { minItems: 1, maxItems: 50, uniqueItems: true }) },
    { additionalProperties: false },
  ),
])
export type ApiKeyDataScope = Static<typeof ApiKeyDataScope>

export const ApiKeyView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  environment: Words(['production', 'test']),
  prefix: Type.String({ description: 'Beginning of the key, twk_ and eight characters: also its client_id' }),
  state: Words(API_KEY_STATES),
  scopes: Type.Array(Type.String(), { description: 'Rights the key was given' }),
  effectiveScopes: Type.Array(Type.String(), { description: 'Of these the ones that its maker holds now' }),
  dataScope: ApiKeyDataScope,
  networks: Type.Array(Type.String(), { description: 'Addresses and networks (CIDR); empty: from everywhere' }),
  requestsPerMinute: Type.Integer(),
  expiresAt: Nullable(IsoTime),
  /** The key before the last rotation, while it is still taken. */
  previous: Nullable(Type.Object({ prefix: Type.String(), validUntil: IsoTime })),
  madeBy: Type.Object({ id: Id, username: Type.String(), displayName: Type.String() }),
  /** The caller made it himself. */
  mine: Type.Boolean(),
  lastUsedAt: Nullable(IsoTime),
  lastUsedIp: Nullable(Type.String()),
  lastRefusal: Nullable(Type.Object({ at: IsoTime, code: Type.String(), ip: Type.String() })),
  rotatedAt: Nullable(IsoTime),
  revokedAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type ApiKeyView = Static<typeof ApiKeyView>

/** A key with its whole text, which is shown this once. */
export const ApiKeyWithSecret = Type.Object({
  ...ApiKeyView.properties,
  key: Type.String({ description: 'twk_{8}_{43}: shown only here' }),
})
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

const facts = {
  name: Name,
  description: Type.Optional(Type.String({ maxLength: 200 })),
  environment: Type.Optional(Words(['production', 'test'])),
  scopes: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 100, uniqueItems: true }),
  dataScope: Type.Optional(ApiKeyDataScope),
  networks: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 })),
  requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000, default: 600 })),
  expiresAt: Type.Optional(Nullable(IsoTime)),
}

export const apiKeysContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/api-keys',
    tag: 'Developer',
    summary: 'API keys of the company’s people, or of one end user; who sees a part of the company only sees his own',
    permission: 'developer:read',
    query: Type.Object({
      ...listQuery,
      state: Type.Optional(Words(API_KEY_STATES)),
      userId: Type.Optional({ ...Id, description: 'Those of this end user' }),
    }),
    response: Type.Object({
      ...listOf(ApiKeyView).properties,
      /** Keys there may be, revoked ones not counted. */
      limit: Type.Integer(),
      /** Rights that the caller may give to a key: his own, without those that no key ever has. */
      grantable: Type.Array(Type.String()),
    }),
  }),
  current: route({
    method: 'GET',
    path: '/api/v1/api-keys/current',
    tag: 'Developer',
    summary: 'The API key that asks: what it may do now, until when',
    permission: 'signed-in',
    apiKeys: true,
    response: ApiKeyView,
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/api-keys/{id}',
    tag: 'Developer',
    summary: 'One API key',
    permission: 'developer:read',
    params: IdParams,
    response: ApiKeyView,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/api-keys',
    tag: 'Developer',
    summary:
      'Makes an API key; its text is in the answer and nowhere else. Asks for a fresh proof of who the caller is',
    permission: 'api-key:write',
    audit: 'api_key.create',
    status: 201,
    body: Type.Object(facts, { additionalProperties: false }),
    response: ApiKeyWithSecret,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/api-keys/{id}',
    tag: 'Developer',
    summary: 'Changes what a key may do; takes effect at once',
    permission: 'api-key:write',
    audit: 'api_key.update',
    params: IdParams,
    body: Type.Object(
      {
        ...facts,
        version: Version,
        name: Type.Optional(Name),
        scopes: Type.Optional(facts.scopes),
        requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
      },
      { additionalProperties: false },
    ),
    response: ApiKeyView,
  }),
  rotate: route({
    method: 'POST',
    path: '/api/v1/api-keys/{id}/rotate',
    tag: 'Developer',
    summary: 'A new text for the key; the old one is taken for so many hours more',
    permission: 'api-key:write',
    audit: 'api_key.rotate',
    params: IdParams,
    body: Type.Object(
      { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720, default: 24 })) },
      { additionalProperties: false },
    ),
    response: ApiKeyWithSecret,
  }),
  endOverlap: route({
    method: 'POST',
    path: '/api/v1/api-keys/{id}/end-overlap',
    tag: 'Developer',
    summary: 'The text before the last rotation is refused from now on',
    permission: 'api-key:write',
    audit: 'api_key.end_overlap',
    params: IdParams,
    response: ApiKeyView,
  }),
  takeOver: route({
    method: 'POST',
    path: '/api/v1/api-keys/{id}/take-over',
    tag: 'Developer',
    summary: 'The key stands on the caller instead of who made it: for one whose maker was frozen or left',
    permission: 'api-key:write',
    audit: 'api_key.take_over',
    params: IdParams,
    response: ApiKeyView,
  }),
  revoke: route({
    method: 'POST',
    path: '/api/v1/api-keys/{id}/revoke',
    tag: 'Developer',
    summary: 'Ends a key for good, at once, with everything that is open through it',
    permission: 'api-key:write',
    audit: 'api_key.revoke',
    params: IdParams,
    response: ApiKeyView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/api-keys/{id}',
    tag: 'Developer',
    summary: 'Takes a revoked or expired key off the list, with its statistics and log',
    permission: 'api-key:write',
    audit: 'api_key.remove',
    params: IdParams,
    response: Ok,
  }),
}

/** A certificate that devices and programs meet here. */
export const EndpointCertificate = Type.Object({
  /** Where it is shown. */
  use: Words(['device_tls']),
  subject: Type.String(),
  issuer: Type.String(),
  names: Type.Array(Type.String()),
  notBefore: IsoTime,
  notAfter: IsoTime,
  sha256: Type.String({ description: 'Fingerprint, hex pairs with colons' }),
  selfSigned: Type.Boolean(),
  pem: Type.String(),
})

const Port = Nullable(Type.Integer())
export const EndpointsView = Type.Object({
  /** Of the server, now. */
  serverTime: EpochMs,
  appId: Type.String(),
  host: Type.String(),
  /** Addresses of this machine that others may have to let through. */
  addresses: Type.Array(Type.String()),
  api: Type.Object({
    baseUrl: Type.String(),
    openApiUrl: Type.String(),
    tokenUrl: Type.String(),
    liveUrl: Type.String(),
    tlinkUrl: Type.String(),
    /** Model Context Protocol, for AI tools. */
    mcpUrl: Type.String(),
  }),
  devices: Type.Object({
    mqttPort: Port,
    mqttsPort: Port,
    mqttWebSocketUrl: Type.String(),
    tcpPort: Port,
    udpPort: Port,
    coapPort: Port,
    httpUrl: Type.String(),
    webSocketUrl: Type.String(),
    ownPorts: Nullable(Type.Object({ from: Type.Integer(), to: Type.Integer() })),
  }),
  /** Time for devices: topics below their prefix. */
  ntp: Type.Object({ request: Type.String(), response: Type.String() }),
  certificates: Type.Array(EndpointCertificate),
})
export type EndpointsView = Static<typeof EndpointsView>

const CallFigures = {
  calls: Type.Integer(),
  /** Answers of 400 and above. */
  errors: Type.Integer(),
  p95Ms: Nullable(Type.Number({ description: 'Upper bound of the histogram step that holds it' })),
}

export const CallStatistics = Type.Object({
  from: EpochMs,
  to: EpochMs,
  resolutionSeconds: Type.Integer(),
  total: Type.Object({ ...CallFigures, limited: Type.Integer({ description: 'Answered 429' }) }),
  /** One entry per step, empty ones too. */
  series: Type.Array(Type.Object({ ts: EpochMs, ...CallFigures })),
  /** The 100 most called. */
  routes: Type.Array(Type.Object({ route: Type.String({ description: 'GET /api/v1/devices/{id}' }), ...CallFigures })),
  keys: Type.Array(Type.Object({ keyId: Id, name: Type.String(), ...CallFigures })),
})
export type CallStatistics = Static<typeof CallStatistics>

export const CallView = Type.Object({
  id: Id,
  at: IsoTime,
  keyId: Id,
  keyName: Type.String(),
  method: Type.String(),
  /** With its query; values that look like secrets are masked. */
  path: Type.String(),
  route: Type.String(),
  status: Type.Integer(),
  /** Error code of the answer. */
  code: Nullable(Type.String()),
  durationMs: Type.Number(),
  ip: Type.String(),
  userAgent: Type.String(),
  requestId: Type.String(),
})
export const CallDetail = Type.Object({
  ...CallView.properties,
  /** The first 8 KB, secrets masked; null: none, or not JSON. */
  requestBody: Nullable(Type.String()),
  requestBytes: Type.Integer(),
  responseBody: Nullable(Type.String()),
  responseBytes: Type.Integer(),
  /** The caller does not hold the right that the call needed: he sees that it was, not what was in it. */
  bodiesHidden: Type.Boolean(),
})
export type CallView = Static<typeof CallView>
export type CallDetail = Static<typeof CallDetail>

export const developerContract = {
  endpoints: route({
    method: 'GET',
    path: '/api/v1/developer/endpoints',
    tag: 'Developer',
    summary: 'Addresses, ports, certificates and clock of this installation',
    permission: 'developer:read',
    response: EndpointsView,
  }),
  errors: route({
    method: 'GET',
    path: '/api/v1/developer/errors',
    tag: 'Developer',
    summary: 'Every error code with its status and its text in the language of the caller',
    permission: 'developer:read',
    response: Type.Object({
      items: Type.Array(Type.Object({ code: Type.String(), status: Type.Integer(), message: Type.String() })),
    }),
  }),
  statistics: route({
    method: 'GET',
    path: '/api/v1/developer/statistics',
    tag: 'Developer',
    summary: 'Calls, errors and p95 of API keys over time, per route and per key',
    permission: 'developer:read',
    query: Type.Object({
      hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 2160, default: 24, description: 'Back from now' })),
      keyId: Type.Optional(Id),
      route: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    response: CallStatistics,
  }),
  calls: route({
    method: 'GET',
    path: '/api/v1/developer/calls',
    tag: 'Developer',
    summary: 'The last 100 calls of each API key, newest first',
    permission: 'developer:read',
    query: Type.Object({
      keyId: Type.Optional(Id),
      errors: Type.Optional(Words(['0', '1'], { description: '1: only answers of 400 and above' })),
      route: Type.Optional(Type.String({ maxLength: 200 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
    }),
    response: Type.Object({ items: Type.Array(CallView) }),
  }),
  call: route({
    method: 'GET',
    path: '/api/v1/developer/calls/{id}',
    tag: 'Developer',
    summary: 'One call with what was sent and answered, secrets masked',
    permission: 'developer:read',
    params: IdParams,
    response: CallDetail,
  }),
}
