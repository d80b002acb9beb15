import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { Statement } from '../../lib/sql/statement.ts'
import { createSimCardsModule } from './sim-cards.module.ts'

const CARDS = 100_000
let m: Management
let own: Company
const plans: string[] = []

beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  const other = await company(m.db)
  for (const [of, first, count] of [
    [own, 0, CARDS],
    [other, CARDS, 2_000],
  ] as const) {
    const account = newId()
    await m.db.superuser.query(
      `insert into carrier_accounts (id, tenant_id, name, kind, carrier, base_url, account, secrets_cipher)
       values ($1, $2, 'Cards', 'onelink', 'cmcc', 'https://carrier.invalid', '1', '')`,
      [account, of.id],
    )
    await m.db.superuser.query(
      `insert into sim_cards (id, tenant_id, account_id, account_name, kind, carrier, iccid, msisdn, state, state_since, month_kb, plan_kb, expires_at,
         synced_at, created_at)
       select gen_random_uuid(), $2, $1, 'Cards', 'onelink', case when i % 3 = 0 then 'ctcc' else 'cmcc' end, '8986041210' || lpad((i + $3)::text, 10, '0'),
         '144' || lpad((i + $3)::text, 10, '0'), (array['active', 'active', 'active', 'stopped', 'pending'])[1 + i % 5],
         now() - make_interval(secs => i * 7919 % 100000), i * 37 % 100000, 100000, now() + make_interval(days => i % 700),
         now() - make_interval(secs => i * 31 % 100000), now() - make_interval(secs => i)
       from generate_series(1, $4::int) i`,
      [account, of.id, first, count],
    )
  }
  await m.db.superuser.query('vacuum (analyze) sim_cards')
}, 120_000)

/** A database whose tenant scopes explain every statement before they run it. */
const explaining = (): Database => ({
  ...m.database,
  withTenant: (ctx, work) =>
    m.database.withTenant(ctx, scope => {
      const watched: TenantScope = {
        ...scope,
        async run(statement, params) {
          const explain = new Statement<{ 'QUERY PLAN': string }>(`explain (costs off) ${statement.text}`)
          const { rows } = await scope.run(explain, params)
          plans.push(rows.map(row => row['QUERY PLAN']).join('\n'))
          return scope.run(statement, params)
        },
      }
      return work(watched)
    }),
})
const cards = () =>
  createSimCardsModule({
    database: explaining(),
    inbox: { notify: async () => undefined },
    tasks: { register: () => undefined, service: null } as never,
    carriers: () => {
      throw new Error('no carrier is asked')
    },
    outboundAllow: [],
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    triggers: { offer: () => undefined, objects: () => undefined },
    logger: silentLogger,
    now: Date.now,
  }).cards
type Query = Parameters<ReturnType<typeof cards>['list']>[1]

async function deep(query: Query): Promise<Query> {
  let cursor: string | undefined
  for (let page = 0; page < 20; page++)
    cursor = (await cards().list(own.ctx, { ...query, limit: 100, ...(cursor ? { cursor } : {}) })).nextCursor!
  return { ...query, ...(cursor ? { cursor } : {}) }
}

describe(`the list of ${CARDS} cards`, () => {
  const sorts = ['createdAt', 'iccid', 'monthKb', 'stateSince', 'expiresAt', 'syncedAt'] as const
  it.each(sorts.flatMap(sort => [sort, `-${sort}`] as const))(
    'walks an index by %s, on the first page and on a deep one, and sorts nothing',
    async sort => {
      for (const query of [{ carrier: 'cmcc', sort }, await deep({ carrier: 'cmcc', sort })] as Query[]) {
        plans.length = 0
        const { items } = await cards().list(own.ctx, query)
        expect(items).toHaveLength(20)
        const walk = plans.find(plan => plan.includes('sim_cards'))!
        expect(walk).toMatch(/Index (Only )?Scan (Backward )?using sim_cards_/)
        expect(walk).not.toMatch(/Seq Scan on sim_cards/)
        expect(walk).not.toMatch(/^\s*(->\s+)?(Incremental )?Sort(?! Key)/m)
      }
    },
  )

  it('reads a state, a card and a part of a number without another company’s cards', async () => {
    for (const query of [
      { carrier: 'cmcc', state: 'stopped' },
      { carrier: 'ctcc', online: 'no' },
      { carrier: 'cmcc', bound: 'no' },
    ] as Query[]) {
      plans.length = 0
      await cards().list(own.ctx, query)
      expect(plans.find(plan => plan.includes('sim_cards'))).not.toMatch(/Seq Scan on sim_cards/)
    }
    const { items } = await cards().list(own.ctx, { q: '8986041210000012345' })
    expect(items.every(({ iccid }) => iccid.includes('8986041210000012345'))).toBe(true)
    expect((await cards().list(own.ctx, { total: '1', limit: 1 })).total).toBe(CARDS)
  })

  it('would be noticed if it sorted', async () => {
    await m.db.superuser.query('drop index sim_cards_by_month_idx')
    plans.length = 0
    await cards().list(own.ctx, { carrier: 'cmcc', sort: 'monthKb' } as Query)
    expect(plans.find(plan => plan.includes('sim_cards'))).toMatch(/^\s*(->\s+)?(Incremental )?Sort(?! Key)/m)
  })
})

afterAll(async () => {
  await m.db.superuser.query('delete from sim_cards')
})
