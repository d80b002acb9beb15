import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal, seen } from '../../db/testing/management.ts'
import type { Ctx, DataScope } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { raw } from '../../lib/testing/raw.ts'
import { authoriseDevice, authoriseDevices } from './devices.access.ts'

/**
 * What a member with a limited data scope sees and may change. North and its cellar are his; south is not. Product A has
 * devices in both, product B in the south only.
 */
let m: Management
let own: Company
let north: string
let cellar: string
let south: string
let a: string
let b: string
let north1: string
let south1: string
let south2: string
let loose: string

beforeAll(async () => {
  m = await management()
})
beforeEach(async () => {
  own = await company(m.db)
  const group = async (name: string, parentId: string | null = null) =>
    (await m.groups.service.create(own.ctx, { kind: 'device', name, parentId })).id
  north = await group('North')
  cellar = await group('Cellar', north)
  south = await group('South')
  const product = async (name: string) => (await m.products.service.create(own.ctx, { name, linkType: 'mqtt' })).id
  a = await product('A')
  b = await product('B')
  const device = async (name: string, productId: string, groupId?: string) =>
    (await m.devices.service.create(own.ctx, { name, productId, ...(groupId ? { groupId } : {}) })).id
  north1 = await device('thing north 1', a, north)
  await device('thing cellar 1', a, cellar)
  south1 = await device('thing south 1', a, south)
  south2 = await device('thing south 2', b, south)
  loose = await device('thing loose', b)
  // All but the cellar's device are connected.
  for (const id of [north1, south1, south2, loose]) await seen(m.db, await num(id))
})

const num = async (id: string): Promise<number> =>
  (await m.db.superuser.query('select num from devices where id = $1', [id])).rows[0].num

function as(scope: Partial<Extract<DataScope, { kind: 'limited' }>>, loginId = newId()): Ctx {
  const dataScope: DataScope = { kind: 'limited', groupIds: [], productIds: [], own: false, ...scope }
  const { ctx } = own
  return { ...ctx, actor: { ...ctx.actor, loginId, dataScope } as Ctx['actor'] }
}
const devicesOf = async (ctx: Ctx, query = {}) => {
  const { items, total } = await m.devices.service.list(ctx, { sort: 'name', total: '1', ...query })
  expect(total, 'the count says what the list shows').toBe(items.length)
  return items.map(item => item.name)
}
const productsOf = async (ctx: Ctx) => {
  const { items, total } = await m.products.service.list(ctx, { sort: 'name', total: '1' })
  expect(total).toBe(items.length)
  return items.map(item => item.name)
}

