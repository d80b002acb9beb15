import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'
import { readSettings } from '../../modules/tenants/index.ts'
import type { RetentionLimits } from './retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Devices whose history is cut in one statement. */
const PART = 500

type Db = Pick<pg.Pool, 'query'>

interface CompanyLimits {
  id: string
  telemetryDays: number
  messageLogHours: number
}

const COMPANY_LIMITS = sql<{ id: string; settings: unknown }>`select id, settings from tenants where kind = 'company'`

/** How long each company wants its data kept (its settings, or the defaults). */
async function companyLimits(db: Db): Promise<CompanyLimits[]> {
  const { rows } = await runOn(db, COMPANY_LIMITS)
  return rows.map(({ id, settings }) => {
    const { telemetryDays, messageLogHours } = readSettings(settings).retention
    return { id, telemetryDays, messageLogHours }
  })
}

/**
 * The recorder's window: companies share the journal's hours, so it is as long as the longest that any of them wants. What
 * a company may see of it is cut to its own hours where it is read.
 */
export async function recorderLimits(db: Db, limits: RetentionLimits): Promise<RetentionLimits> {
  const hours = (await companyLimits(db)).map(company => company.messageLogHours)
  return hours.length === 0 ? limits : { ...limits, recorderMs: Math.max(...hours) * HOUR_MS }
}

const SELECT_DEVICES = sql<{
  num: number
}>`select num from devices where tenant_id = $1 and num > $2 order by num limit $3`

const DELETE_TELEMETRY = sql`delete from telemetry where device = any ($1::int[]) and hour < $2`

const DELETE_DEVICE_EVENTS = sql`delete from device_events where device = any ($1::int[]) and ts < $2`

const DELETE_DEVICE_CONNECTIONS = sql`delete from device_connections where device = any ($1::int[]) and at < to_timestamp($2::float8 / 1000)`

const DELETE_DEVICE_STATS = sql`delete from device_stats where device = any ($1::int[]) and hour < $2`

/**
 * Deletes the history of companies that keep theirs shorter than the installation: whole hours that are over. A part of
 * a month cannot be dropped, so it is deleted row by row, some devices at a time.
 * @returns number of rows of history deleted
 */
export async function deleteCompanyHistory(db: Db, limits: RetentionLimits, nowMs: number): Promise<number> {
  let deleted = 0
  for (const { id, telemetryDays } of await companyLimits(db)) {
    if (telemetryDays >= limits.historyDays) continue
    const oldest = nowMs - telemetryDays * DAY_MS
    const hour = Math.floor(oldest / HOUR_MS)
    let after = 0
    for (;;) {
      const { rows } = await runOn(db, SELECT_DEVICES, [id, after, PART])
      if (rows.length === 0) break
      const nums = rows.map(row => row.num)
      after = nums.at(-1)!
      const { rowCount } = await runOn(db, DELETE_TELEMETRY, [nums, hour])
      deleted += rowCount ?? 0
      await runOn(db, DELETE_DEVICE_EVENTS, [nums, oldest])
      await runOn(db, DELETE_DEVICE_CONNECTIONS, [nums, oldest])
      await runOn(db, DELETE_DEVICE_STATS, [nums, hour])
    }
  }
  return deleted
}
