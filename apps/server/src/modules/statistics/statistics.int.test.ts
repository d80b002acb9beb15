import type { Permission } from '@thingwright/contracts/permissions'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { AttentionSource } from '../../lib/attention.ts'
import type { Ctx } from '../../lib/context.ts'
import { silentLogger } from '../../lib/log.ts'
import { personId } from '../../lib/person.ts'
import { createStatisticsModule, type StatisticsModule } from './statistics.module.ts'

const HOUR = 3_600_000
/** In the middle of a short step, half an hour into its hour. */
const NOW = Date.UTC(2026, 4, 6, 10, 32, 0)

let m: Management
let own: Company
let statistics: StatisticsModule
let now = NOW
let sources: AttentionSource[] = []
beforeAll(async () => {
  m = await management()
  statistics = createStatisticsModule({
    database: m.database,
    logger: silentLogger,
    now: () => now,
    attention: () => sources,
  })
})
beforeEach(async () => {
  own = await company(m.db)
  now = NOW
  sources = []
})

interface Made {
  id: string
  num: number
  groupId: string | null
}

async function device(groupId: string | null, productId: string, ctx: Ctx = own.ctx): Promise<Made> {
  const made = await m.devices.service.create(ctx, { productId, name: 'pump', ...(groupId ? { groupId } : {}) })
  const { rows } = await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [made.id])
  await m.db.superuser.query('update devices set created_at = $2 where id = $1', [made.id, new Date(NOW - 30 * HOUR)])
  return { id: made.id, num: rows[0]!.num, groupId }
}

const fleet = async () => {
  const product = await m.products.service.create(own.ctx, { name: 'pumps', linkType: 'mqtt' })
  const north = await m.groups.service.create(own.ctx, { kind: 'device', name: 'north' })
  const south = await m.groups.service.create(own.ctx, { kind: 'device', name: 'south' })
  return { product, north, south, a: await device(north.id, product.id), b: await device(south.id, product.id) }
}

const seen = (made: Made, link: 'online' | 'offline', at: number) =>
  m.db.superuser.query(
    `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at) values ($1, $2, $3, $4, $4)
     on conflict (device) do update set link = excluded.link, last_seen_at = excluded.last_seen_at`,
    [made.num, own.id, link, new Date(at)],
  )
const sent = (made: Made, at: number, messages: number) =>
  m.db.superuser.query(
    `insert into device_stats (device, hour, messages) values ($1, $2, $3)
     on conflict (device, hour) do update set messages = excluded.messages`,
    [made.num, Math.floor(at / HOUR), messages],
  )

/** The same caller, who sees one group only. */
function limitedTo(ctx: Ctx, ...groupIds: string[]): Ctx {
  if (ctx.actor.kind !== 'member') throw new Error('a member was expected')
  return { ...ctx, actor: { ...ctx.actor, dataScope: { kind: 'limited', groupIds, productIds: [], own: false } } }
}
/** The same caller with these rights. */
function allowed(ctx: Ctx, ...rights: Permission[]): Ctx {
  if (ctx.actor.kind !== 'member') throw new Error('a member was expected')
  return { ...ctx, actor: { ...ctx.actor, permissions: new Set(rights) } }
}
const at = (ctx: Ctx): Ctx => ({ ...ctx, now })

