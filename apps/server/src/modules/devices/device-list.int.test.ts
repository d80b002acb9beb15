import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal, seen } from '../../db/testing/management.ts'
import { searchQueryOf } from '../../lib/lists/search.ts'
import fc from '../../lib/testing/fast-check.ts'
import { raw } from '../../lib/testing/raw.ts'
import { type DeviceFilter, listDevices } from './device-list.repo.ts'

let m: Management
beforeAll(async () => {
  m = await management()
})

type Query = Parameters<Management['devices']['service']['list']>[1]
const list = (of: Company, query: Query) => m.devices.service.list(of.ctx, query)
const namesOf = async (of: Company, query: Query) => (await list(of, query)).items.map(({ name }) => name)

/** Everything from the first page to the last. */
async function walk(of: Company, query: Query, onPage: () => Promise<void> = async () => {}): Promise<string[]> {
  const names: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 1000; page++) {
    const { items, nextCursor } = await list(of, { ...query, ...(cursor ? { cursor } : {}) })
    names.push(...items.map(({ name }) => name))
    if (!nextCursor) return names
    cursor = nextCursor
    await onPage()
  }
  throw new Error('the list has no end')
}

async function numOf(id: string): Promise<number> {
  return (await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])).rows[0]!.num
}

/** A company with a product and a way to add devices to it. */
async function fleet() {
  const own = await company(m.db)
  const product = await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })
  const add = async (name: string, over: object = {}) =>
    m.devices.service.create(own.ctx, { name, productId: product.id, ...over })
  return { own, product, add }
}

