import type { OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { OtaCampaignView, OtaReport } from '@thingwright/contracts/ota.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const POINTS = 60

const DURATIONS = sql<{
  median: number | null
  p95: number | null
  retried: number
  bytes: number | null
  from: Date | null
  until: Date | null
}>`select percentile_cont(0.5) within group (order by extract(epoch from finished_at - first_notified_at)::float8)
      filter (where state = 'succeeded') as median,
    percentile_cont(0.95) within group (order by extract(epoch from finished_at - first_notified_at)::float8)
      filter (where state = 'succeeded') as p95,
    count(*) filter (where attempt > jsonb_array_length(steps))::int as retried,
    sum((select sum((s ->> 'size')::bigint) from jsonb_array_elements(steps) s)) filter (where state = 'succeeded')::float8 as bytes,
    min(first_notified_at) as "from", max(coalesce(finished_at, first_notified_at)) as until
  from ota_jobs where campaign_id = $1`

const FROM_VERSIONS = sql<
  OtaReport['fromVersions'][number]
>`select from_version as version, count(*)::int as total, count(*) filter (where state = 'succeeded')::int as succeeded,
    count(*) filter (where state in ('failed', 'timed_out', 'rejected'))::int as failed
  from ota_jobs where campaign_id = $1 group by 1 order by 2 desc, 1 limit 50`

const ERRORS = sql<{
  state: OtaJobState
  errorCode: string | null
  count: number
}>`select state, error_code as "errorCode", count(*)::int as count from ota_jobs
  where campaign_id = $1 and state in ('failed', 'timed_out', 'rejected', 'cancelled') group by 1, 2 order by 3 desc limit 50`

/** What became of a campaign, as far as the caller sees its devices. */
export async function campaignReport(scope: TenantScope, campaign: OtaCampaignView): Promise<OtaReport> {
  const { id } = campaign
  const { rows: facts } = await scope.run(DURATIONS, [id])
  const { rows: fromVersions } = await scope.run(FROM_VERSIONS, [id])
  const { rows: errors } = await scope.run(ERRORS, [id])
  const { median, p95, retried, bytes, from, until } = facts[0]!
  const ended = (campaign.counts.succeeded ?? 0) + fromVersions.reduce((sum, row) => sum + row.failed, 0)
  return {
    campaign,
    successPercent: ended === 0 ? null : Math.round(((campaign.counts.succeeded ?? 0) * 1000) / ended) / 10,
    medianSeconds: median,
    p95Seconds: p95,
    retried,
    bytes: bytes ?? 0,
    fromVersions,
    errors,
    timeline: from && until ? await timeline(scope, id, from, until) : [],
  }
}

const TIMELINE = sql<{ at: Date; notified: number; succeeded: number; failed: number }>`with moments as (
    select first_notified_at as at, 'notified' as what from ota_jobs where campaign_id = $1 and first_notified_at is not null
    union all
    select finished_at, case when state = 'succeeded' then 'succeeded' else 'failed' end from ota_jobs
    where campaign_id = $1 and state in ('succeeded', 'failed', 'timed_out', 'rejected'))
  select date_bin(make_interval(secs => $2::float8), at, $3::timestamptz) as at,
    count(*) filter (where what = 'notified')::int as notified, count(*) filter (where what = 'succeeded')::int as succeeded,
    count(*) filter (where what = 'failed')::int as failed
  from moments group by 1 order by 1 limit ${POINTS + 2}`

async function timeline(scope: TenantScope, id: string, from: Date, until: Date): Promise<OtaReport['timeline']> {
  const seconds = Math.max(1, Math.ceil((until.getTime() - from.getTime() + 1) / 1000 / POINTS))
  const { rows } = await scope.run(TIMELINE, [id, seconds, from])
  return rows.map(row => ({ ...row, at: row.at.toISOString() }))
}
