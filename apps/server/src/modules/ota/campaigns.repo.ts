import type { CommandCondition } from '@thingwright/contracts/command-schemas'
import type {
  CampaignAutoStop,
  CampaignRate,
  CampaignRetries,
  CampaignScope,
  CampaignState,
  CampaignTimeouts,
  CampaignWindow,
  OtaJobState,
} from '@thingwright/contracts/firmware-schemas'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { containing, type ListPosition, listSql } from '../../lib/sql/list.ts'
import { holdable, part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import type { Query } from './jobs.rows.ts'

/** How a campaign goes about it, with everything filled in. */
export interface Plan {
  delivery: 'push' | 'pull'
  confirm: boolean
  rate: CampaignRate
  window: CampaignWindow | null
  preconditions: CommandCondition[]
  timeouts: CampaignTimeouts
  retries: CampaignRetries
  autoStop: CampaignAutoStop | null
  supersede: boolean
  allowDowngrade: boolean
}

export interface CampaignRow {
  id: string
  tenantId: string
  productId: string
  productName: string
  productKey: string
  packageId: string
  packageName: string
  packageState: string
  module: string
  version: string
  orderNo: number
  name: string
  kind: 'rollout' | 'verification' | 'rollback'
  state: CampaignState
  stateReason: string | null
  scope: CampaignScope
  plan: Plan
  dynamic: boolean
  startAt: number | null
  endAt: number | null
  intakeOpen: boolean
  intakeAt: number | null
  nextAt: number
  countedFrom: number
  ofCampaign: string | null
  ownerId: string | null
  ownerName: string
  actor: Record<string, unknown>
  locale: string
  revision: number
  createdAt: number
  startedAt: number | null
  endedAt: number | null
}

export type NewCampaign = Pick<
  CampaignRow,
  | 'id'
  | 'productId'
  | 'packageId'
  | 'name'
  | 'kind'
  | 'scope'
  | 'plan'
  | 'dynamic'
  | 'startAt'
  | 'endAt'
  | 'ofCampaign'
  | 'ownerId'
  | 'ownerName'
  | 'actor'
  | 'locale'
  | 'createdAt'
>

const ms = (column: SqlPart, name: SqlPart) => part`(extract(epoch from ${column}) * 1000)::float8 as "${name}"`
const COLUMNS = part`c.id, c.tenant_id as "tenantId", c.product_id as "productId", o.name as "productName", o.product_key as "productKey",
  c.package_id as "packageId", f.name as "packageName", f.state as "packageState", f.module, f.version, f.order_no as "orderNo",
  c.name, c.kind, c.state, c.state_reason as "stateReason", c.scope, c.plan, c.dynamic, ${ms(part`c.start_at`, part`startAt`)},
  ${ms(part`c.end_at`, part`endAt`)}, c.intake_open as "intakeOpen", ${ms(part`c.intake_at`, part`intakeAt`)}, ${ms(part`c.next_at`, part`nextAt`)},
  ${ms(part`c.counted_from`, part`countedFrom`)}, c.of_campaign as "ofCampaign", c.owner_id as "ownerId", c.owner_name as "ownerName",
  c.actor, c.locale, c.version_no as revision, ${ms(part`c.created_at`, part`createdAt`)}, ${ms(part`c.started_at`, part`startedAt`)},
  ${ms(part`c.ended_at`, part`endedAt`)}`
const FROM = part`ota_campaigns c join firmware_packages f on f.id = c.package_id join products o on o.id = c.product_id`

const INSERT_CAMPAIGN = sql`insert into ota_campaigns (id, tenant_id, product_id, package_id, name, kind, state, scope, plan, dynamic, start_at, end_at,
    next_at, counted_from, of_campaign, owner_id, owner_name, actor, locale, created_at)
  values ($1, $2, $3, $4, $5, $6, 'scheduled', $7, $8, $9, to_timestamp($10::float8 / 1000), to_timestamp($11::float8 / 1000),
    to_timestamp(coalesce($10::float8, $17::float8) / 1000), to_timestamp($17::float8 / 1000), $12, $13, $14, $15, $16,
    to_timestamp($17::float8 / 1000))`

export async function insertCampaign(scope: TenantScope, row: NewCampaign): Promise<void> {
  await scope.run(INSERT_CAMPAIGN, [
    row.id,
    scope.tenantId,
    row.productId,
    row.packageId,
    row.name,
    row.kind,
    JSON.stringify(row.scope),
    JSON.stringify(row.plan),
    row.dynamic,
    row.startAt,
    row.endAt,
    row.ofCampaign,
    row.ownerId,
    row.ownerName,
    JSON.stringify(row.actor),
    row.locale,
    row.createdAt,
  ])
}

const FIND_CAMPAIGN = holdable(sql<CampaignRow>`select ${COLUMNS} from ${FROM} where c.id = $1`, part`for update of c`)

export async function findCampaign(scope: Query, id: string, lock = false): Promise<CampaignRow | null> {
  const { rows } = await scope.run(lock ? FIND_CAMPAIGN.held : FIND_CAMPAIGN.free, [id])
  return rows[0] ?? null
}

export interface CampaignFilter {
  q?: string
  productId?: string
  packageId?: string
  state?: string
  kind?: string
}

const LIST = listSql<CampaignRow, CampaignFilter, 'createdAt'>({
  columns: COLUMNS,
  from: FROM,
  countFrom: part`ota_campaigns c`,
  filters: {
    q: part`c.name ilike $1`,
    productId: part`c.product_id = $1`,
    packageId: part`c.package_id = $1`,
    state: part`c.state = $1`,
    kind: part`c.kind = $1`,
  },
  sorts: { createdAt: { by: part`c.created_at`, type: 'timestamptz' } },
  id: { by: part`c.id`, type: 'uuid' },
})

const searched = ({ q, ...filter }: CampaignFilter): CampaignFilter => ({
  ...filter,
  ...(q ? { q: containing(q) } : {}),
})

/** The newest first. */
export async function listCampaigns(
  scope: Query,
  filter: CampaignFilter,
  after: ListPosition | null,
  limit: number,
): Promise<(CampaignRow & { position: string })[]> {
  const sort = { key: 'createdAt', descending: true } as const
  return (await scope.run(...LIST.page({ filter: searched(filter), sort, after, limit }))).rows
}

export async function countCampaigns(scope: Query, filter: CampaignFilter): Promise<number> {
  return (await scope.run(...LIST.count(searched(filter)))).rows[0]!.n
}

export type Counts = Partial<Record<OtaJobState, number>>

const COUNTS_OF = sql<{
  id: string
  state: OtaJobState
  n: number
}>`select campaign_id as id, state, count(*)::int as n from ota_jobs where campaign_id = any ($1::uuid[]) group by 1, 2`

/** Devices of campaigns by state, as far as the caller sees the devices. */
export async function countsOf(scope: Query, ids: readonly string[]): Promise<Map<string, Counts>> {
  const { rows } = await scope.run(COUNTS_OF, [ids])
  const counts = new Map<string, Counts>(ids.map(id => [id, {}]))
  for (const { id, state, n } of rows) counts.get(id)![state] = n
  return counts
}

const ENDS_SINCE = sql<{
  ended: number
  failed: number
  succeeded: number
}>`select count(*) filter (where state in ('succeeded', 'failed', 'timed_out', 'rejected'))::int as ended,
    count(*) filter (where state in ('failed', 'timed_out', 'rejected'))::int as failed,
    count(*) filter (where state = 'succeeded')::int as succeeded
  from ota_jobs where campaign_id = $1 and finished_at >= to_timestamp($2::float8 / 1000)`

/** Ends since a moment, as the failure rate counts them. */
export async function endsSince(
  scope: Query,
  id: string,
  since: number,
): Promise<{ ended: number; failed: number; succeeded: number }> {
  const { rows } = await scope.run(ENDS_SINCE, [id, since])
  return rows[0]!
}

const SET_STATE = sql`update ota_campaigns set state = $2, state_reason = $3, next_at = to_timestamp($4::float8 / 1000), version_no = version_no + 1,
    started_at = case when $2 = 'running' then coalesce(started_at, to_timestamp($4::float8 / 1000)) else started_at end,
    ended_at = case when $2 in ('completed', 'cancelled') then to_timestamp($4::float8 / 1000) end
  where id = $1`

export async function setState(
  scope: Query,
  id: string,
  state: CampaignState,
  reason: string | null,
  now: number,
): Promise<void> {
  await scope.run(SET_STATE, [id, state, reason, now])
}

const COUNT_FROM = sql`update ota_campaigns set counted_from = to_timestamp($2::float8 / 1000), intake_at = null where id = $1`

/** The failure rate counts anew, and whoever was left out is looked for again. */
export async function countFrom(scope: Query, id: string, now: number): Promise<void> {
  await scope.run(COUNT_FROM, [id, now])
}

const UPDATE_CAMPAIGN = sql`update ota_campaigns set name = $2, plan = $3, start_at = to_timestamp($4::float8 / 1000), end_at = to_timestamp($5::float8 / 1000),
  next_at = to_timestamp($6::float8 / 1000), version_no = version_no + 1 where id = $1`

export async function updateCampaign(
  scope: Query,
  id: string,
  change: Pick<CampaignRow, 'name' | 'plan' | 'startAt' | 'endAt'>,
  nextAt: number,
): Promise<void> {
  await scope.run(UPDATE_CAMPAIGN, [id, change.name, JSON.stringify(change.plan), change.startAt, change.endAt, nextAt])
}

// ── at work ──

const DUE_CAMPAIGN = sql<CampaignRow>`select ${COLUMNS} from ${FROM} where c.id in (
  select id from ota_campaigns where state in ('scheduled', 'running') and next_at <= to_timestamp($1::float8 / 1000)
  order by next_at limit 1 for update skip locked)`

/** A campaign whose turn it is. Nothing is held: whoever works on it holds it then. */
export async function dueCampaign(scope: SystemScope, now: number): Promise<CampaignRow | null> {
  const { rows } = await scope.run(DUE_CAMPAIGN, [now])
  return rows[0] ?? null
}

const HOLD_CAMPAIGN = sql<CampaignRow>`select ${COLUMNS} from ${FROM} where c.id = $1 and c.state in ('scheduled', 'running')
  and c.next_at <= to_timestamp($2::float8 / 1000) for update of c skip locked`

/** Holds a campaign for this transaction; null: another process is at it, or its turn is over. */
export async function holdCampaign(scope: Query, id: string, now: number): Promise<CampaignRow | null> {
  const { rows } = await scope.run(HOLD_CAMPAIGN, [id, now])
  return rows[0] ?? null
}

const SET_NEXT = sql`update ota_campaigns set next_at = to_timestamp($2::float8 / 1000), idle = $3 where id = $1`

/** @param idle it waits for others: a change of one of its updates brings its turn nearer */
export async function setNext(scope: Query, id: string, at: number, idle = false): Promise<void> {
  await scope.run(SET_NEXT, [id, at, idle])
}

/** When a campaign that waits for others is looked at again, and how often it is because one of its updates changed. */
export const IDLE_MS = 10_000
const AT_MOST_EVERY_MS = 1_000

const STIR = sql`update ota_campaigns set next_at = to_timestamp($2::float8 / 1000), idle = false
  where id in (select distinct campaign_id from ota_jobs where changed_at >= to_timestamp($1::float8 / 1000))
    and state = 'running' and idle and next_at < to_timestamp($2::float8 / 1000) + make_interval(secs => $3::float8 / 1000)`

/** Campaigns that wait for others, one of whose updates changed since: they are looked at now. */
export async function stir(scope: SystemScope, since: number, now: number): Promise<void> {
  await scope.run(STIR, [since, now, IDLE_MS - AT_MOST_EVERY_MS])
}

const SET_INTAKE = sql`update ota_campaigns set intake_open = $2, intake_at = to_timestamp($3::float8 / 1000) where id = $1`

export async function setIntake(scope: Query, id: string, open: boolean, at: number): Promise<void> {
  await scope.run(SET_INTAKE, [id, open, at])
}

const NEXT_DUE_AT = sql<{
  at: number | null
}>`select (extract(epoch from min(next_at)) * 1000)::float8 as at from ota_campaigns where state in ('scheduled', 'running')`

/** Epoch ms at which the next campaign is to be looked at; null: none is at work. */
export async function nextDueAt(scope: SystemScope): Promise<number | null> {
  const { rows } = await scope.run(NEXT_DUE_AT)
  return rows[0]?.at ?? null
}
