import { type NewLogin, seedCompany, seedMinimal } from '../db/seeds/minimal/minimal.seed.ts'
import names from '../db/seeds/minimal/names.json' with { type: 'json' }
import type { Config } from '../lib/config.ts'
import type { Database } from '../lib/database/database.ts'
import { randomKey } from '../lib/ids.ts'
import { sql } from '../lib/sql/statement.ts'
import { hashPassword } from '../modules/identity/index.ts'
import type { BannerFacts } from './banner.ts'

/** Phone of the demo owner: a number of the range that is never given out for real use in examples. */
export const DEMO_PHONE = '13800138000'

export interface FirstLogins {
  /** Passwords this start made, to be shown once. */
  made: BannerFacts['newLogins']
  /** Company whose owner signs in first. */
  tenantId: string
  /** The company is new: its demo content is still to be made. */
  fresh: boolean
}

const SELECT_LOGINS = sql<{ tenant_id: string }>`select tenant_id from logins where username = $1`

const SELECT_TENANTS = sql<{ id: string }>`select id from tenants where kind = 'company' order by created_at limit 1`

/** The platform's operator, and the first company with its owner: `demo`, or `admin` without the demo. Runs at every start. */
export async function ensureFirstLogins(
  database: Database,
  config: Pick<Config, 'demo' | 'adminPassword'>,
): Promise<FirstLogins> {
  const made: FirstLogins['made'] = []
  const password = async (username: string, note: string): Promise<string> => {
    const text = config.adminPassword ?? randomKey(14)
    // A password that its owner chose is not repeated on the screen.
    made.push({ username, password: config.adminPassword ? '(ADMIN_PASSWORD)' : text, note })
    return hashPassword(text)
  }
  const login = async (
    username: string,
    note: string,
    rest: Omit<NewLogin, 'username' | 'passwordHash'>,
  ): Promise<NewLogin> => ({ username, passwordHash: await password(username, note), ...rest })

  await seedMinimal(database, () =>
    login('operator', 'platform operator', { displayName: names.operator, kind: 'operator' }),
  )

  const username = config.demo ? 'demo' : 'admin'
  const existing = await database.withSystemScope(
    'seed',
    async scope => (await scope.run(SELECT_LOGINS, [username])).rows[0],
  )
  if (existing) return { made, tenantId: existing.tenant_id, fresh: false }
  // An installation that already has companies gets no second first one when DEMO is switched.
  const other = config.demo
    ? null
    : await database.withSystemScope('seed', async scope => (await scope.run(SELECT_TENANTS)).rows[0])
  if (other) return { made, tenantId: other.id, fresh: false }
  const owner = await login(username, config.demo ? 'demo company' : 'first company', {
    displayName: config.demo ? names.demoOwner : names.owner,
    kind: 'member',
    ...(config.demo ? { phone: DEMO_PHONE } : {}),
  })
  const tenantId = await database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: config.demo ? names.demoCompany : names.company, owner }),
  )
  return { made, tenantId, fresh: true }
}
