import { Histogram } from '../core/histogram.ts'
import type { Site } from '../core/site.ts'
import { ThingsboardShape } from './thingsboard-shape.ts'

/** A day of messages in ThingsBoard's table, and reading one key of one device from it. */
export interface ShapeHistory {
  bytesPerValue: number
  n: number
  p50: number
  p99: number
  max: number
  pages: number
  items: number
}

const REQUESTS = 100
const DAY_MS = 86_400_000
const POINTS = 500

/** ThingsBoard asks for the average of each interval; one statement for all of them is in its favour. */
const AVERAGES = `select (ts - $2) / $4 as bucket, avg(coalesce(long_v::float8, dbl_v)), min(long_v), max(long_v)
  from ts_kv where entity_id = $1 and key = 1 and ts >= $2 and ts < $3 group by 1 order by 1`

export async function shapeHistory(site: Site, devices: number, perDevice: number): Promise<ShapeHistory> {
  const shape = await ThingsboardShape.create(site, devices)
  const { pool } = shape
  try {
    const to = Date.now()
    const from = to - DAY_MS
    // In the order in which the messages would have come.
    await pool.query(
      `insert into ts_kv (entity_id, key, ts, bool_v, long_v)
       select e.id::uuid, k, $2::bigint + ($3::bigint - $2::bigint) * s / $4::int, case when k = 2 then false end,
              case when k <> 2 then 100000 + s end
       from generate_series(0, $4::int - 1) s, unnest($1::text[]) with ordinality e (id, n), generate_series(1, 3) k
       order by s, e.n, k`,
      [shape.entities, from, to, perDevice],
    )
    await pool.query('vacuum (analyze) ts_kv')
    const size = await pool.query<{ bytes: number }>(
      `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'ts_kv'::regclass`,
    )
    const histogram = new Histogram()
    let pages = 0
    let items = 0
    for (let i = 0; i < REQUESTS; i++) {
      const params = [shape.entities[(i * 7_919) % devices], from, to, Math.ceil(DAY_MS / POINTS)]
      const began = performance.now()
      items += (await pool.query(AVERAGES, params)).rows.length
      histogram.record(performance.now() - began)
      const plan = await pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
        `explain (analyze, buffers, format json) ${AVERAGES}`,
        params,
      )
      const root = plan.rows[0]!['QUERY PLAN'][0]!.Plan
      pages += root['Shared Hit Blocks']! + root['Shared Read Blocks']!
    }
    const at = (percent: number) => Math.round(histogram.percentile(percent) * 100) / 100
    return {
      bytesPerValue: Math.round((size.rows[0]!.bytes / (devices * perDevice * 3)) * 10) / 10,
      n: REQUESTS,
      p50: at(50),
      p99: at(99),
      max: at(100),
      pages: Math.round(pages / REQUESTS),
      items: Math.round(items / REQUESTS),
    }
  } finally {
    await shape.drop()
  }
}
