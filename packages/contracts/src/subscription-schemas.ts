import { type Static, Type } from 'typebox'
import { EpochMs, Id, IsoTime, JsonObject, Nullable, Words } from './common.ts'
import { Tag } from './devices.contract.ts'
import { FILTER_OPERATORS, PAYLOAD_FORMATS, SASL_MECHANISMS } from './subscriptions.words.ts'

const closed = { additionalProperties: false } as const

/** What a subscription can carry. More come with the areas they belong to. */
export const SUBSCRIPTION_KINDS = ['property', 'event', 'state', 'command', 'lifecycle', 'firmware', 'alarm'] as const
export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number]

export const SUBSCRIPTION_TARGETS = ['webhook', 'mqtt', 'websocket', 'nats', 'kafka', 'pull'] as const
export type SubscriptionTargetKind = (typeof SUBSCRIPTION_TARGETS)[number]

/** Most items of one delivery. */
export const MAX_BATCH_ITEMS = 100
/** Subscriptions of one company. */
export const MAX_SUBSCRIPTIONS = 50

/**
 * One item of the own envelope. `data` by type: property `{identifier: value}`; event `{identifier, level, params}`;
 * state `{link: "online"|"offline", reason?, transport?}`; command `{commandId, kind, identifier, state, params, reply,
 * errorCode}`; lifecycle `{change: "created"|"activated"|"enabled"|"disabled"|"recycled"|"restored"|"deleted", name}`; firmware
 * `{jobId, campaignId, module, state, fromVersion, version, percent, errorCode}`; alarm `{change: "raised"|"acknowledged"|"cleared",
 * alarmId, triggerId, trigger, level, active, acknowledged, values}`.
 */
export const SubscriptionItem = Type.Object({
  id: Type.String({ description: 'Constant over retries and replays: the key against duplicates' }),
  type: Words(SUBSCRIPTION_KINDS),
  ts: EpochMs,
  productKey: Type.String(),
  deviceNo: Type.String(),
  deviceId: Id,
  data: JsonObject,
})
export type SubscriptionItem = Static<typeof SubscriptionItem>

/** Compares one value of the item's data; a value that is not in this item is no match. */
export const ConditionRule = Type.Object(
  {
    identifier: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Key of data; a dot steps inside: params.code',
    }),
    op: Words(FILTER_OPERATORS),
    value: Type.Optional(
      Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Boolean()], { description: 'Not for exists' }),
    ),
  },
  closed,
)
export type ConditionRule = Static<typeof ConditionRule>

const Ids = Type.Array(Id, { maxItems: 100, uniqueItems: true })
const Identifiers = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 200, uniqueItems: true })

/**
 * Devices: any of the named products, devices or groups (with what is below them), and any of the tags; what is absent or
 * empty does not narrow. Then the data.
 */
export const SubscriptionFilter = Type.Object(
  {
    productIds: Type.Optional(Ids),
    deviceIds: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true })),
    groupIds: Type.Optional(Ids),
    userIds: Type.Optional({
      ...Ids,
      description: 'Devices of these end users and of those below them, from when they own them',
    }),
    tags: Type.Optional(Type.Array(Tag, { maxItems: 20, uniqueItems: true })),
    identifiers: Type.Optional({ ...Identifiers, description: 'Properties that are passed on; others are left out' }),
    events: Type.Optional({ ...Identifiers, description: 'Events that are passed on' }),
    condition: Type.Optional(
      Type.Object(
        {
          match: Words(['all', 'any']),
          kinds: Type.Optional(
            Type.Array(Words(SUBSCRIPTION_KINDS), { description: 'Items it is asked of; absent: property and event' }),
          ),
          rules: Type.Array(ConditionRule, { minItems: 1, maxItems: 10 }),
        },
        closed,
      ),
    ),
    everySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86400,
        description: 'Each property of a device at most once in so many seconds',
      }),
    ),
  },
  closed,
)
export type SubscriptionFilter = Static<typeof SubscriptionFilter>

/** How an item is written. */
export const SubscriptionPayload = Type.Object(
  {
    /** envelope: `{items:[…]}`, alone the item; tlink: as the TLINK family pushes; template: `template` filled per item. */
    format: Words(PAYLOAD_FORMATS),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16384,
        description:
          '{{deviceNo}}, {{data.temperature}}, {{json data}}, {{iso ts}}, {{data.x | "default"}}: placeholders only; in JSON text a value is escaped, with json it stands as JSON',
      }),
    ),
    contentType: Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z]+/[a-z0-9.+-]+(; ?charset=utf-8)?$' })),
  },
  closed,
)
export type SubscriptionPayload = Static<typeof SubscriptionPayload>