describe('samples of a fleet', () => {
  it('count each message once, however often a step is looked at, and what came late into its hour', async () => {
    const { a } = await fleet()
    await seen(a, 'online', now)
    await sent(a, now, 10)
    await statistics.sampler.sample(own.id)
    now += 60_000
    await sent(a, now, 14)
    await statistics.sampler.sample(own.id)
    now += 5 * 60_000
    await sent(a, now, 20)
    await statistics.sampler.sample(own.id)
    const shorts = await statistics.service.trends(at(own.ctx), { from: now - HOUR, to: now + 1 })
    expect(shorts.now.messages).toEqual([14, 6])
    // The hour ended; three more were counted after the last look at it.
    await sent(a, now, 23)
    now = NOW - (NOW % HOUR) + HOUR + 30_000
    await seen(a, 'online', now)
    await statistics.sampler.sample(own.id)
    const hours = await statistics.service.trends(at(own.ctx), { from: now - 72 * HOUR, to: now })
    expect(hours.stepMs).toBe(HOUR)
    expect(hours.now.messages).toEqual([23, 0])
  })

  it('tell how many are there, online, new, and lost a day ago', async () => {
    const { a, b, product, north } = await fleet()
    await seen(a, 'online', now)
    await seen(b, 'offline', now - 24 * HOUR - 30_000)
    const fresh = await device(north.id, product.id)
    await m.db.superuser.query('update devices set created_at = $2 where id = $1', [fresh.id, new Date(now - 1_000)])
    await statistics.sampler.sample(own.id)
    now += 1
    const facts = await statistics.service.facts(at(own.ctx))
    expect(facts).toMatchObject({
      devices: { value: 3, before: null },
      online: { value: 1 },
      created: { value: 1 },
      lost: { value: 1 },
    })
  })

  it('are cut by data scope: a member sees figures, products and talkers of his devices alone', async () => {
    const { a, b, north, product } = await fleet()
    for (const [made, messages] of [
      [a, 10],
      [b, 500],
    ] as const) {
      await seen(made, 'online', now)
      await sent(made, now, messages)
    }
    await statistics.sampler.sample(own.id)
    now += 1
    const span = { from: now - HOUR, to: now }
    const whole = at(own.ctx)
    const narrow = limitedTo(whole, north.id)
    expect((await statistics.service.facts(whole)).messages.value).toBe(510)
    expect((await statistics.service.facts(narrow)).messages.value).toBe(10)
    expect((await statistics.service.facts(narrow)).devices.value).toBe(1)
    expect((await statistics.service.trends(narrow, span)).now.messages).toEqual([10])
    expect((await statistics.service.distribution(narrow, { by: 'product' })).items).toMatchObject([
      { id: product.id, devices: 1, online: 1 },
    ])
    expect((await statistics.service.talkers(whole, span)).items.map(item => item.deviceId)).toEqual([b.id, a.id])
    expect((await statistics.service.talkers(narrow, span)).items.map(item => item.deviceId)).toEqual([a.id])
    const nothing = limitedTo(whole)
    expect((await statistics.service.facts(nothing)).devices.value).toBe(0)
    expect((await statistics.service.talkers(nothing, span)).items).toEqual([])
  })

  it('tell where devices are, what they run and whose SIM cards they have, each within the data scope', async () => {
    const { a, b, north } = await fleet()
    await seen(a, 'online', now)
    const place = (made: Made, lng: number, lat: number) =>
      m.db.superuser.query('update devices set location = $2 where id = $1', [made.id, { lng, lat }])
    await place(a, 118.1, 24.48)
    await place(b, 139.7, 35.7)
    for (const [made, version] of [
      [a, 'v2'],
      [b, 'v1'],
    ] as const)
      await m.db.superuser.query(
        `insert into device_firmware (device, module, tenant_id, version, reported_at, changed_at)
         values ($1, 'default', $2, $3, now(), now())`,
        [made.num, own.id, version],
      )
    const account = await m.db.superuser.query<{ id: string }>(
      `insert into carrier_accounts (id, tenant_id, name, carrier, kind, base_url, account, secrets_cipher)
       values (gen_random_uuid(), $1, 'Mobile', 'cmcc', 'onelink', 'https://carrier.test', 'pumps', '')
       returning id`,
      [own.id],
    )
    await m.db.superuser.query(
      `insert into sim_cards (id, tenant_id, account_id, account_name, carrier, kind, iccid, device_id)
       values (gen_random_uuid(), $1, $2, 'Mobile', 'cmcc', 'onelink', '89860000000000000001', $3)`,
      [own.id, account.rows[0]!.id, a.id],
    )
    const whole = at(own.ctx)
    const of = async (ctx: Ctx, by: 'province' | 'firmware' | 'carrier') =>
      (await statistics.service.distribution(ctx, { by })).items.map(({ name, ename, devices, online }) => [
        ename ?? name,
        devices,
        online,
      ])
    expect(new Set(await of(whole, 'province'))).toEqual(
      new Set([
        ['Fujian', 1, 1],
        ['', 1, 0],
      ]),
    )
    expect(new Set(await of(whole, 'firmware'))).toEqual(
      new Set([
        ['v1', 1, 0],
        ['v2', 1, 1],
      ]),
    )
    expect(await of(whole, 'carrier')).toEqual([['cmcc', 1, 1]])
    const narrow = limitedTo(whole, north.id)
    expect(await of(narrow, 'province')).toEqual([['Fujian', 1, 1]])
    expect(await of(narrow, 'firmware')).toEqual([['v2', 1, 1]])
    expect(await of(limitedTo(whole), 'carrier')).toEqual([])
    // Of the whole company they are counted once a minute.
    await place(b, 118.1, 24.48)
    expect(await of(at(own.ctx), 'province')).toHaveLength(2)
    now += 60_000
    expect(await of(at(own.ctx), 'province')).toEqual([['Fujian', 2, 1]])
  })

  it('belong to one company', async () => {
    const { a } = await fleet()
    await seen(a, 'online', now)
    await statistics.sampler.sample(own.id)
    const other = await company(m.db)
    now += 1
    expect(await statistics.service.facts(at(other.ctx))).toMatchObject({
      devices: { value: 0 },
      messages: { value: 0 },
    })
  })

  it('of a small fleet are taken when somebody looks, at most every five seconds; a large one waits for its turn', async () => {
    const { a } = await fleet()
    await seen(a, 'online', now)
    now += 1
    const online = async () => (await statistics.service.facts(at(own.ctx))).online.value
    expect(await online()).toBe(1)
    await seen(a, 'offline', now)
    expect(await online()).toBe(1)
    now += 5_000
    expect(await online()).toBe(0)
    await m.db.superuser.query("update tenant_usage set used = 1001 where tenant_id = $1 and kind = 'devices'", [
      own.id,
    ])
    await seen(a, 'online', now)
    now += 5_000
    expect(await online()).toBe(0)
    await statistics.sampler.sample(own.id)
    expect(await online()).toBe(1)
  })

  it('of the companies behind one whose sample fails are taken all the same', async () => {
    await fleet()
    const first = own
    own = await company(m.db)
    const behind = await fleet()
    await sent(behind.a, now, 5)
    const refused = `check (tenant_id <> '${first.id}') not valid`
    await m.db.superuser.query(`alter table fleet_samples add constraint first_refused ${refused}`)
    await expect(statistics.sampler.sample(first.id)).rejects.toThrow('first_refused')
    await statistics.sampler.sampleAll()
    await m.db.superuser.query('alter table fleet_samples drop constraint first_refused')
    now += 1
    expect(await statistics.service.facts(at(own.ctx))).toMatchObject({ messages: { value: 5 } })
  })

  it('are thrown away when their time is over', async () => {
    const { a } = await fleet()
    await seen(a, 'online', now)
    await statistics.sampler.sample(own.id)
    const count = async () =>
      (await m.db.superuser.query('select 1 from fleet_samples where tenant_id = $1', [own.id])).rowCount
    const [sweep] = statistics.sweeps ?? []
    await sweep!.run(now + 3 * 24 * HOUR)
    expect(await count()).toBe(6)
    await sweep!.run(now + 5 * 24 * HOUR)
    expect(await count()).toBe(3)
    await sweep!.run(now + 93 * 24 * HOUR)
    expect(await count()).toBe(0)
  })
})

