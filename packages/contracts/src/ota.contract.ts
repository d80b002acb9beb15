import { type Static, Type } from 'typebox'
import {
  Empty,
  Id,
  IdParams,
  IsoTime,
  JsonObject,
  listOf,
  listQuery,
  Name,
  Nullable,
  Version,
  Words,
} from './common.ts'
import {
  CAMPAIGN_KINDS,
  CAMPAIGN_STATES,
  CampaignAutoStop,
  CampaignPlan,
  CampaignRate,
  CampaignRetries,
  CampaignScope,
  CampaignTimeouts,
  CampaignWindow,
  FirmwareVersion,
  ModuleName,
  OTA_EVENT_KINDS,
  OTA_JOB_STATES,
  OTA_WAITS,
} from './firmware-schemas.ts'
import { FirmwareStep } from './firmware-views.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }
const campaigns = '/api/v1/ota-campaigns'
const jobs = '/api/v1/ota-jobs'

const Counts = Type.Record(Type.String(), Type.Integer(), { description: 'Devices by state' })

export const OtaCampaignView = Type.Object({
  id: Id,
  name: Type.String(),
  kind: Words(CAMPAIGN_KINDS),
  state: Words(CAMPAIGN_STATES),
  stateReason: Nullable(Type.String({ description: 'failure_rate, package_disabled, by_person, ended, …' })),
  productId: Id,
  productName: Type.String(),
  packageId: Id,
  packageName: Type.String(),
  module: Type.String(),
  version: Type.String({ description: 'Of the firmware' }),
  scope: CampaignScope,
  method: Words(['static', 'dynamic']),
  delivery: Words(['push', 'pull']),
  confirm: Type.Boolean(),
  rate: CampaignRate,
  window: Nullable(CampaignWindow),
  preconditions: Type.Array(JsonObject),
  timeouts: CampaignTimeouts,
  retries: CampaignRetries,
  autoStop: Nullable(CampaignAutoStop),
  supersede: Type.Boolean(),
  allowDowngrade: Type.Boolean(),
  startAt: Nullable(IsoTime),
  endAt: Nullable(IsoTime),
  total: Type.Integer({ description: 'Devices taken in so far' }),
  counts: Counts,
  failurePercent: Nullable(Type.Number({ description: 'Of the devices that came to an end; null: none did' })),
  ratePerMinute: Type.Number({ description: 'What the rate is now' }),
  ofCampaign: Nullable(Id),
  ownerName: Type.String(),
  revision: Type.Integer(),
  createdAt: IsoTime,
  startedAt: Nullable(IsoTime),
  endedAt: Nullable(IsoTime),
})
export type OtaCampaignView = Static<typeof OtaCampaignView>

export const OtaJobView = Type.Object({
  id: Id,
  campaignId: Id,
  campaignName: Type.String(),
  campaignKind: Words(CAMPAIGN_KINDS),
  productId: Id,
  deviceId: Id,
  deviceNo: Type.String(),
  deviceName: Type.String(),
  module: Type.String(),
  fromVersion: Nullable(Type.String()),
  toVersion: Type.String(),
  step: Type.Integer({ description: 'Which package of its way it is at, counted from 1' }),
  steps: Type.Array(FirmwareStep),
  state: Words(OTA_JOB_STATES),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  waitingFor: Nullable(Words(OTA_WAITS)),
  attempt: Type.Integer({ description: 'Counted from 1 with the first notice; 0: none yet' }),
  errorCode: Nullable(Type.String()),
  message: Nullable(Type.String()),
  commandId: Nullable(Id),
  createdAt: IsoTime,
  notifiedAt: Nullable(IsoTime),
  changedAt: IsoTime,
  dueAt: Nullable({ ...IsoTime, description: 'When the watchdog ends the phase' }),
  nextAt: Nullable({ ...IsoTime, description: 'Not told before' }),
  finishedAt: Nullable(IsoTime),
})
export type OtaJobView = Static<typeof OtaJobView>

export const OtaJobEvent = Type.Object({
  id: Type.Integer(),
  jobId: Nullable(Id),
  at: IsoTime,
  kind: Words(OTA_EVENT_KINDS),
  module: Type.String(),
  state: Nullable(Words(OTA_JOB_STATES)),
  percent: Nullable(Type.Integer()),
  message: Nullable(Type.String()),
  data: JsonObject,
})
export type OtaJobEvent = Static<typeof OtaJobEvent>

