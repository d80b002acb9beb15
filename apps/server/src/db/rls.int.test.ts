import { beforeAll, describe, expect, it } from 'vitest'
import type { Ctx } from '../lib/context.ts'
import type { Database, TenantScope } from '../lib/database/database.ts'
import { sqlState } from '../lib/database/database-errors.ts'
import { Statement } from '../lib/sql/statement.ts'
import { raw } from '../lib/testing/raw.ts'
import { auditFixture } from '../modules/audit/audit.fixtures.ts'
import { createDevicesService } from '../modules/devices/devices.service.ts'
import { createGroupsModule } from '../modules/groups/index.ts'
import { listRoles } from '../modules/roles/index.ts'
import { fillTenant, tenantTables } from './testing/fill-tenant.ts'
import { type Company, company, type Management, management } from './testing/management.ts'

/** Tables that carry no company on purpose: `app` must not reach them at all (design.md §7). */
const EXEMPT =
  /^(journal|latest|telemetry|device_(sessions|events|stats|connections)|refused_frames|consumer_|mqtt_|subscription_items)/
const REFUSED = '42501'

let m: Management
let mine: Company
let theirs: Company
let filled: string[]

beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  // A life of its own for each, past the made-up rows: lists have something to show.
  for (const own of [mine, theirs]) {
    const group = await m.groups.service.create(own.ctx, { kind: 'device', name: 'group' })
    const product = await m.products.service.create(own.ctx, { name: 'product', linkType: 'mqtt' })
    await m.devices.service.create(own.ctx, { name: 'device', productId: product.id, groupId: group.id, tags: ['t'] })
  }
  filled = await fillTenant(m.db.superuser, mine.id)
  await fillTenant(m.db.superuser, theirs.id)
})

const asMe = <T>(work: (scope: TenantScope) => Promise<T>) => m.database.withTenant(mine.ctx, work)

