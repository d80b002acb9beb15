import type { GapMode, MeterMode, MeterProblem } from '@thingwright/contracts/tariffs.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface Problem {
  code: MeterProblem
  from?: number
  to?: number
  before?: string
  after?: string
  quantity?: string
}

export interface MeterData {
  id: string
  name: string
  deviceId: string | null
  deviceName: string
  property: string
  factor: string
  endUserId: string | null
  endUserName: string
  tariffId: string
  tariffName: string
  unit: string
  mode: MeterMode
  fromDay: string
  toDay: string | null
  startValue: string | null
  rollover: string | null
  gapMinutes: number
  gapMode: GapMode
  cutProperty: string | null
  cutValue: boolean | number | string | null
  restoreValue: boolean | number | string | null
  drawnFen: number
  draws: number
  drawnAt: Date | null
  billedTo: Date | null
  billedValue: string | null
  problem: Problem | null
  createdAt: Date
  version: number
}

const NAME = part`coalesce(nullif(l.display_name, ''), l.username, '')`
const COLUMNS = part`m.id, m.name, m.device_id as "deviceId", coalesce(d.name, m.device_name) as "deviceName", m.property,
  trim_scale(m.factor)::text as factor, m.end_user_id as "endUserId", ${NAME} as "endUserName", m.tariff_id as "tariffId",
  t.name as "tariffName", t.unit, m.mode, to_char(m.from_day, 'YYYY-MM-DD') as "fromDay",
  to_char(m.to_day, 'YYYY-MM-DD') as "toDay", m.start_value::text as "startValue", m.rollover::text as rollover,
  m.gap_minutes as "gapMinutes", m.gap_mode as "gapMode", m.cut_property as "cutProperty",
  m.cut_value as "cutValue", m.restore_value as "restoreValue", m.drawn_fen as "drawnFen", m.draws, m.drawn_at as "drawnAt", m.billed_to as "billedTo", m.billed_value::text as "billedValue",
  m.problem, m.created_at as "createdAt", m.version`
const FROM = part`meters m join tariffs t on t.id = m.tariff_id left join devices d on d.id = m.device_id
  left join logins l on l.id = m.end_user_id`

export interface MeterFilter {
  q?: string
  mode?: MeterMode
  tariffId?: string
  endUserId?: string
  problem?: boolean
}
export const METER_SORTS = ['createdAt', 'name'] as const

/** Meters of the company ($1). */
export const METERS = listSql<MeterData, MeterFilter, (typeof METER_SORTS)[number]>({
  columns: COLUMNS,
  from: FROM,
  where: part`m.tenant_id = $1`,
  given: 1,
  filters: {
    q: part`(m.name ilike $1 or coalesce(d.name, m.device_name) ilike $1 or ${NAME} ilike $1)`,
    mode: part`m.mode = $1`,
    tariffId: part`m.tariff_id = $1`,
    endUserId: part`m.end_user_id = $1`,
    problem: { true: part`m.problem is not null`, false: part`m.problem is null` },
  },
  sorts: {
    createdAt: { by: part`m.created_at`, type: 'timestamptz' },
    name: { by: part`m.name`, type: 'text' },
  },
  id: { by: part`m.id`, type: 'uuid' },
})

const FIND = sql<MeterData>`select ${COLUMNS} from ${FROM} where m.id = $1`
const HOLD = sql<MeterData>`select ${COLUMNS} from ${FROM} where m.id = $1 for update of m`
export const find = async (scope: Runner, id: string): Promise<MeterData | undefined> =>
  (await scope.run(FIND, [id])).rows[0]
/** Held until the transaction ends. */
export const hold = async (scope: Runner, id: string): Promise<MeterData | undefined> =>
  (await scope.run(HOLD, [id])).rows[0]

const OF_END_USER = sql<MeterData>`select ${COLUMNS} from ${FROM} where m.end_user_id = $1 order by m.name, m.id limit 200`
export const ofEndUser = async (scope: Runner, endUserId: string): Promise<MeterData[]> =>
  (await scope.run(OF_END_USER, [endUserId])).rows

export interface MeterFields {
  name: string
  factor: string
  endUserId: string
  tariffId: string
  mode: MeterMode
  toDay: string | null
  rollover: string | null
  gapMinutes: number
  gapMode: GapMode
  cutProperty: string | null
  cutValue: boolean | number | string | null
  restoreValue: boolean | number | string | null
}
const FIELDS = {
  name: 'name',
  factor: 'factor',
  endUserId: 'end_user_id',
  tariffId: 'tariff_id',
  mode: 'mode',
  toDay: 'to_day',
  rollover: 'rollover',
  gapMinutes: 'gap_minutes',
  gapMode: 'gap_mode',
  cutProperty: 'cut_property',
  cutValue: { json: 'cut_value' },
  restoreValue: { json: 'restore_value' },
} as const
type NewMeter = Pick<MeterFields, 'name' | 'endUserId' | 'tariffId' | 'mode'> &
  Partial<MeterFields> & {
    id: string
    tenantId: string
    deviceId: string
    deviceName: string
    property: string
    fromDay: string
    startValue?: string | null
  }
const INSERT = insertInto<NewMeter>(part`meters`, {
  id: 'id',
  tenantId: 'tenant_id',
  deviceId: 'device_id',
  deviceName: 'device_name',
  property: 'property',
  fromDay: 'from_day',
  startValue: 'start_value',
  ...FIELDS,
})
/** @throws AppError meter.overlap of the database */
export const insert = (scope: Runner, row: NewMeter) => scope.run(...INSERT.of(row))