describe('the overview', () => {
  it('refuses a span that is none, or longer than 31 days', async () => {
    for (const from of [now, now - 32 * 24 * HOUR])
      await expect(statistics.service.trends(own.ctx, { from, to: now })).rejects.toMatchObject({
        code: 'request.malformed',
      })
  })

  it('answers of times that PostgreSQL does not know, and refuses talkers of a span that is none', async () => {
    const ofOld = { from: -6_685_712_290_874_147, to: -6_685_712_290_874_146 }
    await expect(statistics.service.talkers(own.ctx, ofOld)).resolves.toEqual({ items: [] })
    await expect(statistics.service.trends(own.ctx, { ...ofOld, before: '1' })).resolves.toMatchObject(ofOld)
    await expect(statistics.service.talkers(own.ctx, { from: NOW, to: NOW })).rejects.toMatchObject({
      code: 'request.malformed',
    })
  })

  it('keeps how each person arranged it', async () => {
    const layout = { order: ['quotas', 'facts'], hidden: ['facts'] }
    await m.db.superuser.query(
      "insert into logins (id, tenant_id, kind, username) values ($1::uuid, $2, 'member', $1::text)",
      [personId(own.ctx.actor), own.id],
    )
    await statistics.service.arrange(own.ctx, layout)
    expect(await statistics.service.layout(own.ctx)).toEqual({ layout })
    const other = await company(m.db)
    expect(await statistics.service.layout(other.ctx)).toEqual({ layout: null })
    await statistics.service.arrange(own.ctx, null)
    expect(await statistics.service.layout(own.ctx)).toEqual({ layout: null })
  })

  it('asks for what needs somebody only those sources that he may read, and stands when one fails', async () => {
    const item = { kind: 'quota_near', params: {}, count: 1, at: null, link: '/' } as const
    sources = [
      { permission: 'device:read', find: async () => [{ ...item, level: 'warning' }] },
      { permission: 'firmware:read', find: async () => Promise.reject(new Error('away')) },
      { permission: 'company:read', find: async () => [{ ...item, level: 'critical' }], wholeCompany: true },
    ]
    const reader = allowed(own.ctx, 'device:read', 'firmware:read', 'company:read')
    const levels = async (ctx: Ctx) => (await statistics.service.attention(ctx)).items.map(({ level }) => level)
    expect(await levels(reader)).toEqual(['critical', 'warning'])
    expect(await levels(limitedTo(reader))).toEqual(['warning'])
    expect(await levels(allowed(own.ctx, 'company:read'))).toEqual(['critical'])
  })

  it('tells of devices that have been silent for a day, to each caller of his own', async () => {
    const { a, b, north } = await fleet()
    await seen(a, 'offline', now - 25 * HOUR)
    await seen(b, 'offline', now - 26 * HOUR)
    sources = [...(m.devices.attention ?? [])]
    const reader = allowed(at(own.ctx), 'device:read')
    const counts = async (ctx: Ctx) => (await statistics.service.attention(ctx)).items.map(item => item.count)
    expect(await counts(reader)).toEqual([2])
    expect(await counts(limitedTo(reader, north.id))).toEqual([1])
    await seen(a, 'online', now)
    expect(await counts(reader)).toEqual([1])
  })
})
