import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx, DataScope } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { Statement } from '../../lib/sql/statement.ts'
import { raw } from '../../lib/testing/raw.ts'
import { countByState } from './device-counts.repo.ts'
import { createDevicesService, type ListDevices } from './devices.service.ts'

const FLEET = 20_000

let m: Management
let own: Company
let productId: string
let groupId: string
let rare: string
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
  await m.db.superuser.query('update device_presence set alarm_level = 4 where device % 700 = 0')
  await m.db.superuser.query(
    `insert into device_firmware (device, tenant_id, module, version, reported_at, changed_at)
     select num, tenant_id, 'default', case when num % 50 = 0 then '2.0' else '1.0' end, now(), now() from devices`,
  )
  rare = (await m.products.service.create(own.ctx, { name: 'rare', linkType: 'mqtt' })).id
  await m.devices.service.create(own.ctx, { name: 'rare thing', productId: rare })
  await m.db.superuser.query('vacuum analyze')
})

/** A database whose tenant scopes explain every statement before they run it. */
function explaining(plans: string[]): Database {
  return {
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
  }
}

/** A member of the company with a limited data scope. */
function limited(scope: Partial<Extract<DataScope, { kind: 'limited' }>>): Ctx {
  const dataScope: DataScope = { kind: 'limited', groupIds: [], productIds: [], own: false, ...scope }
  return { ...own.ctx, actor: { ...own.ctx.actor, loginId: newId(), dataScope } as Ctx['actor'] }
}

/** Tables of devices that were read whole meanwhile; only what this file's one connection at a time does is counted. */
async function wholeReads(work: () => Promise<unknown>): Promise<string[]> {
  const scans = async () => {
    // What a connection has counted is told with its next statement: the one that asks, too, tells what it did before.
    await m.database.withTenant(own.ctx, scope => raw(scope, 'select pg_stat_force_next_flush()'))
    await m.db.superuser.query('select pg_stat_force_next_flush()')
    const { rows } = await m.db.superuser.query<{ relname: string; scans: number }>(
      `select relname, seq_scan as scans from pg_stat_user_tables
       where relname in ('devices', 'device_presence', 'device_unseen') order by relname`,
    )
    return rows
  }
  const before = await scans()
  await work()
  const after = await scans()
  return after.filter(({ scans }, at) => scans > before[at]!.scans).map(({ relname }) => relname)
}

describe('the plans of a big fleet', () => {
  const after = async (query: ListDevices) => {
    let cursor: string | undefined
    for (let page = 0; page < 20; page++)
      cursor = (await m.devices.service.list(own.ctx, { ...query, limit: 100, ...(cursor ? { cursor } : {}) }))
        .nextCursor!
    return { ...query, cursor }
  }

  const queries: [string, () => Promise<ListDevices> | ListDevices][] = [
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
    ['with an alarm', () => ({ alarmLevel: 'any' })],
    ['with an alarm of one level, by name', () => ({ alarmLevel: '4', sort: 'name' })],
    ['of one version', () => ({ firmware: '1.0' })],
    ['of a rare version, by last sight', () => ({ firmware: '2.0', sort: '-lastSeenAt' })],
    ['of no version that there is', () => ({ firmware: '9' })],
    ['of one way in, by name', () => ({ linkType: 'mqtt', sort: 'name' })],
    ['of a category that there is not', () => ({ category: 'none' })],
    ['gateways online', () => ({ nodeType: 'gateway', link: 'online' })],
    ['disabled', () => ({ lifecycle: 'disabled' })],
    ['recycle bin', () => ({ lifecycle: 'recycled' })],
    ['a search', () => ({ q: 'nothing like it' })],
    [
      'a search with everything',
      () => ({ q: 'none', tag: 'x', link: 'online', productId, groupId, sort: '-lastSeenAt' }),
    ],
  ]
  const explained = (plans: string[]) =>
    createDevicesService({
      database: explaining(plans),
      gateway: m.gateway,
      groups: m.groups.service,
      products: m.products.service,
      quotas: m.tenants.quotas,
      secrets: m.secrets,
    })
  const callers: [string, () => Ctx][] = [
    ['who sees all', () => own.ctx],
    ['of one group in forty', () => limited({ groupIds: [groupId] })],
    ['of a product, a group and what he made', () => limited({ groupIds: [groupId], productIds: [rare], own: true })],
    ['of what he made, which is nothing', () => limited({ own: true })],
  ]

  it.each(callers.flatMap(([who, ctx]) => queries.map(([what, query]) => [who, what, ctx, query] as const)))(
    'for a caller %s read no table to its end: %s',
    async (_who, _what, ctx, query) => {
      const plans: string[] = []
      await explained(plans).list(ctx(), await query())
      expect(plans.length).toBeGreaterThan(0)
      for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on device/)
      // The page's own walk ends after a page: it sorts nothing but search results.
      const walk = plans.find(plan => plan.includes('CTE page'))
      expect(walk).toMatch(/Index (Only )?Scan/)
    },
  )

  it.each<[string, () => Ctx]>([
    ...callers,
    ['of the product of nearly all', () => limited({ productIds: [productId] })],
  ])('for a caller %s count without reading a table to its end', async (_who, ctx) => {
    const plans: string[] = []
    const service = explained(plans)
    await service.counts(ctx())
    for (const link of [undefined, 'online', 'offline', 'never'] as const)
      await service.list(ctx(), { total: '1', ...(link ? { link } : {}) })
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on device/)
    // What the functions of the database do is seen in what was read, not in the plan of their caller.
    expect(await wholeReads(() => m.devices.service.counts(ctx()))).toEqual([])
  })

  it('would be noticed if they did', async () => {
    const plans: string[] = []
    await explaining(plans).withTenant(own.ctx, scope => raw(scope, "select 1 from devices where name ilike '%x%'"))
    expect(plans[0]).toMatch(/Seq Scan on device/)
  })

  it.each(callers)('for a caller %s count what his list walks through', async (_who, ctx) => {
    const seen = { total: 0, online: 0, offline: 0, never: 0 }
    let cursor: string | undefined
    do {
      const page = await m.devices.service.list(ctx(), { limit: 1000, ...(cursor ? { cursor } : {}) })
      for (const { link } of page.items) seen[link]++
      seen.total += page.items.length
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(await m.devices.service.counts(ctx())).toMatchObject(seen)
    for (const link of ['online', 'offline', 'never'] as const)
      expect((await m.devices.service.list(ctx(), { link, limit: 1, total: '1' })).total, link).toBe(seen[link])
  })

  it('are not to be had past the company or the scope', async () => {
    const ask = (ctx: Ctx, sql: string, of: string) =>
      m.database
        .withTenant(ctx, scope => raw(scope, sql, [of]))
        .then(
          () => 'answered',
          (error: { cause?: { code?: string }; code?: string }) => error.code ?? error.cause?.code,
        )
    const other = (await company(m.db)).id
    for (const sql of ['select count_company($1, null)', 'select count_scope($1)', 'select scope_devices($1, 9)'])
      expect(await ask(own.ctx, sql, other), sql).toBe('42501')
    expect(await ask(limited({ groupIds: [groupId] }), 'select count_company($1, null)', own.id)).toBe('42501')
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
    expect(counts.total).toBe(FLEET + 1)
  })
})
