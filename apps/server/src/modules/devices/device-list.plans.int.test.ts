import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Database, TenantScope } from '../../lib/database.ts'
import { groups } from '../groups/groups.tables.ts'
import { products } from '../products/products.tables.ts'
import { countByState } from './devices.repo.ts'
import { createDevicesService, type ListDevices } from './devices.service.ts'
import { devices } from './devices.tables.ts'

const FLEET = 20_000

let m: Management
let own: Company
let productId: string
let groupId: string
beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  const small = await company(m.db)
  groupId = (await m.groups.service.create(own.ctx, { kind: 'device', name: 'hall' })).id
  for (const [of, count] of [
    [small, 300],
    [own, FLEET],
  ] as const) {
    const product = await m.products.service.create(of.ctx, { name: 'P', linkType: 'mqtt' })
    if (of === own) productId = product.id
    await m.db.superuser.query(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher, group_id, search_text)
       select gen_random_uuid(), $1, p.id, p.num, 'D' || i, 'device ' || i, '', '', case when i % 40 = 0 then $3::uuid end, 'device ' || i
       from products p, generate_series(1, $4) i where p.id = $2`,
      [of.id, product.id, of === own ? groupId : null, count],
    )
    // Most were seen; the newest tenth not yet.
    await m.db.superuser.query(
      `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
       select num, tenant_id, case when num % 3 = 0 then 'offline' else 'online' end, now(), now() - make_interval(secs => (num * 7919) % 100000)
       from devices where tenant_id = $1 order by num limit $2`,
      [of.id, count * 0.9],
    )
  }
  await m.db.superuser.query('vacuum analyze')
}, 120_000)

/** A database whose tenant scopes explain every statement before they run it. */
function explaining(plans: string[]): Database {
  return {
    ...m.database,
    withTenant: (ctx, work) =>
      m.database.withTenant(ctx, scope => {
        const watched: TenantScope = {
          ...scope,
          async query(sql, params) {
            const { rows } = await scope.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`, params)
            plans.push(rows.map(row => row['QUERY PLAN']).join('\n'))
            return scope.query(sql, params)
          },
        }
        return work(watched)
      }),
  }
}

describe('the plans of a big fleet', () => {
  const after = async (query: ListDevices) => {
    let cursor: string | undefined
    for (let page = 0; page < 20; page++)
      cursor = (await m.devices.service.list(own.ctx, { ...query, limit: 100, ...(cursor ? { cursor } : {}) }))
        .nextCursor!
    return { ...query, cursor }
  }

  it.each<[string, () => Promise<ListDevices> | ListDevices]>([
    ['first page', () => ({})],
    ['deep page', () => after({})],
    ['by name', () => ({ sort: 'name' })],
    ['by name, deep', () => after({ sort: '-name' })],
    ['by last sight', () => ({ sort: '-lastSeenAt' })],
    ['by last sight, deep', () => after({ sort: '-lastSeenAt' })],
    ['never seen first', () => ({ sort: 'lastSeenAt' })],
    ['one product', () => ({ productId })],
    ['one group', () => ({ groupId })],
    ['online', () => ({ link: 'online' })],
    ['online of one product, by last sight', () => ({ link: 'online', productId, sort: '-lastSeenAt' })],
    ['never seen', () => ({ link: 'never' })],
    ['disabled', () => ({ lifecycle: 'disabled' })],
    ['recycle bin', () => ({ lifecycle: 'recycled' })],
    ['a search', () => ({ q: 'nothing like it' })],
    [
      'a search with everything',
      () => ({ q: 'none', tag: 'x', link: 'online', productId, groupId, sort: '-lastSeenAt' }),
    ],
  ])('read no table to its end: %s', async (_, query) => {
    const plans: string[] = []
    const service = createDevicesService({
      database: explaining(plans),
      gateway: m.gateway,
      groups: m.groups.service,
      products: m.products.service,
      secrets: m.secrets,
    })
    await service.list(own.ctx, await query())
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on device/)
    // The page's own walk ends after a page: it sorts nothing but search results.
    const walk = plans.find(plan => plan.includes('CTE page'))
    expect(walk).toMatch(/Index (Only )?Scan/)
  })

  it('would be noticed if they did', async () => {
    const plans: string[] = []
    await explaining(plans).withTenant(own.ctx, scope => scope.query("select 1 from devices where name ilike '%x%'"))
    expect(plans[0]).toMatch(/Seq Scan on device/)
  })

  it('count by state what a plain count finds', async () => {
    const counts = await m.database.withTenant(own.ctx, countByState)
    const { rows } = await m.db.superuser.query(
      `select count(*) as total, count(*) filter (where p.link = 'online') as online,
              count(*) filter (where p.link = 'offline') as offline, count(*) filter (where p.link is null) as never
       from devices d left join device_presence p on p.device = d.num where d.tenant_id = $1`,
      [own.id],
    )
    expect(counts).toEqual({ ...rows[0], disabled: 0, recycled: 0 })
    expect(counts.total).toBe(FLEET)
  })
})

describe('the tables in code', () => {
  it.each<[string, PgTable]>([
    ['groups', groups],
    ['products', products],
    ['devices', devices],
  ])('%s have the columns of the database', async (_, table) => {
    const { name, columns } = getTableConfig(table)
    const { rows } = await m.db.superuser.query<{ column_name: string; is_nullable: string }>(
      'select column_name, is_nullable from information_schema.columns where table_name = $1',
      [name],
    )
    const inCode = columns.map(column => `${column.name} ${column.notNull ? 'NO' : 'YES'}`).toSorted()
    expect(inCode).toEqual(rows.map(row => `${row.column_name} ${row.is_nullable}`).toSorted())
  })
})