describe('the list of devices', () => {
  it('searches parts of names, numbers and tags in Chinese and English', async () => {
    const { own, add } = await fleet()
    await add('1号温室温度传感器', { deviceNo: 'WS-0001', tags: ['冷链'] })
    await add('2号水泵', { deviceNo: 'pump_2' })
    await add('Boiler Pump 7', { deviceNo: 'B7' })
    await add('ＦＵＬＬ width', { deviceNo: 'F1' })
    const find = (q: string) => namesOf(own, { q, sort: 'createdAt' })
    expect(await find('温度')).toEqual(['1号温室温度传感器'])
    expect(await find('温')).toEqual(['1号温室温度传感器'])
    expect(await find('水泵')).toEqual(['2号水泵'])
    expect(await find('PUMP')).toEqual(['2号水泵', 'Boiler Pump 7'])
    expect(await find('r P')).toEqual(['Boiler Pump 7'])
    expect(await find('ws-0001')).toEqual(['1号温室温度传感器'])
    expect(await find('full')).toEqual(['ＦＵＬＬ width'])
    expect(await find('pump_')).toEqual(['2号水泵'])
    expect(await find('%')).toEqual([])
    // A tag is a filter of its own, and a text is not searched across two fields.
    expect(await find('冷链')).toEqual([])
    expect(await find('器WS')).toEqual([])
    expect(await namesOf(own, { tag: '冷链' })).toEqual(['1号温室温度传感器'])
    expect(await namesOf(own, { tag: '冷' })).toEqual([])
    expect(await namesOf(own, { tag: '冷链', q: '水泵' })).toEqual([])
    expect(await find('   ')).toHaveLength(4)
  })

  it('finds a device under its new name and tags, and no more under the old ones', async () => {
    const { own, add } = await fleet()
    const device = await add('旧名字', { tags: ['old'] })
    await m.devices.service.update(own.ctx, device.id, { version: 1, name: '新称呼', tags: ['new'] })
    expect(await namesOf(own, { q: '旧名' })).toEqual([])
    expect(await namesOf(own, { tag: 'old' })).toEqual([])
    expect(await namesOf(own, { q: '称呼', tag: 'new' })).toEqual(['新称呼'])
    expect(await namesOf(own, { q: device.deviceNo.slice(3, 9).toLowerCase() })).toEqual(['新称呼'])
  })

  it('never finds what another company has', async () => {
    const [a, b] = [await fleet(), await fleet()]
    await a.add('same 名称', { tags: ['t'] })
    const theirs = await b.add('same 名称', { tags: ['t'] })
    for (const query of [
      {},
      { q: '名称' },
      { q: 'same' },
      { q: '名' },
      { tag: 't' },
      { sort: 'lastSeenAt' },
    ] as Query[]) {
      const { items, total } = await list(a.own, { ...query, total: '1' })
      expect([query, items.map(({ id }) => id).includes(theirs.id), total]).toEqual([query, false, 1])
    }
    // Not even by asking the search itself for the other company.
    const { grams, needle } = searchQueryOf(b.own.id, '名称')!
    const foreign = m.database.withTenant(a.own.ctx, scope =>
      raw(scope, 'select search_devices($1, $2, $3, null, false, null, null, null, 10)', [b.own.id, grams, needle]),
    )
    await expect(foreign).rejects.toThrow('outside the company')
  })

  it('filters by product, group with its sub-groups, lifecycle, link and tag, together too', async () => {
    const { own, product, add } = await fleet()
    const other = await m.products.service.create(own.ctx, { name: 'Q', linkType: 'http' })
    const root = await m.groups.service.create(own.ctx, { kind: 'device', name: 'root' })
    const leaf = await m.groups.service.create(own.ctx, { kind: 'device', name: 'leaf', parentId: root.id })
    const on = await add('on', { groupId: leaf.id, tags: ['x'] })
    const off = await add('off', { groupId: root.id, tags: ['x', 'y'] })
    const never = await add('never', { productId: other.id })
    await seen(m.db, await numOf(on.id))
    await seen(m.db, await numOf(off.id), { link: 'offline' })
    await m.devices.lifecycle.disable(own.ctx, off.id)
    const find = (query: Query) => namesOf(own, { sort: 'name', ...query })
    expect(await find({})).toEqual(['never', 'off', 'on'])
    expect(await find({ productId: product.id })).toEqual(['off', 'on'])
    expect(await find({ productId: other.id })).toEqual(['never'])
    expect(await find({ groupId: root.id })).toEqual(['off', 'on'])
    expect(await find({ groupId: leaf.id })).toEqual(['on'])
    expect(await find({ groupId: product.id })).toEqual([])
    expect(await find({ link: 'online' })).toEqual(['on'])
    expect(await find({ link: 'offline' })).toEqual(['off'])
    expect(await find({ link: 'never' })).toEqual(['never'])
    expect(await find({ link: 'lost' })).toEqual([])
    await m.db.superuser.query(
      "update device_presence set last_seen_at = now() - interval '25 hours' where link = 'offline'",
    )
    expect(await find({ link: 'lost' })).toEqual([])
    await m.devices.lifecycle.enable(own.ctx, off.id)
    expect(await find({ link: 'lost' })).toEqual(['off'])
    expect((await list(own, { link: 'lost', total: '1' })).total).toBe(1)
    await m.devices.lifecycle.disable(own.ctx, off.id)
    expect(await find({ lifecycle: 'disabled' })).toEqual(['off'])
    expect(await find({ lifecycle: 'inactive' })).toEqual(['never', 'on'])
    expect(await find({ tag: 'x' })).toEqual(['off', 'on'])
    expect(await find({ tag: 'x', link: 'online', productId: product.id, groupId: root.id, q: 'o' })).toEqual(['on'])
    expect(await find({ tag: 'y', link: 'online' })).toEqual([])
    for (const link of ['online', 'offline', 'never'] as const)
      expect((await list(own, { link, total: '1' })).total).toBe(1)
    await m.devices.lifecycle.remove(own.ctx, on.id)
    await m.devices.lifecycle.remove(own.ctx, never.id)
    for (const link of ['online', 'never'] as const) {
      expect(await list(own, { link, total: '1' })).toEqual({ items: [], nextCursor: null, total: 0 })
      expect(await list(own, { link, lifecycle: 'recycled', total: '1' })).toMatchObject({ total: 1 })
    }
    expect(await m.devices.service.counts(own.ctx)).toEqual({
      total: 1,
      online: 0,
      offline: 1,
      never: 0,
      disabled: 1,
      recycled: 2,
    })
  })

  it('shows those with an open alarm, of any level or of one, and counts alike', async () => {
    const { own, add } = await fleet()
    for (const [name, level] of [
      ['quiet', 0],
      ['warm', 2],
      ['burning', 5],
      ['binned', 5],
    ] as const) {
      const num = await numOf((await add(name)).id)
      await seen(m.db, num)
      await m.db.superuser.query('update device_presence set alarm_level = $2 where device = $1', [num, level])
    }
    await add('unseen')
    const { items } = await list(own, { q: 'binned' })
    await m.devices.lifecycle.remove(own.ctx, items[0]!.id)
    const asked: [Query, string[]][] = [
      [{ alarmLevel: 'any' }, ['burning', 'warm']],
      [{ alarmLevel: '5' }, ['burning']],
      [{ alarmLevel: '3' }, []],
      [{ alarmLevel: 'any', link: 'online' }, ['burning', 'warm']],
      [{ alarmLevel: 'any', link: 'offline' }, []],
      [{ alarmLevel: 'any', link: 'never' }, []],
      [{ alarmLevel: 'any', q: 'ar' }, ['warm']],
      [{ alarmLevel: '5', lifecycle: 'recycled' }, ['binned']],
    ]
    for (const [query, names] of asked)
      for (const sort of ['name', 'createdAt', '-lastSeenAt'] as const)
        expect([query, sort, (await namesOf(own, { ...query, sort })).sort()]).toEqual([query, sort, names])
    for (const [query, names] of asked)
      expect([query, (await list(own, { ...query, total: '1' })).total]).toEqual([query, names.length])
  })

  it('narrows by what its product is and what it runs, with and without a search, and counts alike', async () => {
    const { own, add } = await fleet()
    const make = (over: object) => m.products.service.create(own.ctx, { name: 'Q', linkType: 'tcp', ...over })
    const hall = await m.groups.service.create(own.ctx, { kind: 'device', name: 'hall' })
    const water = await make({ category: 'water', nodeType: 'gateway' })
    await add('pump plain')
    const gate = await add('pump gate', { productId: water.id, groupId: hall.id })
    const runs = (num: number, module: string, version: string) =>
      m.db.superuser.query(
        `insert into device_firmware (device, tenant_id, module, version, reported_at, changed_at)
         values ($1, $2, $3, $4, now(), now())`,
        [num, own.id, module, version],
      )
    await runs(await numOf(gate.id), 'default', '2.1.0')
    await runs(await numOf(gate.id), 'radio', '9.9')
    const asked: [Query, string[]][] = [
      [{ category: 'water' }, ['pump gate']],
      [{ category: 'wat' }, []],
      [{ linkType: 'tcp' }, ['pump gate']],
      [{ linkType: 'mqtt' }, ['pump plain']],
      [{ nodeType: 'gateway' }, ['pump gate']],
      [{ nodeType: 'device' }, ['pump plain']],
      [{ firmware: '2.1.0' }, ['pump gate']],
      [{ firmware: '9.9' }, []],
      [{ firmware: '2.1.0', category: 'water', linkType: 'tcp', nodeType: 'gateway' }, ['pump gate']],
      [{ firmware: '2.1.0', linkType: 'mqtt' }, []],
    ]
    const { items } = await list(own, { category: 'water' })
    expect(items[0]).toMatchObject({ category: 'water', linkType: 'tcp', nodeType: 'gateway', firmware: '2.1.0' })
    for (const [query, names] of asked)
      for (const q of ['', 'pump'])
        expect([query, q, await list(own, { ...query, q, total: '1' })]).toMatchObject([
          query,
          q,
          { items: names.map(name => ({ name })), total: names.length },
        ])
    // Whose data scope has the device and not its product.
    const dataScope = { kind: 'limited' as const, groupIds: [hall.id], productIds: [], own: false }
    const guard = { ...own, ctx: { ...own.ctx, actor: { ...own.ctx.actor, dataScope } as Company['ctx']['actor'] } }
    for (const [query, names] of asked)
      expect([query, await namesOf(guard, query)]).toEqual([query, names.filter(name => name === 'pump gate')])
  })

  it('sorts by last sight; what was never seen comes last, first when ascending', async () => {
    const { own, add } = await fleet()
    const at = Date.UTC(2026, 5, 1)
    for (let i = 0; i < 7; i++) {
      const { id } = await add(`sight ${i}`)
      // Microseconds apart: a position that only knew milliseconds would skip some.
      await seen(m.db, await numOf(id), { lastSeenAt: new Date(at) })
      await m.db.superuser.query(
        'update device_presence set last_seen_at = last_seen_at + make_interval(secs => $2 * 1e-6) where device = $1',
        [await numOf(id), i],
      )
    }
    for (let i = 0; i < 4; i++) await add(`u${i}`)
    const newestFirst = [...[6, 5, 4, 3, 2, 1, 0].map(i => `sight ${i}`), 'u3', 'u2', 'u1', 'u0']
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      expect(await walk(own, { sort: '-lastSeenAt', limit })).toEqual(newestFirst)
      expect(await walk(own, { sort: 'lastSeenAt', limit })).toEqual(newestFirst.toReversed())
    }
    expect(await walk(own, { sort: '-lastSeenAt', limit: 2, q: 'sight' })).toEqual(newestFirst.slice(0, 7))
    expect(await walk(own, { sort: '-lastSeenAt', limit: 2, link: 'never' })).toEqual(newestFirst.slice(7))
  })

  it('gives every device once on its pages, in every order', async () => {
    const { own, add } = await fleet()
    const names = Array.from({ length: 23 }, (_, i) => `${i % 3 === 0 ? '同名' : `n${i}`}`)
    for (const name of names) await add(name)
    // All made in the same instant, as an import does.
    await m.db.superuser.query('update devices set created_at = $2 where tenant_id = $1', [own.id, new Date()])
    for (const sort of ['createdAt', '-createdAt', 'name', '-name']) {
      const walked = await walk(own, { sort, limit: 4 })
      expect(walked.toSorted()).toEqual(names.toSorted())
      if (sort === 'name') expect(walked).toEqual(names.toSorted())
    }
    expect((await list(own, { limit: 5, total: '1' })).total).toBe(23)
  })

  it('stays stable while devices are added and removed', async () => {
    const { own, add } = await fleet()
    const first = []
    for (let i = 0; i < 12; i++) first.push(await add(`kept ${String(i).padStart(2, '0')}`))
    let added = 0
    const disturb = async () => {
      await add(`added ${added++}`)
    }
    for (const sort of ['-createdAt', 'createdAt', 'name', '-name', '-lastSeenAt']) {
      const walked = await walk(own, { sort, limit: 3 }, disturb)
      const kept = walked.filter(name => name.startsWith('kept'))
      expect(kept.toSorted()).toEqual(first.map(({ name }) => name).toSorted())
      expect(new Set(walked).size).toBe(walked.length)
    }
    // The device at the position itself goes: the next page follows all the same.
    const { nextCursor, items } = await list(own, { sort: 'name', limit: 3, q: 'kept' })
    await m.devices.lifecycle.remove(own.ctx, items[2]!.id)
    expect(await namesOf(own, { sort: 'name', limit: 3, q: 'kept', cursor: nextCursor! })).toEqual([
      'kept 03',
      'kept 04',
      'kept 05',
    ])
  })

  it('answers the same whether the found devices are carried or walked past', async () => {
    const { own, add } = await fleet()
    for (let i = 0; i < 20; i++) {
      const { id } = await add(i % 4 ? `泵 ${i}` : `阀 ${i}`, { tags: i % 2 ? ['odd'] : [] })
      if (i % 3) await seen(m.db, await numOf(id), { link: i % 5 ? 'online' : 'offline' })
    }
    const ask = (over: Partial<DeviceFilter>, key: 'createdAt' | 'name' | 'lastSeenAt', searchBound: number) =>
      m.database.withTenant(own.ctx, async scope => {
        const filter = { tenantId: own.id, recycled: false, searchBound, ...over }
        const { rows, total } = await listDevices(scope, filter, { key, descending: true }, null, 50, true)
        return [rows.map(({ name }) => name), total]
      })
    for (const key of ['createdAt', 'name', 'lastSeenAt'] as const) {
      for (const over of [
        { search: searchQueryOf(own.id, '泵') },
        { search: searchQueryOf(own.id, '泵 1'), link: 'online' as const },
        { search: searchQueryOf(own.id, '', 'odd'), tag: 'odd' },
        { search: searchQueryOf(own.id, '泵', 'odd'), tag: 'odd', link: 'never' as const },
      ]) {
        const carried = await ask(over, key, 10_000)
        expect(carried[0]).not.toEqual([])
        expect(await ask(over, key, 0)).toEqual(carried)
      }
    }
  })

  it('refuses positions that are made up or belong to another order', async () => {
    const { own, add } = await fleet()
    for (let i = 0; i < 3; i++) await add(`x${i}`)
    const cursorOf = (values: unknown) => Buffer.from(JSON.stringify(values)).toString('base64url')
    const { nextCursor } = await list(own, { limit: 1 })
    for (const [query, cursor] of [
      [{}, 'nonsense'],
      [{}, cursorOf([])],
      [{}, cursorOf(['-createdAt', 'all', 'not a time', 1])],
      [{}, cursorOf(['-createdAt', 'all', '2026-99-99 00:00:00+00', 1])],
      [{}, cursorOf(['-createdAt', 'all', '2026-01-01 00:00:00+00', 9e9])],
      [{}, cursorOf(['-createdAt', 'toString', '2026-01-01 00:00:00+00', 1])],
      [{}, cursorOf(['-createdAt', 'seen', '2026-01-01 00:00:00+00', 1])],
      [{}, cursorOf(['-createdAt', ['all'], { a: 1 }, '1'])],
      [{ sort: 'name' }, cursorOf(['name', 'all', 'a\0b', 1])],
      [{ sort: 'name' }, nextCursor!],
      [{ link: 'never' }, nextCursor!],
    ] as [Query, string][]) {
      expect((await refusal(list(own, { ...query, cursor }))).code).toBe('request.cursor_invalid')
    }
    expect((await refusal(list(own, { sort: '-secretHash' }))).code).toBe('request.sort_invalid')
  })
})