export const SubscriptionBatching = Type.Object(
  {
    maxItems: Type.Integer({ minimum: 1, maximum: MAX_BATCH_ITEMS, description: 'Items of one delivery' }),
    waitMs: Type.Integer({ minimum: 0, maximum: 60000, description: 'How long a delivery may wait for more items' }),
  },
  closed,
)

const Secret = Type.String({ minLength: 1, maxLength: 256, pattern: '^[ -~]+$' })
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\x00-\\x1f\\x7f]*$' })
const Url = Type.String({ minLength: 8, maxLength: 1024 })

/** Where it goes. Secrets only come in; a view has `has…` instead. */
export const SubscriptionTarget = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('webhook'),
      url: Url,
      secret: Type.Optional(Secret),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), Text(1024), { maxProperties: 10 }),
      ),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('mqtt') }, closed),
  Type.Object({ kind: Type.Literal('websocket') }, closed),
  Type.Object(
    {
      kind: Type.Literal('nats'),
      /** nats://host:4222 or tls://host:4222 */
      url: Url,
      /** `{type}`, `{productKey}` and `{deviceNo}` stand for the item's. */
      subject: Text(256),
      username: Type.Optional(Text(128)),
      password: Type.Optional(Text(256)),
      token: Type.Optional(Text(256)),
      /** Waits for the acknowledgement of a stream. */
      jetStream: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('kafka'),
      brokers: Type.Array(Type.String({ maxLength: 260, pattern: '^[A-Za-z0-9.:\\[\\]_-]+:[0-9]{1,5}$' }), {
        minItems: 1,
        maxItems: 10,
      }),
      topic: Type.String({ minLength: 1, maxLength: 249, pattern: '^[A-Za-z0-9._-]+$' }),
      tls: Type.Optional(Type.Boolean()),
      mechanism: Type.Optional(Words(SASL_MECHANISMS)),
      username: Type.Optional(Text(128)),
      password: Type.Optional(Text(256)),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('pull') }, closed),
])
export type SubscriptionTarget = Static<typeof SubscriptionTarget>

/** The same as it is shown: without what is secret. */
export const SubscriptionTargetView = Type.Object({
  kind: Words(SUBSCRIPTION_TARGETS),
  url: Type.Optional(Type.String()),
  /** Names alone: values may be secrets. */
  headers: Type.Optional(Type.Array(Type.String())),
  subject: Type.Optional(Type.String()),
  brokers: Type.Optional(Type.Array(Type.String())),
  topic: Type.Optional(Type.String()),
  tls: Type.Optional(Type.Boolean()),
  jetStream: Type.Optional(Type.Boolean()),
  mechanism: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  /** A password or token is set. */
  hasPassword: Type.Optional(Type.Boolean()),
  /** What a client subscribes to (mqtt), or the address of the stream (websocket) or of the list (pull). */
  topicFilter: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
})
export type SubscriptionTargetView = Static<typeof SubscriptionTargetView>

export const SUBSCRIPTION_STATES = ['active', 'paused'] as const
/** user: somebody paused it; failures: 50 failures in a row; target: its target is not available here. */
export const PAUSE_REASONS = ['user', 'failures', 'target'] as const
/** idle: nothing delivered yet; healthy: the last try arrived; degraded: failures in a row; down: failing for 5 minutes or paused by failures; away: no client is there. */
export const SUBSCRIPTION_HEALTH = ['idle', 'healthy', 'degraded', 'down', 'away'] as const

export const SubscriptionView = Type.Object({
  id: Id,
  name: Type.String(),
  kinds: Type.Array(Words(SUBSCRIPTION_KINDS)),
  filter: SubscriptionFilter,
  target: SubscriptionTargetView,
  payload: SubscriptionPayload,
  batching: SubscriptionBatching,
  state: Words(SUBSCRIPTION_STATES),
  pausedReason: Nullable(Words(PAUSE_REASONS)),
  health: Words(SUBSCRIPTION_HEALTH),
  /** Items that wait. */
  backlog: Type.Integer(),
  /** The most items that may wait; beyond it the oldest are dropped, counted and told. */
  backlogCap: Type.Integer(),
  /** Age of the oldest item that waits, ms; 0: nothing waits. */
  lagMs: Type.Integer(),
  /** Items that arrived, since it was made; those sent again by a replay count again. */
  delivered: Type.Integer(),
  deadLetters: Type.Integer(),
  /** Items that were dropped because the backlog was full or too old. */
  dropped: Type.Integer(),
  /** Failures since the last success. */
  failures: Type.Integer(),
  lastDeliveredAt: Nullable(IsoTime),
  lastFailedAt: Nullable(IsoTime),
  /** Reason and detail of the last failure, as in the log. */
  lastError: Nullable(Type.String()),
  /** When the next try comes; null: now, or nothing waits. */
  nextTryAt: Nullable(IsoTime),
  /** The old secret of a webhook still signs beside the new one until then. */
  oldSecretUntil: Nullable(IsoTime),
  /** Oldest time that a replay can begin at; null: nothing is kept. */
  replayFrom: Nullable(IsoTime),
  createdBy: Nullable(Type.String()),
  createdAt: IsoTime,
  updatedAt: IsoTime,
  version: Type.Integer(),
})
export type SubscriptionView = Static<typeof SubscriptionView>

