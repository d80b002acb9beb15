import type { MeterPayment } from '@thingwright/contracts/prepaid.contract'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface PaymentData extends Omit<MeterPayment, 'createdAt' | 'paidAt'> {
  createdAt: Date
  paidAt: Date | null
}

const COLUMNS = part`id, no, end_user_id as "endUserId", way, state, amount_fen as "amountFen", remark, by_name as "byName",
  created_at as "createdAt", paid_at as "paidAt"`

const INSERT = sql`insert into meter_payments (id, no, tenant_id, end_user_id, way, state, amount_fen, remark, by_name)
  values ($1, to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('meter_payment_numbers')::text, 8, '0'),
    $2, $3, $4, 'pending', $5, $6, $7) on conflict (id) do nothing`
/** @returns false: there is one with this id */
export const insert = async (
  scope: Runner,
  tenantId: string,
  p: Pick<PaymentData, 'id' | 'endUserId' | 'way' | 'amountFen' | 'remark' | 'byName'>,
): Promise<boolean> =>
  (await scope.run(INSERT, [p.id, tenantId, p.endUserId, p.way, p.amountFen, p.remark, p.byName])).rowCount === 1

const HOLD = sql<PaymentData>`select ${COLUMNS} from meter_payments where id = $1 for update`
export const hold = async (scope: Runner, id: string): Promise<PaymentData | undefined> =>
  (await scope.run(HOLD, [id])).rows[0]

const END = sql`update meter_payments set state = $2, paid_at = case when $2 = 'succeeded' then now() end where id = $1`
export const end = (scope: Runner, id: string, state: 'succeeded' | 'failed') => scope.run(END, [id, state])
