import type { CardState, CardTerm, StopReason } from '@thingwright/contracts/sim-cards.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { updateOf } from '../../lib/sql/writes.ts'
import type { CardNumbers, CarrierKind } from './carrier.port.ts'

export interface CardRow extends CardNumbers {
  id: string
  tenantId: string
  accountId: string
  accountName: string
  carrier: 'cmcc' | 'ctcc'
  kind: CarrierKind
  simulated: boolean
  imei: string | null
  boundImei: string | null
  state: CardState
  rawState: string | null
  rawStateText: string | null
  stopReason: StopReason | null
  stateSince: Date | null
  online: boolean | null
  offlineSince: Date | null
  ip: string | null
  apn: string | null
  dataOff: boolean | null
  realName: boolean | null
  speedKbps: number | null
  form: 'plug_in' | 'embedded' | null
  term: CardTerm | null
  use: 'single' | 'shared' | 'pool'
  pool: string
  planName: string | null
  planKb: number | null
  ownPlan: boolean
  monthKb: number | null
  usageMonth: number | null
  shownPlanKb: number | null
  shownPercent: number | null
  smsOn: boolean | null
  monthSms: number | null
  smsMonth: number | null
  monthFen: number | null
  openedAt: Date | null
  activatedAt: Date | null
  activateBy: Date | null
  dataUntil: Date | null
  expiresAt: Date | null
  searchable: boolean
  tags: string[]
  remark: string
  deviceId: string | null
  deviceName: string | null
  deviceNo: string | null
  syncedAt: Date | null
  syncFault: string | null
  changedAt: Date | null
  cooldownUntil: Date | null
  told: string[]
  version: number
  createdAt: Date
}

const COLUMNS = part`c.id, c.tenant_id as "tenantId", c.account_id as "accountId", c.account_name as "accountName", c.carrier, c.kind,
  c.simulated, c.iccid, c.msisdn, c.imsi, c.imei, c.bound_imei as "boundImei", c.state, c.raw_state as "rawState",
  c.raw_state_text as "rawStateText", c.stop_reason as "stopReason", c.state_since as "stateSince", c.online,
  c.offline_since as "offlineSince", c.ip, c.apn, c.data_off as "dataOff", c.real_name as "realName", c.speed_kbps as "speedKbps",
  c.form, c.term, c.use, c.pool, c.plan_name as "planName", c.plan_kb as "planKb", c.own_plan as "ownPlan", c.month_kb as "monthKb",
  c.usage_month as "usageMonth", c.shown_plan_kb as "shownPlanKb", c.shown_percent as "shownPercent",
  c.sms_on as "smsOn", c.month_sms as "monthSms", c.sms_month as "smsMonth", c.month_fen as "monthFen", c.opened_at as "openedAt", c.activated_at as "activatedAt",
  c.activate_by as "activateBy", c.data_until as "dataUntil", c.expires_at as "expiresAt", c.searchable, c.tags, c.remark, c.device_id as "deviceId",
  d.name as "deviceName", d.device_no as "deviceNo", c.synced_at as "syncedAt", c.sync_fault as "syncFault",
  c.changed_at as "changedAt", c.cooldown_until as "cooldownUntil", c.told, c.version, c.created_at as "createdAt"`
const FROM = part`sim_cards c left join devices d on d.id = c.device_id`

const FIND = sql<CardRow>`select ${COLUMNS} from ${FROM} where c.id = $1`
const FIND_MANY = sql<CardRow>`select ${COLUMNS} from ${FROM} where c.id = any ($1)`
const OF_DEVICE = sql<CardRow>`select ${COLUMNS} from ${FROM} where c.device_id = $1`
const ANY_OF = sql<CardNumbers>`select iccid, msisdn, imsi from sim_cards where account_id = $1 order by id limit 1`
const COUNT = sql<{ n: number }>`select count(*)::int as n from sim_cards`

export async function find(scope: Runner, id: string): Promise<CardRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function findMany(scope: Runner, ids: readonly string[]): Promise<CardRow[]> {
  return (await scope.run(FIND_MANY, [ids])).rows
}

export type CardFacts = Pick<CardRow, 'id' | 'iccid' | 'state' | 'planKb' | 'monthKb' | 'offlineSince' | 'expiresAt'>

