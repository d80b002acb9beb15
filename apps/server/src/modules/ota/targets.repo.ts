import type { CampaignScope } from '@thingwright/contracts/firmware-schemas'
import type { TenantScope } from '../../lib/database/database.ts'
import { type FilteredSql, type Filters, filteredSql } from '../../lib/sql/filters.ts'
import { containing } from '../../lib/sql/list.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import { DEVICE_FILTERS, type DeviceSelector, deviceSelector } from '../devices/device-selector.views.ts'
import type { PlanStep } from './ota-plan.ts'

/** What a target is asked for. */
export interface TargetQuery {
  productId: string
  module: string
  /** Seeds the order in which a gray campaign takes devices: the same devices each time. */
  seed: string
  scope: CampaignScope
  /** Epoch ms; devices made later do not fit. Null: they do. */
  madeBefore: number | null
}

/** Devices a campaign may be for, besides what everybody selects devices by. */
interface TargetSelector extends DeviceSelector {
  madeBefore?: number
  region?: string
  /** West, south, east, north. */
  area?: readonly [number, number, number, number]
}

const LNG = part`(d.location ->> 'lng')::float8`
const TARGET_FILTERS: Filters<TargetSelector> = {
  ...DEVICE_FILTERS,
  madeBefore: part`d.created_at <= to_timestamp($1::float8 / 1000)`,
  region: part`d.location ->> 'address' ilike $1`,
  // A rectangle over the date line has its east west of its west.
  area: part`(d.location ->> 'lat')::float8 between ($1::float8[])[2] and ($1::float8[])[4]
    and case when ($1::float8[])[1] <= ($1::float8[])[3] then ${LNG} between ($1::float8[])[1] and ($1::float8[])[3]
      else ${LNG} >= ($1::float8[])[1] or ${LNG} <= ($1::float8[])[3] end`,
}

/** The devices of a scope, as the transaction's policies let them be seen. */
async function selectorOf(scope: TenantScope, { productId, scope: wanted, madeBefore }: TargetQuery) {
  const { kind, region, area, tag, groupIds, deviceIds } = wanted
  const { recycled: _, ...selector } = await deviceSelector(scope, {
    productId,
    ...(kind === 'chosen' ? { ids: deviceIds ?? [] } : { tag }),
    ...(kind === 'group' || kind === 'gray' ? { groupIds } : {}),
  })
  const inRegion = kind === 'region'
  return {
    ...selector,
    ...(madeBefore === null ? {} : { madeBefore }),
    ...(inRegion && region ? { region: containing(region) } : {}),
    ...(inRegion && area ? { area: [area.west, area.south, area.east, area.north] as const } : {}),
  }
}

/** A statement about targets ("t": id, num, version): `$1` the company, `$2` the module, then the statement's own. */
interface TargetSql<Row> {
  whole: FilteredSql<Row, TargetSelector>
  /** A gray scope keeps its part of them: its seed and its per cent are the last of the given. */
  gray: FilteredSql<Row, TargetSelector>
}

const targets = (where: SqlPart) => part`select d.id, d.num, f.version from devices d
  left join device_firmware f on f.device = d.num and f.module = $2
  where d.tenant_id = $1 and d.lifecycle in ('inactive', 'active') and ${where}`

/** The part of them that a gray scope takes: the same devices each time. */
const grayTargets = (where: SqlPart, seed: SqlPart, percent: SqlPart) => part`select id, num, version from (
    select t.*, row_number() over (order by md5(t.id::text || ${seed}), t.id) as place, count(*) over () as n
    from (${targets(where)}) t) g
  where place <= greatest(1, floor(n * ${percent}::int / 100.0))`

function runTargets<Row>(scope: TenantScope, query: TargetQuery, of: TargetSql<Row>, ...own: unknown[]) {
  return selectorOf(scope, query).then(selector =>
    query.scope.kind === 'gray'
      ? scope.run(...of.gray.of(selector, scope.tenantId, query.module, ...own, query.seed, query.scope.percent ?? 0))
      : scope.run(...of.whole.of(selector, scope.tenantId, query.module, ...own)),
  )
}

const OPEN = part`('to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified', 'installing')`

export interface VersionGroup {
  version: string | null
  devices: number
  offline: number
  /** Have an open update of the module in another campaign. */
  busy: number
}

const versions = (from: SqlPart) => part`select t.version, count(*)::int as devices,
    count(*) filter (where p.link is distinct from 'online')::int as offline, count(o.id)::int as busy
  from (${from}) t
  left join device_presence p on p.device = t.num
  left join ota_jobs o on o.device = t.num and o.module = $2 and o.state in ${OPEN}
  group by t.version order by devices desc, t.version limit 1000`

const VERSIONS: TargetSql<VersionGroup> = {
  whole: filteredSql<VersionGroup, TargetSelector>({ filters: TARGET_FILTERS, given: 2 }, where =>
    versions(targets(where)),
  ),
  gray: filteredSql<VersionGroup, TargetSelector>({ filters: TARGET_FILTERS, given: 4, alike: true }, where =>
    versions(grayTargets(where, part`$3`, part`$4`)),
  ),
}

