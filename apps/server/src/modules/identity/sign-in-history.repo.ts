import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface EventRow {
  id: string
  tenant_id: string
  login_id: string | null
  username: string
  at: Date
  method: string
  result: 'ok' | 'refused' | 'second_factor'
  reason: string | null
  ip: string | null
  place: string
  network: string | null
  client: string
  user_agent: string
  client_id: string
  new_device: boolean
}

const INSERT_EVENT = sql`insert into sign_in_events (id, tenant_id, login_id, username, at, method, result, reason, ip, place, network, client, user_agent, client_id, new_device)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

export async function insertEvent(scope: Pick<SystemScope, 'run'>, row: EventRow): Promise<void> {
  await scope.run(INSERT_EVENT, [
    row.id,
    row.tenant_id,
    row.login_id,
    row.username,
    row.at,
    row.method,
    row.result,
    row.reason,
    row.ip,
    row.place,
    row.network,
    row.client,
    row.user_agent,
    row.client_id,
    row.new_device,
  ])
}

const SEEN_BEFORE = sql<{
  any: boolean
  client: boolean
  network: boolean
}>`select count(*) > 0 as any, coalesce(bool_or(client = $2), false) as client, coalesce(bool_or(network = $3), false) as network
  from (select client, network from sign_in_events where login_id = $1 and result = 'ok' order by at desc limit 500) recent`

/** Whether a login came in before at all, with this client, from this network. */
export async function seenBefore(
  scope: Pick<SystemScope, 'run'>,
  loginId: string,
  client: string,
  network: string,
): Promise<{ any: boolean; client: boolean; network: boolean }> {
  const { rows } = await scope.run(SEEN_BEFORE, [loginId, client, network])
  return rows[0]!
}

const LIST_EVENTS = sql<
  EventRow & { position: string }
>`select id, tenant_id, login_id, username, at, at::text as position, method, result, reason, ip, place, network, client, user_agent, client_id, new_device
  from sign_in_events
  where tenant_id = $1
    and ($2::uuid is null or login_id = $2)
    and ($3::text is null or result = $3)
    and ($4::text is null or strpos(lower(username || ' ' || coalesce(ip, '') || ' ' || client), lower($4)) > 0)
    and ($5::timestamptz is null or (at, id) < ($5::timestamptz, $6::uuid))
  order by at desc, id desc limit $7`

export async function listEvents(
  scope: TenantScope,
  filter: {
    loginId: string | null
    result: string | null
    needle: string | null
    after: readonly [string, string] | null
    limit: number
  },
): Promise<(EventRow & { position: string })[]> {
  const { rows } = await scope.run(LIST_EVENTS, [
    scope.tenantId,
    filter.loginId,
    filter.result,
    filter.needle,
    filter.after?.[0] ?? null,
    filter.after?.[1] ?? null,
    filter.limit,
  ])
  return rows
}

const DELETE_OLD_EVENTS = sql`delete from sign_in_events e using tenants t where t.id = e.tenant_id
  and e.at < $1::timestamptz - make_interval(days => case when t.settings #>> '{retention,signInDays}' ~ '^\\d{2,4}$'
    then (t.settings #>> '{retention,signInDays}')::int else 365 end)`

/** Removes what is older than each company keeps; returns how many. */
export async function deleteOldEvents(scope: Pick<SystemScope, 'run'>, now: Date): Promise<number> {
  const { rowCount } = await scope.run(DELETE_OLD_EVENTS, [now])
  return rowCount ?? 0
}
