import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { MeterRow, MeterView, metersContract } from '@thingwright/contracts/meters.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { move } from '../wallets/index.ts'
import { intervalsOf, quantityOf } from './billing/intervals.ts'
import { QUANTITY_PLACES } from './billing/price.ts'
import { decimal, decimalText, isZero, multiply } from './billing/ratio.ts'
import { codeOf, paramsOf } from './billing.service.ts'
import { isDay } from './days.ts'
import { listPage, needleOf } from './list-page.ts'
import * as repo from './meters.repo.ts'
import { numbersOf, type ReadingsPort } from './readings.ts'
import { settle } from './settle.ts'
import * as tariffs from './tariffs.repo.ts'

type Contract = typeof metersContract

/** What devices report, and which of their properties are numbers that are kept. */
export interface CountersPort extends ReadingsPort {
  isCounted(ctx: Ctx, deviceId: string, identifier: string): Promise<boolean>
}

export interface MetersService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<MeterView>
  /** @throws AppError meter.property, meter.overlap, meter.tariff, meter.end_user, meter.factor, meter.days */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<MeterView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<MeterView>
  /** @throws AppError meter.billed, meter.reset_taken, meter.reset_future */
  addReset(ctx: Ctx, id: string, input: BodyOf<Contract['addReset']>): Promise<MeterView>
  removeReset(ctx: Ctx, id: string, resetId: string): Promise<MeterView>
  readings(ctx: Ctx, id: string, query: QueryOf<Contract['readings']>): Promise<ResponseOf<Contract['readings']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

const MOST_DAYS = 31
const MOST_INTERVALS = 5_000

export function createMetersService(deps: { database: Database; telemetry: CountersPort }): MetersService {
  const { database, telemetry } = deps

  async function shown(scope: TenantScope, ctx: Ctx, id: string): Promise<MeterView> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('meter.not_found')
    const resets = await repo.resets(scope, id)
    return { ...rowOf(ctx, row), resets: resets.map(r => ({ ...r, at: r.at.toISOString() })) }
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: { id: string; name: string }, values: object) =>
    recordAudit(scope, ctx, {
      action: `meter.${verb}`,
      objectType: 'meter',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  async function checked(
    scope: TenantScope,
    input: Partial<Pick<repo.MeterFields, 'tariffId' | 'endUserId' | 'factor'>>,
  ) {
    if (input.factor !== undefined && isZero(decimal(input.factor))) throw wrong('factor', 'meter.factor')
    if (input.tariffId !== undefined && !(await tariffs.hold(scope, input.tariffId)))
      throw wrong('tariffId', 'meter.tariff')
    if (input.endUserId !== undefined && (await repo.endUserName(scope, input.endUserId)) === undefined)
      throw wrong('endUserId', 'meter.end_user')
  }

  /**
   * Returns the money taken since the last statement to the end user who paid it, before the meter belongs to another
   * one.
   */
  async function giveBack(scope: TenantScope, ctx: Ctx, meter: repo.MeterData): Promise<void> {
    await repo.setDrawn(scope, meter.id, 0, meter.draws + 1, new Date(ctx.now))
    if (meter.endUserId === null) return
    await move(scope, {
      tenantId: scope.tenantId,
      endUserId: meter.endUserId,
      kind: 'refund',
      key: `meter-draw:${meter.id}:${meter.draws + 1}`,
      cause: { kind: 'meter', id: meter.id },
      actor: ctx.actor,
      remark: meter.name,
      entries: { available: meter.drawnFen, income: -meter.drawnFen },
    })
    await settle(scope, meter.endUserId)
  }

  async function requireCounted(ctx: Ctx, deviceId: string, property: string): Promise<void> {
    const counted = await telemetry.isCounted(ctx, deviceId, property).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'telemetry.property_unknown') return false
      throw error
    })
    if (!counted) throw wrong('property', 'meter.property', { property })
  }

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, scope =>
        listPage(scope, repo.METERS, input, {
          given: [scope.tenantId],
          filter: {
            ...needleOf(input.q),
            ...(input.mode ? { mode: input.mode } : {}),
            ...(input.tariffId ? { tariffId: input.tariffId } : {}),
            ...(input.endUserId ? { endUserId: input.endUserId } : {}),
            ...(input.problem ? { problem: input.problem === '1' } : {}),
          },
          sorts: repo.METER_SORTS,
          fallback: '-createdAt',
          view: row => rowOf(ctx, row),
        }),
      ),

    get: (ctx, id) => database.withTenant(ctx, scope => shown(scope, ctx, id)),

    async create(ctx, input) {
      checkDays(input.fromDay, input.toDay)
      await requireCounted(ctx, input.deviceId, input.property)
      return database.withTenant(ctx, async scope => {
        await checked(scope, input)
        checkCut({ cutProperty: null, cutValue: null, restoreValue: null, ...input })
        const deviceName = await repo.deviceName(scope, input.deviceId)
        if (deviceName === undefined) throw new AppError('device.not_found')
        const id = newId()
        await repo.insert(scope, { ...input, name: input.name.trim(), id, tenantId: scope.tenantId, deviceName })
        await note(scope, ctx, 'create', { id, name: input.name }, { after: input })
        return shown(scope, ctx, id)
      })
    },

    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await repo.hold(scope, id)
        if (!before) throw new AppError('meter.not_found')
        if (before.version !== version)
          throw new AppError('version.conflict', { params: { current: rowOf(ctx, before) } })
        await checked(scope, input)
        checkCut({ ...before, ...input })
        if (input.toDay !== undefined) checkDays(before.fromDay, input.toDay)
        if (input.endUserId !== undefined && input.endUserId !== before.endUserId && before.drawnFen !== 0)
          await giveBack(scope, ctx, before)
        await repo.update(scope, id, input)
        const was = Object.fromEntries(Object.keys(input).map(key => [key, before[key as keyof repo.MeterData]]))
        await note(scope, ctx, 'update', { id, name: input.name ?? before.name }, { before: was, after: input })
        return shown(scope, ctx, id)
      }),

    addReset: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const meter = await repo.hold(scope, id)
        if (!meter) throw new AppError('meter.not_found')
        const at = new Date(input.at)
        if (at.getTime() > ctx.now) throw wrong('at', 'meter.reset_future')
        requireOpen(meter, at)
        const reset = {
          id: newId(),
          at,
          finalValue: input.finalValue ?? null,
          startValue: input.startValue ?? '0',
          remark: input.remark ?? '',
          byName: actorName(ctx.actor),
        }
        try {
          await repo.insertReset(scope, scope.tenantId, id, reset)
        } catch (error) {
          if (isUniqueViolation(error, 'meter_resets_key')) throw wrong('at', 'meter.reset_taken')
          throw error
        }
        const { finalValue, startValue, remark } = reset
        await note(scope, ctx, 'reset', meter, { after: { at: input.at, finalValue, startValue, remark } })
        return shown(scope, ctx, id)
      }),

    removeReset: (ctx, id, resetId) =>
      database.withTenant(ctx, async scope => {
        const meter = await repo.hold(scope, id)
        if (!meter) throw new AppError('meter.not_found')
        const reset = (await repo.resets(scope, id)).find(each => each.id === resetId)
        if (!reset) throw new AppError('meter.reset_not_found')
        requireOpen(meter, reset.at)
        await repo.removeReset(scope, resetId)
        const { at, finalValue, startValue, remark } = reset
        await note(scope, ctx, 'reset', meter, { before: { at: at.toISOString(), finalValue, startValue, remark } })
        return shown(scope, ctx, id)
      }),

    async readings(ctx, id, query) {
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
      if (!(from < to) || to - from > (MOST_DAYS + 1) * 86_400_000)
        throw new AppError('meter.range', { params: { days: MOST_DAYS } })
      const { meter, resets } = await database.withTenant(ctx, async scope => ({
        meter: await repo.find(scope, id),
        resets: await repo.resets(scope, id),
      }))
      if (!meter) throw new AppError('meter.not_found')
      if (meter.deviceId === null) throw new AppError('meter.no_device')
      const rules = {
        rollover: meter.rollover,
        gapMs: meter.gapMinutes * 60_000,
        resets: resets.map(({ at, finalValue, startValue }) => ({ t: at.getTime(), finalValue, startValue })),
      }
      const readings = numbersOf(await telemetry.readings(ctx, meter.deviceId, meter.property, { from, to }))
      const all = intervalsOf(readings, rules)
      const asked = query.only === 'marked' ? all.filter(({ kind, gap }) => kind !== 'measured' || gap) : all
      return {
        items: asked.slice(0, MOST_INTERVALS).map(interval => ({
          from: new Date(interval.from.t).toISOString(),
          to: new Date(interval.to.t).toISOString(),
          before: interval.from.v,
          after: interval.to.v,
          quantity:
            interval.kind === 'refused'
              ? null
              : decimalText(multiply(quantityOf(interval, rules), decimal(meter.factor)), QUANTITY_PLACES),
          kind: interval.kind,
          gap: interval.gap,
        })),
        truncated: asked.length > MOST_INTERVALS,
      }
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.hold(scope, id)
        if (!row) throw new AppError('meter.not_found')
        await repo.remove(scope, id)
        const { name, deviceId, property, endUserId, mode } = row
        await note(scope, ctx, 'remove', row, { before: { name, deviceId, property, endUserId, mode } })
        return { ok: true }
      }),
  }
}