/** How many of the target run which version. */
export async function targetVersions(scope: TenantScope, query: TargetQuery): Promise<VersionGroup[]> {
  return (await runTargets(scope, query, VERSIONS)).rows
}

export interface NewTarget {
  id: string
  num: number
  version: string | null
  /** An update of another campaign that it is to be taken from. */
  openId: string | null
  openCommand: string | null
}

export interface Take {
  campaignId: string
  versions: readonly string[]
  /** Devices that never said a version fit too. */
  unknown: boolean
  supersede: boolean
}

/** `$3` the campaign, `$4` versions, `$5` whether those that never said one fit, `$6` whether it supersedes. */
const waiting = (from: SqlPart) => part`(${from}) t
  left join ota_jobs o on o.device = t.num and o.module = $2 and o.state in ${OPEN}
  left join ota_campaigns c on c.id = o.campaign_id
  where (t.version = any ($4::text[]) or ($5::boolean and t.version is null))
    and not exists (select 1 from ota_jobs mine where mine.campaign_id = $3::uuid and mine.device_id = t.id)`

// An older campaign gives up what it has not begun; what has left the queue is begun, noted or not.
const FREE = part`(o.id is null or ($6::boolean and o.state in ('to_confirm', 'pending')
  and (o.command_id is null or o.command_state is null or o.command_state not in ('sent', 'delivered', 'succeeded', 'timed_out'))
  and c.created_at < (select created_at from ota_campaigns where id = $3::uuid)))`

const takeValues = (take: Take) => [take.campaignId, take.versions, take.unknown, take.supersede]

const next = (from: SqlPart) => part`select t.id, t.num, t.version, o.id as "openId", o.command_id as "openCommand"
  from ${waiting(from)} and ${FREE} order by t.num limit $7`

const NEXT: TargetSql<NewTarget> = {
  whole: filteredSql<NewTarget, TargetSelector>({ filters: TARGET_FILTERS, given: 7, alike: true }, where =>
    next(targets(where)),
  ),
  gray: filteredSql<NewTarget, TargetSelector>({ filters: TARGET_FILTERS, given: 9, alike: true }, where =>
    next(grayTargets(where, part`$8`, part`$9`)),
  ),
}

/** Devices that the campaign is to take in and has not yet; not those that another update is under way on. */
export async function nextTargets(
  scope: TenantScope,
  query: TargetQuery,
  take: Take,
  limit: number,
): Promise<NewTarget[]> {
  return (await runTargets(scope, query, NEXT, ...takeValues(take), limit)).rows
}

const busy = (from: SqlPart) => part`select 1 as one from ${waiting(from)} and not ${FREE} limit 1`

const BUSY: TargetSql<{ one: number }> = {
  whole: filteredSql<{ one: number }, TargetSelector>({ filters: TARGET_FILTERS, given: 6, alike: true }, where =>
    busy(targets(where)),
  ),
  gray: filteredSql<{ one: number }, TargetSelector>({ filters: TARGET_FILTERS, given: 8, alike: true }, where =>
    busy(grayTargets(where, part`$7`, part`$8`)),
  ),
}

/** Whether devices remain that are only busy with another update. */
export async function hasBusyTargets(scope: TenantScope, query: TargetQuery, take: Take): Promise<boolean> {
  return (await runTargets(scope, query, BUSY, ...takeValues(take))).rowCount === 1
}

export interface NewJob {
  id: string
  deviceId: string
  device: number
  fromVersion: string | null
  toVersion: string
  steps: readonly PlanStep[]
  packageId: string
}

const INSERT_JOBS = sql<{
  id: string
  device: number
}>`insert into ota_jobs (id, tenant_id, campaign_id, product_id, device_id, device, module, from_version, to_version, steps,
    package_id, state, waiting_for, events, created_at, changed_at, next_at)
  select r.id, $2, $3, $4, r."deviceId", r.device, $5, r."fromVersion", r."toVersion", r.steps, r."packageId",
    case when $6::boolean then 'to_confirm' else 'pending' end, case when $6::boolean then null else 'turn' end, 1,
    to_timestamp($7::float8 / 1000), to_timestamp($7::float8 / 1000), to_timestamp($7::float8 / 1000)
  from jsonb_to_recordset($1::jsonb) as r (id uuid, "deviceId" uuid, device int, "fromVersion" text, "toVersion" text,
    steps jsonb, "packageId" uuid)
  on conflict do nothing returning id, device`

/** @returns those made; a device that got another update in the same moment is left out */
export async function insertJobs(
  scope: TenantScope,
  campaign: { id: string; productId: string; module: string; confirm: boolean; now: number },
  jobs: readonly NewJob[],
): Promise<{ id: string; device: number }[]> {
  const { rows } = await scope.run(INSERT_JOBS, [
    JSON.stringify(jobs),
    scope.tenantId,
    campaign.id,
    campaign.productId,
    campaign.module,
    campaign.confirm,
    campaign.now,
  ])
  return rows
}
