import type { ErrorCode } from '@thingwright/contracts/errors'
import type { ReportRecipient, ReportSource } from '@thingwright/contracts/reports.contract'
import type { ReportPeriod } from '@thingwright/contracts/reports.words'
import { parseSchedule, type Schedule } from '@thingwright/schedules'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { spanOf } from './report-period.ts'
import { columnsOf, periodOf, requireRight, type SourceDeps } from './report-sources.ts'
import * as repo from './reports.repo.ts'
import { refuseTooMany } from './telemetry-source.ts'

export type Flaws = Record<string, { code: ErrorCode; params?: Record<string, unknown> }>

/** @throws AppError report.invalid with every field that is wrong */
export function refuse(flaws: Flaws): void {
  if (Object.keys(flaws).length > 0) throw new AppError('report.invalid', { fields: flaws })
}

/** Reads a schedule of a report: daily, weekly or monthly at one time. @throws AppError report.invalid */
export function scheduleOf(input: object, zone: string): Schedule {
  const result = parseSchedule({ zone, ...input })
  if (!result.ok) {
    refuse(
      Object.fromEntries(
        result.problems.map(({ path, code, params }) => [
          path ? `schedule.${path}` : 'schedule',
          { code: `schedule.${code}` as ErrorCode, ...(params ? { params } : {}) },
        ]),
      ),
    )
    throw new AppError('report.invalid')
  }
  const { schedule } = result
  if (schedule.kind !== 'daily' && schedule.kind !== 'weekly' && schedule.kind !== 'monthly')
    refuse({ 'schedule.kind': { code: 'schedule.kind', params: { kind: schedule.kind } } })
  else if (schedule.times.length !== 1) refuse({ 'schedule.times': { code: 'report.one_time' } })
  return schedule
}

/**
 * What is wrong with a source, as the context sees it: a field that is missing, something that does not exist or that it
 * may not see.
 * @throws AppError permission.denied: the owner could not read it when it runs
 */
export async function flawsOfSource(
  deps: SourceDeps,
  ctx: Ctx,
  source: ReportSource,
  period: ReportPeriod | null,
  zone: string,
): Promise<Flaws> {
  switch (source.kind) {
    case 'list':
      return flawsOfList(deps, ctx, source, period)
    case 'overview':
      requireRight(ctx, 'device:read')
      return {}
    case 'telemetry':
      requireRight(ctx, 'telemetry:read')
      return flawsOfTelemetry(deps, ctx, source, period, zone)
    case 'page':
      requireRight(ctx, 'page:read')
      return flawsOfPage(deps, ctx, source)
  }
}

async function flawsOfList(
  { api }: SourceDeps,
  ctx: Ctx,
  source: ReportSource,
  period: ReportPeriod | null,
): Promise<Flaws> {
  if (!source.list) return { 'source.list': { code: 'report.field_missing' } }
  const flaws: Flaws = {}
  if (period !== null && periodOf(api, source.list) === null) flaws.period = { code: 'report.no_period' }
  try {
    const known = new Set((await columnsOf(api, ctx, source)).map(({ key }) => key))
    const strange = source.columns?.find(key => !known.has(key))
    if (strange !== undefined) flaws['source.columns'] = { code: 'report.column_unknown', params: { column: strange } }
  } catch (error) {
    if (!isAppError(error)) throw error
    if (error.code === 'permission.denied' || error.code === 'scope.whole_company') throw error
    const [filter] = Object.keys(error.fields ?? {})
    flaws['source.query'] =
      error.code === 'request.validation'
        ? { code: 'report.filter_unknown', params: { filter: filter ?? '' } }
        : { code: error.code, params: error.params }
  }
  return flaws
}

async function flawsOfTelemetry(
  deps: SourceDeps,
  ctx: Ctx,
  source: ReportSource,
  period: ReportPeriod | null,
  zone: string,
): Promise<Flaws> {
  const flaws: Flaws = {}
  const { deviceIds = [], properties = [], functions = [], interval } = source
  const missing = { code: 'report.field_missing' } as const
  if (deviceIds.length === 0) flaws['source.deviceIds'] = missing
  if (properties.length === 0) flaws['source.properties'] = missing
  if (functions.length === 0) flaws['source.functions'] = missing
  if (!interval) flaws['source.interval'] = missing
  if (period === null) flaws.period = { code: 'report.period_missing' }
  if (Object.keys(flaws).length > 0) return flaws
  const known = await deps.names(ctx, deviceIds)
  if (known.length < deviceIds.length) return { 'source.deviceIds': { code: 'report.device_unknown' } }
  const found = new Set<string>()
  for (const { id } of known)
    for (const { identifier } of await deps.telemetry.service.intervals(ctx, id, {
      identifiers: properties,
      edges: [],
      last: false,
    }))
      found.add(identifier)
  const strange = properties.find(identifier => !found.has(identifier))
  if (strange !== undefined)
    return { 'source.properties': { code: 'report.property_unknown', params: { property: strange } } }
  try {
    refuseTooMany(source, zone, spanOf(period!, zone, ctx.now))
  } catch (error) {
    if (!isAppError(error)) throw error
    return { 'source.interval': { code: error.code, params: error.params } }
  }
  return {}
}

async function flawsOfPage({ cloudPages }: SourceDeps, ctx: Ctx, source: ReportSource): Promise<Flaws> {
  if (!source.pageId) return { 'source.pageId': { code: 'report.field_missing' } }
  try {
    await cloudPages.publishedValues(ctx, source.pageId)
    return {}
  } catch (error) {
    if (!isAppError(error)) throw error
    if (error.code === 'page.not_found') return { 'source.pageId': { code: 'report.page_unknown' } }
    if (error.code === 'page.off_line') return { 'source.pageId': { code: 'report.page_unpublished' } }
    throw error
  }
}

/** Receivers with their addresses now; null: he has none any more. */
export async function resolveRecipients(
  scope: TenantScope,
  recipients: readonly ReportRecipient[],
): Promise<{ name: string; address: string | null }[]> {
  const known = await repo.named(
    scope,
    recipients.flatMap(({ id }) => id ?? []),
    recipients.flatMap(({ address }) => address?.toLowerCase() ?? []),
  )
  return recipients.map(({ kind, id, address }) => {
    if (kind === 'mail') {
      const found = known.find(each => each.address.toLowerCase() === address?.toLowerCase())
      return { name: address ?? '', address: found ? found.address : null }
    }
    const found = known.find(each => each.kind === kind && each.id === id)
    return { name: found?.name ?? '', address: found?.address ?? null }
  })
}

/** What is wrong with the receivers. */
export async function flawsOfRecipients(scope: TenantScope, recipients: readonly ReportRecipient[]): Promise<Flaws> {
  const resolved = await resolveRecipients(scope, recipients)
  const flaws: Flaws = {}
  for (const [place, { kind, id, address }] of recipients.entries()) {
    const field = `recipients.${place}`
    if (kind === 'mail' ? !address : !id) flaws[field] = { code: 'report.field_missing' }
    else if (resolved[place]!.address === null)
      flaws[field] =
        kind === 'mail'
          ? { code: 'report.address_unverified', params: { address: address! } }
          : { code: 'report.recipient_unknown' }
  }
  return flaws
}
