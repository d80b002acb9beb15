import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { FleetColumns, HomeLayout, statisticsContract } from '@thingwright/contracts/statistics.contract'
import { ATTENTION_LEVELS, LONGEST_TREND_DAYS } from '@thingwright/contracts/statistics.words'
import type { AttentionSource } from '../../lib/attention.ts'
import { type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { personId } from '../../lib/person.ts'
import { instantOf, partsIn } from '../../lib/zoned-time.ts'
import * as repo from './fleet.repo.ts'
import { KEPT_DAYS, LONG_STEP, SHORT_STEP } from './fleet-cells.ts'
import * as layouts from './layout.repo.ts'
import type { Sampler } from './sampler.ts'
import { createShares } from './shares.ts'

type Contract = typeof statisticsContract
type Facts = ResponseOf<Contract['facts']>
type Trends = ResponseOf<Contract['trends']>
type Distribution = ResponseOf<Contract['distribution']>
type Talkers = ResponseOf<Contract['talkers']>
type Attention = ResponseOf<Contract['attention']>

export interface StatisticsService {
  facts(ctx: Ctx): Promise<Facts>
  /** @throws AppError request.malformed for a span that is none, or too long */
  trends(ctx: Ctx, input: QueryOf<Contract['trends']>): Promise<Trends>
  distribution(ctx: Ctx, input: QueryOf<Contract['distribution']>): Promise<Distribution>
  /** @throws AppError request.malformed for a span that is none */
  talkers(ctx: Ctx, input: QueryOf<Contract['talkers']>): Promise<Talkers>
  /** Asks every source that the caller may; one that fails leaves the others standing. */
  attention(ctx: Ctx): Promise<Attention>
  layout(ctx: Ctx): Promise<{ layout: HomeLayout | null }>
  arrange(ctx: Ctx, layout: HomeLayout | null): Promise<{ ok: boolean }>
}

export interface StatisticsDeps {
  database: Database
  sampler: Pick<Sampler, 'refresh'>
  logger: Logger
  attention(): readonly AttentionSource[]
}

const DAY_MS = 86_400_000
/** Longer spans are drawn of hours. */
const SHORT_SPAN_MS = 2 * DAY_MS
const TALKERS_SHOWN = 10

export function createStatisticsService({ database, logger, attention, sampler }: StatisticsDeps): StatisticsService {
  const shares = createShares(database)
  return {
    async facts(ctx: Ctx) {
      await sampler.refresh(ctx.tenantId)
      return database.withTenant(ctx, async scope => {
        const last = await repo.lastSample(scope, SHORT_STEP)
        const rows = await repo.samplesOf(scope, SHORT_STEP, ctx.now - 2 * DAY_MS, ctx.now)
        const midnight = startOfDay(await repo.timeZoneOf(scope), ctx.now)
        return factsOf(rows, { now: ctx.now, midnight, takenAt: last?.taken_at.getTime() ?? null })
      })
    },

    trends: (ctx, { from, to, before }) =>
      database.withTenant(ctx, async scope => {
        const span = to - from
        if (span <= 0 || span > LONGEST_TREND_DAYS * DAY_MS) throw new AppError('request.malformed')
        const oldest = before === '1' ? from - span : from
        const short = span <= SHORT_SPAN_MS && oldest >= ctx.now - KEPT_DAYS.short * DAY_MS
        const step = short ? SHORT_STEP : LONG_STEP
        const rows = async (since: number, until: number) =>
          columnsOf(await repo.samplesOf(scope, step, kept(floorTo(since, step)), kept(until)))
        return {
          from,
          to,
          stepMs: step * 1_000,
          now: await rows(from, to),
          before: before === '1' ? await rows(from - span, from) : null,
        }
      }),

    distribution: shares,

    talkers: (ctx, { from, to }) =>
      database.withTenant(ctx, async scope => {
        if (to <= from) throw new AppError('request.malformed')
        const since = Math.max(floorTo(from, LONG_STEP), ctx.now - (KEPT_DAYS.talkers - 1) * DAY_MS)
        const rows = await repo.talkersOf(scope, since, kept(to), TALKERS_SHOWN)
        return {
          items: rows.map(row => ({
            deviceId: row.id,
            name: row.name,
            deviceNo: row.device_no,
            messages: row.messages,
          })),
        }
      }),

    async attention(ctx) {
      const { actor } = ctx
      if (actor.kind === 'system') return { items: [] }
      const narrow = dataScopeOf(actor).kind === 'limited'
      const asked = attention().filter(
        source => actor.permissions.has(source.permission) && !(source.wholeCompany && narrow),
      )
      const found = await Promise.all(
        asked.map(source =>
          source.find(ctx).catch((error: unknown) => {
            logger.warn(
              { err: error, permission: source.permission },
              'what needs people could not be asked of a module',
            )
            return []
          }),
        ),
      )
      const items = found.flat().toSorted((a, b) => rank(a.level) - rank(b.level) || (b.at ?? 0) - (a.at ?? 0))
      return { items }
    },

    layout: ctx =>
      database.withTenant(ctx, async scope => ({ layout: await layouts.layoutOf(scope, personId(ctx.actor)) })),

    arrange: (ctx, layout) =>
      database.withTenant(ctx, async scope => {
        await layouts.keepLayout(scope, personId(ctx.actor), layout)
        return { ok: true }
      }),
  }
}

const rank = (level: (typeof ATTENTION_LEVELS)[number]) => ATTENTION_LEVELS.indexOf(level)
/** No sample is older, and PostgreSQL knows no time as old as a caller may name. */
const kept = (at: number) => Math.max(at, 0)
const floorTo = (at: number, step: number) => at - (at % (step * 1_000))

function startOfDay(timeZone: string, now: number): number {
  const { year, month, day } = partsIn(timeZone, now)
  return instantOf(timeZone, year, month, day)
}

export function columnsOf(rows: readonly repo.SampleRow[]): FleetColumns {
  return {
    at: rows.map(row => row.at.getTime()),
    devices: rows.map(row => row.devices),
    online: rows.map(row => row.online),
    messages: rows.map(row => row.messages),
    refused: rows.map(row => row.refused),
    created: rows.map(row => row.created),
    lost: rows.map(row => row.lost),
    commandsOk: rows.map(row => row.commands_ok),
    commandsFailed: rows.map(row => row.commands_failed),
  }
}

/** @param rows of the last two days */
export function factsOf(
  rows: readonly repo.SampleRow[],
  { now, midnight, takenAt }: { now: number; midnight: number; takenAt: number | null },
): Facts {
  const within = (from: number, to: number) => rows.filter(row => row.at.getTime() >= from && row.at.getTime() < to)
  type Flow = 'messages' | 'created' | 'lost' | 'commands_ok' | 'commands_failed'
  const sum = (some: readonly repo.SampleRow[], key: Flow) => some.reduce((all, row) => all + row[key], 0)
  const today = within(midnight, now)
  const yesterday = within(midnight - DAY_MS, now - DAY_MS)
  const lastDay = within(now - DAY_MS, now)
  const dayBefore = within(0, now - DAY_MS)
  const compared = (some: readonly repo.SampleRow[], earlier: readonly repo.SampleRow[], key: Flow) => ({
    value: sum(some, key),
    before: earlier.length > 0 ? sum(earlier, key) : null,
  })
  const level = (key: 'devices' | 'online') => ({
    value: rows.at(-1)?.[key] ?? 0,
    before: dayBefore.at(-1)?.[key] ?? null,
  })
  return {
    takenAt,
    devices: level('devices'),
    online: level('online'),
    messages: compared(today, yesterday, 'messages'),
    created: compared(today, yesterday, 'created'),
    lost: compared(today, yesterday, 'lost'),
    commandsOk: compared(lastDay, dayBefore, 'commands_ok'),
    commandsFailed: compared(lastDay, dayBefore, 'commands_failed'),
    recent: columnsOf(lastDay),
  }
}
