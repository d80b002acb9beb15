import type { ErrorCode } from '@thingwright/contracts/errors'
import type { MeterPreview } from '@thingwright/contracts/meters.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { move } from '../wallets/index.ts'
import type { Reading } from './billing/intervals.ts'
import { type Measured, measure } from './billing/measure.ts'
import { type Bill, priceOf, QUANTITY_PLACES } from './billing/price.ts'
import { decimalText, isZero } from './billing/ratio.ts'
import { type Stretch, type TariffVersion, timelineOf } from './billing/timeline.ts'
import { monthOf, startOfDay } from './days.ts'
import * as meters from './meters.repo.ts'
import { type ReadingsPort, readingsOf } from './readings.ts'
import * as settings from './settings.repo.ts'
import { settle } from './settle.ts'
import * as statements from './statements.repo.ts'
import * as tariffs from './tariffs.repo.ts'

/** What one statement would say. */
interface Draft {
  meter: meters.MeterData
  measured: Extract<Measured, { ok: true }>
  bill: Bill
}

export type Billed =
  | { kind: 'issued'; amountFen: number }
  /** It has a statement, or its time is billed already. */
  | { kind: 'nothing' }
  | { kind: 'problem'; problem: meters.Problem }

/** Prices and their times, read once for many meters. */
export interface Prices {
  versions(scope: TenantScope, tariffId: string): Promise<TariffVersion[]>
  timeline(tariffId: string, versions: TariffVersion[], from: number, to: number): Stretch[]
}

export function createPrices(zone: string): Prices {
  const versions = new Map<string, TariffVersion[]>()
  const timelines = new Map<string, Stretch[]>()
  return {
    async versions(scope, tariffId) {
      const known = versions.get(tariffId) ?? (await tariffs.versions(scope, tariffId))
      versions.set(tariffId, known)
      return known
    },
    timeline(tariffId, of, from, to) {
      const key = `${tariffId} ${from} ${to}`
      const known = timelines.get(key)
      if (known) return known
      const made = timelineOf(of, zone, from, to)
      // Meters that began on different days each have their own.
      if (timelines.size >= 500) timelines.clear()
      timelines.set(key, made)
      return made
    },
  }
}

export interface BillingService {
  /** Makes the statement of a month of a meter, or says why there is none. Repeated it makes no second one. */
  bill(
    ctx: Ctx,
    meterId: string,
    asked: { month: string; zone: string; runId: string | null; prices: Prices },
  ): Promise<Billed>
  /**
   * Takes from the balance what a prepaid meter counted since its last statement and was not taken yet: the statement of
   * the month and what was drawn before it come to the same, to the fen.
   * @returns what was taken, in fen; below 0: what was given back
   */
  draw(ctx: Ctx, meterId: string, asked: { zone: string; prices: Prices }): Promise<number>
  /** @throws AppError meter.fell, meter.no_readings and what else stands in the way */
  preview(ctx: Ctx, meterId: string, month: string, zone: string): Promise<MeterPreview>
}