describe('row-level security, from the catalogue', () => {
  it('is on for every table with a company, with a policy for the role app that names the company', async () => {
    const { rows } = await m.db.superuser.query<{ name: string; on: boolean; app: number; open: string[] }>(
      `select c.relname as name, c.relrowsecurity as on,
         (select count(*)::int from pg_policies p where p.tablename = c.relname and 'tw_app' = any (p.roles) and permissive = 'PERMISSIVE') as app,
         (select coalesce(array_agg(p.policyname::text), '{}') from pg_policies p where p.tablename = c.relname
            and 'tw_app' = any (p.roles) and p.permissive = 'PERMISSIVE'
            and coalesce(p.qual, '') || coalesce(p.with_check, '') !~ 'current_tenant|login|device') as open
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname = any ($1)`,
      [filled],
    )
    expect(rows.map(row => row.name).toSorted()).toEqual(filled)
    expect(filled.length).toBeGreaterThan(15)
    expect(rows.filter(row => !row.on).map(row => row.name)).toEqual([])
    expect(rows.filter(row => row.open.length > 0)).toEqual([])
    const readable = await m.db.superuser.query(
      `select relname from pg_class where relname = any ($1) and has_any_column_privilege('tw_app', oid, 'select')`,
      [filled],
    )
    const withPolicy = new Set(rows.filter(row => row.app > 0).map(row => row.name))
    expect(readable.rows.map(row => row.relname).filter(name => !withPolicy.has(name))).toEqual([])
  })

  it('lets no policy be for everybody, and no table be read past it by its views', async () => {
    const { rows } = await m.db.superuser.query(
      "select tablename, policyname from pg_policies where schemaname = 'public' and 'public' = any (roles)",
    )
    expect(rows).toEqual([])
    const views = await m.db.superuser.query<{ viewname: string; definition: string }>(
      "select viewname, definition from pg_views where schemaname = 'public'",
    )
    // A view reads as its owner: the company must stand in it.
    for (const { viewname, definition } of views.rows) expect(definition, viewname).toMatch(/current_tenant\(\)/)
  })

  it('shows and gives no row of another company from any of them, whatever is asked', async () => {
    for (const table of filled) {
      const seen = await ask(`select count(*)::int as n from ${table} where tenant_id is distinct from '${mine.id}'`)
      expect([0, REFUSED], table).toContain(seen)
      const there = (await m.db.superuser.query(`select 1 from ${table} where tenant_id = $1`, [theirs.id])).rowCount
      expect(there, `${table} has something to hide`).toBeGreaterThan(0)
      for (const statement of [
        `delete from ${table} where tenant_id = '${theirs.id}'`,
        `update ${table} set tenant_id = tenant_id where tenant_id = '${theirs.id}'`,
      ])
        expect([0, REFUSED], statement).toContain(await touched(statement))
      expect((await m.db.superuser.query(`select 1 from ${table} where tenant_id = $1`, [theirs.id])).rowCount).toBe(
        there,
      )
    }
  })

  it('lets nobody put a row into another company, nor hand one over', async () => {
    for (const { name, columns } of await tenantTables(m.db.superuser)) {
      const list = columns.filter(column => column.name !== 'num').map(column => `"${column.name}"`)
      const copy = list.map(column => (column === '"tenant_id"' ? `'${theirs.id}'::uuid` : column)).join(', ')
      for (const statement of [
        `update ${name} set tenant_id = '${theirs.id}' where tenant_id = '${mine.id}'`,
        `insert into ${name} (${list.join(', ')}) overriding user value select ${copy} from ${name} where tenant_id = '${mine.id}'`,
      ]) {
        const result = await touched(statement)
        // Nothing of one's own to write, no right to, or the policy: never done.
        expect(result === 0 || typeof result === 'string', `${statement}: ${result}`).toBe(true)
      }
    }
  })

  it('without a company shows nothing', async () => {
    const client = await m.db.superuser.connect()
    try {
      await client.query('begin; set local role tw_app')
      for (const table of filled) {
        await client.query('savepoint ask')
        const seen = await client.query(`select 1 from ${table}`).then(
          result => result.rowCount,
          (error: unknown) => sqlState(error),
        )
        await client.query('rollback to savepoint ask')
        expect([0, REFUSED], table).toContain(seen)
      }
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('the tables without a company', () => {
  it('are out of the reach of app, or hold nothing of companies', async () => {
    const { rows } = await m.db.superuser.query<{ name: string; reads: boolean }>(
      `select c.relname as name, has_any_column_privilege('tw_app', c.oid, 'select') as reads from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1)`,
      [filled],
    )
    const exempt = rows.filter(row => EXEMPT.test(row.name))
    expect(exempt.map(row => row.name)).toEqual(expect.arrayContaining(['journal', 'latest', 'telemetry']))
    expect(exempt.filter(row => row.reads)).toEqual([])
    for (const { name } of exempt)
      for (const sql of [`select 1 from ${name}`, `delete from ${name}`, `insert into ${name} default values`])
        expect(await touched(sql), sql).toBe(REFUSED)
    // What app reads beside these is under a policy: the company's own row, the menu, words of the installation.
    const open = rows.filter(row => row.reads && !EXEMPT.test(row.name)).map(row => row.name)
    const { rows: guarded } = await m.db.superuser.query<{ relname: string }>(
      'select relname from pg_class where relname = any ($1) and relrowsecurity',
      [open],
    )
    expect(guarded.map(row => row.relname).toSorted()).toEqual(open.toSorted())
  })
})

describe('with the code’s own company filter taken out', () => {
  const REMOVED = /(?:\b\w+\.)?tenant_id = \$1/g

  /** A database whose statements have lost every condition on the company: what is left is the policy. */
  function careless(): { database: Database; lost(): number } {
    let lost = 0
    const loosen = (sql: string) => {
      lost += sql.match(REMOVED)?.length ?? 0
      return sql.replaceAll(REMOVED, '$1::uuid is not null')
    }
    const database: Database = {
      ...m.database,
      withTenant: (ctx, work) =>
        m.database.withTenant(ctx, scope =>
          work({ ...scope, run: ({ text }, params) => scope.run(new Statement(loosen(text)), params) } as TenantScope),
        ),
    }
    return { database, lost: () => lost }
  }

  const everything: [string, (database: Database, ctx: Ctx) => Promise<unknown>][] = [
    ['devices', (database, ctx) => devicesOf(database).list(ctx, { total: '1' })],
    ['devices by last sight', (database, ctx) => devicesOf(database).list(ctx, { sort: '-lastSeenAt', total: '1' })],
    ['devices found', (database, ctx) => devicesOf(database).list(ctx, { q: 'device', total: '1' })],
    ['never seen devices', (database, ctx) => devicesOf(database).list(ctx, { link: 'never', total: '1' })],
    ['states', (database, ctx) => devicesOf(database).counts(ctx)],
    [
      'groups',
      (database, ctx) => createGroupsModule({ database, countObjects: {} }).service.list(ctx, { kind: 'device' }),
    ],
    ['roles', (database, ctx) => database.withTenant(ctx, scope => listRoles(scope, ctx))],
    ['operation log', (database, ctx) => auditFixture(database).service.list(ctx, {})],
  ]
  const devicesOf = (database: Database) =>
    createDevicesService({
      database,
      gateway: m.gateway,
      groups: m.groups.service,
      products: m.products.service,
      secrets: m.secrets,
      quotas: { hold: async () => {} },
    })

  it.each(everything)('%s are still one’s own alone', async (_, read) => {
    const { database } = careless()
    expect(await read(database, mine.ctx)).toEqual(await read(m.database, mine.ctx))
    expect(JSON.stringify(await read(database, mine.ctx))).not.toContain(theirs.id)
  })

  it('the filter really was there to be taken out', async () => {
    const { database, lost } = careless()
    for (const [, read] of everything) await read(database, mine.ctx)
    expect(lost()).toBeGreaterThan(5)
    // And as the superuser, whom no policy holds, the same loose statement shows both companies.
    const { rows } = await m.db.superuser.query('select distinct tenant_id from devices')
    expect(rows.length).toBe(2)
  })
})

async function ask(sql: string): Promise<number | string | undefined> {
  return asMe(scope => raw<{ n: number }>(scope, sql)).then(
    result => result.rows[0]!.n,
    (error: unknown) => sqlState(error),
  )
}

/** Rows a statement touched, or why it was refused. Rolled back either way. */
async function touched(sql: string): Promise<number | string | undefined> {
  let count: number | null = null
  try {
    await asMe(async scope => {
      count = (await raw(scope, sql)).rowCount
      throw new Error('undone')
    })
  } catch (error) {
    if (count === null) return sqlState(error) ?? codeOf(error)
  }
  return count ?? undefined
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error)
}
