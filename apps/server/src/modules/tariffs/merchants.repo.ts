import type { OnlineProvider } from '@thingwright/contracts/money.words'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { ProviderRow, ProviderValues } from '../purchase-orders/index.ts'

const COLUMNS = part`kind, enabled, base_url as "baseUrl", settings, secrets_cipher as "secretsCipher", test_state as "testState",
  test_said as "testSaid", tested_at as "testedAt", version, updated_at as "updatedAt"`

const ALL = sql<ProviderRow>`select ${COLUMNS} from merchant_accounts where tenant_id = $1 order by kind desc`
export const all = async (scope: Runner, tenantId: string) => (await scope.run(ALL, [tenantId])).rows

const FIND = sql<ProviderRow>`select ${COLUMNS} from merchant_accounts where tenant_id = $1 and kind = $2`
export const find = async (scope: Runner, tenantId: string, kind: OnlineProvider): Promise<ProviderRow | undefined> =>
  (await scope.run(FIND, [tenantId, kind])).rows[0]

const INSERT = sql`insert into merchant_accounts (tenant_id, kind, enabled, base_url, settings, secrets_cipher)
  values ($1, $2, $3, $4, $5, $6) on conflict (tenant_id, kind) do nothing`
/** @returns false when the account exists already */
export const insert = async (scope: Runner, tenantId: string, p: ProviderValues): Promise<boolean> =>
  (await scope.run(INSERT, [tenantId, p.kind, p.enabled, p.baseUrl, JSON.stringify(p.settings), p.secretsCipher]))
    .rowCount === 1

const UPDATE = sql`update merchant_accounts set enabled = $3, base_url = $4, settings = $5, secrets_cipher = $6,
    test_state = case when $7 then null else test_state end, test_said = case when $7 then '' else test_said end,
    tested_at = case when $7 then null else tested_at end, version = version + 1, updated_at = now()
  where tenant_id = $1 and kind = $2 and version = $8`
/** @param forgets the last test was of other keys @returns false: it was changed meanwhile */
export async function update(
  scope: Runner,
  tenantId: string,
  p: ProviderValues,
  { version, forgets }: { version: number; forgets: boolean },
): Promise<boolean> {
  const values = [tenantId, p.kind, p.enabled, p.baseUrl, JSON.stringify(p.settings), p.secretsCipher, forgets, version]
  return (await scope.run(UPDATE, values)).rowCount === 1
}

const NOTE = sql`update merchant_accounts set test_state = $3, test_said = $4, tested_at = $5 where tenant_id = $1 and kind = $2`
export const noteTest = (
  scope: Runner,
  tenantId: string,
  kind: OnlineProvider,
  t: { state: 'ok' | 'failed'; said: string; at: Date },
) => scope.run(NOTE, [tenantId, kind, t.state, t.said, t.at])

const REMOVE = sql`delete from merchant_accounts where tenant_id = $1 and kind = $2`
export const remove = (scope: Runner, tenantId: string, kind: OnlineProvider) => scope.run(REMOVE, [tenantId, kind])

const OPEN = sql<{
  n: number
}>`select count(*)::int as n from meter_payments where tenant_id = $1 and way = $2 and ask_at is not null`
/** Open payments, for which the keys are still needed. */
export const openWith = async (scope: Runner, tenantId: string, kind: OnlineProvider): Promise<number> =>
  (await scope.run(OPEN, [tenantId, kind])).rows[0]!.n

const ENABLED = sql<{
  kind: OnlineProvider
}>`select kind from merchant_accounts where tenant_id = $1 and enabled order by kind desc`
/** The kinds that are offered to end users of a company. */
export const enabledKinds = async (scope: Runner, tenantId: string): Promise<OnlineProvider[]> =>
  (await scope.run(ENABLED, [tenantId])).rows.map(({ kind }) => kind)
