import type {
  CampaignAutoStop,
  CampaignRate,
  CampaignRetries,
  CampaignScope,
  CampaignTimeouts,
  CampaignWindow,
} from '@thingwright/contracts/firmware-schemas'
import type { CreateOtaCampaign, OtaCampaignView } from '@thingwright/contracts/ota.contract'
import type { Values } from '../../../ui/schema-form/field.ts'

/** What the steps to a new campaign begin with; time-outs, retries and rate are the server's own. */
export const FRESH: Values = {
  scopeKind: 'gray',
  percent: 5,
  supersede: true,
  allowDowngrade: false,
  method: 'static',
  delivery: 'push',
  confirm: false,
  startMode: 'now',
  rateKind: 'constant',
  perMinute: 600,
  factor: 2,
  everySucceeded: 10,
  maxPerMinute: 6000,
  windowOn: false,
  windowFrom: '01:00',
  windowUntil: '05:00',
  zone: 'device',
  preconditions: [],
  respondSeconds: 120,
  downloadSeconds: 600,
  installSeconds: 900,
  retries: 2,
  backoffSeconds: 60,
  autoStopOn: true,
  failurePercent: 10,
  afterDevices: 10,
}

const list = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : [])
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const iso = (value: unknown): string => new Date(Number(value)).toISOString()

/** The devices that the form names. */
export function scopeOf(values: Values): CampaignScope {
  const kind = values.scopeKind as CampaignScope['kind']
  const groups = list(values.groupIds)
  const versions = list(values.fromVersions)
  return {
    kind,
    ...(kind === 'chosen' ? { deviceIds: list(values.deviceIds) } : {}),
    ...(kind === 'gray' ? { percent: Number(values.percent) } : {}),
    ...((kind === 'group' || kind === 'gray') && groups.length > 0 ? { groupIds: groups } : {}),
    ...(kind === 'region' ? { region: text(values.region) } : {}),
    ...(kind !== 'chosen' && text(values.tag) !== '' ? { tag: text(values.tag) } : {}),
    ...(versions.length > 0 ? { fromVersions: versions } : {}),
  }
}

/** Whether enough is filled in to ask which devices that would be. */
export function scopeIsWhole(values: Values): boolean {
  switch (values.scopeKind) {
    case 'chosen':
      return list(values.deviceIds).length > 0
    case 'gray':
      return Number.isInteger(values.percent) && Number(values.percent) >= 1 && Number(values.percent) <= 100
    case 'group':
      return list(values.groupIds).length > 0
    case 'region':
      return text(values.region) !== ''
    default:
      return true
  }
}

export function rateOf(values: Values): CampaignRate {
  const active = typeof values.maxActive === 'number' ? { maxActive: values.maxActive } : {}
  if (values.rateKind === 'constant') return { kind: 'constant', perMinute: Number(values.perMinute), ...active }
  return {
    kind: 'exponential',
    perMinute: Number(values.perMinute),
    factor: Number(values.factor),
    everySucceeded: Number(values.everySucceeded),
    maxPerMinute: Number(values.maxPerMinute),
    ...active,
  }
}

export function windowOf(values: Values): CampaignWindow | null {
  if (values.windowOn !== true) return null
  const days = (Array.isArray(values.days) ? (values.days as number[]) : []).toSorted((a, b) => a - b)
  return {
    from: text(values.windowFrom),
    until: text(values.windowUntil),
    ...(days.length > 0 && days.length < 7 ? { days } : {}),
    ...(values.zone === 'fixed' ? { timeZone: text(values.timeZone) } : {}),
    ...(values.zone === 'device' && text(values.timeZoneProperty) !== ''
      ? { timeZoneProperty: text(values.timeZoneProperty) }
      : {}),
  }
}

export const timeoutsOf = (values: Values): CampaignTimeouts => ({
  respondSeconds: Number(values.respondSeconds),
  downloadSeconds: Number(values.downloadSeconds),
  installSeconds: Number(values.installSeconds),
})

export const retriesOf = (values: Values): CampaignRetries => ({
  max: Number(values.retries),
  backoffSeconds: Number(values.backoffSeconds ?? 0),
})

export const autoStopOf = (values: Values): CampaignAutoStop | null =>
  values.autoStopOn === true
    ? { failurePercent: Number(values.failurePercent), afterDevices: Number(values.afterDevices) }
    : null

/** `50`, `true` and `"idle"` as what they say; anything else is text. */
function scalar(typed: unknown): string | number | boolean {
  try {
    const value: unknown = JSON.parse(String(typed))
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  } catch {
    // A bare word.
  }
  return String(typed)
}

/** The whole request of a filled form. */
export function campaignOf(values: Values): CreateOtaCampaign {
  const window = windowOf(values)
  const autoStop = autoStopOf(values)
  const conditions = (values.preconditions as Values[] | undefined) ?? []
  return {
    name: text(values.name),
    packageId: String(values.packageId),
    scope: scopeOf(values),
    method: values.method as 'static',
    delivery: values.delivery as 'push',
    confirm: values.confirm === true,
    rate: rateOf(values),
    timeouts: timeoutsOf(values),
    retries: retriesOf(values),
    supersede: values.supersede === true,
    allowDowngrade: values.allowDowngrade === true,
    ...(window ? { window } : {}),
    ...(autoStop ? { autoStop } : {}),
    ...(conditions.length > 0
      ? {
          preconditions: conditions.map(row => ({
            identifier: text(row.identifier),
            operator: row.operator as 'gt',
            value: scalar(row.value),
            ...(typeof row.maxAgeSeconds === 'number' ? { maxAgeSeconds: row.maxAgeSeconds } : {}),
          })),
        }
      : {}),
    ...(values.startMode === 'at' && values.startAt ? { startAt: iso(values.startAt) } : {}),
    ...(values.endAt ? { endAt: iso(values.endAt) } : {}),
  }
}

/** A campaign's changeable parts as the values of their form. */
export function valuesOf(of: OtaCampaignView): Values {
  const { rate, window, timeouts, retries, autoStop } = of
  return {
    name: of.name,
    rateKind: rate.kind,
    perMinute: rate.perMinute,
    factor: rate.factor ?? FRESH.factor,
    everySucceeded: rate.everySucceeded ?? FRESH.everySucceeded,
    maxPerMinute: rate.maxPerMinute ?? 60_000,
    ...(rate.maxActive === undefined ? {} : { maxActive: rate.maxActive }),
    windowOn: window !== null,
    windowFrom: window?.from ?? FRESH.windowFrom,
    windowUntil: window?.until ?? FRESH.windowUntil,
    ...(window?.days ? { days: window.days } : {}),
    zone: window?.timeZone === undefined ? 'device' : 'fixed',
    ...(window?.timeZone === undefined ? {} : { timeZone: window.timeZone }),
    ...(window?.timeZoneProperty === undefined ? {} : { timeZoneProperty: window.timeZoneProperty }),
    ...timeouts,
    retries: retries.max,
    backoffSeconds: retries.backoffSeconds,
    autoStopOn: autoStop !== null,
    failurePercent: autoStop?.failurePercent ?? FRESH.failurePercent,
    afterDevices: autoStop?.afterDevices ?? FRESH.afterDevices,
    ...(of.startAt === null ? {} : { startAt: Date.parse(of.startAt) }),
    ...(of.endAt === null ? {} : { endAt: Date.parse(of.endAt) }),
  }
}
