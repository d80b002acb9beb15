import { Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { DryRunInput, DryRunView, TriggerInput, TriggerRunView, TriggerView, triggerFields } from './trigger-schemas.ts'
import { RUN_CAUSES, SIGNAL_KINDS, TRIGGER_BATCH_ACTIONS, TRIGGER_KINDS, TRIGGER_STATES } from './triggers.words.ts'

export * from './trigger-schemas.ts'
export * from './triggers.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/triggers'
const tag = 'Triggers'

export const triggersContract = {
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Makes a trigger; it is judged within a second, for what comes from then on',
    permission: 'trigger:write',
    audit: 'trigger.create',
    status: 201,
    body: TriggerInput,
    response: TriggerView,
  }),
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Triggers that the caller may see. Sorts: createdAt, name, lastRunAt',
    permission: 'trigger:read',
    query: Type.Object({
      ...listQuery,
      state: Type.Optional(Words(TRIGGER_STATES)),
      kind: Type.Optional(Words(TRIGGER_KINDS)),
      deviceId: Type.Optional({ ...Id, description: 'Triggers that watch this device, by whatever scope' }),
      productId: Type.Optional({ ...Id, description: 'Triggers whose scope names this product' }),
      userId: Type.Optional({
        ...Id,
        description: 'Triggers of this end user and those below him, or for their devices',
      }),
    }),
    response: listOf(TriggerView),
  }),
  dryRun: route({
    method: 'POST',
    path: `${base}/dry-run`,
    tag,
    summary:
      'What a trigger says of the last values, or would have done in a stretch of recorded time; acts on nothing',
    permission: 'trigger:read',
    audit: { none: 'changes nothing' },
    body: DryRunInput,
    response: DryRunView,
  }),
  batch: route({
    method: 'POST',
    path: `${base}/batch`,
    tag,
    summary: 'Enables, disables or removes several triggers',
    permission: 'trigger:write',
    audit: 'trigger.batch',
    body: Type.Object(
      {
        ids: Type.Array(Id, { minItems: 1, maxItems: 500, uniqueItems: true }),
        action: Words(TRIGGER_BATCH_ACTIONS),
      },
      closed,
    ),
    response: Type.Object({
      done: Type.Integer(),
      failed: Type.Array(Type.Object({ id: Id, code: Type.String(), message: Type.String() })),
    }),
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'One trigger',
    permission: 'trigger:read',
    params: IdParams,
    response: TriggerView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary:
      'Changes a trigger. Where kind is given the rule is replaced whole by the fields beside it; open alarms stay open as far as it still says so',
    permission: 'trigger:write',
    audit: 'trigger.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        description: Type.Optional(Type.String({ maxLength: 512 })),
        enabled: Type.Optional(Type.Boolean()),
        expiresAt: Type.Optional(Nullable(IsoTime)),
        ...triggerFields,
        kind: Type.Optional(Words(TRIGGER_KINDS)),
        scope: Type.Optional(triggerFields.scope),
      },
      closed,
    ),
    response: TriggerView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes a trigger; its open alarms are cleared, past ones stay',
    permission: 'trigger:write',
    audit: 'trigger.remove',
    params: IdParams,
    response: Ok,
  }),
  enable: route({
    method: 'POST',
    path: `${base}/{id}/enable`,
    tag,
    summary: 'Judges it again; also lets one go on that its guard paused',
    permission: 'trigger:write',
    audit: 'trigger.enable',
    params: IdParams,
    response: TriggerView,
  }),
  disable: route({
    method: 'POST',
    path: `${base}/{id}/disable`,
    tag,
    summary: 'Judges it no longer; its open alarms are cleared',
    permission: 'trigger:write',
    audit: 'trigger.disable',
    params: IdParams,
    response: TriggerView,
  }),
  signal: route({
    method: 'POST',
    path: `${base}/{id}/signal`,
    tag,
    summary: 'Presses a button of a trigger, or calls it as a program; once for each Idempotency-Key',
    permission: 'trigger:write',
    audit: 'trigger.signal',
    params: IdParams,
    status: 202,
    body: Type.Object(
      {
        kind: Words(SIGNAL_KINDS),
        key: Type.String({ minLength: 1, maxLength: 64 }),
        deviceId: Type.Optional({ ...Id, description: 'Absent: for all devices of the trigger' }),
      },
      closed,
    ),
    response: Ok,
  }),
  runs: route({
    method: 'GET',
    path: `${base}/{id}/runs`,
    tag,
    summary: 'What it did, newest first: time, values that caused it, each action with its result',
    permission: 'trigger:read',
    params: IdParams,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      cause: Type.Optional(Words(RUN_CAUSES)),
      deviceId: Type.Optional(Id),
    }),
    response: listOf(TriggerRunView),
  }),
}
