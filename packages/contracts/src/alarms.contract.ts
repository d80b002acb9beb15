import { type Static, Type } from 'typebox'
import {
  ALARM_BATCH_ACTIONS,
  ALARM_EVENTS,
  ALARM_SOUNDS,
  ALARM_TARGETS,
  ALARM_WORK,
  CLEARED_BY,
} from './alarms.words.ts'
import { Id, IdParams, IsoTime, JsonObject, listOf, listQuery, Nullable, Version, Words } from './common.ts'
import { route } from './route.ts'
import { JudgedValue } from './trigger-schemas.ts'

export * from './alarms.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/alarms'
const tag = 'Alarms'
const Level = Type.Integer({ minimum: 1, maximum: 5 })
const Time = Type.Union([Type.Integer(), Type.String({ maxLength: 40 })], { description: 'Epoch ms or ISO 8601' })
const Text = Type.String({ maxLength: 2000 })
const Photos = Type.Array(Id, { maxItems: 9, uniqueItems: true, description: 'Materials' })
const Minutes = Type.Integer({ minimum: 1, maximum: 44_640 })

export const AlarmView = Type.Object({
  id: Id,
  triggerId: Nullable(Id),
  /** As it was when raised. */
  triggerName: Type.String(),
  isLoop: Type.Optional(
    Type.Boolean({ description: 'The trigger set itself off again and again, and is paused until it is enabled' }),
  ),
  target: Type.Object({
    kind: Words(ALARM_TARGETS),
    id: Type.String(),
    name: Type.Optional(Type.String({ description: 'Of a card, gateway or camera, as it was when raised' })),
  }),
  deviceId: Nullable(Id),
  deviceName: Nullable(Type.String()),
  deviceNo: Nullable(Type.String()),
  productId: Nullable(Id),
  productName: Nullable(Type.String()),
  owner: Nullable(Type.Object({ id: Id, name: Type.String() }, { description: 'The end user whose device it is' })),
  level: Level,
  active: Type.Boolean(),
  acknowledged: Type.Boolean(),
  work: Words(ALARM_WORK),
  assigneeId: Nullable(Id),
  assigneeName: Nullable(Type.String()),
  count: Type.Integer({ description: 'How often it was seen since it was raised' }),
  raisedAt: IsoTime,
  lastAt: IsoTime,
  clearedAt: Nullable(IsoTime),
  clearedBy: Nullable(Words(CLEARED_BY)),
  acknowledgedAt: Nullable(IsoTime),
  acknowledgedName: Nullable(Type.String()),
  handledAt: Nullable(IsoTime),
  handledName: Nullable(Type.String()),
  result: Nullable(Type.String()),
  photoIds: Type.Array(Id),
  shelvedUntil: Nullable(IsoTime),
  /** Its device was in maintenance when it was raised: nobody was told. */
  suppressed: Type.Boolean(),
  /** Alarms of the same trigger that were raised with it in one storm, itself not counted; told of once. */
  merged: Type.Integer(),
  /** The first alarm of the storm into which this one was merged; null: it stands for itself. */
  stormId: Nullable(Id),
  raiseValues: Type.Array(JudgedValue),
  clearValues: Type.Array(JudgedValue),
  /** The value of the trigger's property that was farthest from its limit, where it is a number. */
  peak: Nullable(Type.Number()),
  comments: Type.Integer(),
})
export type AlarmView = Static<typeof AlarmView>

export const AlarmEventView = Type.Object({
  id: Id,
  at: IsoTime,
  kind: Words(ALARM_EVENTS),
  loginId: Nullable(Id),
  /** Empty: the system. */
  name: Type.String(),
  text: Nullable(Type.String()),
  photoIds: Type.Array(Id),
  /** assigneeId and assigneeName; until; by. */
  detail: JsonObject,
})
export type AlarmEventView = Static<typeof AlarmEventView>

export const AlarmLevel = Type.Object(
  {
    level: Level,
    name: Type.String({ minLength: 1, maxLength: 32, description: 'Chinese name' }),
    ename: Type.String({ minLength: 1, maxLength: 32, description: 'English name' }),
    color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
    sound: Words(ALARM_SOUNDS),
  },
  closed,
)
export type AlarmLevel = Static<typeof AlarmLevel>

const alarmFilters = {
  active: Type.Optional(Words(['0', '1', 'true', 'false'])),
  acknowledged: Type.Optional(Words(['0', '1', 'true', 'false'])),
  work: Type.Optional(Words(ALARM_WORK)),
  level: Type.Optional(Level),
  minLevel: Type.Optional(Level),
  deviceId: Type.Optional(Id),
  productId: Type.Optional(Id),
  groupId: Type.Optional(Id),
  userId: Type.Optional({ ...Id, description: 'Of devices of this end user and those below him' }),
  triggerId: Type.Optional(Id),
  assigneeId: Type.Optional({ ...Id, description: 'The caller himself: mine=1' }),
  mine: Type.Optional(Words(['1'])),
  shelved: Type.Optional(Words(['0', '1'], { description: 'Absent: both' })),
  suppressed: Type.Optional(Words(['0', '1'], { description: 'Absent: both' })),
  stormId: Type.Optional({ ...Id, description: 'The first alarm of a storm, and those that were merged into it' }),
  merged: Type.Optional(
    Words(['1'], {
      description:
        'Of a storm (the sixth alarm of a trigger within a minute, and all that follow at once) only the first alarms, as long as the first of all is in the same state',
    }),
  ),
  from: Type.Optional({ ...Time, description: 'Raised from this moment on' }),
  to: Type.Optional({ ...Time, description: 'Raised before this moment' }),
}

