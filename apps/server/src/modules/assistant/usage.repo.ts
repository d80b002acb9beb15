import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

type Scope = Pick<TenantScope, 'run' | 'tenantId'>

const TOKENS_OF_MONTH = sql<{
  tokens: number
}>`select coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::bigint as tokens from assistant_replies
  where tenant_id = $1
    and created_at >= date_trunc('month', to_timestamp($2 / 1000.0) at time zone $3) at time zone $3`

/** @param zone IANA name: the month is the company's. @returns tokens since the month began, both ways */
export async function tokensOfMonth(scope: Scope, now: number, zone: string): Promise<number> {
  const { rows } = await scope.run(TOKENS_OF_MONTH, [scope.tenantId, now, zone])
  return rows[0]!.tokens
}

export interface DayRow {
  day: string
  replies: number
  prompt_tokens: number
  completion_tokens: number
  cost_fen: number
}

const USAGE_BY_DAY = sql<DayRow>`select to_char(d.day, 'YYYY-MM-DD') as day, count(r.id)::int as replies,
    coalesce(sum(r.prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(r.completion_tokens), 0)::bigint as completion_tokens,
    coalesce(sum(r.cost_fen), 0)::float8 as cost_fen
  from generate_series($2::date, $3::date, interval '1 day') as d(day)
  left join assistant_replies r on r.tenant_id = $1
    and r.created_at >= d.day::timestamp at time zone $4
    and r.created_at < (d.day::timestamp + interval '1 day') at time zone $4
  group by d.day order by d.day`

/** Every day from the first to the last, also those on which nobody asked. */
export async function usageByDay(scope: Scope, first: string, last: string, zone: string): Promise<DayRow[]> {
  const { rows } = await scope.run(USAGE_BY_DAY, [scope.tenantId, first, last, zone])
  return rows
}

export interface PersonRow {
  user_name: string
  replies: number
  tokens: number
  cost_fen: number
}

const USAGE_BY_PERSON = sql<PersonRow>`select (array_agg(user_name order by created_at desc))[1] as user_name, count(*)::int as replies,
    sum(prompt_tokens::bigint + completion_tokens)::bigint as tokens, sum(cost_fen)::float8 as cost_fen
  from assistant_replies
  where tenant_id = $1 and created_at >= $2::date::timestamp at time zone $4
    and created_at < ($3::date::timestamp + interval '1 day') at time zone $4
  group by login_id order by tokens desc, replies desc, user_name limit 100`

/** Users by usage, the highest first, at most a hundred. */
export async function usageByPerson(scope: Scope, first: string, last: string, zone: string): Promise<PersonRow[]> {
  const { rows } = await scope.run(USAGE_BY_PERSON, [scope.tenantId, first, last, zone])
  return rows
}

export interface ReplyRow {
  id: string
  user_name: string
  engine: string
  model: string | null
  tools: string[]
  state: 'running' | 'done' | 'stopped' | 'failed'
  prompt_tokens: number
  completion_tokens: number
  cost_fen: number
  duration_ms: number | null
  rating: 'up' | 'down' | null
  created_at: Date
  /** created_at as the cursor needs it. */
  place: string
}

const REPLIES = sql<ReplyRow>`select id, user_name, engine, model, tools, state, prompt_tokens, completion_tokens, cost_fen::float8 as cost_fen,
    duration_ms, rating, created_at, created_at::text as place
  from assistant_replies
  where tenant_id = $1 and ($2::timestamptz is null or created_at >= $2) and ($3::timestamptz is null or created_at < $3)
    and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5::uuid))
  order by created_at desc, id desc limit $6`

/** Newest first. @param filter.after place and id of the last row of the page before */
export async function replies(
  scope: Scope,
  filter: { from: Date | null; to: Date | null; after: readonly unknown[] | null; limit: number },
): Promise<ReplyRow[]> {
  const { rows } = await scope.run(REPLIES, [
    scope.tenantId,
    filter.from,
    filter.to,
    filter.after?.[0] ?? null,
    filter.after?.[1] ?? null,
    filter.limit,
  ])
  return rows
}
