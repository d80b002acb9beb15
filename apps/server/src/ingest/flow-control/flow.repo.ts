import type pg from 'pg'
import { part, runOn, type SqlPart, sql } from '../../lib/sql/statement.ts'

/** What happened since the last time it was written. */
export interface CompanyFlowDelta {
  tenantId: string
  messages: number
  points: number
  /** Times a socket was left unread for a while. */
  slowed: number
  /** Messages refused because their sender cannot be slowed down. */
  refused: number
  /** The most messages in one second. */
  peak: number
}

export interface DeviceFlowDelta {
  device: number
  tenantId: string
  slowed: number
  refused: number
}

/** A company's limits, and how far its day has come. Null: not limited. */
export interface CompanyFlowState {
  tenantId: string
  pointsToday: number
  messagesPerSecond: number | null
  pointsPerDay: number | null
}

export interface FlowQueries {
  /** Adds to the companies' days and tells where they stand; an all-zero row only asks. */
  companies(rows: readonly CompanyFlowDelta[]): Promise<CompanyFlowState[]>
  devices(rows: readonly DeviceFlowDelta[]): Promise<void>
}

const limit = (path: SqlPart) =>
  part`case when jsonb_typeof(t.settings #> ${path}) = 'number' then (t.settings #>> ${path})::float8 end`

const COMPANIES = sql<CompanyFlowState>`with given as (
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[])
      as g (tenant_id, messages, points, slowed, refused, peak)),
  stored as (
    insert into company_flow as f (tenant_id, day, messages, points, slowed, refused, peak)
    select g.tenant_id, (now() at time zone t.time_zone)::date, g.messages, g.points, g.slowed, g.refused, g.peak
    from given g join tenants t on t.id = g.tenant_id
    on conflict (tenant_id, day) do update set messages = f.messages + excluded.messages,
      points = f.points + excluded.points, slowed = f.slowed + excluded.slowed,
      refused = f.refused + excluded.refused, peak = greatest(f.peak, excluded.peak)
    returning tenant_id, points)
  select s.tenant_id as "tenantId", s.points::float8 as "pointsToday",
    ${limit(part`'{quotas,messagesPerSecond}'`)} as "messagesPerSecond", ${limit(part`'{quotas,pointsPerDay}'`)} as "pointsPerDay"
  from stored s join tenants t on t.id = s.tenant_id`.named('flow-companies')

const DEVICES = sql`insert into device_flow as f (device, tenant_id, day, slowed, refused, last_at)
  select d.num, d.tenant_id, (now() at time zone t.time_zone)::date, g.slowed, g.refused, now()
  from unnest($1::int[], $2::bigint[], $3::bigint[]) as g (device, slowed, refused)
  join devices d on d.num = g.device join tenants t on t.id = d.tenant_id
  on conflict (device, day) do update set slowed = f.slowed + excluded.slowed,
    refused = f.refused + excluded.refused, last_at = excluded.last_at`.named('flow-devices')

/** Bound to the telemetry role's pool. A day is one of the company's own time zone. */
export function flowQueries(db: pg.Pool): FlowQueries {
  return {
    async companies(rows) {
      const { rows: states } = await runOn(db, COMPANIES, [
        rows.map(row => row.tenantId),
        rows.map(row => row.messages),
        rows.map(row => row.points),
        rows.map(row => row.slowed),
        rows.map(row => row.refused),
        rows.map(row => row.peak),
      ])
      return states
    },
    async devices(rows) {
      await runOn(db, DEVICES, [rows.map(row => row.device), rows.map(row => row.slowed), rows.map(row => row.refused)])
    },
  }
}