export const OtaReport = Type.Object({
  campaign: OtaCampaignView,
  successPercent: Nullable(Type.Number()),
  medianSeconds: Nullable(Type.Number({ description: 'From the first notice to the reported version' })),
  p95Seconds: Nullable(Type.Number()),
  retried: Type.Integer({ description: 'Devices that needed more than one attempt' }),
  bytes: Type.Integer({ description: 'Of the packages of those that succeeded' }),
  fromVersions: Type.Array(
    Type.Object({
      version: Nullable(Type.String()),
      total: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
    }),
  ),
  errors: Type.Array(
    Type.Object({ state: Words(OTA_JOB_STATES), errorCode: Nullable(Type.String()), count: Type.Integer() }),
  ),
  timeline: Type.Array(
    Type.Object({ at: IsoTime, notified: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer() }),
    { description: 'At most 60 points; counts within each' },
  ),
})
export type OtaReport = Static<typeof OtaReport>

export const OtaPreview = Type.Object({
  matching: Type.Integer({ description: 'Devices of the scope' }),
  targets: Type.Integer({ description: 'Those that would be taken in' }),
  upToDate: Type.Integer(),
  newer: Type.Integer({ description: 'Run a higher order number' }),
  noPath: Type.Integer({ description: 'No package leads from their version' }),
  versionUnknown: Type.Integer({ description: 'Never said a version; taken in when there is a full package' }),
  busy: Type.Integer({ description: 'Are in another campaign for the module' }),
  offline: Type.Integer(),
  totalBytes: Type.Integer(),
  paths: Type.Array(
    Type.Object({
      fromVersion: Nullable(Type.String()),
      devices: Type.Integer(),
      steps: Type.Array(FirmwareStep),
      totalBytes: Type.Integer(),
    }),
  ),
})
export type OtaPreview = Static<typeof OtaPreview>

const CreateCampaign = Type.Object(
  {
    name: Name,
    packageId: Id,
    scope: CampaignScope,
    ...CampaignPlan,
    startAt: Type.Optional(Type.String({ format: 'date-time' })),
    endAt: Type.Optional(Type.String({ format: 'date-time' })),
  },
  closed,
)
export type CreateOtaCampaign = Static<typeof CreateCampaign>

const one = <const A extends string>(action: A, summary: string) =>
  route({
    method: 'POST',
    path: `${campaigns}/{id}/${action}`,
    tag: 'Firmware',
    summary,
    permission: 'firmware:deploy',
    audit: `ota_campaign.${action}`,
    params: IdParams,
    response: OtaCampaignView,
  })

const jobFilter = {
  campaignId: Type.Optional(Id),
  productId: Type.Optional(Id),
  packageId: Type.Optional(Id),
  deviceId: Type.Optional(Id),
  module: Type.Optional(ModuleName),
  state: Type.Optional(Words(OTA_JOB_STATES)),
  open: Type.Optional(Words(['0', '1'], { description: '1: only those that are not at their end' })),
  q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the number or name of the device' })),
}
const { q: _, ...jobQuery } = listQuery

