import type { SystemScope, TenantScope } from '../../../lib/database/database.ts'
import { part, sql } from '../../../lib/sql/statement.ts'
import { DURATION_BOUNDS } from './durations.ts'

/** Steps of the statistics in seconds, and the days each is kept. */
export const WIDTHS = [
  { seconds: 300, days: 2 },
  { seconds: 3600, days: 90 },
] as const
/** Calls kept of every key. */
export const KEPT_CALLS = 100

export interface StatsRow {
  key_id: string
  tenant_id: string
  width: number
  bucket: string
  route: string
  calls: number
  errors: number
  limited: number
  durations: number[]
}

export interface UseRow {
  key_id: string
  used_at: string | null
  used_ip: string | null
  refused_at: string | null
  refused_code: string | null
  refused_ip: string | null
}

export interface CallRow {
  id: string
  key_id: string
  tenant_id: string
  at: string
  method: string
  path: string
  route: string
  permission: string
  status: number
  code: string | null
  duration_ms: number
  ip: string
  user_agent: string
  request_id: string
  request_body: string | null
  request_bytes: number
  response_body: string | null
  response_bytes: number
}

const ADD_STATS = sql`insert into api_call_stats as s (key_id, tenant_id, width, bucket, route, calls, errors, limited, durations)
  select v.key_id, v.tenant_id, v.width, v.bucket, v.route, v.calls, v.errors, v.limited, v.durations
  from jsonb_to_recordset($1::jsonb) as v (key_id uuid, tenant_id uuid, width int, bucket timestamptz, route text,
    calls int, errors int, limited int, durations int[])
  where exists (select 1 from api_keys k where k.id = v.key_id)
  order by v.key_id, v.width, v.bucket, v.route
  on conflict (key_id, width, bucket, route) do update set calls = s.calls + excluded.calls,
    errors = s.errors + excluded.errors, limited = s.limited + excluded.limited,
    durations = (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by at)
      from unnest(s.durations, excluded.durations) with ordinality as both_of (a, b, at))`

/** Adds counts to what stands there; those of keys that were removed meanwhile are dropped. */
export async function addStats(scope: SystemScope, rows: readonly StatsRow[]): Promise<void> {
  if (rows.length === 0) return
  await scope.run(ADD_STATS, [JSON.stringify(rows)])
}

const INSERT_API_CALLS = sql`insert into api_calls select v.* from jsonb_to_recordset($1::jsonb) as v (id uuid, key_id uuid, tenant_id uuid,
    at timestamptz, method text, path text, route text, permission text, status int, code text, duration_ms real,
    ip text, user_agent text, request_id text, request_body text, request_bytes int, response_body text,
    response_bytes int)
  where exists (select 1 from api_keys k where k.id = v.key_id)`

const DELETE_API_CALLS = sql`delete from api_calls c using (
    select id, row_number() over (partition by key_id order by at desc, id desc) as place
    from api_calls where key_id = any ($1)) old
  where old.id = c.id and old.place > $2`

export async function addCalls(scope: SystemScope, rows: readonly CallRow[]): Promise<void> {
  if (rows.length === 0) return
  await scope.run(INSERT_API_CALLS, [JSON.stringify(rows)])
  await scope.run(DELETE_API_CALLS, [[...new Set(rows.map(row => row.key_id))], KEPT_CALLS])
}

const NOTE_USES = sql`update api_keys k set
    last_used_at = coalesce(greatest(k.last_used_at, v.used_at), k.last_used_at),
    last_used_ip = coalesce(v.used_ip, k.last_used_ip),
    last_refused_at = coalesce(greatest(k.last_refused_at, v.refused_at), k.last_refused_at),
    last_refused_code = coalesce(v.refused_code, k.last_refused_code),
    last_refused_ip = coalesce(v.refused_ip, k.last_refused_ip)
  from jsonb_to_recordset($1::jsonb) as v (key_id uuid, used_at timestamptz, used_ip text, refused_at timestamptz,
    refused_code text, refused_ip text)
  where k.id = v.key_id`

export async function noteUses(scope: SystemScope, rows: readonly UseRow[]): Promise<void> {
  if (rows.length === 0) return
  await scope.run(NOTE_USES, [JSON.stringify(rows)])
}