const FACTS = sql<CardFacts>`select id, iccid, state, plan_kb as "planKb", month_kb as "monthKb", offline_since as "offlineSince",
  expires_at as "expiresAt" from sim_cards where synced_at is not null order by iccid`

/** What triggers can ask of the cards of which the carrier said something. */
export async function facts(scope: Runner): Promise<CardFacts[]> {
  return (await scope.run(FACTS)).rows
}

const OF_ICCID = sql<CardRow>`select ${COLUMNS} from ${FROM} where c.iccid = $1`

export async function ofIccid(scope: Runner, iccid: string): Promise<CardRow | undefined> {
  return (await scope.run(OF_ICCID, [iccid])).rows[0]
}

export async function ofDevice(scope: Runner, deviceId: string): Promise<CardRow | undefined> {
  return (await scope.run(OF_DEVICE, [deviceId])).rows[0]
}

export async function anyOf(scope: Runner, accountId: string): Promise<CardNumbers | undefined> {
  return (await scope.run(ANY_OF, [accountId])).rows[0]
}

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

export interface CardFilter {
  q?: string
  carrier?: string
  connectionId?: string
  state?: string
  online?: string
  bound?: string
  use?: string
  term?: string
  searchable?: string
  pool?: string
  tag?: string
  usage?: string
  expiring?: string
  deviceId?: string
}
export const CARD_SORTS = ['createdAt', 'iccid', 'monthKb', 'stateSince', 'expiresAt', 'syncedAt'] as const
export type CardSort = (typeof CARD_SORTS)[number]

const share = (n: number) => part`c.plan_kb > 0 and c.month_kb >= c.plan_kb * ${n} / 100`

export const LIST = listSql<CardRow, CardFilter, CardSort>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`sim_cards c left join devices d on d.id = c.device_id`,
  filters: {
    q: part`(c.iccid ilike $1 or c.msisdn ilike $1 or c.imsi ilike $1 or c.imei ilike $1 or c.remark ilike $1 or d.name ilike $1 or d.device_no ilike $1)`,
    carrier: part`c.carrier = $1`,
    connectionId: part`c.account_id = $1`,
    state: part`c.state = $1`,
    online: { yes: part`c.online`, no: part`c.online is not true` },
    bound: { yes: part`c.device_id is not null`, no: part`c.device_id is null` },
    use: part`c.use = $1`,
    term: part`c.term = $1`,
    searchable: { yes: part`c.searchable`, no: part`not c.searchable` },
    pool: part`c.pool = $1`,
    tag: part`c.tags @> array[$1::text]`,
    usage: { over50: share(50), over80: share(80), over100: share(100) },
    expiring: {
      '7': part`c.expires_at < now() + interval '7 days'`,
      '30': part`c.expires_at < now() + interval '30 days'`,
    },
    deviceId: part`c.device_id = $1`,
  },
  sorts: {
    createdAt: { by: part`c.created_at`, type: 'timestamptz' },
    iccid: { by: part`c.iccid`, type: 'text' },
    monthKb: { by: part`coalesce(c.month_kb, -1)::bigint`, type: 'bigint' },
    stateSince: { by: part`coalesce(c.state_since, '-infinity')`, type: 'timestamptz' },
    expiresAt: { by: part`coalesce(c.expires_at, 'infinity')`, type: 'timestamptz' },
    syncedAt: { by: part`coalesce(c.synced_at, '-infinity')`, type: 'timestamptz' },
  },
  id: { by: part`c.id`, type: 'uuid' },
})

export interface CountsRow {
  state: string
  n: number
  online: number
  bound: number
  over80: number
  monthKb: number
  planKb: number
}
const COUNTS = sql<CountsRow>`select c.state, count(*)::int as n, count(*) filter (where c.online)::int as online,
  count(c.device_id)::int as bound, count(*) filter (where ${share(80)})::int as over80,
  coalesce(sum(c.month_kb), 0) as "monthKb", coalesce(sum(c.plan_kb), 0) as "planKb"
  from sim_cards c where $1::text is null or c.carrier = $1 group by c.state`

export async function counts(scope: TenantScope, carrier: string | null): Promise<CountsRow[]> {
  return (await scope.run(COUNTS, [carrier])).rows
}