const UPDATE = updateOf<Partial<MeterFields>>(part`meters`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = $1`,
  given: 1,
})
export const update = (scope: Runner, id: string, fields: Partial<MeterFields>) => scope.run(...UPDATE.of(fields, id))

const REMOVE = sql`delete from meters where id = $1`
export const remove = (scope: Runner, id: string) => scope.run(REMOVE, [id])

const BILLED = sql`update meters set billed_to = $2, billed_value = $3, problem = null where id = $1`
const TAKE_DRAWN = sql`update meters set drawn_fen = 0 where id = $1`
/** What was drawn is part of a statement now. */
export const takeDrawn = (scope: Runner, id: string) => scope.run(TAKE_DRAWN, [id])

const DRAWN = sql`update meters set drawn_fen = $2, draws = $3, drawn_at = $4 where id = $1`
export const setDrawn = (scope: Runner, id: string, drawnFen: number, draws: number, at: Date) =>
  scope.run(DRAWN, [id, drawnFen, draws, at])

const DRAWN_OF = sql<{
  fen: number
}>`select coalesce(sum(drawn_fen), 0)::bigint as fen from meters where end_user_id = $1`
/** Drawn from an end user and in no statement yet. */
export const drawnOf = async (scope: Runner, endUserId: string): Promise<number> =>
  (await scope.run(DRAWN_OF, [endUserId])).rows[0]!.fen

const DUE_DRAWS = sql<{ id: string }>`select id from meters where tenant_id = $1 and mode = 'prepaid'
  and end_user_id is not null and device_id is not null and (drawn_at is null or drawn_at <= $2) order by drawn_at nulls first, id limit 500`
/** Prepaid meters that were not drawn since. */
export const dueDraws = async (scope: Runner, tenantId: string, since: Date): Promise<string[]> =>
  (await scope.run(DUE_DRAWS, [tenantId, since])).rows.map(({ id }) => id)

/** Where its statements end from now on. */
export const setBilled = (scope: Runner, id: string, to: Date | null, value: string | null) =>
  scope.run(BILLED, [id, to, value])

const PROBLEM = sql`update meters set problem = $2 where id = $1`
export const setProblem = (scope: Runner, id: string, problem: Problem | null) =>
  scope.run(PROBLEM, [id, problem && JSON.stringify(problem)])

export interface ResetRow {
  id: string
  at: Date
  finalValue: string | null
  startValue: string
  remark: string
  byName: string
}
const RESETS = sql<ResetRow>`select id, at, final_value::text as "finalValue", start_value::text as "startValue", remark,
  by_name as "byName" from meter_resets where meter_id = $1 order by at`
export const resets = async (scope: Runner, meterId: string): Promise<ResetRow[]> =>
  (await scope.run(RESETS, [meterId])).rows

const INSERT_RESET = sql`insert into meter_resets (id, tenant_id, meter_id, at, final_value, start_value, remark, by_name)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`
export const insertReset = (scope: Runner, tenantId: string, meterId: string, r: ResetRow) =>
  scope.run(INSERT_RESET, [r.id, tenantId, meterId, r.at, r.finalValue, r.startValue, r.remark, r.byName])

const REMOVE_RESET = sql`delete from meter_resets where id = $1`
export const removeReset = (scope: Runner, id: string) => scope.run(REMOVE_RESET, [id])

const DEVICE = sql<{ name: string }>`select name from devices where id = $1 and recycled_at is null`
/** The name of a device that is there; undefined: it is not. */
export const deviceName = async (scope: Runner, id: string): Promise<string | undefined> =>
  (await scope.run(DEVICE, [id])).rows[0]?.name

const ADDRESS = sql<{ email: string; locale: 'zh' | 'en' | null }>`select email, locale from logins
  where id = any ($1::uuid[]) and email is not null and state = 'active'`
/** Where end users get mail, and in which language. */
export const mailAddresses = async (scope: Runner, ids: readonly string[]) => (await scope.run(ADDRESS, [ids])).rows

const END_USER = sql<{ name: string }>`select coalesce(nullif(l.display_name, ''), l.username) as name
  from end_users u join logins l on l.id = u.id where u.id = $1`
export const endUserName = async (scope: Runner, id: string): Promise<string | undefined> =>
  (await scope.run(END_USER, [id])).rows[0]?.name

/** Meters of a month that have no statement of it yet, in order of their ids. */
const DUE = sql<{ id: string }>`select m.id from meters m
  where m.tenant_id = $1 and m.id > $2 and m.from_day < $4::date and (m.to_day is null or m.to_day >= $3::date)
    and not exists (select 1 from meter_statements s where s.meter_id = m.id and s.month = $5 and s.state <> 'voided')
  order by m.id limit $6`
const NOTHING = '00000000-0000-0000-0000-000000000000'
export const due = async (
  scope: Runner,
  tenantId: string,
  asked: { after: string | null; from: string; before: string; month: string; limit: number },
): Promise<string[]> =>
  (
    await scope.run(DUE, [tenantId, asked.after ?? NOTHING, asked.from, asked.before, asked.month, asked.limit])
  ).rows.map(({ id }) => id)

const COUNT_DUE = sql<{ n: number }>`select count(*)::int as n from meters m
  where m.tenant_id = $1 and m.from_day < $3::date and (m.to_day is null or m.to_day >= $2::date)`
/** All meters of a month. */
export const countOf = async (scope: Runner, tenantId: string, from: string, before: string): Promise<number> =>
  (await scope.run(COUNT_DUE, [tenantId, from, before])).rows[0]!.n
