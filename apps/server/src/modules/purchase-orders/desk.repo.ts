import type { Mismatch } from '@thingwright/contracts/purchase-orders.contract'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

type Found = Omit<Mismatch, 'kind'>

const compare = (inner: SqlPart) =>
  sql<Found>`select f.tenant_id as "tenantId", coalesce(t.name, '') as "companyName", f.about, f.expected::text as expected,
    f.found::text as found from (${inner}) f left join tenants t on t.id = f.tenant_id limit 200`

/** What must agree; each statement returns where it does not. */
const CHECKS: readonly [Mismatch['kind'], ReturnType<typeof compare>][] = [
  [
    'wallet_differs',
    compare(part`select w.tenant_id, w.id::text as about, coalesce(s.sum, 0) as expected, w.available_fen + w.frozen_fen as found
      from wallets w left join (select wallet_id, sum(amount_fen) as sum from ledger_entries where wallet_id is not null group by 1) s
        on s.wallet_id = w.id where coalesce(s.sum, 0) <> w.available_fen + w.frozen_fen`),
  ],
  [
    'movement_unbalanced',
    compare(part`select t.tenant_id, t.no as about, 0 as expected, coalesce(sum(e.amount_fen), 0) as found
      from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
      group by t.id having coalesce(sum(e.amount_fen), 1) <> 0`),
  ],
  [
    'order_paid_differs',
    compare(part`select o.tenant_id, o.no as about, o.payable_fen as expected, o.paid_fen as found from purchase_orders o
      where o.state not in ('pending', 'cancelled', 'closed') and o.paid_fen <> o.payable_fen`),
  ],
  [
    'order_not_fulfilled',
    compare(part`select o.tenant_id, o.no as about, 'completed' as expected, o.state as found from purchase_orders o
      where o.state in ('paid', 'processing', 'faulted') and o.paid_at < now() - interval '10 minutes'`),
  ],
  [
    'units_differ',
    compare(part`select b.tenant_id, b.id::text as about, b.total - b.taken_back - b.left_units as expected, coalesce(u.units, 0) as found
      from unit_batches b left join (select (p->>'id')::uuid as batch, sum((p->>'units')::int) as units
        from unit_uses u cross join jsonb_array_elements(u.parts) p where u.state <> 'released' group by 1) u on u.batch = b.id
      where b.total - b.taken_back - b.left_units <> coalesce(u.units, 0)`),
  ],
  [
    'payment_not_booked',
    compare(part`select p.tenant_id, p.no as about, p.amount_fen as expected, 0 as found from payments p
      where p.state = 'succeeded' and not exists (select 1 from ledger_transactions t
        where t.tenant_id = p.tenant_id and t.key = 'payment:' || p.id::text)`),
  ],
  [
    'refund_differs',
    compare(part`select o.tenant_id, o.no as about, coalesce(r.sum, 0) as expected, o.refunded_fen as found from purchase_orders o
      left join (select order_id, sum(amount_fen) as sum from refunds where state = 'done' group by 1) r on r.order_id = o.id
      where coalesce(r.sum, 0) <> o.refunded_fen`),
  ],
]

/** Where the books do not agree, of every company. */
export async function mismatches(scope: Runner): Promise<Mismatch[]> {
  const all: Mismatch[] = []
  for (const [kind, statement] of CHECKS)
    for (const row of (await scope.run(statement, [])).rows) all.push({ kind, ...row })
  return all
}

const COMPANY = sql<{ id: string; name: string }>`select id, name from tenants where id = $1 and kind = 'company'`
export const companyById = async (scope: Runner, id: string) => (await scope.run(COMPANY, [id])).rows[0]
