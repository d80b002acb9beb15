import type { OnlineProvider } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { sql } from '../../lib/sql/statement.ts'

/** What providers of payments are asked about, and when. */

const BY_NO = sql<{ id: string }>`select id from payments where provider = $1 and no = $2`
export const paymentByNo = async (scope: Runner, provider: OnlineProvider, no: string): Promise<string | undefined> =>
  (await scope.run(BY_NO, [provider, no])).rows[0]?.id

const REFUND_BY_NO = sql<{ id: string }>`select r.id from refunds r join payments p on p.id = r.payment_id
  where p.provider = $1 and r.no = $2`
export const refundByNo = async (scope: Runner, provider: OnlineProvider, no: string): Promise<string | undefined> =>
  (await scope.run(REFUND_BY_NO, [provider, no])).rows[0]?.id

const OPENED = sql`update payments set state = case when state = 'created' then 'pending' else state end, code_url = $2,
    page_url = $3, ask_at = case when state = 'succeeded' then null else $4::timestamptz end where id = $1`

/** The provider knows it. What was closed here meanwhile stays so, and is asked about. */
export async function noteOpened(
  scope: Runner,
  id: string,
  { codeUrl, pageUrl }: { codeUrl: string | null; pageUrl: string | null },
  askAt: Date,
): Promise<void> {
  await scope.run(OPENED, [id, codeUrl, pageUrl, askAt])
}

const FAILED = sql`update payments set state = case when state = 'created' then 'failed' else state end, reason = $2, ask_at = $3
  where id = $1 and state <> 'succeeded'`
export async function noteNotOpened(scope: Runner, id: string, reason: string, askAt: Date | null): Promise<void> {
  await scope.run(FAILED, [id, reason, askAt])
}

const ASK = sql`update payments set ask_at = $2, asks = asks + 1 where id = $1 and state <> 'succeeded'`
export async function askPaymentAt(scope: Runner, id: string, at: Date | null): Promise<void> {
  await scope.run(ASK, [id, at])
}

const ENDED = sql`update payments set state = case when state in ('created', 'pending') then 'closed' else state end, ask_at = null
  where id = $1 and state <> 'succeeded'`

/** The provider takes no money for it any more. */
export async function noteEnded(scope: Runner, id: string): Promise<void> {
  await scope.run(ENDED, [id])
}

const DISPUTED = sql`update payments set reason = $2 where id = $1 and reason is distinct from $2 and state <> 'succeeded'`

/** The provider is asked on: what was paid may still be the right amount. @returns false: that was noted before */
export async function noteDisputed(scope: Runner, id: string, reason: string): Promise<boolean> {
  return (await scope.run(DISPUTED, [id, reason])).rowCount === 1
}

const DUE = sql<{ id: string }>`select id from payments where ask_at <= $1 order by ask_at limit 100`
export const duePayments = async (scope: Runner, at: Date) => (await scope.run(DUE, [at])).rows.map(({ id }) => id)

const DUE_REFUNDS = sql<{ id: string }>`select id from refunds where ask_at <= $1 order by ask_at limit 100`
export const dueRefunds = async (scope: Runner, at: Date) =>
  (await scope.run(DUE_REFUNDS, [at])).rows.map(({ id }) => id)

const ASK_REFUND = sql`update refunds set ask_at = $2, asks = asks + 1, said = $3 where id = $1 and state = 'processing'`
export async function askRefundAt(scope: Runner, id: string, at: Date | null, said: string): Promise<void> {
  await scope.run(ASK_REFUND, [id, at, said])
}

const DUE_NOW = sql`update refunds set ask_at = $2 where id = $1`
export async function dueNow(scope: Runner, id: string, at: Date): Promise<void> {
  await scope.run(DUE_NOW, [id, at])
}

const REFUND_ENDED = sql`update refunds set ask_at = null, said = $2, provider_no = coalesce($3, provider_no) where id = $1`
export async function noteRefundEnded(
  scope: Runner,
  id: string,
  said: string,
  providerNo: string | null,
): Promise<void> {
  await scope.run(REFUND_ENDED, [id, said, providerNo])
}
