import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

type Scope = Pick<TenantScope, 'run' | 'tenantId'>

export interface ReplyStart {
  id: string
  loginId: string
  userName: string
  engine: string
  model: string | null
}

const INSERT_REPLY = sql`insert into assistant_replies (id, tenant_id, login_id, user_name, engine, model) values ($1, $2, $3, $4, $5, $6)`

/** One line a question: what it took, never what it said. */
export async function insertReply(scope: Scope, row: ReplyStart): Promise<void> {
  await scope.run(INSERT_REPLY, [row.id, scope.tenantId, row.loginId, row.userName, row.engine, row.model])
}

export interface ReplyEnd {
  engine: string
  model: string | null
  tools: readonly string[]
  state: 'done' | 'stopped' | 'failed'
  promptTokens: number
  completionTokens: number
  costFen: number
  durationMs: number
}

const END_REPLY = sql`update assistant_replies set engine = $2, model = $3, tools = $4, state = $5, prompt_tokens = $6,
  completion_tokens = $7, cost_fen = $8, duration_ms = $9 where id = $1`

export async function endReply(scope: Scope, id: string, end: ReplyEnd): Promise<void> {
  await scope.run(END_REPLY, [
    id,
    end.engine,
    end.model,
    end.tools,
    end.state,
    end.promptTokens,
    end.completionTokens,
    end.costFen,
    Math.round(end.durationMs),
  ])
}

const RATE_REPLY = sql`update assistant_replies set rating = $3 where id = $2 and login_id = $1`

/** @returns whether it is a reply to this person */
export async function rateReply(
  scope: Scope,
  loginId: string,
  id: string,
  rating: 'up' | 'down' | null,
): Promise<boolean> {
  const { rowCount } = await scope.run(RATE_REPLY, [loginId, id, rating])
  return rowCount === 1
}

const DELETE_ASSISTANT_REPLIES = sql`delete from assistant_replies where created_at < to_timestamp($1 / 1000.0) - interval '400 days'`

const UPDATE_ASSISTANT_REPLIES = sql`update assistant_replies set state = 'failed'
  where state = 'running' and created_at < to_timestamp($1 / 1000.0) - interval '25 hours'`

/** Lines older than 400 days; and what a server that died was in the middle of. */
export async function sweepReplies(scope: Pick<SystemScope, 'run'>, now: number): Promise<void> {
  await scope.run(DELETE_ASSISTANT_REPLIES, [now])
  await scope.run(UPDATE_ASSISTANT_REPLIES, [now])
}
