import { type Static, Type } from 'typebox'
import { CommandCondition } from './command-schemas.ts'
import { Id, Words } from './common.ts'
import type { CAMPAIGN_STATES, FIRMWARE_STATES, OTA_JOB_STATES } from './firmware.words.ts'

export { CAMPAIGN_KINDS, CAMPAIGN_STATES, FIRMWARE_STATES, OTA_JOB_STATES } from './firmware.words.ts'

const closed = { additionalProperties: false }

/** Longest firmware file, in bytes. */
export const FIRMWARE_MAX_BYTES = 200 * 1024 * 1024
/** Packages of one company. */
export const FIRMWARE_MAX_PACKAGES = 500

export const FIRMWARE_KINDS = ['full', 'delta'] as const
export type FirmwareState = (typeof FIRMWARE_STATES)[number]

export type CampaignState = (typeof CAMPAIGN_STATES)[number]

export type OtaJobState = (typeof OTA_JOB_STATES)[number]
export const OTA_JOB_ENDS: readonly OtaJobState[] = [
  'succeeded',
  'failed',
  'timed_out',
  'rejected',
  'cancelled',
  'superseded',
]
/** Words a device may say in `progress.state`; any other is only noted in its time line. */
export const OTA_DEVICE_STATES = ['downloading', 'downloaded', 'verified', 'installing', 'failed', 'rejected'] as const
export type OtaDeviceState = (typeof OTA_DEVICE_STATES)[number]

/** Why a job that is `pending` does not leave yet. */
export const OTA_WAITS = [
  'turn',
  'offline',
  'window',
  'precondition',
  'backoff',
  'other_job',
  'version_unknown',
  'paused',
] as const

/** What made a line of a device's time line. */
export const OTA_EVENT_KINDS = [
  'created',
  'confirmed',
  'waiting',
  'notified',
  'delivered',
  'inform',
  'progress',
  'download',
  'state',
  'retry',
  'timeout',
  'cancelled',
  'note',
] as const

export const ModuleName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$',
  description: 'Part of the device',
})
/** The module of a device that has one firmware only, and of an `inform` without a module. */
export const DEFAULT_MODULE = 'default'
export const FirmwareVersion = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.+~-]{0,63}$',
  description: 'As the device reports it',
})

/** Which devices of the package's product. */
export const CampaignScope = Type.Object(
  {
    kind: Words(['all', 'chosen', 'gray', 'group', 'region']),
    deviceIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 10_000, description: 'Of chosen' })),
    percent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Of gray: so many of a hundred, rounded down, at least one',
      }),
    ),
    groupIds: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: 50, description: 'Of group: with what is below; of gray: narrows it' }),
    ),
    region: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Of region: a part of the address of the device’s location (province, city)',
      }),
    ),
    area: Type.Optional(
      Type.Object(
        {
          west: Type.Number({ minimum: -180, maximum: 180 }),
          south: Type.Number({ minimum: -90, maximum: 90 }),
          east: Type.Number({ minimum: -180, maximum: 180 }),
          north: Type.Number({ minimum: -90, maximum: 90 }),
        },
        { ...closed, description: 'Of region: a rectangle of WGS-84 degrees, instead of a name or beside it' },
      ),
    ),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Narrows every kind but chosen' })),
    fromVersions: Type.Optional(
      Type.Array(FirmwareVersion, { maxItems: 50, description: 'Only devices that run one of these' }),
    ),
  },
  closed,
)
export type CampaignScope = Static<typeof CampaignScope>

/** How many devices are told in a minute. */
export const CampaignRate = Type.Object(
  {
    kind: Words(['constant', 'exponential']),
    perMinute: Type.Integer({ minimum: 1, maximum: 60_000, description: 'Of exponential: at the beginning' }),
    factor: Type.Optional(
      Type.Number({ minimum: 1.1, maximum: 5, description: 'Of exponential: the rate grows by it; 2 when absent' }),
    ),
    everySucceeded: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'Of exponential: after so many successes each; 10' }),
    ),
    maxPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000, description: 'Of exponential; 60000' })),
    maxActive: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'Devices that may be on the way at the same time' }),
    ),
    deviceKilobytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Kilobytes a second sent to one device at most' }),
    ),
    totalKilobytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Kilobytes a second sent to all its devices at most',
      }),
    ),
  },
  closed,
)
export type CampaignRate = Static<typeof CampaignRate>

const DayTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })
/** Hours in which devices may be told. `until` before `from` goes past midnight; equal means the whole day. */
export const CampaignWindow = Type.Object(
  {
    from: DayTime,
    until: DayTime,
    days: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
        maxItems: 7,
        uniqueItems: true,
        description: 'Monday is 1; the day on which the window opens; every day when absent',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'IANA name; absent: each device’s own (its tag `tz:Asia/Tokyo` or `tz:+09:00`, else timeZoneProperty, else the company’s)',
      }),
    ),
    timeZoneProperty: Type.Optional(
      Type.String({ maxLength: 64, description: 'A property that holds an IANA name, `+09:00`, or minutes from UTC' }),
    ),
  },
  closed,
)
export type CampaignWindow = Static<typeof CampaignWindow>

export const CampaignTimeouts = Type.Object(
  {
    respondSeconds: Type.Integer({
      minimum: 5,
      maximum: 604_800,
      description: 'From the notice that reached the device to its first word',
    }),
    downloadSeconds: Type.Integer({
      minimum: 10,
      maximum: 604_800,
      description: 'Between two words while it downloads',
    }),
    installSeconds: Type.Integer({
      minimum: 10,
      maximum: 604_800,
      description: 'From downloaded to the report of the version',
    }),
  },
  closed,
)
export type CampaignTimeouts = Static<typeof CampaignTimeouts>

export const CampaignRetries = Type.Object(
  {
    max: Type.Integer({ minimum: 0, maximum: 10 }),
    backoffSeconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'Before the first; doubles each time, a day at most',
    }),
  },
  closed,
)
export type CampaignRetries = Static<typeof CampaignRetries>

export const CampaignAutoStop = Type.Object(
  {
    failurePercent: Type.Number({ minimum: 0, maximum: 100, description: 'Stops when more than this failed' }),
    afterDevices: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Asked once so many have come to an end' }),
  },
  closed,
)
export type CampaignAutoStop = Static<typeof CampaignAutoStop>

/** How a campaign goes about it. What is absent in a request has the value named here. */
export const CampaignPlan = {
  method: Type.Optional(
    Words(['static', 'dynamic'], {
      description: 'static (default): the devices of now; dynamic: those that come to fit later join too',
    }),
  ),
  delivery: Type.Optional(
    Words(['push', 'pull'], { description: 'push (default): devices are told; pull: they ask by themselves' }),
  ),
  confirm: Type.Optional(Type.Boolean({ description: 'Each device waits until somebody confirms it; false' })),
  rate: Type.Optional(CampaignRate),
  window: Type.Optional(CampaignWindow),
  preconditions: Type.Optional(
    Type.Array(CommandCondition, { maxItems: 10, description: 'Of the device’s latest values (battery > 50)' }),
  ),
  timeouts: Type.Optional(CampaignTimeouts),
  retries: Type.Optional(CampaignRetries),
  autoStop: Type.Optional(CampaignAutoStop),
  supersede: Type.Optional(
    Type.Boolean({
      description: 'Takes over devices that wait in another campaign for the same module; else they wait for it; true',
    }),
  ),
  allowDowngrade: Type.Optional(
    Type.Boolean({ description: 'Also devices whose version has a higher order number; false' }),
  ),
}
export const DEFAULT_TIMEOUTS: CampaignTimeouts = { respondSeconds: 120, downloadSeconds: 600, installSeconds: 900 }
export const DEFAULT_RETRIES: CampaignRetries = { max: 2, backoffSeconds: 60 }
export const DEFAULT_RATE: CampaignRate = { kind: 'constant', perMinute: 600 }