describe('a caller limited to groups', () => {
  it('sees the devices of these groups and of everything below, with their product’s name', async () => {
    const ctx = as({ groupIds: [north] })
    expect(await devicesOf(ctx)).toEqual(['thing cellar 1', 'thing north 1'])
    expect((await m.devices.service.get(ctx, north1)).productName).toBe('A')
    for (const id of [south1, south2, loose])
      expect((await refusal(m.devices.service.get(ctx, id))).code).toBe('device.not_found')
    expect(await devicesOf(as({ groupIds: [cellar] }))).toEqual(['thing cellar 1'])
  })

  it.each<[string, object, string[]]>([
    ['a search', { q: 'thing' }, ['thing cellar 1', 'thing north 1']],
    ['a search that meets foreign ones only', { q: 'south' }, []],
    ['connected ones', { link: 'online' }, ['thing north 1']],
    ['never seen ones', { link: 'never' }, ['thing cellar 1']],
    ['by last sight', { sort: '-lastSeenAt' }, ['thing north 1', 'thing cellar 1']],
    ['a search among connected ones', { q: 'thing', link: 'online' }, ['thing north 1']],
  ])('finds within them only: %s', async (_, query, names) => {
    expect(await devicesOf(as({ groupIds: [north] }), query)).toEqual(names)
  })

  it('asking for a foreign group gets nothing', async () => {
    expect(await devicesOf(as({ groupIds: [north] }), { groupId: south })).toEqual([])
  })

  it('counts what he sees, by state, by group and by product', async () => {
    const ctx = as({ groupIds: [north] })
    expect(await m.devices.service.counts(ctx)).toEqual({
      total: 2,
      online: 1,
      offline: 0,
      never: 1,
      disabled: 0,
      recycled: 0,
    })
    const groups = (await m.groups.service.list(ctx, { kind: 'device' })).items
    expect(Object.fromEntries(groups.map(group => [group.name, group.count]))).toEqual({
      North: 1,
      Cellar: 1,
    })
    const products = (await m.products.service.list(ctx, {})).items
    expect(products.map(({ name, deviceCount, onlineCount }) => [name, deviceCount, onlineCount])).toEqual([
      ['A', 2, 1],
    ])
  })

  it('is given the numbers of no other device for telemetry and live topics', async () => {
    const ctx = as({ groupIds: [north] })
    const asked = await m.database.withTenant(ctx, scope => authoriseDevices(scope, [north1, south1, loose]))
    expect(asked.devices.map(device => device.id)).toEqual([north1])
    const one = m.database.withTenant(ctx, scope => authoriseDevice(scope, south1))
    expect((await refusal(one)).code).toBe('device.not_found')
  })

  it('adds devices of any product of the company, but only into his groups', async () => {
    const ctx = as({ groupIds: [north] })
    await m.devices.service.create(ctx, { name: 'new', productId: b, groupId: cellar })
    expect(await devicesOf(ctx, { q: 'new' })).toEqual(['new'])
    for (const groupId of [south, undefined]) {
      const attempt = m.devices.service.create(ctx, {
        name: 'gone astray',
        productId: b,
        ...(groupId ? { groupId } : {}),
      })
      expect((await refusal(attempt)).code).toBe('scope.outside')
    }
    expect(await devicesOf(own.ctx, { q: 'gone astray' })).toEqual([])
  })

  it('chooses from all published products of his company, as names, and from nobody else’s', async () => {
    const ctx = as({ groupIds: [north] })
    await m.products.service.create(own.ctx, { name: 'Draft', linkType: 'mqtt', draft: true })
    await m.products.service.remove(
      own.ctx,
      (await m.products.service.create(own.ctx, { name: 'Gone', linkType: 'mqtt' })).id,
    )
    const other = await company(m.db)
    await m.products.service.create(other.ctx, { name: 'B of another', linkType: 'mqtt' })
    const names = async (q?: string) => (await m.products.service.catalogue(ctx, q)).items.map(({ name }) => name)
    await m.products.service.create(own.ctx, { name: 'Boiler', linkType: 'mqtt' })
    expect(await names()).toEqual(['A', 'B', 'Boiler'])
    expect(await names('ｂoil')).toEqual(['Boiler'])
    expect(await names('nothing')).toEqual([])
    const [choice] = (await m.products.service.catalogue(ctx, 'boil')).items
    expect(Object.keys(choice!).toSorted()).toEqual(['icon', 'id', 'linkType', 'name', 'productKey'])
    // A name to choose is not a right to look inside.
    expect((await refusal(m.products.service.get(ctx, b))).code).toBe('product.not_found')
  })

  it('moves devices within his groups, and neither out of them nor into none', async () => {
    const ctx = as({ groupIds: [north] })
    await m.devices.service.update(ctx, north1, { version: 1, groupId: cellar })
    for (const groupId of [south, null])
      expect((await refusal(m.devices.service.update(ctx, north1, { version: 2, groupId }))).code).toBe('scope.outside')
    expect((await m.devices.service.get(own.ctx, north1)).groupId).toBe(cellar)
  })

  it('changes no product that he only sees because of his devices', async () => {
    const ctx = as({ groupIds: [north] })
    expect(await productsOf(ctx)).toEqual(['A'])
    expect((await refusal(m.products.service.update(ctx, a, { version: 1, name: 'mine' }))).code).toBe('scope.outside')
    expect((await refusal(m.products.service.update(ctx, b, { version: 1, name: 'mine' }))).code).toBe(
      'product.not_found',
    )
    expect((await refusal(m.products.service.create(ctx, { name: 'C', linkType: 'mqtt' }))).code).toBe('scope.outside')
  })

  it('cannot widen his scope by moving groups: neither a foreign branch into his, nor his root away', async () => {
    const ctx = as({ groupIds: [north] })
    const group = m.groups.service
    const [gone, outside] = ['group.not_found', 'scope.outside']
    const attempts: [string, string, () => Promise<unknown>][] = [
      ['foreign branch in', gone, () => group.update(ctx, south, { version: 1, parentId: north })],
      ['foreign renamed', gone, () => group.update(ctx, south, { version: 1, name: 'mine' })],
      ['foreign removed', gone, () => group.remove(ctx, south)],
      ['own root below a foreign one', outside, () => group.update(ctx, north, { version: 1, parentId: south })],
      ['own branch to the top', outside, () => group.update(ctx, cellar, { version: 1, parentId: null })],
      ['a new root', outside, () => group.create(ctx, { kind: 'device', name: 'root' })],
      ['below a foreign one', gone, () => group.create(ctx, { kind: 'device', name: 'below', parentId: south })],
    ]
    for (const [what, code, attempt] of attempts) expect((await refusal(attempt())).code, what).toBe(code)
    const inside = await group.create(ctx, { kind: 'device', name: 'shelf', parentId: cellar })
    await group.update(ctx, inside.id, { version: 1, parentId: north })
    await m.devices.service.update(ctx, north1, { version: 1, groupId: inside.id })
    expect(await devicesOf(ctx)).toEqual(['thing cellar 1', 'thing north 1'])
  })

  it('sees the groups of his scope as if there were no others: by name, as a tree, and beside devices', async () => {
    const names = async (ctx: Ctx) =>
      (await m.groups.service.list(ctx, { kind: 'device' })).items.map(({ name, parentId }) => [name, parentId])
    expect(await names(as({ groupIds: [cellar] }))).toEqual([['Cellar', null]])
    expect(await names(as({ groupIds: [north] }))).toEqual([
      ['North', null],
      ['Cellar', north],
    ])
    expect(await names(as({ productIds: [b] }))).toEqual([])
    expect(await names(as({ own: true }))).toEqual([])
    // A device that he sees for its product stands in a group that he does not see.
    const { items } = await m.devices.service.list(as({ productIds: [b] }), {})
    expect(items.map(({ name, groupName }) => [name, groupName])).toContainEqual(['thing south 2', null])
  })

  it('changes the top of what he sees without moving it, wherever it stands in the whole', async () => {
    const ctx = as({ groupIds: [cellar] })
    const renamed = await m.groups.service.update(ctx, cellar, { version: 1, name: 'Vault', parentId: null })
    expect(renamed).toMatchObject({ name: 'Vault', parentId: null })
    const { items } = await m.groups.service.list(own.ctx, { kind: 'device' })
    expect(items.find(({ id }) => id === cellar)).toMatchObject({ name: 'Vault', parentId: north })
    // How deep it stands is counted from the company's root, not from his.
    let parentId: string = cellar
    for (let level = 3; level <= 8; level++)
      parentId = (await m.groups.service.create(ctx, { kind: 'device', name: `level ${level}`, parentId })).id
    expect((await refusal(m.groups.service.create(ctx, { kind: 'device', name: '9', parentId }))).code).toBe(
      'group.too_deep',
    )
  })

  it('cannot do past the code what the code refuses', async () => {
    const ctx = as({ groupIds: [north] })
    const seen = await m.database.withTenant(ctx, scope =>
      raw<{ name: string }>(scope, 'select name from groups order by name'),
    )
    expect(seen.rows.map(row => row.name)).toEqual(['Cellar', 'North'])
    const ask = (sql: string, params: unknown[]) => m.database.withTenant(ctx, scope => raw(scope, sql, params))
    expect((await ask('update groups set parent_id = $1 where id = $2', [north, south])).rowCount).toBe(0)
    expect((await ask('update devices set group_id = $1 where id = $2', [north, south1])).rowCount).toBe(0)
    expect((await ask('delete from devices where id = $1', [south1])).rowCount).toBe(0)
    expect((await ask('select 1 from devices where tenant_id is not null', [])).rowCount).toBe(2)
    expect((await ask('select 1 from shadow_desired', [])).rowCount).toBe(0)
  })
})

