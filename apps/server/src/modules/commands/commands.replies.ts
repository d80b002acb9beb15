import type pg from 'pg'
import type { ChangedCommand } from '../../lib/news.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** A device's answer to a command, as its journal row holds it (`values` of kind reply). */
export interface CommandReply {
  /** The device that answered: an answer counts for its own commands only. */
  device: number
  commandId: string
  /** 0 = done, anything else = refused by the device. */
  code: number
  message?: string | null
  data?: unknown
  /** Epoch ms of arrival. */
  at: number
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const LONGEST_MESSAGE = 500

const APPLY_REPLIES =
  sql<ChangedCommand>`with held as (select id from commands where id = any ($2::uuid[]) order by id for update)
  update commands c set
    state = case when c.finished_at is not null then c.state when r.code <> 0 then 'rejected'
      when c.confirm = 'read_back' then 'delivered' else 'succeeded' end,
    finished_at = case when c.finished_at is null and c.confirm = 'read_back' and r.code = 0 then null
      else coalesce(c.finished_at, to_timestamp(r.at / 1000.0)) end,
    delivered_at = case when c.confirm = 'read_back' then coalesce(c.delivered_at, to_timestamp(r.at / 1000.0)) else c.delivered_at end,
    sent_at = coalesce(c.sent_at, to_timestamp(r.at / 1000.0)),
    reply_due_at = case when c.finished_at is null and c.confirm = 'read_back' and r.code = 0 then c.reply_due_at end,
    reply = r.reply,
    error_code = case when c.finished_at is not null then c.error_code when r.code <> 0 then trunc(r.code)::numeric::text end,
    error_message = case when c.finished_at is not null then c.error_message when r.code <> 0 then r.message end
  from unnest($1::int[], $2::uuid[], $3::float8[], $4::text[], $5::jsonb[], $6::float8[]) as r (device, id, code, message, reply, at), held
  where c.id = held.id and c.id = r.id and c.device = r.device and c.attempt > 0 and c.reply is null
  returning c.device, c.id`.named('commands-apply-replies')

/**
 * Ends commands with their devices' answers, in the caller's transaction: succeeded or rejected, once. An answer to a
 * command that was given up is kept beside its state and does not change it. Can be repeated: the same answers change
 * nothing more.
 * @param client a connection of the telemetry or system role
 * @returns what changed, for live subscribers, to be published after the commit
 */
export async function applyReplies(
  client: Pick<pg.ClientBase, 'query'>,
  replies: readonly CommandReply[],
): Promise<ChangedCommand[]> {
  // The first answer to a command counts; ids come from devices and may be anything.
  const first = new Map<string, CommandReply>()
  for (const reply of replies) {
    const key = `${reply.device}/${reply.commandId.toLowerCase()}`
    if (UUID.test(reply.commandId) && !first.has(key)) first.set(key, reply)
  }
  if (first.size === 0) return []
  const all = [...first.values()]
  const { rows } = await runOn(client, APPLY_REPLIES, [
    all.map(reply => reply.device),
    all.map(reply => reply.commandId),
    all.map(reply => reply.code),
    all.map(reply => reply.message?.slice(0, LONGEST_MESSAGE) ?? null),
    all.map(reply => JSON.stringify({ code: reply.code, message: reply.message ?? null, data: reply.data ?? null })),
    all.map(reply => reply.at),
  ])
  return rows
}
