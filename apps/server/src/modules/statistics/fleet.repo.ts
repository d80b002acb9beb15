import type { TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

export interface SampleRow {
  at: Date
  devices: number
  online: number
  messages: number
  refused: number
  created: number
  lost: number
  commands_ok: number
  commands_failed: number
}

/** Whoever sees all reads one row a step; a narrower scope is the sum of its cells. */
const WHOLE_ONLY = part`cell = 0`
const OWN_CELLS = part`cell = any ((select scope_cells())::int[])`

const samples = (cells: SqlPart) => sql<SampleRow>`select at, sum(devices)::int as devices, sum(online)::int as online,
    greatest(sum(messages), 0)::int8 as messages, greatest(sum(refused), 0)::int8 as refused, sum(created)::int as created,
    sum(lost)::int as lost, sum(commands_ok)::int as commands_ok, sum(commands_failed)::int as commands_failed
  from fleet_samples where tenant_id = $1 and step = $2 and at >= $3 and at < $4 and ${cells} group by at order by at`
const SAMPLES = { whole: samples(WHOLE_ONLY), cells: samples(OWN_CELLS) }

/** Samples of the caller's devices, the oldest first. @param from epoch ms @param to epoch ms, not included */
export async function samplesOf(scope: TenantScope, step: number, from: number, to: number): Promise<SampleRow[]> {
  const { rows } = await scope.run(scope.limited ? SAMPLES.cells : SAMPLES.whole, [
    scope.tenantId,
    step,
    new Date(from),
    new Date(to),
  ])
  return rows
}

const takenAt = (cells: SqlPart) => sql<{
  at: Date
  taken_at: Date
}>`select at, taken_at from fleet_samples
  where tenant_id = $1 and step = $2 and ${cells} order by at desc limit 1`
const LAST = { whole: takenAt(WHOLE_ONLY), cells: takenAt(OWN_CELLS) }

/** The newest sample of the caller's devices. */
export async function lastSample(scope: TenantScope, step: number): Promise<{ at: Date; taken_at: Date } | null> {
  const { rows } = await scope.run(scope.limited ? LAST.cells : LAST.whole, [scope.tenantId, step])
  return rows[0] ?? null
}

export interface ShareRow {
  product_id: string
  name: string
  link_type: string
  devices: number
  online: number
}

const SHARES = sql<ShareRow>`select p.id as product_id, p.name, p.link_type, s.devices, s.online
  from (select c.product_id, sum(f.devices)::int as devices, sum(f.online)::int as online
    from fleet_samples f join fleet_cells c on c.num = f.cell
    where f.tenant_id = $1 and f.step = $2 and f.at = $3 group by c.product_id) s
  join products p on p.id = s.product_id
  order by s.devices desc, p.name, p.id`

/** Devices of each product at the moment of a sample. */
export async function sharesAt(scope: TenantScope, step: number, at: Date): Promise<ShareRow[]> {
  return (await scope.run(SHARES, [scope.tenantId, step, at])).rows
}

export interface TalkerRow {
  id: string
  name: string
  device_no: string
  messages: number
}

const talkers = (cells: SqlPart) => sql<TalkerRow>`select d.id, d.name, d.device_no, t.messages
  from (select device, sum(messages)::int8 as messages from fleet_talkers
    where tenant_id = $1 and hour >= $2 and hour < $3 and ${cells} group by device order by sum(messages) desc, device limit 50) t
  join devices d on d.num = t.device where d.recycled_at is null
  order by t.messages desc, d.num limit $4`
const TALKERS = { whole: talkers(WHOLE_ONLY), cells: talkers(OWN_CELLS) }

/** Devices that sent most, by the hours in which they were among the first. */
export async function talkersOf(scope: TenantScope, from: number, to: number, limit: number): Promise<TalkerRow[]> {
  const { rows } = await scope.run(scope.limited ? TALKERS.cells : TALKERS.whole, [
    scope.tenantId,
    new Date(from),
    new Date(to),
    limit,
  ])
  return rows
}

const TIME_ZONE = sql<{ time_zone: string }>`select time_zone from tenants where id = $1`

export async function timeZoneOf(scope: TenantScope): Promise<string> {
  return (await scope.run(TIME_ZONE, [scope.tenantId])).rows[0]?.time_zone ?? 'UTC'
}
