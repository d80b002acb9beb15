import type { CampaignScope } from '@thingwright/contracts/firmware-schemas'
import type { TenantScope } from '../../lib/database.ts'
import { sql } from '../../lib/sql/statement.ts'
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

/** The devices of a scope, of the alias d, as the transaction's policies let them be seen. */
function fits(query: TargetQuery, params: unknown[]): string {
  const { scope } = query
  const conditions = [
    `d.product_id = $${params.push(query.productId)}`,
    "d.lifecycle in ('inactive', 'active')",
    ...(query.madeBefore === null
      ? []
      : [`d.created_at <= to_timestamp($${params.push(query.madeBefore)}::float8 / 1000)`]),
  ]
  if (scope.kind === 'chosen') conditions.push(`d.id = any ($${params.push(scope.deviceIds ?? [])}::uuid[])`)
  if (scope.groupIds && (scope.kind === 'group' || scope.kind === 'gray'))
    conditions.push(`d.group_id in (with recursive below as (
        select id from groups where id = any ($${params.push(scope.groupIds)}::uuid[])
        union select g.id from groups g join below b on g.parent_id = b.id) select id from below)`)
  if (scope.kind === 'region') {
    if (scope.region)
      conditions.push(
        `d.location ->> 'address' ilike $${params.push(`%${scope.region.replaceAll(/[\\%_]/g, '\\$&')}%`)}`,
      )
    if (scope.area) {
      const { west, south, east, north } = scope.area
      conditions.push(`(d.location ->> 'lat')::float8 between $${params.push(south)} and $${params.push(north)}`)
      const lng = `(d.location ->> 'lng')::float8`
      // A rectangle over the date line has its east west of its west.
      conditions.push(
        west <= east
          ? `${lng} between $${params.push(west)} and $${params.push(east)}`
          : `(${lng} >= $${params.push(west)} or ${lng} <= $${params.push(east)})`,
      )
    }
  }
  if (scope.tag && scope.kind !== 'chosen') conditions.push(`$${params.push(scope.tag)} = any (d.tags)`)
  return conditions.join(' and ')
}

/** Devices that fit, with the version they run; a gray scope keeps its part of them. */
function targets(query: TargetQuery, params: unknown[]): string {
  const where = fits(query, params)
  const module = `$${params.push(query.module)}`
  const all = `select d.id, d.num, f.version from devices d
    left join device_firmware f on f.device = d.num and f.module = ${module} where ${where}`
  if (query.scope.kind !== 'gray') return all
  const seed = `$${params.push(query.seed)}`
  const percent = `$${params.push(query.scope.percent ?? 0)}`
  return `select id, num, version from (
      select t.*, row_number() over (order by md5(t.id::text || ${seed}), t.id) as place, count(*) over () as n from (${all}) t) g
    where place <= greatest(1, floor(n * ${percent}::int / 100.0))`
}

const OPEN = `('to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified', 'installing')`

export interface VersionGroup {
  version: string | null
  devices: number
  offline: number
  /** Have an open update of the module in another campaign. */
  busy: number
}

/** How many of the target run which version. */
export async function targetVersions(scope: TenantScope, query: TargetQuery): Promise<VersionGroup[]> {
  const params: unknown[] = []
  const from = targets(query, params)
  const module = `$${params.push(query.module)}`
  const { rows } = await scope.query<VersionGroup>(
    `select t.version, count(*)::int as devices,
       count(*) filter (where p.link is distinct from 'online')::int as offline, count(o.id)::int as busy
     from (${from}) t
     left join device_presence p on p.device = t.num
     left join ota_jobs o on o.device = t.num and o.module = ${module} and o.state in ${OPEN}
     group by t.version order by devices desc, t.version limit 1000`,
    params,
  )
  return rows
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

function waits(take: Take, query: TargetQuery, params: unknown[]): { from: string; where: string; free: string } {
  const from = targets(query, params)
  const campaign = `$${params.push(take.campaignId)}::uuid`
  const module = `$${params.push(query.module)}`
  return {
    from: `(${from}) t
      left join ota_jobs o on o.device = t.num and o.module = ${module} and o.state in ${OPEN}
      left join ota_campaigns c on c.id = o.campaign_id`,
    where: `(t.version = any ($${params.push(take.versions)}::text[]) or ($${params.push(take.unknown)}::boolean and t.version is null))
      and not exists (select 1 from ota_jobs mine where mine.campaign_id = ${campaign} and mine.device_id = t.id)`,
    // An older campaign gives up what it has not begun; what has left the queue is begun, noted or not.
    free: `(o.id is null or ($${params.push(take.supersede)}::boolean and o.state in ('to_confirm', 'pending')
      and (o.command_id is null or o.command_state is null or o.command_state not in ('sent', 'delivered', 'succeeded', 'timed_out'))
      and c.created_at < (select created_at from ota_campaigns where id = ${campaign})))`,
  }
}

/** Devices that the campaign is to take in and has not yet; not those that another update is under way on. */
export async function nextTargets(
  scope: TenantScope,
  query: TargetQuery,
  take: Take,
  limit: number,
): Promise<NewTarget[]> {
  const params: unknown[] = [limit]
  const { from, where, free } = waits(take, query, params)
  const { rows } = await scope.query<NewTarget>(
    `select t.id, t.num, t.version, o.id as "openId", o.command_id as "openCommand" from ${from}
     where ${where} and ${free} order by t.num limit $1`,
    params,
  )
  return rows
}

/** Whether devices remain that are only busy with another update. */
export async function hasBusyTargets(scope: TenantScope, query: TargetQuery, take: Take): Promise<boolean> {
  const params: unknown[] = []
  const { from, where, free } = waits(take, query, params)
  const { rowCount } = await scope.query(`select 1 from ${from} where ${where} and not ${free} limit 1`, params)
  return rowCount === 1
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
