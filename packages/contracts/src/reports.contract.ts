import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import {
  REPORT_FORMATS,
  REPORT_FUNCTIONS,
  REPORT_INTERVALS,
  REPORT_LIMITS,
  REPORT_LISTS,
  REPORT_PERIODS,
  REPORT_RECIPIENTS,
  REPORT_SOURCES,
  REPORT_STATES,
} from './reports.words.ts'
import { route } from './route.ts'
import { NextRuns, ScheduleInput, TimedFault } from './timed-task-schemas.ts'
import { MISFIRES, TIMED_RUN_STATES, type TimedRunState } from './timed-tasks.words.ts'

export * from './reports.words.ts'
/** partial: some of the mails were not taken. skipped: it was left out, for the reason beside it. */
export type ReportRunState = TimedRunState

const closed = { additionalProperties: false } as const
const base = '/api/v1/reports'
const tag = 'Reports'
const read = { tag, permission: 'report:read' } as const
const write = { tag, permission: 'report:write' } as const

/**
 * What a report is made of, by `kind`:
 * - `list` `{list, params?, query?, columns?}`: the export of a list with its filters; columns absent: all of them
 * - `overview`: how the company's devices do
 * - `telemetry` `{deviceIds, properties, interval, functions}`: what devices measured
 * - `page` `{pageId}`: the values of a published cloud page
 */
export const ReportSource = Type.Object(
  {
    kind: Words(REPORT_SOURCES),
    list: Type.Optional(Words(REPORT_LISTS)),
    params: Type.Optional(Type.Record(Type.String({ maxLength: 32 }), Type.String({ maxLength: 64 }))),
    query: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
        description: 'Search, order and filters of the list, as in its address',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: REPORT_LIMITS.columns,
        uniqueItems: true,
        description: 'Keys of the columns in their order; empty or absent: all',
      }),
    ),
    deviceIds: Type.Optional(Type.Array(Id, { maxItems: REPORT_LIMITS.devices, uniqueItems: true })),
    properties: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: REPORT_LIMITS.properties,
        uniqueItems: true,
      }),
    ),
    interval: Type.Optional(Words(REPORT_INTERVALS)),
    functions: Type.Optional(Type.Array(Words(REPORT_FUNCTIONS), { maxItems: 5, uniqueItems: true })),
    pageId: Type.Optional(Id),
  },
  closed,
)
export type ReportSource = Static<typeof ReportSource>

export const ReportRecipient = Type.Object(
  {
    kind: Words(REPORT_RECIPIENTS),
    id: Type.Optional({ ...Id, description: 'Of a member or contact' }),
    address: Type.Optional(
      Type.String({ minLength: 3, maxLength: 254, description: 'Of mail: verified, or of a member' }),
    ),
  },
  closed,
)
export type ReportRecipient = Static<typeof ReportRecipient>

const fields = {
  description: Type.Optional(Type.String({ maxLength: 512 })),
  source: ReportSource,
  format: Words(REPORT_FORMATS),
  /** `daily`, `weekly` or `monthly`, with one time of the clock. */
  schedule: ScheduleInput,
  locale: Type.Optional(Words(['zh', 'en'], { description: 'Of the file and the mail. Absent: the caller’s' })),
  period: Type.Optional(Nullable(Words(REPORT_PERIODS))),
  recipients: Type.Array(ReportRecipient, {
    maxItems: REPORT_LIMITS.recipients,
    description: 'Empty: the file is in the task centre of the owner only',
  }),
  misfire: Type.Optional(Words(MISFIRES, { description: 'What was due while the server was down. Absent: once' })),
  misfireMinutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1440, description: 'Of once: how late it may still run. Absent: 720' }),
  ),
}

export const ReportInput = Type.Object(
  { name: Name, enabled: Type.Optional(Type.Boolean({ description: 'Absent: yes' })), ...fields },
  closed,
)
export type ReportInput = Static<typeof ReportInput>

export const ReportView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  state: Words(REPORT_STATES),
  fault: Nullable(TimedFault),
  source: ReportSource,
  format: Words(REPORT_FORMATS),
  schedule: ScheduleInput,
  locale: Words(['zh', 'en']),
  period: Nullable(Words(REPORT_PERIODS)),
  recipients: Type.Array(
    Type.Object({
      ...ReportRecipient.properties,
      label: Type.String({ description: 'Name and address; empty: gone' }),
    }),
  ),
  misfire: Words(MISFIRES),
  misfireMinutes: Type.Integer(),
  nextRunAt: Nullable(IsoTime),
  lastRunAt: Nullable(IsoTime),
  lastState: Nullable(Words(TIMED_RUN_STATES)),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type ReportView = Static<typeof ReportView>

