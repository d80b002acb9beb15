import type { ReplyLogRow, UsageView } from '@thingwright/contracts/assistant.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { settingsOf } from './settings.repo.ts'
import * as repo from './usage.repo.ts'

export interface AssistantUsage {
  /** @param month `YYYY-MM`; the current one where it is missing. @throws AppError request.validation */
  month(ctx: Ctx, month: string | undefined): Promise<UsageView>
  /** Newest first; `from` and `to` in epoch ms. @throws AppError request.cursor_invalid */
  replies(
    ctx: Ctx,
    query: {
      limit?: number | undefined
      cursor?: string | undefined
      from?: number | undefined
      to?: number | undefined
    },
  ): Promise<{ items: ReplyLogRow[]; nextCursor: string | null }>
}

export function createAssistantUsage(deps: {
  database: Database
  timeZone(tenantId: string): Promise<string>
}): AssistantUsage {
  const { database } = deps
  return {
    async month(ctx, month) {
      const zone = await deps.timeZone(ctx.tenantId)
      const today = dayIn(zone, ctx.now)
      const asked = month ?? today.slice(0, 7)
      const [year = 0, number = 0] = asked.split('-').map(Number)
      if (number < 1 || number > 12 || year < 2000)
        throw new AppError('request.validation', {
          params: { count: 1 },
          fields: { month: { code: 'request.validation', params: { count: 1 } } },
        })
      const first = `${asked}-01`
      const end = `${asked}-${new Date(Date.UTC(year, number, 0)).getUTCDate()}`
      const last = today.startsWith(asked) ? today : end
      return database.withTenant(ctx, async scope => {
        const days = await repo.usageByDay(scope, first, last, zone)
        const people = await repo.usageByPerson(scope, first, last, zone)
        return {
          month: asked,
          tokens: days.reduce((sum, day) => sum + day.prompt_tokens + day.completion_tokens, 0),
          limit: (await settingsOf(scope)).monthly_tokens,
          costFen: days.reduce((sum, day) => sum + day.cost_fen, 0),
          days: days.map(day => ({
            day: day.day,
            replies: day.replies,
            promptTokens: day.prompt_tokens,
            completionTokens: day.completion_tokens,
            costFen: day.cost_fen,
          })),
          people: people.map(person => ({
            userName: person.user_name,
            replies: person.replies,
            tokens: person.tokens,
            costFen: person.cost_fen,
          })),
        }
      })
    },

    async replies(ctx, { limit = 20, cursor, from, to }) {
      const after = decodeCursor(cursor, 2)
      const rows = await readFrom(cursor, () =>
        database.withTenant(ctx, scope =>
          repo.replies(scope, { from: dateOf(from), to: dateOf(to), after, limit: limit + 1 }),
        ),
      )
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? page.at(-1) : undefined
      return { items: page.map(toReply), nextCursor: next ? encodeCursor([next.place, next.id]) : null }
    },
  }
}

/** Beyond what a Date can hold there is nothing: the nearest that it can. */
function dateOf(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(Math.max(-62_135_596_800_000, Math.min(ms, 253_402_300_799_999)))
}

function dayIn(zone: string, now: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    now,
  )
}

function toReply(row: repo.ReplyRow): ReplyLogRow {
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    userName: row.user_name,
    engine: row.engine,
    model: row.model,
    tools: row.tools,
    state: row.state,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costFen: row.cost_fen,
    durationMs: row.duration_ms,
    rating: row.rating,
  }
}