export function createBilling({
  database,
  telemetry,
}: {
  database: Database
  telemetry: ReadingsPort
}): BillingService {
  async function draft(
    ctx: Ctx,
    meterId: string,
    { until, zone, prices }: { until: number; zone: string; prices: Prices },
  ): Promise<{ draft: Draft } | { problem: meters.Problem } | null> {
    const { meter, resets, versions } = await database.withTenant(ctx, async scope => {
      const found = await meters.find(scope, meterId)
      if (!found) throw new AppError('meter.not_found')
      return {
        meter: found,
        resets: await meters.resets(scope, meterId),
        versions: await prices.versions(scope, found.tariffId),
      }
    })
    const begin = startOfDay(zone, meter.fromDay)
    const to = meter.toDay ? Math.min(until, startOfDay(zone, meter.toDay, 1)) : until
    const start = startOf(meter, begin)
    if ((start?.t ?? begin) >= to) return null
    if (meter.endUserId === null) return { problem: { code: 'no_end_user' } }
    if (meter.deviceId === null) return { problem: { code: 'no_device' } }
    const gapMs = meter.gapMinutes * 60_000
    const readings = await readingsOf(
      telemetry,
      ctx,
      { deviceId: meter.deviceId, property: meter.property },
      {
        from: start?.t ?? begin,
        to,
        before: start ? 0 : gapMs,
      },
    )
    const measured = measure(
      {
        readings,
        rules: {
          rollover: meter.rollover,
          gapMs,
          resets: resets.map(({ at, finalValue, startValue }) => ({ t: at.getTime(), finalValue, startValue })),
        },
        gaps: meter.gapMode,
        start,
        from: begin,
        to,
        factor: meter.factor,
      },
      prices.timeline(meter.tariffId, versions, start?.t ?? begin, to),
    )
    if (!measured.ok) return { problem: problemOf(measured) }
    const bill = priceOf(measured.used, versions)
    if (!isZero(bill.unpriced))
      return { problem: { code: 'no_price', quantity: decimalText(bill.unpriced, QUANTITY_PLACES) } }
    return { draft: { meter, measured, bill } }
  }

  /** In one transaction: the statement, the charge, and where the meter stands. */
  async function issue(
    scope: TenantScope,
    ctx: Ctx,
    { meter, measured, bill }: Draft,
    asked: { month: string; runId: string | null; dueAt: Date },
  ): Promise<boolean> {
    const held = await meters.hold(scope, meter.id)
    // Billed meanwhile, or changed: what was worked out holds no more.
    if (!held || held.version !== meter.version || held.billedTo?.getTime() !== meter.billedTo?.getTime()) return false
    const { tenantId } = scope
    const endUserId = meter.endUserId!
    // What a prepaid meter was drawn since its last statement is part of this one.
    const chargeFen = bill.amountFen - held.drawnFen
    const id = newId()
    const no = await statements.insert(
      scope,
      {
        id,
        tenantId,
        meterId: meter.id,
        meterName: meter.name,
        deviceId: meter.deviceId,
        deviceName: meter.deviceName,
        property: meter.property,
        runId: asked.runId,
        month: asked.month,
        endUserId,
        endUserName: meter.endUserName,
        mode: meter.mode,
        tariffName: meter.tariffName,
        unit: meter.unit,
        factor: meter.factor,
        fromAt: new Date(measured.from.t),
        toAt: new Date(measured.to.t),
        fromValue: measured.from.v,
        toValue: measured.to.v,
        quantity: decimalText(measured.total, QUANTITY_PLACES),
        openQuantity: decimalText(measured.open, QUANTITY_PLACES),
        estimated: measured.used.some(({ estimated }) => !isZero(estimated)),
        marks: measured.marks.slice(0, MOST_MARKS),
        amountFen: bill.amountFen,
        paidFen: 0,
        dueAt: meter.mode === 'postpaid' ? asked.dueAt : null,
        beforeTo: meter.billedTo,
        beforeValue: meter.billedValue,
      },
      bill.lines,
    )
    if (chargeFen !== 0)
      await move(scope, {
        tenantId,
        endUserId,
        kind: chargeFen > 0 ? 'charge' : 'refund',
        key: `meter-statement:${id}`,
        cause: { kind: 'meter_statement', id, no },
        actor: ctx.actor,
        remark: `${meter.name} ${asked.month}`,
        entries: { available: -chargeFen, income: chargeFen },
      })
    await meters.setBilled(scope, meter.id, new Date(measured.to.t), measured.to.v)
    await meters.takeDrawn(scope, meter.id)
    await settle(scope, endUserId)
    return true
  }

  return {
    async bill(ctx, meterId, asked) {
      for (let attempt = 0; ; attempt++) {
        const made = await draft(ctx, meterId, { ...asked, until: monthOf(asked.zone, asked.month).to })
        if (!made) return { kind: 'nothing' }
        if ('problem' in made) {
          await database.withTenant(ctx, scope => meters.setProblem(scope, meterId, made.problem))
          return { kind: 'problem', problem: made.problem }
        }
        try {
          const issued = await database.withTenant(ctx, async scope => {
            const { dueDays } = await settings.find(scope, scope.tenantId)
            return issue(scope, ctx, made.draft, { ...asked, dueAt: new Date(ctx.now + dueDays * DAY_MS) })
          })
          if (issued) return { kind: 'issued', amountFen: made.draft.bill.amountFen }
        } catch (error) {
          if (isUniqueViolation(error, 'meter_statements_once')) return { kind: 'nothing' }
          throw error
        }
        if (attempt === 2) throw new Error(`meter ${meterId} changes while it is billed`)
      }
    },

    async draw(ctx, meterId, asked) {
      const made = await draft(ctx, meterId, { ...asked, until: ctx.now })
      const amountFen = made && 'draft' in made ? made.draft.bill.amountFen : null
      const meter = made && 'draft' in made ? made.draft.meter : null
      return database.withTenant(ctx, async scope => {
        const held = await meters.hold(scope, meterId)
        // One that began earlier knows less.
        if (!held || (held.drawnAt?.getTime() ?? 0) > ctx.now) return 0
        const isSame =
          meter !== null &&
          held.version === meter.version &&
          held.billedTo?.getTime() === meter.billedTo?.getTime() &&
          held.endUserId !== null
        const more = isSame ? amountFen! - held.drawnFen : 0
        if (made && 'problem' in made && made.problem.code !== 'no_readings')
          await meters.setProblem(scope, meterId, made.problem)
        await meters.setDrawn(
          scope,
          meterId,
          held.drawnFen + more,
          more === 0 ? held.draws : held.draws + 1,
          new Date(ctx.now),
        )
        if (more === 0) return 0
        await move(scope, {
          tenantId: scope.tenantId,
          endUserId: held.endUserId!,
          kind: more > 0 ? 'charge' : 'refund',
          key: `meter-draw:${meterId}:${held.draws + 1}`,
          cause: { kind: 'meter', id: meterId, no: '' },
          actor: ctx.actor,
          remark: held.name,
          entries: { available: -more, income: more },
        })
        return more
      })
    },

    async preview(ctx, meterId, month, zone) {
      const made = await draft(ctx, meterId, { until: monthOf(zone, month).to, zone, prices: createPrices(zone) })
      if (!made) throw new AppError('meter.no_readings')
      if ('problem' in made) throw refusalOf(made.problem)
      const { measured, bill } = made.draft
      return {
        fromAt: new Date(measured.from.t).toISOString(),
        toAt: new Date(measured.to.t).toISOString(),
        fromValue: measured.from.v,
        toValue: measured.to.v,
        quantity: decimalText(measured.total, QUANTITY_PLACES),
        openQuantity: decimalText(measured.open, QUANTITY_PLACES),
        lines: bill.lines.map(({ versionId: _, ...line }) => line),
        marks: measured.marks.slice(0, MOST_MARKS).map(markView),
        amountFen: bill.amountFen,
      }
    },
  }
}

