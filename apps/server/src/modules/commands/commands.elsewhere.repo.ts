import type { ChangedCommand } from '../../lib/news.ts'
import { type Runner, sql } from '../../lib/sql/statement.ts'

/** A command whose device is told through another platform instead of a session with us. */
export interface ClaimedElsewhere {
  id: string
  tenantId: string
  deviceId: string
  device: number
  kind: 'property_set' | 'service' | 'raw' | 'firmware'
  identifier: string | null
  params: Record<string, unknown>
  confirm: 'auto' | 'reply' | 'read_back' | 'none'
  expects: unknown
  expiresAt: Date
}

const CLAIM = sql<ClaimedElsewhere>`with held as (select id from commands where id = any ($1::uuid[]) and state = 'queued'
    and expires_at > now() order by id for update skip locked)
  update commands c set state = 'sent', sent_at = now(), attempt = c.attempt + 1, reply_due_at = null
  from held where c.id = held.id
  returning c.id, c.tenant_id as "tenantId", c.device_id as "deviceId", c.device, c.kind, c.identifier, c.params, c.confirm,
    c.expects, c.expires_at as "expiresAt"`

/** Takes queued commands and marks them sent: they have no time-out of their own until they are delivered. */
export async function claimElsewhere(scope: Runner, ids: readonly string[]): Promise<ClaimedElsewhere[]> {
  return (await scope.run(CLAIM, [ids])).rows
}

const GIVE_BACK = sql<ChangedCommand>`update commands set state = 'queued', sent_at = null, attempt = attempt - 1
  where id = $1 and state = 'sent' returning device, id`

/** Puts one back that could not leave. */
export async function returnElsewhere(scope: Runner, id: string): Promise<ChangedCommand[]> {
  return (await scope.run(GIVE_BACK, [id])).rows
}

/** Where a command is by now, as the platform said it. */
export interface ElsewhereState {
  state: 'delivered' | 'succeeded' | 'failed' | 'expired' | 'timed_out' | 'cancelled'
  code?: string | undefined
  /** The platform's own words. */
  message?: string | undefined
  data?: unknown
}

// What is to be read back is over when it was read back; then delivery is all that the platform can tell.
const MOVE = sql<ChangedCommand>`update commands c set
    state = m.state, delivered_at = case when m.state in ('delivered', 'succeeded') then coalesce(c.delivered_at, now()) else c.delivered_at end,
    reply_due_at = case when m.state = 'delivered' then now() + make_interval(secs => c.timeout_ms / 1000.0) end,
    finished_at = case when m.state <> 'delivered' then now() end,
    error_code = $3, error_message = $4, reply = coalesce($5::jsonb, c.reply)
  from (select id, case when $2 = 'succeeded' and confirm = 'read_back' then 'delivered'
      when $2 = 'delivered' and confirm = 'none' then 'succeeded' else $2 end as state
    from commands where id = $1 for update) m
  where c.id = m.id and c.state in ('sent', 'delivered') and c.state <> m.state returning c.device, c.id`
const LONGEST_MESSAGE = 500

/** @returns what changed, to be told after the commit */
export async function moveElsewhere(scope: Runner, id: string, to: ElsewhereState): Promise<ChangedCommand[]> {
  const failed = to.state !== 'delivered' && to.state !== 'succeeded'
  const message = to.message?.slice(0, LONGEST_MESSAGE) ?? null
  return (
    await scope.run(MOVE, [
      id,
      to.state,
      failed ? to.code || to.state : null,
      failed ? message : null,
      to.data === undefined ? null : JSON.stringify({ code: 0, message: null, data: to.data }),
    ])
  ).rows
}

const OPEN = sql<{ id: string }>`select id from commands where id = $1 and state in ('sent', 'delivered')`

/** Whether anybody still waits for it. */
export async function isOpenElsewhere(scope: Runner, id: string): Promise<boolean> {
  return (await scope.run(OPEN, [id])).rows.length > 0
}
