import type { EntryKind } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface MonthSums {
  /** The balance when the month began, in fen. */
  openingFen: number
  /** Movements of the month by kind: how many, what they added and what they took. */
  kinds: { kind: EntryKind; count: number; inFen: number; outFen: number }[]
}

const MONTH_SUMS = sql<MonthSums>`select
    (w.available_fen - coalesce((select sum(e.amount_fen) from ledger_entries e
      where e.wallet_id = w.id and e.account = 'available' and e.at >= $2), 0))::bigint as "openingFen",
    coalesce((select jsonb_agg(jsonb_build_object('kind', k.kind, 'count', k.count, 'inFen', k.in_fen, 'outFen', k.out_fen)
        order by k.kind)
      from (select e.kind, count(*) as count, coalesce(sum(e.amount_fen) filter (where e.amount_fen > 0), 0) as in_fen,
          coalesce(sum(e.amount_fen) filter (where e.amount_fen < 0), 0) as out_fen
        from ledger_entries e where e.wallet_id = w.id and e.account = 'available' and e.at >= $2 and e.at < $3
        group by e.kind) k), '[]'::jsonb) as kinds
  from wallets w where w.tenant_id = $1 and w.holder_kind = 'company'`

/** The balance at the beginning of a span and what moved it, of one moment; nothing before the first movement. */
export async function monthSums(scope: Runner, tenantId: string, from: Date, to: Date): Promise<MonthSums> {
  return (await scope.run(MONTH_SUMS, [tenantId, from, to])).rows[0] ?? { openingFen: 0, kinds: [] }
}

export interface StatementEntry {
  at: Date
  no: string
  kind: EntryKind
  amountFen: number
  afterFen: number
  causeNo: string
  remark: string
}

const MONTH_ENTRIES = sql<StatementEntry>`select e.at, t.no, e.kind, e.amount_fen as "amountFen",
    coalesce(e.after_fen, 0) as "afterFen", t.cause_no as "causeNo", t.remark
  from wallets w join ledger_entries e on e.wallet_id = w.id and e.account = 'available' and e.at >= $2 and e.at < $3
    join ledger_transactions t on t.id = e.transaction_id
  where w.tenant_id = $1 and w.holder_kind = 'company' order by e.at, e.seq limit $4`

/** The movements of a span, the oldest first. */
export const monthEntries = async (scope: Runner, tenantId: string, from: Date, to: Date, limit: number) =>
  (await scope.run(MONTH_ENTRIES, [tenantId, from, to, limit])).rows