describe('a caller limited to products', () => {
  it('sees these products and their devices, wherever they stand', async () => {
    const ctx = as({ productIds: [b] })
    expect(await devicesOf(ctx)).toEqual(['thing loose', 'thing south 2'])
    expect(await productsOf(ctx)).toEqual(['B'])
    await m.products.service.update(ctx, b, { version: 1, name: 'B2' })
    await m.devices.service.create(ctx, { name: 'new', productId: b })
    expect((await refusal(m.devices.service.create(ctx, { name: 'new', productId: a }))).code).toBe('scope.outside')
  })

  it('of a group of products sees what is in it', async () => {
    const group = await m.groups.service.create(own.ctx, { kind: 'product', name: 'pumps' })
    await m.products.service.update(own.ctx, b, { version: 1, groupId: group.id })
    const ctx = as({ groupIds: [group.id] })
    expect(await productsOf(ctx)).toEqual(['B'])
    expect(await devicesOf(ctx)).toEqual(['thing loose', 'thing south 2'])
    await m.products.service.create(ctx, { name: 'C', linkType: 'mqtt', groupId: group.id })
    expect(await productsOf(ctx)).toEqual(['B', 'C'])
    expect((await refusal(m.products.service.update(ctx, b, { version: 2, groupId: null }))).code).toBe('scope.outside')
  })

  it('removes no product whose devices he cannot see', async () => {
    const me = newId()
    const ctx = as({ own: true }, me)
    const product = await m.products.service.create(ctx, { name: 'mine', linkType: 'mqtt' })
    await m.devices.service.create(own.ctx, { name: 'theirs', productId: product.id })
    expect(await devicesOf(ctx)).toEqual([])
    expect((await refusal(m.products.service.remove(ctx, product.id))).code).toBe('product.has_devices')
  })
})