const ATTENTION = sql<{ carrier: string; stopped: number; stoppedAt: Date | null; near: number }>`select c.carrier,
  count(*) filter (where c.state = 'stopped' and c.device_id is not null)::int as stopped,
  max(c.state_since) filter (where c.state = 'stopped' and c.device_id is not null) as "stoppedAt",
  count(*) filter (where ${share(80)})::int as near from sim_cards c group by c.carrier`

export async function attention(scope: TenantScope) {
  return (await scope.run(ATTENTION)).rows
}

export interface PoolRow {
  pool: string
  cards: number
  monthKb: number
  planKb: number
}
const POOLS = sql<PoolRow>`select c.pool, count(*)::int as cards, coalesce(sum(c.month_kb), 0) as "monthKb", coalesce(sum(c.plan_kb), 0) as "planKb"
  from sim_cards c where c.pool <> '' and ($1::text is null or c.carrier = $1) group by c.pool order by c.pool limit 200`

export async function pools(scope: TenantScope, carrier: string | null): Promise<PoolRow[]> {
  return (await scope.run(POOLS, [carrier])).rows
}

export interface NewCard {
  id: string
  iccid: string
  msisdn: string | null
  imsi: string | null
  deviceId: string | null
  pool: string | null
  tags: string[] | null
  remark: string | null
  term?: CardTerm | null
  shownPlanKb?: number | null
  shownPercent?: number | null
  dataUntil?: string | null
  searchable?: boolean | null
}

const FROM_JSON = part`jsonb_to_recordset($1::jsonb) as v (id uuid, iccid text, msisdn text, imsi text, "deviceId" uuid, pool text, tags text[], remark text, term text,
  "shownPlanKb" float8, "shownPercent" int, "dataUntil" timestamptz, searchable boolean)`
const INSERT_MANY = sql<{
  id: string
}>`insert into sim_cards (id, tenant_id, account_id, account_name, carrier, kind, simulated, iccid, msisdn, imsi, device_id, pool, tags, remark, term,
    shown_plan_kb, shown_percent, data_until, searchable)
  select v.id, a.tenant_id, a.id, a.name, a.carrier, a.kind, a.simulated, v.iccid, v.msisdn, v.imsi, v."deviceId", coalesce(v.pool, ''), coalesce(v.tags, '{}'), coalesce(v.remark, ''), v.term,
    v."shownPlanKb", v."shownPercent", v."dataUntil", coalesce(v.searchable, true)
  from ${FROM_JSON} join carrier_accounts a on a.id = $2 returning id`
const UPDATE_MANY = sql`update sim_cards c set msisdn = coalesce(v.msisdn, c.msisdn), imsi = coalesce(v.imsi, c.imsi),
  device_id = coalesce(v."deviceId", c.device_id), pool = coalesce(v.pool, c.pool), tags = coalesce(v.tags, c.tags), remark = coalesce(v.remark, c.remark), term = coalesce(v.term, c.term),
  shown_plan_kb = coalesce(v."shownPlanKb", c.shown_plan_kb), shown_percent = coalesce(v."shownPercent", c.shown_percent),
  data_until = coalesce(v."dataUntil", c.data_until), searchable = coalesce(v.searchable, c.searchable), version = c.version + 1
  from ${FROM_JSON} where c.iccid = v.iccid`

export async function insertMany(scope: TenantScope, accountId: string, cards: readonly NewCard[]): Promise<number> {
  return (await scope.run(INSERT_MANY, [JSON.stringify(cards), accountId])).rowCount ?? 0
}

export async function updateMany(scope: TenantScope, cards: readonly NewCard[]): Promise<void> {
  await scope.run(UPDATE_MANY, [JSON.stringify(cards)])
}

export interface KnownNumber {
  iccid: string
  msisdn: string | null
  deviceId: string | null
  accountId: string
}
const KNOWN = sql<KnownNumber>`select iccid, msisdn, device_id as "deviceId", account_id as "accountId" from sim_cards
  where iccid = any ($1) or msisdn = any ($2) or device_id = any ($3)`
const ELSEWHERE = sql<{ iccid: string }>`select sim_cards_elsewhere($1) as iccid`
const DEVICES = sql<{
  id: string
  deviceNo: string
}>`select id, device_no as "deviceNo" from devices where device_no = any ($1) and lifecycle <> 'recycled'`
const DEVICE = sql<{ id: string; name: string }>`select id, name from devices where id = $1 and lifecycle <> 'recycled'`

