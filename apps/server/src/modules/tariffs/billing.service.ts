import type { ErrorCode } from '@thingwright/contracts/errors'
import type { MeterPreview } from '@thingwright/contracts/meters.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { holdEndUserWallet, move } from '../wallets/index.ts'
import type { Reading } from './billing/intervals.ts'
import { type Measured, measure } from './billing/measure.ts'
import { type Bill, priceOf, QUANTITY_PLACES } from './billing/price.ts'
import { decimalText, isZero } from './billing/ratio.ts'
import { type Stretch, type TariffVersion, timelineOf } from './billing/timeline.ts'
import { monthOf, startOfDay } from './days.ts'
import * as meters from './meters.repo.ts'
import { type ReadingsPort, readingsOf } from './readings.ts'
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
    { month, zone, prices }: { month: string; zone: string; prices: Prices },
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
    const period = monthOf(zone, month)
    const begin = startOfDay(zone, meter.fromDay)
    const to = meter.toDay ? Math.min(period.to, startOfDay(zone, meter.toDay, 1)) : period.to
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
    asked: { month: string; runId: string | null },
  ): Promise<boolean> {
    const held = await meters.hold(scope, meter.id)
    // Billed meanwhile, or changed: what was worked out holds no more.
    if (!held || held.version !== meter.version || held.billedTo?.getTime() !== meter.billedTo?.getTime()) return false
    const { tenantId } = scope
    const endUserId = meter.endUserId!
    const wallet = await holdEndUserWallet(scope, tenantId, endUserId, newId())
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
        // The newest one: what the balance does not cover of it is owed.
        paidFen: Math.min(bill.amountFen, Math.max(0, wallet.availableFen)),
        beforeTo: meter.billedTo,
        beforeValue: meter.billedValue,
      },
      bill.lines,
    )
    if (bill.amountFen > 0)
      await move(scope, {
        tenantId,
        endUserId,
        kind: 'charge',
        key: `meter-statement:${id}`,
        cause: { kind: 'meter_statement', id, no },
        actor: ctx.actor,
        remark: `${meter.name} ${asked.month}`,
        entries: { available: -bill.amountFen, income: bill.amountFen },
      })
    await meters.setBilled(scope, meter.id, new Date(measured.to.t), measured.to.v)
    return true
  }

  return {
    async bill(ctx, meterId, asked) {
      for (let attempt = 0; ; attempt++) {
        const made = await draft(ctx, meterId, asked)
        if (!made) return { kind: 'nothing' }
        if ('problem' in made) {
          await database.withTenant(ctx, scope => meters.setProblem(scope, meterId, made.problem))
          return { kind: 'problem', problem: made.problem }
        }
        try {
          const issued = await database.withTenant(ctx, scope => issue(scope, ctx, made.draft, asked))
          if (issued) return { kind: 'issued', amountFen: made.draft.bill.amountFen }
        } catch (error) {
          if (isUniqueViolation(error, 'meter_statements_once')) return { kind: 'nothing' }
          throw error
        }
        if (attempt === 2) throw new Error(`meter ${meterId} changes while it is billed`)
      }
    },

    async preview(ctx, meterId, month, zone) {
      const made = await draft(ctx, meterId, { month, zone, prices: createPrices(zone) })
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
