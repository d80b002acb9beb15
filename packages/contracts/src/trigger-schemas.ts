import { type Static, Type } from 'typebox'
import { EpochMs, Id, IsoTime, Json, JsonObject, Name, Nullable, Words } from './common.ts'
import {
  ACTION_RESULTS,
  DAY_KINDS,
  DRY_RUN_GAPS,
  RUN_CAUSED_BY,
  RUN_CAUSES,
  type TRIGGER_FAULTS,
  TRIGGER_KINDS,
  TRIGGER_STATES,
} from './triggers.words.ts'

const closed = { additionalProperties: false } as const

/** Triggers of one company. */
export const MAX_TRIGGERS = 20_000
/** Devices that a dry run looks at. */
export const MAX_DRY_RUN_DEVICES = 100
/** Days that a dry run goes back. */
export const MAX_DRY_RUN_DAYS = 31

/**
 * Devices that a trigger watches: exactly one of the four. Devices that join a product, a group (with what is below it) or
 * get a tag are watched from then on.
 */
export const TriggerScope = Type.Object(
  {
    deviceIds: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
    productIds: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
    groupIds: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1000 })),
  },
  closed,
)
export type TriggerScope = Static<typeof TriggerScope>

/**
 * What is done, in this order. `on` absent: when raised.
 * - `notify` `{title?, text?, loginIds?: Id[], level?}`: a notice in the console; without loginIds to whoever may see the
 *   trigger. Texts may hold `{device}`, `{deviceNo}`, `{trigger}`, `{level}`, `{value}`, `{time}` and `{values.IDENTIFIER}`.
 * - `command` `{deviceId?, command: {kind: "property_set", params} | {kind: "service", identifier, params}}`: without
 *   deviceId to the device that caused it. A text in params that is `=` and an expression is worked out:
 *   `=values.temperature * 2 + 1`.
 * - `webhook` `{url, secret?, headers?}`: JSON of the alarm or run, signed as data subscriptions are. The secret is not shown again.
 * - `alarm` `{level, name?}`: raises an alarm beside or instead of the trigger's own, at this place of the list.
 * - `clear` `{triggerId?}`: clears the open alarm of another trigger (absent: of this one) for the same device.
 * - `delay` `{seconds}`: what follows waits so long.
 * - `sim_stop`, `sim_limit` `{speedKbps}`: queues the operation for the card that caused it, or the cards of the device.
 * - `scene` `{sceneId}`: runs a scene with the rights of the trigger's owner.
 */
export const TriggerAction = Type.Object(
  {
    kind: Type.String({ maxLength: 16 }),
    on: Type.Optional(Words(['raise', 'clear'])),
    seconds: Type.Optional(Type.Integer({ description: 'Of delay' })),
  },
  { additionalProperties: true, description: 'With the fields of its kind' },
)
export type TriggerAction = Static<typeof TriggerAction> & Record<string, unknown>

/** A part of days; one that ends before it begins crosses midnight. */
const ActivePeriod = Type.Object({
  days: Type.Optional(Type.Array(Type.Integer(), { description: '1 Monday to 7 Sunday; absent: every day' })),
  dayKind: Type.Optional(Words(DAY_KINDS)),
  from: Type.String({ description: 'HH:MM' }),
  to: Type.String({ description: 'HH:MM, at most 24:00' }),
})

/** Hours in which it raises; it clears at any time. */
export const TriggerHours = Type.Object({
  zone: Type.String({ maxLength: 64, description: 'IANA name of a time zone' }),
  periods: Type.Array(ActivePeriod),
})
export type TriggerHours = Static<typeof TriggerHours>

const Limit = Type.Number()
const Scalar = Type.Union([Type.Number(), Type.String({ maxLength: 256 }), Type.Boolean()])

/**
 * What a trigger watches for and what follows (docs/adr/0047-rules-engine.md). Which of the fields a kind has: high (above…),
 * low (below…), both (outside…, between, …_until_…), value (equal, not_equal), minutes (…_for), condition (general).
 * More than that, or less, is refused with the field named.
 */
export const triggerFields = {
  kind: Words(TRIGGER_KINDS),
  scope: TriggerScope,
  per: Type.Optional(
    Words(['device', 'scope'], { description: 'One alarm for each device (the usual), or one for all' }),
  ),
  property: Type.Optional(Type.String({ maxLength: 64 })),
  high: Type.Optional(Limit),
  low: Type.Optional(Limit),
  value: Type.Optional(Scalar),
  minutes: Type.Optional(Type.Integer()),
  deadBand: Type.Optional(Type.Number({ description: 'How far back behind a limit counts as recovered' })),
  decimals: Type.Optional(Type.Integer({ description: 'Digits at which equal and not_equal compare' })),
  condition: Type.Optional({
    ...JsonObject,
    description:
      'Of general: {type: "all"|"any"|"not"|"compare"|"held"|"repeated"|"no_data"|"rate"|"event"|"online"|…}',
  }),
  clear: Type.Optional(
    Type.Unsafe<'when_false' | 'manual' | Record<string, unknown>>({
      anyOf: [
        { type: 'string', enum: ['when_false', 'manual'] },
        { type: 'object', additionalProperties: true },
      ],
      description: 'Of general: when the alarm is cleared',
    }),
  ),
  source: Type.Optional({
    ...JsonObject,
    description:
      'Of object, whose scope is {}: {type: "sim.usage", percent} | {type: "sim.status", state} | {type: "sim.imei_changed"} | {type: "sim.offline_days", days} | {type: "sim.expiring", days} | {type: "lora.gateway", state} | {type: "camera.alarm", alarmType?}',
  }),
  alarm: Type.Optional(
    Type.Object(
      {
        level: Type.Integer({ description: '1 to 5' }),
        renew: Type.Optional(
          Type.Boolean({ description: 'A new alarm each time it is seen again; the one before is closed first' }),
        ),
      },
      closed,
    ),
  ),
  actions: Type.Optional(Type.Array(TriggerAction, { maxItems: 20 })),
  active: Type.Optional(TriggerHours),
  antiShake: Type.Optional(
    Type.Object(
      { times: Type.Integer(), seconds: Type.Integer(), consecutive: Type.Optional(Type.Boolean()) },
      { ...closed, description: 'Raises only what was seen so many times within so many seconds' },
    ),
  ),
  quietSeconds: Type.Optional(Type.Integer({ description: 'After a raise not again for so long' })),
  repeatSeconds: Type.Optional(Type.Integer({ description: 'What goes on is counted at most so often; absent: 60' })),
}

