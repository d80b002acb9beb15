import type { CutoffState } from '@thingwright/contracts/tariffs.words'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface CutoffData {
  id: string
  meterId: string
  meterName: string
  endUserId: string
  endUserName: string
  state: CutoffState
  waits: 'protected' | 'stale' | null
  commandId: string | null
  reason: string | null
  noticedAt: Date
  triedAt: Date | null
  cutAt: Date | null
  restoredAt: Date | null
}

const COLUMNS = part`c.id, c.meter_id as "meterId", m.name as "meterName", c.end_user_id as "endUserId",
  coalesce(nullif(l.display_name, ''), l.username, '') as "endUserName", c.state, c.waits, c.command_id as "commandId", c.reason,
  c.noticed_at as "noticedAt", c.tried_at as "triedAt", c.cut_at as "cutAt", c.restored_at as "restoredAt"`
const FROM = part`meter_cutoffs c join meters m on m.id = c.meter_id left join logins l on l.id = c.end_user_id`

/** Cut-offs of the company ($1). */
export const CUTOFFS = listSql<CutoffData, { endUserId?: string; open?: boolean }, 'noticedAt'>({
  columns: COLUMNS,
  from: FROM,
  where: part`c.tenant_id = $1`,
  given: 1,
  filters: {
    endUserId: part`c.end_user_id = $1`,
    open: { true: part`c.ended_at is null`, false: part`c.ended_at is not null` },
  },
  sorts: { noticedAt: { by: part`c.noticed_at`, type: 'timestamptz' } },
  id: { by: part`c.id`, type: 'uuid' },
})

const COMPANIES = sql<{ id: string }>`select distinct tenant_id as id from meters where mode = 'prepaid'
  union select tenant_id from meter_cutoffs where ended_at is null
  union select tenant_id from meter_statements where state = 'issued' and reminded_at is null and paid_fen < amount_fen and due_at <= now()`
/** Companies for which there may be something to do. */
export const companies = async (scope: Runner): Promise<string[]> =>
  (await scope.run(COMPANIES, [])).rows.map(({ id }) => id)

export interface Standing {
  meterId: string
  endUserId: string
  balanceFen: number
  cutoffId: string | null
}

const STANDING = sql<Standing>`select m.id as "meterId", w.holder_id as "endUserId", w.available_fen as "balanceFen",
    c.id as "cutoffId"
  from meters m left join meter_cutoffs c on c.meter_id = m.id and c.ended_at is null
    join wallets w on w.tenant_id = m.tenant_id and w.holder_kind = 'end_user' and w.holder_id = coalesce(c.end_user_id, m.end_user_id)
  where m.tenant_id = $1 and (c.id is not null
    or (m.mode = 'prepaid' and m.cut_property is not null and m.device_id is not null and w.available_fen <= 0))`
/** Meters that are cut off, or are to be. */
export const standing = async (scope: Runner, tenantId: string): Promise<Standing[]> =>
  (await scope.run(STANDING, [tenantId])).rows

const PREPAID = sql<{ id: string }>`select distinct end_user_id as id from meters
  where tenant_id = $1 and mode = 'prepaid' and end_user_id is not null`
export const prepaidUsers = async (scope: Runner, tenantId: string): Promise<string[]> =>
  (await scope.run(PREPAID, [tenantId])).rows.map(({ id }) => id)

const INSERT = sql`insert into meter_cutoffs (id, tenant_id, meter_id, end_user_id, state, noticed_at)
  values ($1, $2, $3, $4, 'noticed', $5) on conflict (meter_id) where ended_at is null do nothing`
/** @returns false: there is an open one */
export const insert = async (
  scope: Runner,
  c: { id: string; tenantId: string; meterId: string; endUserId: string; at: Date },
): Promise<boolean> => (await scope.run(INSERT, [c.id, c.tenantId, c.meterId, c.endUserId, c.at])).rowCount === 1

const HOLD = sql<CutoffData>`select ${COLUMNS} from ${FROM} where c.id = $1 and c.ended_at is null for update of c`
export const hold = async (scope: Runner, id: string): Promise<CutoffData | undefined> =>
  (await scope.run(HOLD, [id])).rows[0]

const MOVE = sql`update meter_cutoffs set state = $2, reason = $3, waits = null, command_id = null,
    tried_at = case when $2 in ('cutting', 'restoring') then $4 else tried_at end,
    cut_at = case when $2 = 'cut' then $4 else cut_at end,
    restored_at = case when $2 = 'restored' then $4 else restored_at end,
    ended_at = case when $2 in ('restored', 'cancelled') then $4 end
  where id = $1`
export const move = (scope: Runner, id: string, state: CutoffState, at: Date, reason: string | null = null) =>
  scope.run(MOVE, [id, state, reason, at])

const WAITS = sql`update meter_cutoffs set waits = $2 where id = $1 and waits is distinct from $2`
export const setWaits = (scope: Runner, id: string, waits: 'protected' | 'stale' | null) =>
  scope.run(WAITS, [id, waits])

const COMMAND = sql`update meter_cutoffs set command_id = $2 where id = $1 and ended_at is null`
export const setCommand = (scope: Runner, id: string, commandId: string) => scope.run(COMMAND, [id, commandId])