/** What a client signs in or checks with; shown this once. */
export const SubscriptionCredentials = Type.Object({
  /** Of a webhook: the key of the signature. */
  secret: Type.Optional(Type.String()),
  /** Of mqtt: the account on our listener. */
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
})
export type SubscriptionCredentials = Static<typeof SubscriptionCredentials>

export const SubscriptionWithCredentials = Type.Object({
  ...SubscriptionView.properties,
  credentials: Type.Optional(SubscriptionCredentials),
})
export type SubscriptionWithCredentials = Static<typeof SubscriptionWithCredentials>

export const DELIVERY_RESULTS = ['ok', 'partial', 'retry', 'refused', 'dead', 'dropped'] as const

/** One try. Successes are logged at most once in a second, failures always; the last 500 of a subscription are kept. */
export const DeliveryLogItem = Type.Object({
  id: Type.String(),
  at: IsoTime,
  result: Words(DELIVERY_RESULTS),
  items: Type.Integer(),
  /** Successful deliveries since the last line that have no line of their own. */
  skipped: Type.Integer(),
  attempt: Type.Integer(),
  status: Nullable(Type.Integer()),
  latencyMs: Nullable(Type.Integer()),
  reason: Nullable(Type.String()),
  detail: Nullable(Type.String()),
  firstItemId: Nullable(Type.String()),
  /** What was sent, its first 4 KB. */
  body: Nullable(Type.String()),
  /** What was answered, its first 2 KB. */
  answer: Nullable(Type.String()),
})
export type DeliveryLogItem = Static<typeof DeliveryLogItem>

export const DeadLetter = Type.Object({
  id: Id,
  item: SubscriptionItem,
  reason: Type.String(),
  status: Nullable(Type.Integer()),
  attempts: Type.Integer(),
  at: IsoTime,
})
export type DeadLetter = Static<typeof DeadLetter>

/** What one try of a target came to. */
export const TrialOutcome = Type.Object({
  result: Words(['ok', 'partial', 'retry', 'refused', 'away']),
  reason: Nullable(Type.String()),
  detail: Nullable(Type.String()),
  status: Nullable(Type.Integer()),
  latencyMs: Nullable(Type.Integer()),
  answer: Nullable(Type.String()),
  body: Type.String(),
  contentType: Type.String(),
})
export type TrialOutcome = Static<typeof TrialOutcome>

export const PayloadPreview = Type.Object({
  /** true: an item of the caller's own devices; false: made up, none was there. */
  real: Type.Boolean(),
  sample: SubscriptionItem,
  /** As one message (MQTT, NATS, Kafka). */
  message: Type.String(),
  /** As the body of a webhook with this one item. */
  body: Type.String(),
  contentType: Type.String(),
  /** What is wrong with the template; positions count characters from 0. */
  problems: Type.Array(
    Type.Object({ at: Type.Integer(), code: Words(['syntax', 'unknown', 'missing', 'not_json']), text: Type.String() }),
  ),
})
export type PayloadPreview = Static<typeof PayloadPreview>

export const SubscriptionOptions = Type.Object({
  targets: Type.Array(Words(SUBSCRIPTION_TARGETS)),
  kinds: Type.Array(Words(SUBSCRIPTION_KINDS)),
  maxSubscriptions: Type.Integer(),
  backlogCap: Type.Integer(),
  /** Days that delivered items are kept for a replay, and how many at most. */
  keepDays: Type.Integer(),
  keepItems: Type.Integer(),
  /** Our own MQTT listener, for targets of that kind. */
  mqtt: Type.Object({
    host: Type.String({ description: 'A name or an address, without brackets' }),
    port: Type.Integer(),
  }),
})
export type SubscriptionOptions = Static<typeof SubscriptionOptions>