describe('a caller limited to what he made', () => {
  it('sees exactly that', async () => {
    const me = newId()
    const ctx = as({ own: true }, me)
    expect(await devicesOf(ctx)).toEqual([])
    await m.devices.service.create(ctx, { name: 'mine', productId: a, groupId: south })
    expect(await devicesOf(ctx)).toEqual(['mine'])
    expect(await devicesOf(as({ own: true }))).toEqual([])
    expect(await productsOf(ctx)).toEqual(['A'])
  })
})

describe('scopes together', () => {
  it('are a union', async () => {
    expect(await devicesOf(as({ groupIds: [cellar], productIds: [b] }))).toEqual([
      'thing cellar 1',
      'thing loose',
      'thing south 2',
    ])
  })

  it('of nothing show nothing', async () => {
    expect(await devicesOf(as({}))).toEqual([])
    expect(await productsOf(as({}))).toEqual([])
    expect((await m.devices.service.counts(as({}))).total).toBe(0)
  })

  it('never reach another company, whatever ids stand in them', async () => {
    const other = await company(m.db)
    const product = await m.products.service.create(other.ctx, { name: 'secret', linkType: 'mqtt' })
    const group = await m.groups.service.create(other.ctx, { kind: 'device', name: 'secret' })
    await m.devices.service.create(other.ctx, { name: 'secret', productId: product.id, groupId: group.id })
    const ctx = as({ productIds: [product.id], groupIds: [group.id] })
    expect(await devicesOf(ctx)).toEqual([])
    expect(await productsOf(ctx)).toEqual([])
  })

  it('leave nothing on the connection for the next caller', async () => {
    await devicesOf(as({}))
    for (let i = 0; i < 12; i++) expect(await devicesOf(own.ctx)).toHaveLength(5)
    expect(
      await m.database.withTenant({ tenantId: own.id }, scope => raw(scope, 'select 1 from devices')),
    ).toMatchObject({ rowCount: 5 })
  })

  it('with words that are no ids are refused them before anything is sent', async () => {
    const ctx = as({ groupIds: ["'; drop table devices; --", '}', north], productIds: ['null', "','"] })
    expect(await devicesOf(ctx)).toEqual(['thing cellar 1', 'thing north 1'])
  })

  it('are lifted for one step only', async () => {
    const counts = await m.database.withTenant(as({ groupIds: [north] }), async scope => {
      const count = async () => (await raw(scope, 'select 1 from devices')).rowCount
      return [await count(), await scope.wholeCompany('in-use', count), await count()]
    })
    expect(counts).toEqual([2, 5, 2])
  })
})
