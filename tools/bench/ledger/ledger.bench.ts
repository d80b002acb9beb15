import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'

const ENTRIES: Record<Size, number> = { S: 200_000, M: 10_000_000 }
const READS: Record<Size, number> = { S: 100, M: 400 }
const AT_ONCE = 250_000
/** One movement a time of this, back from now: ten million fill three years. */
const EVERY_SECONDS = 9
const BOUND_MS = 100

const round = (ms: number) => Math.round(ms * 10) / 10

/** The money of one company that has moved for years. */
export const ledger: Bench = {
  name: 'ledger',
  summary: 'reading a balance with ten million entries',
  async run(options) {
    const site = await Site.open()
    try {
      return await run(options, site)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
    }
  },
}

interface Read {
  name: string
  owed: boolean
  n: number
  p50: number
  p95: number
  max: number
}

async function run({ say, size }: BenchOptions, site: Site): Promise<BenchReport> {
  const entries = ENTRIES[size]
  // The first movement makes the wallet as the product does.
  await site.api.post('/recharges', { amountFen: 100_000 }).catch(() => undefined)
  await fill(site, entries, say)
  const reads = await readsOf(site, READS[size], say)
  const owed = reads.filter(read => read.owed)
  const slowest = owed.reduce((a, b) => (b.p95 > a.p95 ? b : a))
  const [check] = await site.sql<{ differ: string }>(
    `select (w.available_fen - (select sum(e.amount_fen) from ledger_entries e where e.wallet_id = w.id and e.account = 'available'))::text as differ
     from wallets w where w.holder_kind = 'company' limit 1`,
  )
  return {
    tables: [
      {
        title: `${entries} entries of one balance; ms over REST, one request at a time`,
        head: ['read', 'n', 'p50', 'p95', 'max'],
        rows: reads.map(read => [read.name, read.n, read.p50, read.p95, read.max]),
      },
    ],
    goals: [
      atMost(`p95 of the slowest read that is owed (${slowest.name})`, slowest.p95, BOUND_MS, 'ms'),
      atMost('fen by which the balance and its entries differ', Math.abs(Number(check!.differ)), 0, ''),
    ],
    notes: [
      'Movements are written by SQL with the trigger of the wallet off, each with its other side: twice as many rows as entries of the balance.',
      `Owed are ${owed.map(read => read.name).join(', ')}; the others are shown beside them.`,
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: { entries, reads },
  }
}

/** Top-ups and charges in turn, with what the balance was before and after each. */
async function fill(site: Site, entries: number, say: (line: string) => void): Promise<void> {
  const [own] = await site.sql<{ tenant: string }>(`select tenant_id as tenant from logins where username = 'admin'`)
  const tenant = own!.tenant
  await site.sql(
    `insert into wallets (id, tenant_id, holder_kind, holder_id, payee_kind) values (gen_random_uuid(), $1, 'company', $1, 'platform')
     on conflict do nothing`,
    [tenant],
  )
  const [wallet] = await site.sql<{ id: string }>(
    `select id from wallets where tenant_id = $1 and holder_kind = 'company'`,
    [tenant],
  )
  await site.withClient(async client => {
    await client.query(`set session_replication_role = replica`)
    for (let from = 1; from <= entries; from += AT_ONCE) {
      const to = Math.min(entries, from + AT_ONCE - 1)
      // 300 fen in, 200 out, in turn.
      await client.query(
        `with n as materialized (
           select i, gen_random_uuid() as id, now() - make_interval(secs => ($4::int - i) * ${EVERY_SECONDS}) as at, i % 2 = 1 as goes_in,
             300 * ((i + 1) / 2)::bigint - 200 * (i / 2)::bigint as after
           from generate_series($2::int, $3::int) i),
         t as (insert into ledger_transactions (id, no, tenant_id, kind, key, cause_kind, cause_id, cause_no, actor_kind, actor_name, remark, at)
           select id, 'BENCH' || lpad(i::text, 12, '0'), $1, case when goes_in then 'top_up' else 'charge' end, 'bench:' || i, 'bench', i::text,
             'B' || i, 'system', 'bench', 'movement ' || i, at from n)
         insert into ledger_entries (tenant_id, transaction_id, account, wallet_id, amount_fen, before_fen, after_fen, kind, at)
         select $1, n.id, x.account, x.wallet, x.fen, x.before, x.after, case when n.goes_in then 'top_up' else 'charge' end, n.at
         from n, lateral (values
           ('available', $5::uuid, case when n.goes_in then 300 else -200 end, n.after - case when n.goes_in then 300 else -200 end, n.after),
           (case when n.goes_in then 'payments' else 'income' end, null, case when n.goes_in then -300 else 200 end, null, null)
         ) x (account, wallet, fen, before, after) order by n.i`,
        [tenant, from, to, entries, wallet!.id],
      )
      say(`  ${to} of ${entries} entries`)
    }
    await client.query(
      `update wallets set available_fen = (select sum(amount_fen) from ledger_entries where wallet_id = $1 and account = 'available') where id = $1`,
      [wallet!.id],
    )
    await client.query('set session_replication_role = origin')
  })
  await site.sql('vacuum (analyze) ledger_entries, ledger_transactions, wallets')
}

async function readsOf(site: Site, count: number, say: (line: string) => void): Promise<Read[]> {
  const api = new Api(site.installation.url, 1)
  await api.signIn()
  const month = (back: number) => {
    const day = new Date()
    day.setUTCDate(1)
    day.setUTCHours(0, 0, 0, 0)
    day.setUTCMonth(day.getUTCMonth() - back)
    return day.toISOString()
  }
  const paths: [name: string, path: string, owed: boolean][] = [
    ['the balance', '/assets', true],
    ['first page of movements', '/balance/entries?limit=20', true],
    ['top-ups', '/balance/entries?limit=20&kind=top_up', true],
    ['this month', `/balance/entries?limit=20&from=${month(0)}`, true],
    ['a month of last year', `/balance/entries?limit=20&from=${month(13)}&to=${month(12)}`, false],
    ['one number', '/balance/entries?limit=20&q=BENCH000000000777', false],
  ]
  const found: Read[] = []
  const measure = async (name: string, owed: boolean, n: number, one: () => Promise<unknown>) => {
    await one()
    const values = new Histogram()
    for (let i = 0; i < n; i++) {
      const began = performance.now()
      await one()
      values.record(performance.now() - began)
    }
    const read = {
      name,
      owed,
      n,
      p50: round(values.percentile(50)),
      p95: round(values.percentile(95)),
      max: round(values.percentile(100)),
    }
    found.push(read)
    say(`  ${name}: p95 ${read.p95} ms`)
  }
  for (const [name, path, owed] of paths) await measure(name, owed, owed ? count : 20, () => api.get(path))
  let cursor: string | null = null
  await measure('page after page of 100', true, count, async () => {
    const page: { nextCursor: string | null } = await api.get(
      `/balance/entries?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    cursor = page.nextCursor
  })
  api.close()
  return found
}