export const otaCampaignsContract = {
  preview: route({
    method: 'POST',
    path: `${campaigns}/preview`,
    tag: 'Firmware',
    summary: 'Which devices a campaign would take in, and how they would get there',
    permission: 'firmware:read',
    audit: { none: 'Only counts' },
    body: Type.Object(
      {
        packageId: Id,
        scope: CampaignScope,
        supersede: CampaignPlan.supersede,
        allowDowngrade: CampaignPlan.allowDowngrade,
      },
      closed,
    ),
    response: OtaPreview,
  }),
  create: route({
    method: 'POST',
    path: campaigns,
    tag: 'Firmware',
    summary: 'Starts a campaign now or later; asks for a fresh proof of who it is where he has one',
    permission: 'firmware:deploy',
    audit: 'ota_campaign.create',
    status: 201,
    body: CreateCampaign,
    response: OtaCampaignView,
  }),
  list: route({
    method: 'GET',
    path: campaigns,
    tag: 'Firmware',
    summary: 'Campaigns, newest first',
    permission: 'firmware:read',
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      q: listQuery.q,
      total: listQuery.total,
      productId: Type.Optional(Id),
      packageId: Type.Optional(Id),
      state: Type.Optional(Words(CAMPAIGN_STATES)),
      kind: Type.Optional(Words(CAMPAIGN_KINDS)),
    }),
    response: listOf(OtaCampaignView),
  }),
  get: route({
    method: 'GET',
    path: `${campaigns}/{id}`,
    tag: 'Firmware',
    summary: 'A campaign and how far it is',
    permission: 'firmware:read',
    params: IdParams,
    response: OtaCampaignView,
  }),
  update: route({
    method: 'PATCH',
    path: `${campaigns}/{id}`,
    tag: 'Firmware',
    summary: 'Changes what may change while it runs: name, rate, window, time-outs, retries, failure rate, end',
    permission: 'firmware:deploy',
    audit: 'ota_campaign.update',
    params: IdParams,
    body: Type.Object(
      {
        revision: Version,
        name: Type.Optional(Name),
        rate: Type.Optional(CampaignRate),
        window: Type.Optional(Nullable(CampaignWindow)),
        timeouts: Type.Optional(CampaignTimeouts),
        retries: Type.Optional(CampaignRetries),
        autoStop: Type.Optional(Nullable(CampaignAutoStop)),
        startAt: Type.Optional(Type.String({ format: 'date-time', description: 'Only while it is scheduled' })),
        endAt: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
      },
      closed,
    ),
    response: OtaCampaignView,
  }),
  pause: one('pause', 'No further device is told; notices that wait for their device are taken back'),
  resume: one('resume', 'Goes on after a pause or a stop by failure rate, which counts anew from here'),
  cancel: one('cancel', 'Ends it; devices that are not yet installing are told nothing more and their downloads end'),
  retry: one('retry', 'Once more for every device that failed, timed out or refused'),
  rollback: route({
    method: 'POST',
    path: `${campaigns}/{id}/rollback`,
    tag: 'Firmware',
    summary: 'Cancels it and brings the devices that it updated back, by a package of their former version',
    permission: 'firmware:deploy',
    audit: 'ota_campaign.rollback',
    params: IdParams,
    status: 201,
    body: Type.Object(
      {
        packageId: Type.Optional(
          Type.String({ format: 'uuid', description: 'Absent: a full package of the version most of them came from' }),
        ),
      },
      closed,
    ),
    response: OtaCampaignView,
  }),
  report: route({
    method: 'GET',
    path: `${campaigns}/{id}/report`,
    tag: 'Firmware',
    summary: 'What became of a campaign: rates, times, errors, versions',
    permission: 'firmware:read',
    params: IdParams,
    response: OtaReport,
  }),
}

export const OTA_JOB_ACTIONS = ['confirm', 'reject', 'retry', 'cancel', 'refresh'] as const

export const otaJobsContract = {
  list: route({
    method: 'GET',
    path: jobs,
    tag: 'Firmware',
    summary: 'Updates of devices; sorts: createdAt, changedAt',
    permission: 'firmware:read',
    query: Type.Object({ ...jobQuery, ...jobFilter }),
    response: listOf(OtaJobView),
  }),
  export: route({
    method: 'GET',
    path: `${jobs}/export`,
    tag: 'Firmware',
    summary: 'The list as a table',
    permission: 'firmware:read',
    query: Type.Object({ format: Words(['csv', 'xlsx']), ...jobFilter }),
    response: Empty,
    produces: 'text/csv',
  }),
  get: route({
    method: 'GET',
    path: `${jobs}/{id}`,
    tag: 'Firmware',
    summary: 'The update of one device with its time line',
    permission: 'firmware:read',
    params: IdParams,
    response: Type.Object({ job: OtaJobView, events: Type.Array(OtaJobEvent) }),
  }),
  batch: route({
    method: 'POST',
    path: `${jobs}/batch`,
    tag: 'Firmware',
    summary:
      'For chosen updates, or all that fit: confirm or reject those that wait for it, retry, cancel, or look again at what the device says',
    permission: 'firmware:deploy',
    audit: 'ota_job.batch',
    body: Type.Object(
      {
        action: Words(OTA_JOB_ACTIONS),
        ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000 })),
        filter: Type.Optional(Type.Object(jobFilter, { ...closed, description: 'With a campaign; instead of ids' })),
      },
      closed,
    ),
    response: Type.Object({ changed: Type.Integer(), skipped: Type.Integer() }),
  }),
  device: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/firmware',
    tag: 'Firmware',
    summary: 'What a device runs, what is on the way, and its time line, newest first',
    permission: 'firmware:read',
    params: IdParams,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      cursor: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    response: Type.Object({
      modules: Type.Array(
        Type.Object({
          module: Type.String(),
          version: FirmwareVersion,
          previousVersion: Nullable(Type.String()),
          packageId: Nullable(Id),
          reportedAt: IsoTime,
          changedAt: IsoTime,
        }),
      ),
      jobs: Type.Array(OtaJobView, { description: 'Open ones, then the last ten' }),
      events: Type.Array(OtaJobEvent),
      nextCursor: Nullable(Type.String()),
    }),
  }),
}