/** Cards that have one of these numbers or are in one of these devices. */
export async function known(
  scope: TenantScope,
  iccids: readonly string[],
  msisdns: readonly string[],
  deviceIds: readonly string[],
): Promise<KnownNumber[]> {
  return (await scope.run(KNOWN, [iccids, msisdns, deviceIds])).rows
}

export async function elsewhere(scope: TenantScope, iccids: readonly string[]): Promise<Set<string>> {
  return new Set((await scope.run(ELSEWHERE, [iccids])).rows.map(row => row.iccid))
}

export async function devicesNumbered(scope: TenantScope, numbers: readonly string[]) {
  return (await scope.run(DEVICES, [numbers])).rows
}

export async function device(scope: Runner, id: string): Promise<{ id: string; name: string } | undefined> {
  return (await scope.run(DEVICE, [id])).rows[0]
}

/** What people keep of a card, and what the carrier says. */
export interface CardValues {
  msisdn?: string | null
  imsi?: string | null
  imei?: string | null
  boundImei?: string | null
  state?: string
  rawState?: string
  rawStateText?: string | null
  stopReason?: string | null
  stateSince?: Date
  online?: boolean | null
  offlineSince?: Date | null
  ip?: string | null
  apn?: string | null
  dataOff?: boolean | null
  realName?: boolean | null
  speedKbps?: number | null
  form?: string | null
  term?: string | null
  use?: string
  pool?: string
  planName?: string | null
  planKb?: number | null
  ownPlan?: boolean
  monthKb?: number | null
  usageMonth?: number | null
  shownPlanKb?: number | null
  shownPercent?: number | null
  smsOn?: boolean | null
  monthSms?: number | null
  smsMonth?: number | null
  monthFen?: number | null
  openedAt?: Date
  activatedAt?: Date
  activateBy?: Date | null
  dataUntil?: Date | null
  expiresAt?: Date | null
  searchable?: boolean
  tags?: string[]
  remark?: string
  deviceId?: string | null
  syncedAt?: Date
  syncFault?: string | null
  changedAt?: Date
  cooldownUntil?: Date
  told?: string[]
}

const FIELDS = {
  msisdn: 'msisdn',
  imsi: 'imsi',
  imei: 'imei',
  boundImei: 'bound_imei',
  state: 'state',
  rawState: 'raw_state',
  rawStateText: 'raw_state_text',
  stopReason: 'stop_reason',
  stateSince: 'state_since',
  online: 'online',
  offlineSince: 'offline_since',
  ip: 'ip',
  apn: 'apn',
  dataOff: 'data_off',
  realName: 'real_name',
  speedKbps: 'speed_kbps',
  form: 'form',
  term: 'term',
  use: 'use',
  pool: 'pool',
  planName: 'plan_name',
  planKb: 'plan_kb',
  ownPlan: 'own_plan',
  monthKb: 'month_kb',
  usageMonth: 'usage_month',
  shownPlanKb: 'shown_plan_kb',
  shownPercent: 'shown_percent',
  smsOn: 'sms_on',
  monthSms: 'month_sms',
  smsMonth: 'sms_month',
  monthFen: 'month_fen',
  openedAt: 'opened_at',
  activatedAt: 'activated_at',
  activateBy: 'activate_by',
  dataUntil: 'data_until',
  expiresAt: 'expires_at',
  searchable: 'searchable',
  tags: 'tags',
  remark: 'remark',
  deviceId: 'device_id',
  syncedAt: 'synced_at',
  syncFault: 'sync_fault',
  changedAt: 'changed_at',
  cooldownUntil: 'cooldown_until',
  told: 'told',
} as const

const UPDATE = updateOf<CardValues>(part`sim_cards`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = $1 and version = $2`,
  given: 2,
})
const UPDATE_EACH = updateOf<CardValues, { iccid: string }>(part`sim_cards`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = any ($1)`,
  given: 1,
  returning: part`iccid`,
})
/** What is learned beside people does not make their versions old. */
const LEARN = updateOf<CardValues>(part`sim_cards`, FIELDS, { where: part`id = $1`, given: 1 })
const REMOVE = sql`delete from sim_cards where id = $1`

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, id: string, version: number, values: CardValues): Promise<boolean> {
  return (await scope.run(...UPDATE.of(values, id, version))).rowCount === 1
}

