import type { MeterPayment } from '@thingwright/contracts/prepaid.contract'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface PaymentData extends Omit<MeterPayment, 'createdAt' | 'paidAt' | 'expiresAt'> {
  createdAt: Date
  paidAt: Date | null
  expiresAt: Date | null
  asks: number
  said: string
}

const COLUMNS = part`id, no, end_user_id as "endUserId", way, state, amount_fen as "amountFen", remark, by_name as "byName",
  created_at as "createdAt", paid_at as "paidAt", code_url as "codeUrl", page_url as "pageUrl", expires_at as "expiresAt", asks, said`

const INSERT = sql`insert into meter_payments (id, no, tenant_id, end_user_id, way, state, amount_fen, remark, by_name, expires_at)
  values ($1, to_char(now() at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('meter_payment_numbers')::text, 8, '0'),
    $2, $3, $4, 'pending', $5, $6, $7, $8) on conflict (id) do nothing`
/** @returns false: there is one with this id */
export const insert = async (
  scope: Runner,
  tenantId: string,
  p: Pick<PaymentData, 'id' | 'endUserId' | 'way' | 'amountFen' | 'remark' | 'byName'> & { expiresAt?: Date },
): Promise<boolean> =>
  (await scope.run(INSERT, [p.id, tenantId, p.endUserId, p.way, p.amountFen, p.remark, p.byName, p.expiresAt ?? null]))
    .rowCount === 1

const HOLD = sql<PaymentData>`select ${COLUMNS} from meter_payments where id = $1 for update`
export const hold = async (scope: Runner, id: string): Promise<PaymentData | undefined> =>
  (await scope.run(HOLD, [id])).rows[0]

const END = sql`update meter_payments set state = $2, paid_at = case when $2 = 'succeeded' then now() end, ask_at = null where id = $1`
export const end = (scope: Runner, id: string, state: 'succeeded' | 'failed' | 'closed') => scope.run(END, [id, state])

const OPENED = sql`update meter_payments set code_url = $2, page_url = $3,
  ask_at = case when state = 'pending' then $4::timestamptz end where id = $1`
export const opened = (
  scope: Runner,
  id: string,
  at: { codeUrl: string | null; pageUrl: string | null },
  askAtTime: Date,
) => scope.run(OPENED, [id, at.codeUrl, at.pageUrl, askAtTime])

const ASK = sql`update meter_payments set ask_at = $2, asks = asks + 1 where id = $1 and state <> 'succeeded'`
export const askAt = (scope: Runner, id: string, at: Date | null) => scope.run(ASK, [id, at])

const NOTE = sql`update meter_payments set said = $2, ask_at = $3 where id = $1 and state <> 'succeeded'`
export const note = (scope: Runner, id: string, n: { said: string; askAt: Date | null }) =>
  scope.run(NOTE, [id, n.said, n.askAt])

const PROVIDER_NO = sql`update meter_payments set provider_no = $2 where id = $1`
export const setProviderNo = (scope: Runner, id: string, no: string) => scope.run(PROVIDER_NO, [id, no])

const BY_NO = sql<{ id: string }>`select id from meter_payments where tenant_id = $1 and way = $2 and no = $3`
export const byNo = async (
  scope: Runner,
  tenantId: string,
  way: 'wechat' | 'alipay',
  no: string,
): Promise<string | undefined> => (await scope.run(BY_NO, [tenantId, way, no])).rows[0]?.id

const DUE = sql<{ id: string; tenantId: string }>`select id, tenant_id as "tenantId" from meter_payments
  where ask_at <= $1 order by ask_at limit 100`
/** Payments about which the provider is to be asked, in all companies. */
export const due = async (scope: Runner, at: Date) => (await scope.run(DUE, [at])).rows