const DAY_MS = 86_400_000
/** Intervals that a statement names; the others are in its sums. */
const MOST_MARKS = 100

export const markView = <M extends { from: number; to: number }>(mark: M) => ({
  ...mark,
  from: new Date(mark.from).toISOString(),
  to: new Date(mark.to).toISOString(),
})

/** Where its next statement begins; null: at the first reading. */
function startOf(meter: meters.MeterData, begin: number): Reading | null {
  if (meter.billedTo !== null) return { t: meter.billedTo.getTime(), v: meter.billedValue! }
  return meter.startValue === null ? null : { t: begin, v: meter.startValue }
}

function problemOf(measured: Extract<Measured, { ok: false }>): meters.Problem {
  if (measured.why === 'no_readings') return { code: 'no_readings' }
  const { from, to } = measured.interval
  return { code: 'fell', from: from.t, to: to.t, before: from.v, after: to.v }
}

/** The same as an error of a route or a task. */
export function refusalOf(problem: meters.Problem): AppError {
  return new AppError(codeOf(problem), { params: paramsOf(problem) })
}
export const codeOf = (problem: meters.Problem): ErrorCode => `meter.${problem.code}`
export const paramsOf = ({ code: _, from, to, ...rest }: meters.Problem): Record<string, unknown> => ({
  ...rest,
  ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
  ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
})