export const ReportRunView = Type.Object({
  id: Id,
  reportId: Id,
  name: Type.String({ description: 'Of the report' }),
  cause: Words(['schedule', 'manual']),
  byName: Type.String(),
  dueAt: IsoTime,
  startedAt: Nullable(IsoTime),
  finishedAt: Nullable(IsoTime),
  missed: Type.Integer({ description: 'Runs that were due before it while the server was down' }),
  state: Words(TIMED_RUN_STATES),
  fault: Nullable(TimedFault),
  fileName: Nullable(Type.String()),
  size: Nullable(Type.Integer({ description: 'Bytes' })),
  rows: Nullable(Type.Integer()),
  taskId: Nullable({ ...Id, description: 'Of the task centre, where its file is: for the owner of the report' }),
  mails: Type.Array(
    Type.Object({
      name: Type.String(),
      address: Nullable(Type.String()),
      state: Words(['pending', 'sent', 'failed']),
      reason: Nullable(Type.String()),
      asLink: Type.Boolean({ description: 'The file was too large for a mail' }),
      sentAt: Nullable(IsoTime),
    }),
  ),
})
export type ReportRunView = Static<typeof ReportRunView>

const EXAMPLE = {
  name: 'Devices every morning',
  source: { kind: 'list', list: 'devices.export', query: {}, columns: [] },
  format: 'xlsx',
  schedule: { kind: 'daily', times: ['08:00'], zone: 'Asia/Shanghai' },
  recipients: [],
}
const one = { ...write, params: IdParams } as const

export const reportsContract = {
  list: route({
    method: 'GET',
    path: base,
    ...read,
    summary: 'Reports of the company that the caller may see. Sorts: createdAt, name, nextRunAt, lastRunAt',
    query: Type.Object({
      ...listQuery,
      state: Type.Optional(Words(REPORT_STATES)),
      kind: Type.Optional(Words(REPORT_SOURCES)),
      format: Type.Optional(Words(REPORT_FORMATS)),
    }),
    response: listOf(ReportView),
  }),
  create: route({
    method: 'POST',
    path: base,
    ...write,
    summary: 'Makes a report. Its file is made with the permissions that its owner has when it runs',
    audit: 'report.create',
    status: 201,
    body: ReportInput,
    example: { body: EXAMPLE },
    response: ReportView,
  }),
  columns: route({
    method: 'POST',
    path: `${base}/columns`,
    ...write,
    summary: 'The columns that a list has for the caller',
    audit: { none: 'changes nothing' },
    body: Type.Object({ source: ReportSource, locale: fields.locale }, closed),
    example: { body: { source: EXAMPLE.source } },
    response: Type.Object({
      columns: Type.Array(Type.Object({ key: Type.String(), title: Type.String() })),
      /** Whether the list can be narrowed to a period. */
      hasPeriod: Type.Boolean(),
    }),
  }),
  preview: route({
    method: 'POST',
    path: `${base}/preview`,
    ...read,
    summary: 'When a schedule that is not kept yet would run',
    audit: { none: 'changes nothing' },
    body: Type.Object({ schedule: ScheduleInput }, closed),
    example: { body: { schedule: EXAMPLE.schedule } },
    response: NextRuns,
  }),
  recipients: route({
    method: 'GET',
    path: `${base}/recipients`,
    ...write,
    summary: 'Who can be mailed: members with an address, contacts with a verified one; at most 200',
    query: Type.Object({ q: listQuery.q }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({ kind: Words(['member', 'contact']), id: Id, name: Type.String(), address: Type.String() }),
      ),
    }),
  }),
  runs: route({
    method: 'GET',
    path: `${base}/runs`,
    ...read,
    summary: 'What reports did, newest first',
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      reportId: Type.Optional(Id),
      state: Type.Optional(Words(TIMED_RUN_STATES)),
    }),
    response: listOf(ReportRunView),
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    ...read,
    summary: 'One report',
    params: IdParams,
    response: ReportView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    ...one,
    summary: 'Changes a report. Who changes what it shows or who gets it becomes its owner',
    audit: 'report.update',
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        enabled: Type.Optional(Type.Boolean()),
        ...fields,
        source: Type.Optional(ReportSource),
        format: Type.Optional(fields.format),
        schedule: Type.Optional(ScheduleInput),
        recipients: Type.Optional(fields.recipients),
      },
      closed,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', format: 'pdf' } },
    response: ReportView,
  }),
  enable: route({
    method: 'POST',
    path: `${base}/{id}/enable`,
    ...one,
    summary: 'Lets it run again, from its next moment on',
    audit: 'report.enable',
    example: { params: { id: '{{create.id}}' } },
    response: ReportView,
  }),
  disable: route({
    method: 'POST',
    path: `${base}/{id}/disable`,
    ...one,
    summary: 'Pauses it',
    audit: 'report.disable',
    example: { params: { id: '{{create.id}}' } },
    response: ReportView,
  }),
  run: route({
    method: 'POST',
    path: `${base}/{id}/run`,
    ...one,
    summary: 'Makes and mails it now, with the permissions of its owner',
    audit: 'report.run',
    status: 202,
    example: { params: { id: '{{create.id}}' } },
    response: ReportRunView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    ...one,
    summary: 'Removes a report and its log',
    audit: 'report.remove',
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
