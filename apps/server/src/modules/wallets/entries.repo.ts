import type { EntryKind } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import { part } from '../../lib/sql/statement.ts'

export interface EntryRow {
  id: string
  no: string
  at: Date
  kind: EntryKind
  amountFen: number
  beforeFen: number
  afterFen: number
  causeKind: string
  causeId: string
  causeNo: string
  actorName: string
  remark: string
}

export interface EntryFilter {
  q?: string
  kind?: EntryKind
  from?: Date
  to?: Date
}

export const ENTRY_SORTS = ['at'] as const

/** Movements of the wallet ($1) that one can spend from: what was frozen shows as its freezing. */
export const ENTRIES = listSql<EntryRow, EntryFilter, (typeof ENTRY_SORTS)[number]>({
  columns: part`e.seq::text as id, t.no, e.at, e.kind, e.amount_fen as "amountFen", coalesce(e.before_fen, 0) as "beforeFen",
    coalesce(e.after_fen, 0) as "afterFen", t.cause_kind as "causeKind", t.cause_id as "causeId", t.cause_no as "causeNo",
    t.actor_name as "actorName", t.remark`,
  from: part`ledger_entries e join ledger_transactions t on t.id = e.transaction_id`,
  where: part`e.wallet_id = $1 and e.account = 'available'`,
  given: 1,
  filters: {
    q: part`(t.no like $1 or t.cause_no like $1 or t.remark ilike $1)`,
    kind: part`e.kind = $1`,
    from: part`e.at >= $1`,
    to: part`e.at < $1`,
  },
  sorts: { at: { by: part`e.seq`, type: 'bigint' } },
  id: { by: part`e.seq`, type: 'bigint' },
})
