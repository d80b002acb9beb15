import type { Rates } from '@thingwright/contracts/tariffs.contract'
import type { TariffKind } from '@thingwright/contracts/tariffs.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface TariffData {
  id: string
  name: string
  unit: string
  remark: string
  kind: TariffKind | null
  meters: number
  createdAt: Date
  version: number
}

const COLUMNS = part`t.id, t.name, t.unit, t.remark, t.created_at as "createdAt", t.version,
  (select v.rates ->> 'kind' from tariff_versions v where v.tariff_id = t.id
    and v.valid_from <= (now() at time zone c.time_zone)::date order by v.valid_from desc limit 1) as kind,
  (select count(*)::int from meters m where m.tariff_id = t.id) as meters`
const FROM = part`tariffs t join tenants c on c.id = t.tenant_id`

export const TARIFF_SORTS = ['createdAt', 'name'] as const

/** Tariffs of the company ($1). */
export const TARIFFS = listSql<TariffData, { q?: string }, (typeof TARIFF_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  where: part`t.tenant_id = $1`,
  given: 1,
  filters: { q: part`t.name ilike $1` },
  sorts: {
    createdAt: { by: part`t.created_at`, type: 'timestamptz' },
    name: { by: part`t.name`, type: 'text' },
  },
  id: { by: part`t.id`, type: 'uuid' },
})

const FIND = sql<TariffData>`select ${COLUMNS} from ${FROM} where t.id = $1`
const HOLD = sql<{ id: string }>`select id from tariffs where id = $1 for update`

export const find = async (scope: Runner, id: string): Promise<TariffData | undefined> =>
  (await scope.run(FIND, [id])).rows[0]

/** Held until the transaction ends; false: it is not there. */
export const hold = async (scope: Runner, id: string): Promise<boolean> =>
  (await scope.run(HOLD, [id])).rows.length === 1

const ALL = sql<Pick<TariffData, 'id' | 'name' | 'unit' | 'remark'>>`select id, name, unit, remark from tariffs
  order by created_at, id`
const NAMED = sql<{ id: string }>`select id from tariffs where name = $1`
/** Every tariff that the caller sees, the oldest first. */
export const all = async (scope: Runner) => (await scope.run(ALL)).rows
export const idNamed = async (scope: Runner, name: string): Promise<string | null> =>
  (await scope.run(NAMED, [name])).rows[0]?.id ?? null

const INSERT = sql`insert into tariffs (id, tenant_id, name, unit, remark) values ($1, $2, $3, $4, $5)`
export const insert = (
  scope: Runner,
  t: { id: string; tenantId: string; name: string; unit: string; remark: string },
) => scope.run(INSERT, [t.id, t.tenantId, t.name, t.unit, t.remark])

const UPDATE = sql`update tariffs set name = $3, unit = $4, remark = $5, version = version + 1 where id = $1 and version = $2`
export const update = async (
  scope: Runner,
  t: { id: string; version: number; name: string; unit: string; remark: string },
): Promise<boolean> => (await scope.run(UPDATE, [t.id, t.version, t.name, t.unit, t.remark])).rowCount === 1

const TOUCH = sql`update tariffs set version = version + 1 where id = $1`
export const touch = (scope: Runner, id: string) => scope.run(TOUCH, [id])

const REMOVE = sql`delete from tariffs where id = $1`
export const remove = (scope: Runner, id: string) => scope.run(REMOVE, [id])

export interface VersionData {
  id: string
  validFrom: string
  validTo: string | null
  rates: Rates
  byName: string
  createdAt: Date
}

const VERSION = part`id, to_char(valid_from, 'YYYY-MM-DD') as "validFrom", to_char(valid_to, 'YYYY-MM-DD') as "validTo", rates,
  by_name as "byName", created_at as "createdAt"`
const VERSIONS = sql<VersionData>`select ${VERSION} from tariff_versions where tariff_id = $1 order by valid_from`

/** Its prices, the earliest first. */
export const versions = async (scope: Runner, tariffId: string): Promise<VersionData[]> =>
  (await scope.run(VERSIONS, [tariffId])).rows

const INSERT_VERSION = sql`insert into tariff_versions (id, tenant_id, tariff_id, valid_from, valid_to, rates, by_name)
  values ($1, $2, $3, $4, $5, $6, $7)`
/** @throws AppError tariff.overlap of the database */
export const insertVersion = (
  scope: Runner,
  v: {
    id: string
    tenantId: string
    tariffId: string
    validFrom: string
    validTo: string | null
    rates: Rates
    byName: string
  },
) =>
  scope.run(INSERT_VERSION, [v.id, v.tenantId, v.tariffId, v.validFrom, v.validTo, JSON.stringify(v.rates), v.byName])

const END_BEFORE = sql`update tariff_versions set valid_to = $2::date - 1
  where tariff_id = $1 and valid_to is null and valid_from < $2::date`
/** The version without an end ends the day before. */
export const endBefore = (scope: Runner, tariffId: string, day: string) => scope.run(END_BEFORE, [tariffId, day])

const IS_BILLED = sql<{ found: boolean }>`select exists (select 1 from meter_statement_lines l
  join meter_statements s on s.id = l.statement_id and s.state <> 'voided' where l.version_id = $1) as found`
/** Statements were made by these prices. */
export const isBilled = async (scope: Runner, versionId: string): Promise<boolean> =>
  (await scope.run(IS_BILLED, [versionId])).rows[0]!.found

const REMOVE_VERSION = sql`delete from tariff_versions where id = $1`
export const removeVersion = (scope: Runner, id: string) => scope.run(REMOVE_VERSION, [id])
