import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'

let m: Management
let mine: Company
let theirs: Company
let gateways: string
let sensors: string
let box: string
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  const product = async (name: string, nodeType: string) =>
    (await m.products.service.create(mine.ctx, { name, linkType: 'mqtt', nodeType } as never)).id
  gateways = await product('Gateway', 'gateway')
  sensors = await product('Sensor', 'sub_device')
})
beforeEach(async () => {
  box = await device(gateways, 'Box')
})

async function device(productId: string, name: string, deviceNo?: string): Promise<string> {
  const made = await m.devices.service.create(mine.ctx, { name, productId, ...(deviceNo ? { deviceNo } : {}) })
  return made.id
}
const bind = (gateway: string, ...items: { deviceId: string; subAddress?: string | null }[]) =>
  m.devices.subDevices.bind(mine.ctx, gateway, { items })
const list = (id: string, query: object = {}) => m.devices.subDevices.list(mine.ctx, id, query)

describe('devices of a gateway', () => {
  it('are bound, listed by name page by page, found by number and address, and released', async () => {
    const ids = [await device(sensors, 'Meter B'), await device(sensors, 'Meter A'), await device(sensors, 'Valve')]
    m.gateway.take()
    await bind(box, { deviceId: ids[0]!, subAddress: 'port-07' }, { deviceId: ids[1]! }, { deviceId: ids[2]! })
    expect(m.gateway.take()).toHaveLength(3)
    const first = await list(box, { limit: 2, total: '1' })
    expect(first.items.map(item => [item.name, item.subAddress])).toEqual([
      ['Meter A', null],
      ['Meter B', 'port-07'],
    ])
    expect(first.total).toBe(3)
    const rest = await list(box, { limit: 2, cursor: first.nextCursor! })
    expect([rest.items.map(item => item.name), rest.nextCursor]).toEqual([['Valve'], null])
    expect((await list(box, { q: 'port-07' })).items.map(item => item.name)).toEqual(['Meter B'])
    expect(await m.devices.subDevices.gateway(mine.ctx, ids[0]!)).toMatchObject({
      gateway: { id: box, name: 'Box' },
      subAddress: 'port-07',
    })
    await m.devices.subDevices.unbind(mine.ctx, box, ids[0]!)
    expect((await list(box)).items.map(item => item.name)).toEqual(['Meter A', 'Valve'])
    expect(await m.devices.subDevices.gateway(mine.ctx, ids[0]!)).toEqual({ gateway: null, subAddress: null })
    expect((await refusal(m.devices.subDevices.unbind(mine.ctx, box, ids[0]!))).code).toBe('device.not_bound')
  })

  it('have one gateway, are none themselves, and are called by one name each', async () => {
    const [a, b] = [await device(sensors, 'A', `n-${box.slice(-6)}`), await device(sensors, 'B')]
    const other = await device(gateways, 'Other')
    await bind(box, { deviceId: a })
    expect(await refusal(bind(other, { deviceId: a }))).toMatchObject({ code: 'device.bound_elsewhere' })
    expect((await refusal(bind(box, { deviceId: other }))).code).toBe('device.not_sub_device')
    expect((await refusal(bind(b, { deviceId: a }))).code).toBe('device.not_gateway')
    // An address that is another device's number would be two names for one thing.
    const taken = await refusal(bind(box, { deviceId: b, subAddress: `n-${box.slice(-6)}` }))
    expect(taken).toMatchObject({ code: 'device.sub_address_taken', params: { subAddress: `n-${box.slice(-6)}` } })
    expect((await list(box)).items.map(item => item.name)).toEqual(['A'])
    // Binding again changes the address.
    await bind(box, { deviceId: a, subAddress: '9' })
    expect((await list(box)).items[0]?.subAddress).toBe('9')
  })

  it('belong to the company of their gateway', async () => {
    const a = await device(sensors, 'A')
    const { subDevices } = m.devices
    for (const call of [
      () => subDevices.list(theirs.ctx, box, {}),
      () => subDevices.bind(theirs.ctx, box, { items: [{ deviceId: a }] }),
      () => subDevices.unbind(theirs.ctx, box, a),
      () => subDevices.gateway(theirs.ctx, a),
    ])
      expect((await refusal(call())).code).toBe('device.not_found')
    const product = (await m.products.service.create(theirs.ctx, { name: 'X', linkType: 'mqtt' })).id
    const foreign = (await m.devices.service.create(theirs.ctx, { name: 'X', productId: product })).id
    expect((await refusal(bind(box, { deviceId: foreign }))).code).toBe('device.not_found')
  })

  it('are refused for whom they do not belong to the data scope', async () => {
    const group = (await m.groups.service.create(mine.ctx, { kind: 'device', name: `G ${box}` })).id
    const inside = await m.devices.service.create(mine.ctx, { name: 'In', productId: gateways, groupId: group })
    const outside = await device(sensors, 'Out')
    const dataScope = { kind: 'limited', groupIds: [group], productIds: [], own: false } as const
    const limited = { ...mine.ctx, actor: { ...mine.ctx.actor, dataScope } } as typeof mine.ctx
    const refused = await refusal(m.devices.subDevices.bind(limited, inside.id, { items: [{ deviceId: outside }] }))
    expect(refused.code).toBe('device.not_found')
    // What another member bound to his gateway is no more his than before.
    await bind(inside.id, { deviceId: outside })
    expect(await m.devices.subDevices.list(limited, inside.id, { total: '1' })).toMatchObject({ items: [], total: 0 })
  })
})