function checkDays(from: string, to: string | null | undefined): void {
  if (!isDay(from)) throw wrong('fromDay', 'meter.days')
  if (to && (!isDay(to) || to < from)) throw wrong('toDay', 'meter.days')
}

function checkCut(meter: Pick<repo.MeterFields, 'mode' | 'cutProperty' | 'cutValue' | 'restoreValue'>): void {
  const { mode, cutProperty, cutValue, restoreValue } = meter
  if (cutProperty === null) return
  const isWhole = cutValue !== null && restoreValue !== null && cutValue !== restoreValue
  if (mode !== 'prepaid' || !isWhole) throw wrong('cutProperty', 'meter.cut')
}

function requireOpen(meter: repo.MeterData, at: Date): void {
  if (meter.billedTo !== null && at <= meter.billedTo)
    throw new AppError('meter.billed', { params: { field: 'at', at: meter.billedTo.toISOString() } })
}

function wrong(
  field: string,
  code:
    | 'meter.factor'
    | 'meter.tariff'
    | 'meter.end_user'
    | 'meter.property'
    | 'meter.days'
    | 'meter.reset_future'
    | 'meter.reset_taken'
    | 'meter.cut',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError(code, { params: { field, ...params }, fields: { [field]: { code, params } } })
}

export function rowOf(ctx: Ctx, row: repo.MeterData & { position?: string }): MeterRow {
  const { position: _, billedTo, createdAt, problem, draws: __, drawnAt: ___, ...view } = row
  return {
    ...view,
    billedTo: billedTo?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    problem: problem && {
      code: problem.code,
      ...(problem.from === undefined ? {} : { from: new Date(problem.from).toISOString() }),
      ...(problem.to === undefined ? {} : { to: new Date(problem.to).toISOString() }),
      ...(problem.before === undefined ? {} : { before: problem.before }),
      ...(problem.after === undefined ? {} : { after: problem.after }),
      message: errorText(ctx.locale, codeOf(problem), paramsOf(problem)),
    },
  }
}
