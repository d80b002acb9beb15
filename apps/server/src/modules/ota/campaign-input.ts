import { DEFAULT_RATE, DEFAULT_RETRIES, DEFAULT_TIMEOUTS } from '@thingwright/contracts/firmware-schemas'
import type { CreateOtaCampaign } from '@thingwright/contracts/ota.contract'
import { AppError } from '../../lib/errors.ts'
import type { Plan } from './campaigns.repo.ts'
import { readZone } from './ota-window.ts'

/** @throws AppError ota_campaign.scope_invalid */
export function checkScope(scope: CreateOtaCampaign['scope']): void {
  const missing = {
    all: null,
    chosen: scope.deviceIds ? null : 'deviceIds',
    gray: scope.percent ? null : 'percent',
    group: scope.groupIds ? null : 'groupIds',
    region: scope.region || scope.area ? null : 'region',
  }[scope.kind]
  if (missing) throw new AppError('ota_campaign.scope_invalid', { params: { missing } })
  if (scope.area && scope.area.south > scope.area.north)
    throw new AppError('ota_campaign.scope_invalid', { params: { missing: 'area' } })
}

/** @throws AppError ota_campaign.time_invalid */
export function checkTimes(input: { startAt?: string; endAt?: string }, now: number) {
  const startAt = input.startAt === undefined ? null : Date.parse(input.startAt)
  const endAt = input.endAt === undefined ? null : Date.parse(input.endAt)
  if (endAt !== null && endAt <= Math.max(now, startAt ?? 0)) throw new AppError('ota_campaign.time_invalid')
  return { startAt: startAt !== null && startAt <= now ? null : startAt, endAt }
}

/** @throws AppError ota_campaign.window_invalid */
export function checkWindow(window: Plan['window']): void {
  if (window?.timeZone !== undefined && readZone(window.timeZone) === null)
    throw new AppError('ota_campaign.window_invalid')
}

/** @throws AppError ota_campaign.window_invalid */
export function planOf(input: CreateOtaCampaign): Plan {
  checkWindow(input.window ?? null)
  return {
    delivery: input.delivery ?? 'push',
    confirm: input.confirm ?? false,
    rate: input.rate ?? DEFAULT_RATE,
    window: input.window ?? null,
    preconditions: input.preconditions ?? [],
    timeouts: input.timeouts ?? DEFAULT_TIMEOUTS,
    retries: input.retries ?? DEFAULT_RETRIES,
    autoStop: input.autoStop ?? null,
    supersede: input.supersede ?? true,
    allowDowngrade: input.allowDowngrade ?? false,
  }
}