/** The same for many. @returns the numbers of those that there are */
export async function updateEach(scope: TenantScope, ids: readonly string[], values: CardValues): Promise<string[]> {
  return (await scope.run(...UPDATE_EACH.of(values, ids))).rows.map(({ iccid }) => iccid)
}

const TIME_ZONE = sql<{ zone: string }>`select time_zone as zone from tenants where id = $1`

/** IANA name of the company's time zone. */
export async function timeZone(scope: TenantScope): Promise<string> {
  return (await scope.run(TIME_ZONE, [scope.tenantId])).rows[0]?.zone ?? 'UTC'
}

export async function learn(scope: Runner, id: string, values: CardValues): Promise<void> {
  await scope.run(...LEARN.of(values, id))
}

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const STALE = sql<CardRow>`select ${COLUMNS} from ${FROM}
  where c.account_id = $1 and c.searchable and (c.synced_at is null or c.synced_at < $2) order by c.synced_at nulls first, c.id limit $3`
const STALE_LEFT = sql<{
  left: number
  total: number
}>`select count(*) filter (where synced_at is null or synced_at < $2)::int as left, count(*)::int as total
  from sim_cards where account_id = $1 and searchable`

/** Cards that the carrier was not asked about since then, the longest ago first; none that it does not answer about. */
export async function stale(scope: Runner, accountId: string, since: Date, limit: number): Promise<CardRow[]> {
  return (await scope.run(STALE, [accountId, since, limit])).rows
}

export async function staleLeft(scope: Runner, accountId: string, since: Date) {
  return (await scope.run(STALE_LEFT, [accountId, since])).rows[0]!
}

const PUT_USAGE = sql`insert into sim_card_usage (tenant_id, card_id, day, kb) values ($1, $2, $3::date, $4)
  on conflict (card_id, day) do update set kb = excluded.kb`
const BY_DAY = sql<{
  at: string
  kb: number
}>`select to_char(day, 'YYYY-MM-DD') as at, kb from sim_card_usage where card_id = $1 and day > current_date - 92 order by day`
const BY_MONTH = sql<{
  at: string
  kb: number
}>`select to_char(day, 'YYYY-MM') as at, sum(kb) as kb from sim_card_usage where card_id = $1 and day > current_date - 400 group by 1 order by 1`
const FORGET_USAGE = sql`delete from sim_card_usage where day < $1::date`

export async function putUsage(
  scope: Runner,
  tenantId: string,
  cardId: string,
  day: string,
  kb: number,
): Promise<void> {
  await scope.run(PUT_USAGE, [tenantId, cardId, day, kb])
}

export async function usage(scope: Runner, cardId: string, by: 'day' | 'month'): Promise<{ at: string; kb: number }[]> {
  return (await scope.run(by === 'day' ? BY_DAY : BY_MONTH, [cardId])).rows
}

export async function forgetUsage(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET_USAGE, [before])
}

export interface EventRow {
  id: string
  at: Date
  kind: 'state' | 'imei' | 'bound' | 'unbound' | 'alert'
  from: string | null
  to: string | null
  text: string
}
const EVENTS = sql<EventRow>`select id, at, kind, was as "from", becomes as "to", text from sim_card_events
  where card_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`
const ADD_EVENT = sql`insert into sim_card_events (id, tenant_id, card_id, kind, was, becomes, text) values ($1, $2, $3, $4, $5, $6, $7)`
const FORGET_EVENTS = sql`delete from sim_card_events where at < $1`

export async function events(
  scope: TenantScope,
  cardId: string,
  after: string | null,
  limit: number,
): Promise<EventRow[]> {
  return (await scope.run(EVENTS, [cardId, after, limit])).rows
}

export async function addEvent(
  scope: Runner,
  tenantId: string,
  cardId: string,
  event: Omit<EventRow, 'at'>,
): Promise<void> {
  await scope.run(ADD_EVENT, [event.id, tenantId, cardId, event.kind, event.from, event.to, event.text])
}

export async function forgetEvents(scope: Runner, before: Date): Promise<void> {
  await scope.run(FORGET_EVENTS, [before])
}
