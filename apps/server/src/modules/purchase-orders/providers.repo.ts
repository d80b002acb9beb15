import type { OnlineProvider } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

/** What is not secret of a provider's keys. */
export interface ProviderSettings {
  appId: string
  merchantId: string
  serial: string
  platformKeyId: string
}

export interface ProviderRow {
  kind: OnlineProvider
  enabled: boolean
  baseUrl: string
  settings: ProviderSettings
  secretsCipher: Buffer
  testState: 'ok' | 'failed' | null
  testSaid: string
  testedAt: Date | null
  version: number
  updatedAt: Date
}

const COLUMNS = part`kind, enabled, base_url as "baseUrl", settings, secrets_cipher as "secretsCipher", test_state as "testState",
  test_said as "testSaid", tested_at as "testedAt", version, updated_at as "updatedAt"`

const ENABLED = sql<{ kind: OnlineProvider }>`select kind from payment_providers where enabled order by kind desc`

/** The kinds that are offered to those who pay. */
export const enabledKinds = async (scope: Runner): Promise<OnlineProvider[]> =>
  (await scope.run(ENABLED, [])).rows.map(({ kind }) => kind)

const ALL = sql<ProviderRow>`select ${COLUMNS} from payment_providers order by kind desc`
export const allProviders = async (scope: Runner) => (await scope.run(ALL, [])).rows

const FIND = sql<ProviderRow>`select ${COLUMNS} from payment_providers where kind = $1`
export const findProvider = async (scope: Runner, kind: OnlineProvider): Promise<ProviderRow | undefined> =>
  (await scope.run(FIND, [kind])).rows[0]

export type ProviderValues = Pick<ProviderRow, 'kind' | 'enabled' | 'baseUrl' | 'settings' | 'secretsCipher'>

const INSERT = sql`insert into payment_providers (kind, enabled, base_url, settings, secrets_cipher)
  values ($1, $2, $3, $4, $5) on conflict (kind) do nothing`

/** @returns false: there is one already */
export async function insertProvider(scope: Runner, p: ProviderValues): Promise<boolean> {
  const values = [p.kind, p.enabled, p.baseUrl, JSON.stringify(p.settings), p.secretsCipher] as const
  return (await scope.run(INSERT, [...values])).rowCount === 1
}

const UPDATE = sql`update payment_providers set enabled = $2, base_url = $3, settings = $4, secrets_cipher = $5,
    test_state = case when $6 then null else test_state end, test_said = case when $6 then '' else test_said end,
    tested_at = case when $6 then null else tested_at end, version = version + 1, updated_at = now()
  where kind = $1 and version = $7`

/** @param forgets the last test was of other keys @returns false: somebody changed it meanwhile */
export async function updateProvider(
  scope: Runner,
  p: ProviderValues,
  { version, forgets }: { version: number; forgets: boolean },
): Promise<boolean> {
  const values = [p.kind, p.enabled, p.baseUrl, JSON.stringify(p.settings), p.secretsCipher, forgets, version] as const
  return (await scope.run(UPDATE, [...values])).rowCount === 1
}

const NOTE = sql`update payment_providers set test_state = $2, test_said = $3, tested_at = $4 where kind = $1`
export async function noteTest(scope: Runner, kind: OnlineProvider, state: 'ok' | 'failed', said: string, at: Date) {
  await scope.run(NOTE, [kind, state, said, at])
}

const REMOVE = sql`delete from payment_providers where kind = $1`
export async function removeProvider(scope: Runner, kind: OnlineProvider): Promise<void> {
  await scope.run(REMOVE, [kind])
}

const OPEN = sql<{ n: number }>`select (select count(*) from payments where provider = $1 and ask_at is not null)::int
  + (select count(*) from refunds r join payments p on p.id = r.payment_id
     where p.provider = $1 and r.state in ('requested', 'processing'))::int as n`

/** Payments and refunds that its keys are still needed for. */
export const openWith = async (scope: Runner, kind: OnlineProvider): Promise<number> =>
  (await scope.run(OPEN, [kind])).rows[0]!.n