describe('devices that a gateway brings along', () => {
  const num = async (id: string) =>
    (await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])).rows[0]!.num

  it('are made and bound where its product says of which product, and nowhere else', async () => {
    const ask = async (sub: string, tenantId = mine.id) =>
      m.devices.subDevices.make({ gateway: await num(box), tenantId, sub })
    expect(await ask('m-1')).toEqual({ ok: false, reason: 'registration_off' })
    await m.products.dialects.setSubDevices(mine.ctx, gateways, { presence: 'gateway', autoCreateProductId: sensors })
    expect(await ask('m-1')).toMatchObject({ ok: true })
    expect(await ask('3 号')).toMatchObject({ ok: true })
    expect((await list(box)).items.map(item => [item.name, item.subAddress])).toEqual([
      ['Box 3 号', '3 号'],
      ['Box m-1', null],
    ])
    expect(await ask(' 4 号 ')).toMatchObject({ ok: true })
    for (const unreadable of ['a\u0007b', 'a\u202eb', '\u200b', ' '])
      expect(await ask(unreadable), JSON.stringify(unreadable)).toEqual({ ok: false, reason: 'registration_unlisted' })
    expect((await list(box)).items.map(item => [item.name, item.subAddress])).toContainEqual(['Box 4 号', ' 4 号 '])
    // A number that is there already is not taken away from whoever has it.
    expect(await ask('m-1')).toMatchObject({ ok: false })
    expect(await ask('m-2', theirs.id)).toEqual({ ok: false, reason: 'registration_off' })
    await m.products.dialects.setSubDevices(mine.ctx, gateways, { presence: 'gateway', autoCreateProductId: null })
  })
})

describe('dialects of a product', () => {
  it('are switched one by one; a new device then gets a token beside its secret', async () => {
    const id = (await m.products.service.create(mine.ctx, { name: 'TB', linkType: 'mqtt' })).id
    const { dialects } = m.products
    expect(await dialects.get(mine.ctx, id)).toMatchObject({ thingsboard: false, alibaba: false })
    expect(await m.devices.service.create(mine.ctx, { name: 'plain', productId: id })).not.toHaveProperty('accessToken')
    m.gateway.take()
    const on = await dialects.set(mine.ctx, id, { thingsboard: true })
    expect(on).toMatchObject({ thingsboard: true, alibaba: false })
    expect(m.gateway.take()).toHaveLength(1)
    expect(await dialects.set(mine.ctx, id, { alibaba: true })).toMatchObject({ thingsboard: true, alibaba: true })
    expect((await refusal(dialects.set(mine.ctx, id, { alibaba: false, version: on.version }))).code).toBe(
      'version.conflict',
    )
    expect((await m.devices.service.create(mine.ctx, { name: 'tb', productId: id })).accessToken).toMatch(/^twt_/)
    expect((await refusal(dialects.get(theirs.ctx, id))).code).toBe('product.not_found')
  })

  it('give every device that is there already its token when they are switched on, and keep those that have one', async () => {
    const id = (await m.products.service.create(mine.ctx, { name: 'TB fleet', linkType: 'mqtt' })).id
    const { rows } = await m.db.superuser.query<{ num: number }>('select num from products where id = $1', [id])
    await m.db.superuser.query(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
       select gen_random_uuid(), $1, $2, $3, 'old-' || n, 'old ' || n, sha256(n::text::bytea), '\\x00'
       from generate_series(1, 2300) n`,
      [mine.id, id, rows[0]!.num],
    )
    await m.products.dialects.set(mine.ctx, id, { thingsboard: true })
    const tokens = async () =>
      (
        await m.db.superuser.query<{ n: number; tokens: string }>(
          `select count(distinct access_token_hash)::int as n, md5(string_agg(access_token_hash::text, '' order by device_no)) as tokens
           from devices where product_id = $1 and access_token_cipher is not null`,
          [id],
        )
      ).rows[0]!
    const first = await tokens()
    expect(first.n).toBe(2_300)
    await m.products.dialects.set(mine.ctx, id, { thingsboard: true, alibaba: true })
    expect(await tokens()).toEqual(first)
  })

  it('rules of sub-devices are kept with the product', async () => {
    const { dialects } = m.products
    expect(await dialects.subDevices(mine.ctx, gateways)).toMatchObject({
      presence: 'gateway',
      autoCreateProductId: null,
    })
    const set = await dialects.setSubDevices(mine.ctx, gateways, { presence: 'silence', autoCreateProductId: sensors })
    expect(set).toMatchObject({ presence: 'silence', autoCreateProductId: sensors, autoCreateProductName: 'Sensor' })
    const refused = await refusal(
      dialects.setSubDevices(mine.ctx, gateways, { presence: 'silence', autoCreateProductId: gateways }),
    )
    expect(refused.code).toBe('device.not_sub_device')
  })
})