const REMOVE_OLD_STATS = sql`delete from api_call_stats where width = $1 and bucket < $2::timestamptz - make_interval(days => $3)`

export async function removeOldStats(scope: SystemScope, now: Date): Promise<void> {
  for (const { seconds, days } of WIDTHS) await scope.run(REMOVE_OLD_STATS, [seconds, now, days])
}

// ───────────── reading ─────────────

export interface Figures {
  calls: number
  errors: number
  limited: number
  durations: number[]
}

export interface StatsFilter {
  width: number
  from: Date
  to: Date
  keyId?: string | undefined
  route?: string | undefined
}

const sumOf = (step: number) => part`coalesce(sum(durations[${step + 1}]), 0)::int`
const DURATIONS = DURATION_BOUNDS.map((_, step) => sumOf(step)).reduce((all, next) => part`${all}, ${next}`)
const SUMS = part`sum(calls)::int as calls, sum(errors)::int as errors, sum(limited)::int as limited,
  array[${DURATIONS}] as durations`

/** Sums under the caller's rights: company, width, from, to, key, route. */
const FIGURES = part`${SUMS} from api_call_stats
  where tenant_id = $1 and width = $2 and bucket >= $3 and bucket < $4
    and ($5::uuid is null or key_id = $5) and ($6::text is null or route = $6)`

const valuesOf = (scope: TenantScope, { width, from, to, keyId, route }: StatsFilter) => [
  scope.tenantId,
  width,
  from,
  to,
  keyId ?? null,
  route ?? null,
]

const OVER_TIME = sql<
  { ts: number } & Figures
>`select floor(extract(epoch from bucket) / $7::int)::int8 * ($7::int8 * 1000) as ts, ${FIGURES} group by 1 order by 1`

/** @param seconds length of a step, a multiple of the width */
export async function statsOverTime(scope: TenantScope, filter: StatsFilter, seconds: number) {
  return (await scope.run(OVER_TIME, [...valuesOf(scope, filter), Math.trunc(seconds)])).rows
}

const BY_ROUTE = sql<
  { route: string } & Figures
>`select route, ${FIGURES} group by route order by calls desc, route limit 100`

export async function statsByRoute(scope: TenantScope, filter: StatsFilter) {
  return (await scope.run(BY_ROUTE, valuesOf(scope, filter))).rows
}

const BY_KEY = sql<
  { keyId: string; name: string } & Figures
>`select key_id as "keyId", (select k.name from api_keys k where k.id = key_id) as name, ${FIGURES}
  group by key_id order by calls desc, key_id`

export async function statsByKey(scope: TenantScope, filter: StatsFilter) {
  return (await scope.run(BY_KEY, valuesOf(scope, filter))).rows
}

export interface StoredCall extends Omit<CallRow, 'at' | 'tenant_id'> {
  at: Date
  key_name: string
  made_by: string
}

const CALL = part`select c.id, c.key_id, k.name as key_name, k.made_by, c.at, c.method, c.path, c.route, c.permission, c.status,
    c.code, c.duration_ms, c.ip, c.user_agent, c.request_id, c.request_body, c.request_bytes, c.response_body, c.response_bytes
  from api_calls c join api_keys k on k.id = c.key_id`

const LAST_CALLS = sql<StoredCall>`${CALL} where c.tenant_id = $1 and ($2::uuid is null or c.key_id = $2) and ($3::text is null or c.route = $3)
  and (not $4 or c.status >= 400) order by c.at desc, c.id desc limit $5`

export async function lastCalls(
  scope: TenantScope,
  filter: { keyId?: string | undefined; route?: string | undefined; errors: boolean; limit: number },
): Promise<StoredCall[]> {
  const { rows } = await scope.run(LAST_CALLS, [
    scope.tenantId,
    filter.keyId ?? null,
    filter.route ?? null,
    filter.errors,
    filter.limit,
  ])
  return rows
}

const FIND_CALL = sql<StoredCall>`${CALL} where c.tenant_id = $1 and c.id = $2`

export async function findCall(scope: TenantScope, id: string): Promise<StoredCall | undefined> {
  return (await scope.run(FIND_CALL, [scope.tenantId, id])).rows[0]
}