describe('names of every kind', () => {
  const NAUGHTY = [
    '\u202Egnp.exe',
    'a\u200Bb\u200Db\uFEFF',
    '👩‍👩‍👧‍👦🏳️‍🌈',
    '𠜎𠜱𠝹 泵',
    'Ṱ̺̺̕o͞ ̷i̲̬n͝v̖̘o̶̙k̲͔e͎͖',
    'é vs e\u0301',
    "Robert'); DROP TABLE devices;--",
    '<script>alert(1)</script>',
    '#{7*7}{{7*7}}%0d%0aSet-Cookie:x',
    '__proto__',
    'constructor',
    'null',
    '\\',
    '"',
    '\t\u0001\u001b[31m',
    '\uFFFE\uFFFF',
    'ﷺ'.repeat(20),
    'İstanbul ßẞ ΣΑΣ',
    ' leading and trailing ',
    '%_%',
    '- ',
    '０１２３',
    'ٱلْعَرَبِيَّة',
  ]

  it('are kept to the byte, listed and found', async () => {
    const { own, add } = await fleet()
    for (const name of NAUGHTY) {
      const { id } = await add(name, { description: name, tags: [name.slice(0, 32)] })
      const device = await m.devices.service.get(own.ctx, id)
      expect([device.name, device.description, device.tags]).toEqual([name, name, [name.slice(0, 32)]])
      expect(await namesOf(own, { q: name, limit: 100 })).toContain(name)
      expect(await namesOf(own, { tag: name.slice(0, 32) })).toContain(name)
    }
    expect((await walk(own, { sort: 'name', limit: 2 })).toSorted()).toEqual(NAUGHTY.toSorted())
    expect((await walk(own, { sort: '-name', limit: 1 })).toSorted()).toEqual(NAUGHTY.toSorted())
  })

  it('drawn at random too', async () => {
    const { own, add } = await fleet()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }), async drawn => {
        const name = drawn.replaceAll('\0', '') || 'x'
        const { id } = await add(name)
        expect((await m.devices.service.get(own.ctx, id)).name).toBe(name)
        expect((await list(own, { q: name, limit: 100 })).items.map(item => item.id)).toContain(id)
      }),
      { numRuns: 25 },
    )
    await walk(own, { sort: 'name', limit: 1 })
  })
})