/** The rule alone, as a dry run takes it. */
export const TriggerRule = Type.Object(triggerFields, closed)
export type TriggerRule = Static<typeof TriggerRule>

const Description = Type.String({ maxLength: 512 })

export const TriggerInput = Type.Object(
  {
    name: Name,
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean({ description: 'Absent: yes' })),
    expiresAt: Type.Optional(Nullable(IsoTime)),
    ...triggerFields,
  },
  closed,
)
export type TriggerInput = Static<typeof TriggerInput>

export const TriggerView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  state: Words(TRIGGER_STATES),
  /** Why it is in the state error or paused; its text is in the caller's language. */
  fault: Nullable(
    Type.Object({
      code: Type.Unsafe<(typeof TRIGGER_FAULTS)[number] | 'loop'>({ type: 'string' }),
      message: Type.String(),
      params: JsonObject,
    }),
  ),
  ...triggerFields,
  /** Names of what the scope chooses, in its order; null: it is gone, or the caller may not see it. */
  scopeNames: Type.Array(Nullable(Type.String())),
  /** Names of the geofences that its conditions ask for, by id; absent: it is gone, or the caller may not see it. */
  fenceNames: Type.Record(Type.String(), Type.String()),
  /** Devices that it watches now. */
  devices: Type.Integer(),
  /** Open alarms of it that the caller may see. */
  openAlarms: Type.Integer(),
  expiresAt: Nullable(IsoTime),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  lastRunAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type TriggerView = Static<typeof TriggerView>

/** A value as it was judged. */
export const JudgedValue = Type.Object({
  deviceId: Nullable(Id),
  property: Type.String(),
  value: Json,
  ts: EpochMs,
})
export type JudgedValue = Static<typeof JudgedValue>

export const TriggerRunView = Type.Object({
  id: Id,
  at: IsoTime,
  cause: Words(RUN_CAUSES),
  by: Words(RUN_CAUSED_BY),
  deviceId: Nullable(Id),
  deviceName: Nullable(Type.String()),
  deviceNo: Nullable(Type.String()),
  alarmId: Nullable(Id),
  triggerVersion: Type.Integer(),
  values: Type.Array(JudgedValue),
  /** From the arrival of the row, or the moment at which a time was over, to the commit. */
  latencyMs: Type.Integer(),
  actions: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Its place in the list of the trigger' }),
      kind: Type.String(),
      result: Words(ACTION_RESULTS),
      message: Nullable(Type.String()),
      attempts: Type.Integer(),
      commandId: Nullable(Id),
      finishedAt: Nullable(IsoTime),
      latencyMs: Nullable(Type.Integer()),
    }),
  ),
})
export type TriggerRunView = Static<typeof TriggerRunView>

/** What a dry run is asked. Without `from` it is judged on the last values. */
export const DryRunInput = Type.Object(
  {
    id: Type.Optional(Id),
    trigger: Type.Optional(TriggerRule),
    from: Type.Optional(Type.Union([EpochMs, Type.String({ maxLength: 40 })])),
    to: Type.Optional(Type.Union([EpochMs, Type.String({ maxLength: 40 })])),
    deviceIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_DRY_RUN_DEVICES })),
  },
  closed,
)
export type DryRunInput = Static<typeof DryRunInput>

export const DryRunView = Type.Object({
  /** The stretch that was judged; of a run on the last values both are now. */
  from: EpochMs,
  to: EpochMs,
  devices: Type.Integer(),
  /** Of the scope more are watched than were looked at. */
  moreDevices: Type.Integer(),
  /** Of a trigger about cards, gateways or cameras: how many there are. It is always judged on what is so now. */
  objects: Type.Optional(Type.Object({ kind: Words(['sim', 'lora_gateway', 'camera']), looked: Type.Integer() })),
  rows: Type.Integer(),
  alarms: Type.Array(
    Type.Object({
      deviceId: Nullable(Id),
      deviceName: Nullable(Type.String()),
      level: Nullable(Type.Integer()),
      raisedAt: EpochMs,
      clearedAt: Nullable(EpochMs),
      count: Type.Integer(),
      raiseValues: Type.Array(JudgedValue),
      clearValues: Type.Array(JudgedValue),
    }),
  ),
  notices: Type.Integer({ description: 'How many notices there would have been' }),
  commands: Type.Integer({ description: 'How many commands there would have been' }),
  actions: Type.Array(
    Type.Object({ deviceId: Nullable(Id), at: EpochMs, index: Type.Integer(), kind: Type.String() }),
    { description: 'The first thousand' },
  ),
  pausedAt: Nullable(EpochMs),
  missing: Type.Array(Words(DRY_RUN_GAPS), { description: 'What of that time was not recorded' }),
  /** More alarms than are listed. */
  moreAlarms: Type.Integer(),
})
export type DryRunView = Static<typeof DryRunView>
