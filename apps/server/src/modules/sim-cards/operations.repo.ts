import type { OperationState } from '@thingwright/contracts/sim-cards.contract'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { updateOf } from '../../lib/sql/writes.ts'
import type { CardRow } from './cards.repo.ts'
import type { CardAction } from './carrier.port.ts'

export interface OperationRow {
  id: string
  tenantId: string
  cardId: string
  iccid: string
  msisdn: string | null
  accountId: string
  action: CardAction
  speedKbps: number | null
  tac: string | null
  state: OperationState
  carrierNo: string | null
  reason: string | null
  code: string | null
  attempts: number
  uncertain: boolean
  checks: number
  notBefore: Date
  byName: string
  createdAt: Date
  submittedAt: Date | null
  finishedAt: Date | null
}

const COLUMNS = part`o.id, o.tenant_id as "tenantId", o.card_id as "cardId", c.iccid, c.msisdn, c.account_id as "accountId", o.action,
  o.speed_kbps as "speedKbps", o.tac, o.state, o.carrier_no as "carrierNo", o.reason, o.code, o.attempts, o.uncertain, o.checks,
  o.not_before as "notBefore", o.by_name as "byName", o.created_at as "createdAt", o.submitted_at as "submittedAt",
  o.finished_at as "finishedAt"`
const FROM = part`sim_card_operations o join sim_cards c on c.id = o.card_id`

export interface OperationFilter {
  q?: string
  carrier?: string
  cardId?: string
  state?: string
  action?: string
}
export const OPERATION_SORTS = ['createdAt'] as const

export const LIST = listSql<OperationRow, OperationFilter, 'createdAt'>({
  columns: COLUMNS,
  from: FROM,
  filters: {
    q: part`(c.iccid ilike $1 or c.msisdn ilike $1 or o.by_name ilike $1)`,
    carrier: part`c.carrier = $1`,
    cardId: part`o.card_id = $1`,
    state: part`o.state = $1`,
    action: part`o.action = $1`,
  },
  sorts: { createdAt: { by: part`o.created_at`, type: 'timestamptz' } },
  id: { by: part`o.id`, type: 'uuid' },
})

const FIND = sql<OperationRow>`select ${COLUMNS} from ${FROM} where o.id = $1`
const OPEN = sql<{
  cardId: string
}>`select card_id as "cardId" from sim_card_operations where card_id = any ($1) and state in ('queued', 'submitted')`
const INSERT = sql`insert into sim_card_operations (id, tenant_id, card_id, action, speed_kbps, tac, not_before, by_name, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`

export async function find(scope: Runner, id: string): Promise<OperationRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

/** The given cards that have an operation that has not ended. */
export async function openOf(scope: TenantScope, cardIds: readonly string[]): Promise<Set<string>> {
  return new Set((await scope.run(OPEN, [cardIds])).rows.map(row => row.cardId))
}

export interface NewOperation {
  id: string
  cardId: string
  action: CardAction
  speedKbps: number | null
  tac: string | null
  notBefore: Date
  byName: string
  createdBy: string | null
}

export async function insert(scope: Runner, tenantId: string, row: NewOperation): Promise<void> {
  await scope.run(INSERT, [
    row.id,
    tenantId,
    row.cardId,
    row.action,
    row.speedKbps,
    row.tac,
    row.notBefore,
    row.byName,
    row.createdBy,
  ])
}

const MARK_QUOTA = sql`update sim_cards set stop_reason = 'quota' where id = $1`

/** The platform's own stop of a card that used more than its account allows; nothing when one is open. */
export async function queueStop(scope: SystemScope, card: CardRow, now: number): Promise<void> {
  await scope.run(MARK_QUOTA, [card.id])
  await insert(scope, card.tenantId, {
    id: newId(now),
    cardId: card.id,
    action: 'stop',
    speedKbps: null,
    tac: null,
    notBefore: new Date(Math.max(now, card.cooldownUntil?.getTime() ?? 0)),
    byName: 'system',
    createdBy: null,
  })
}

const DUE = sql<OperationRow>`select ${COLUMNS} from ${FROM} where o.state in ('queued', 'submitted') and o.not_before <= $1
  order by o.not_before, o.id limit $2 for update of o skip locked`
const LEASE = sql`update sim_card_operations set not_before = $2 where id = any ($1)`
const NEXT_DUE = sql<{
  at: Date | null
  waiting: number
}>`select min(not_before) as at, count(*)::int as waiting from sim_card_operations where state in ('queued', 'submitted')`

/** Takes what is due; until the lease ends nobody else does. */
export async function take(scope: SystemScope, now: Date, limit: number, until: Date): Promise<OperationRow[]> {
  const { rows } = await scope.run(DUE, [now, limit])
  if (rows.length > 0) await scope.run(LEASE, [rows.map(({ id }) => id), until])
  return rows
}

export async function nextDue(scope: SystemScope) {
  return (await scope.run(NEXT_DUE)).rows[0]!
}

interface Progress {
  state?: OperationState
  carrierNo?: string | null
  reason?: string | null
  code?: string | null
  attempts?: number
  uncertain?: boolean
  checks?: number
  notBefore?: Date
  submittedAt?: Date
  finishedAt?: Date
}
const PROGRESS = updateOf<Progress>(
  part`sim_card_operations`,
  {
    state: 'state',
    carrierNo: 'carrier_no',
    reason: 'reason',
    code: 'code',
    attempts: 'attempts',
    uncertain: 'uncertain',
    checks: 'checks',
    notBefore: 'not_before',
    submittedAt: 'submitted_at',
    finishedAt: 'finished_at',
  },
  { where: part`id = $1`, given: 1 },
)

export async function progress(scope: Runner, id: string, values: Progress): Promise<void> {
  await scope.run(...PROGRESS.of(values, id))
}

const FORGET = sql`delete from sim_card_operations where finished_at < $1`

export async function forget(scope: SystemScope, before: Date): Promise<void> {
  await scope.run(FORGET, [before])
}
