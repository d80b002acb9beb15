import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { Rates, TariffRow, TariffView, tariffsContract } from '@thingwright/contracts/tariffs.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { problemsOf } from './billing/rates.ts'
import { isDay } from './days.ts'
import { listPage, needleOf } from './list-page.ts'
import * as repo from './tariffs.repo.ts'

type Contract = typeof tariffsContract
type Version = Pick<BodyOf<Contract['addVersion']>, 'validFrom' | 'validTo' | 'rates'>

export interface TariffsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<TariffView>
  /** @throws AppError tariff.name_taken, tariff.rates, tariff.days */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<TariffView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<TariffView>
  /** @throws AppError tariff.overlap, tariff.rates, tariff.days */
  addVersion(ctx: Ctx, id: string, input: BodyOf<Contract['addVersion']>): Promise<TariffView>
  /** @throws AppError tariff.version_used, tariff.last_version */
  removeVersion(ctx: Ctx, id: string, versionId: string): Promise<TariffView>
  /** @throws AppError tariff.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createTariffsService({ database }: { database: Database }): TariffsService {
  async function shown(scope: TenantScope, id: string): Promise<TariffView> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('tariff.not_found')
    const versions = await repo.versions(scope, id)
    return {
      ...rowOf(row),
      versions: versions.map(v => ({ ...v, createdAt: v.createdAt.toISOString() })),
    }
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: { id: string; name: string }, values: object) =>
    recordAudit(scope, ctx, {
      action: `tariff.${verb}`,
      objectType: 'tariff',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  const insertVersion = (scope: TenantScope, ctx: Ctx, tariffId: string, { validFrom, validTo, rates }: Version) =>
    repo.insertVersion(scope, {
      id: newId(),
      tenantId: scope.tenantId,
      tariffId,
      validFrom,
      validTo: validTo ?? null,
      rates,
      byName: actorName(ctx.actor),
    })

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, scope =>
        listPage(scope, repo.TARIFFS, input, {
          given: [scope.tenantId],
          filter: needleOf(input.q),
          sorts: repo.TARIFF_SORTS,
          fallback: '-createdAt',
          view: rowOf,
        }),
      ),

    get: (ctx, id) => database.withTenant(ctx, scope => shown(scope, id)),

    async create(ctx, { name, unit, remark = '', ...version }) {
      check(version)
      return naming(name, () =>
        database.withTenant(ctx, async scope => {
          const id = newId()
          await repo.insert(scope, { id, tenantId: scope.tenantId, name: name.trim(), unit: unit.trim(), remark })
          await insertVersion(scope, ctx, id, version)
          await note(scope, ctx, 'create', { id, name }, { after: { name, unit, remark, ...version } })
          return shown(scope, id)
        }),
      )
    },

    update: (ctx, id, { version, ...input }) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const before = await shown(scope, id)
          const next = {
            name: input.name?.trim() ?? before.name,
            unit: input.unit?.trim() ?? before.unit,
            remark: input.remark ?? before.remark,
          }
          if (!(await repo.update(scope, { id, version, ...next })))
            throw new AppError('version.conflict', { params: { current: before } })
          const { name, unit, remark } = before
          await note(scope, ctx, 'update', { id, name: next.name }, { before: { name, unit, remark }, after: next })
          return shown(scope, id)
        }),
      ),

    async addVersion(ctx, id, { endBefore, ...version }) {
      check(version)
      return database.withTenant(ctx, async scope => {
        if (!(await repo.hold(scope, id))) throw new AppError('tariff.not_found')
        if (endBefore) await repo.endBefore(scope, id, version.validFrom)
        await insertVersion(scope, ctx, id, version)
        await repo.touch(scope, id)
        const after = await shown(scope, id)
        await note(scope, ctx, 'price', after, { after: version })
        return after
      })
    },

    removeVersion: (ctx, id, versionId) =>
      database.withTenant(ctx, async scope => {
        if (!(await repo.hold(scope, id))) throw new AppError('tariff.not_found')
        const all = await repo.versions(scope, id)
        const version = all.find(each => each.id === versionId)
        if (!version) throw new AppError('tariff.version_not_found')
        if (all.length === 1) throw new AppError('tariff.last_version')
        if (await repo.isBilled(scope, versionId)) throw new AppError('tariff.version_used')
        await repo.removeVersion(scope, versionId)
        await repo.touch(scope, id)
        const after = await shown(scope, id)
        const { validFrom, validTo, rates } = version
        await note(scope, ctx, 'price', after, { before: { validFrom, validTo, rates } })
        return after
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        if (!(await repo.hold(scope, id))) throw new AppError('tariff.not_found')
        const row = await shown(scope, id)
        if (row.meters > 0) throw new AppError('tariff.in_use', { params: { count: row.meters } })
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', row, { before: { name: row.name, unit: row.unit } })
        return { ok: true }
      }),
  }
}

/** @throws AppError tariff.rates with the fields, tariff.days */
function check({ validFrom, validTo, rates }: { validFrom: string; validTo?: string | null; rates: Rates }): void {
  const days = { validFrom, ...(validTo ? { validTo } : {}) }
  const wrong = Object.entries(days).find(([, day]) => !isDay(day))
  if (wrong || (validTo && validTo < validFrom)) {
    const field = wrong?.[0] ?? 'validTo'
    throw new AppError('tariff.days', { params: { field }, fields: { [field]: { code: 'tariff.days' } } })
  }
  const problems = problemsOf(rates)
  if (problems.length === 0) return
  throw new AppError('tariff.rates', {
    params: { field: pathOf(problems[0]!.field) },
    fields: Object.fromEntries(problems.map(({ field, why }) => [pathOf(field), { code: `tariff.rates_${why}` }])),
  })
}

/** `steps/1/upTo` as forms name it: `rates.steps[1].upTo`. */
const pathOf = (field: string) => `rates.${field.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`

async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'tariffs_name_key'))
      throw new AppError('tariff.name_taken', {
        params: { name: name.trim() },
        fields: { name: { code: 'tariff.name_taken', params: { name: name.trim() } } },
      })
    throw error
  }
}

const rowOf = ({ createdAt, ...row }: repo.TariffData & { position?: string }): TariffRow => {
  const { position: _, ...view } = row
  return { ...view, createdAt: createdAt.toISOString() }
}