const Note = Type.Object({ text: Type.Optional(Text) }, closed)

export const alarmsContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Alarms of devices that the caller may see. Sorts: raisedAt (newest first as it is), lastAt, level',
    permission: 'alarm:read',
    query: Type.Object({ ...listQuery, ...alarmFilters }),
    response: listOf(AlarmView),
  }),
  counts: route({
    method: 'GET',
    path: `${base}/counts`,
    tag,
    summary: 'How many alarms are active now, for headings and the overview; those of devices in maintenance apart',
    permission: 'alarm:read',
    query: Type.Object({
      deviceId: Type.Optional(Id),
      productId: Type.Optional(Id),
      groupId: Type.Optional(Id),
    }),
    response: Type.Object({
      active: Type.Integer(),
      unacknowledged: Type.Integer({ description: 'Of the active ones' }),
      byLevel: Type.Array(Type.Object({ level: Level, active: Type.Integer() })),
      mine: Type.Integer({ description: 'Assigned to the caller and not done' }),
      shelved: Type.Integer(),
      suppressed: Type.Integer(),
      devices: Type.Integer({ description: 'Devices with an active alarm' }),
      raisedToday: Type.Integer({ description: 'In the last 24 hours' }),
    }),
  }),
  statistics: route({
    method: 'GET',
    path: `${base}/statistics`,
    tag,
    summary: 'Figures of a stretch of time: MTTA, MTTR, by level, by hour of the day, by day, top devices and triggers',
    permission: 'alarm:read',
    query: Type.Object({
      from: Type.Optional({ ...Time, description: 'Absent: 30 days ago' }),
      to: Type.Optional({ ...Time, description: 'Absent: now' }),
      zone: Type.Optional(Type.String({ maxLength: 64, description: 'Of hours and days; absent: the company’s' })),
      productId: Type.Optional(Id),
      groupId: Type.Optional(Id),
      deviceId: Type.Optional(Id),
      triggerId: Type.Optional(Id),
    }),
    response: Type.Object({
      from: IsoTime,
      to: IsoTime,
      total: Type.Integer(),
      active: Type.Integer(),
      unacknowledged: Type.Integer(),
      /** Mean time from raise to acknowledgement, of those that were acknowledged; null: none was. */
      mttaMs: Nullable(Type.Integer()),
      /** Mean time from raise to clear, of those that were cleared. */
      mttrMs: Nullable(Type.Integer()),
      byLevel: Type.Array(Type.Object({ level: Level, total: Type.Integer(), active: Type.Integer() })),
      byHour: Type.Array(Type.Integer(), { description: '24 numbers, from midnight' }),
      byDay: Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD' }), total: Type.Integer() })),
      topDevices: Type.Array(
        Type.Object({
          deviceId: Id,
          name: Type.String(),
          deviceNo: Type.String(),
          total: Type.Integer(),
          active: Type.Integer(),
        }),
      ),
      topTriggers: Type.Array(
        Type.Object({ triggerId: Nullable(Id), name: Type.String(), total: Type.Integer(), active: Type.Integer() }),
      ),
    }),
  }),
  export: route({
    method: 'GET',
    path: `${base}/export`,
    tag,
    summary: 'The alarms of the filters as a file, at most 100,000',
    permission: 'alarm:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...alarmFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  batch: route({
    method: 'POST',
    path: `${base}/batch`,
    tag,
    summary: 'Does the same to several alarms; to acknowledge needs alarm:acknowledge, the rest alarm:handle',
    permission: 'alarm:acknowledge',
    audit: 'alarm.batch',
    body: Type.Object(
      {
        ids: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }),
        action: Words(ALARM_BATCH_ACTIONS),
        text: Type.Optional(Text),
        assigneeId: Type.Optional(Nullable(Id)),
        minutes: Type.Optional(Minutes),
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
    summary: 'One alarm',
    permission: 'alarm:read',
    params: IdParams,
    response: AlarmView,
  }),
  events: route({
    method: 'GET',
    path: `${base}/{id}/events`,
    tag,
    summary: 'What happened to it and who said what, oldest first',
    permission: 'alarm:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(AlarmEventView) }),
  }),
  occurrences: route({
    method: 'GET',
    path: `${base}/{id}/occurrences`,
    tag,
    summary: 'Every time it was seen, newest first, with the values',
    permission: 'alarm:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(
      Type.Object({ id: Type.String(), at: IsoTime, count: Type.Integer(), values: Type.Array(JudgedValue) }),
    ),
  }),
  ack: route({
    method: 'POST',
    path: `${base}/{id}/ack`,
    tag,
    summary: 'Somebody has seen it; once more changes nothing',
    permission: 'alarm:acknowledge',
    audit: 'alarm.ack',
    params: IdParams,
    body: Note,
    response: AlarmView,
  }),
  clear: route({
    method: 'POST',
    path: `${base}/{id}/clear`,
    tag,
    summary: 'Ends it by hand; a condition that still holds raises a new one with the next value that says so',
    permission: 'alarm:handle',
    audit: 'alarm.clear',
    params: IdParams,
    body: Note,
    response: AlarmView,
  }),
  assign: route({
    method: 'POST',
    path: `${base}/{id}/assign`,
    tag,
    summary: 'Gives it to a member, who is told; null: to nobody',
    permission: 'alarm:handle',
    audit: 'alarm.assign',
    params: IdParams,
    body: Type.Object({ assigneeId: Nullable(Id), text: Type.Optional(Text) }, closed),
    response: AlarmView,
  }),
  comment: route({
    method: 'POST',
    path: `${base}/{id}/comment`,
    tag,
    summary: 'Writes something beside it',
    permission: 'alarm:acknowledge',
    audit: 'alarm.comment',
    params: IdParams,
    body: Type.Object(
      { text: Type.String({ minLength: 1, maxLength: 2000 }), photoIds: Type.Optional(Photos) },
      closed,
    ),
    response: AlarmEventView,
  }),
  handle: route({
    method: 'POST',
    path: `${base}/{id}/handle`,
    tag,
    summary: 'The work is done, with what came of it; whether it is active stays as it is',
    permission: 'alarm:handle',
    audit: 'alarm.handle',
    params: IdParams,
    body: Type.Object(
      { result: Type.String({ minLength: 1, maxLength: 2000 }), photoIds: Type.Optional(Photos) },
      closed,
    ),
    response: AlarmView,
  }),
  ignore: route({
    method: 'POST',
    path: `${base}/{id}/ignore`,
    tag,
    summary: 'Nothing is to be done about it; it no longer colours its device',
    permission: 'alarm:handle',
    audit: 'alarm.ignore',
    params: IdParams,
    body: Note,
    response: AlarmView,
  }),
  reopen: route({
    method: 'POST',
    path: `${base}/{id}/reopen`,
    tag,
    summary: 'Work on it goes on after all: done or ignored becomes open',
    permission: 'alarm:handle',
    audit: 'alarm.reopen',
    params: IdParams,
    body: Note,
    response: AlarmView,
  }),
  shelve: route({
    method: 'POST',
    path: `${base}/{id}/shelve`,
    tag,
    summary: 'Out of the way for so long: no sound, no colour of its device; then as before',
    permission: 'alarm:handle',
    audit: 'alarm.shelve',
    params: IdParams,
    body: Type.Object({ minutes: Minutes, text: Type.Optional(Text) }, closed),
    response: AlarmView,
  }),
  unshelve: route({
    method: 'POST',
    path: `${base}/{id}/unshelve`,
    tag,
    summary: 'Back from the shelf before its time',
    permission: 'alarm:handle',
    audit: 'alarm.unshelve',
    params: IdParams,
    body: Note,
    response: AlarmView,
  }),
  levels: route({
    method: 'GET',
    path: '/api/v1/alarm-levels',
    tag,
    summary: 'The five levels as the company names, colours and sounds them; 5 is the gravest',
    permission: 'signed-in',
    response: Type.Object({ items: Type.Array(AlarmLevel), version: Type.Integer() }),
  }),
  setLevels: route({
    method: 'PUT',
    path: '/api/v1/alarm-levels',
    tag,
    summary: 'Names, colours and sounds of all five',
    permission: 'alarm:configure',
    audit: 'alarm_levels.update',
    wholeCompany: true,
    body: Type.Object({ items: Type.Array(AlarmLevel, { minItems: 5, maxItems: 5 }), version: Version }, closed),
    response: Type.Object({ items: Type.Array(AlarmLevel), version: Type.Integer() }),
  }),
  maintenance: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/maintenance',
    tag,
    summary: 'Whether a device is in maintenance',
    permission: 'alarm:read',
    params: IdParams,
    response: Type.Object({
      until: Nullable(IsoTime),
      reason: Nullable(Type.String()),
      byName: Nullable(Type.String()),
      since: Nullable(IsoTime),
    }),
  }),
  setMaintenance: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/maintenance',
    tag,
    summary: 'Puts a device into maintenance: its alarms are kept and marked, nobody is told; until null: ends it',
    permission: 'alarm:handle',
    audit: 'device.maintenance',
    params: IdParams,
    body: Type.Object({ until: Nullable(IsoTime), reason: Type.Optional(Type.String({ maxLength: 256 })) }, closed),
    response: Type.Object({
      until: Nullable(IsoTime),
      reason: Nullable(Type.String()),
      byName: Nullable(Type.String()),
      since: Nullable(IsoTime),
    }),
  }),
}
