import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal, seen } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'
import { raw } from '../../lib/testing/raw.ts'

let m: Management
let mine: Company
let theirs: Company
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
})

const property = (identifier: string, type = 'double') => ({ identifier, name: identifier, dataType: { type } })
const model = (...identifiers: string[]) => ({ properties: identifiers.map(i => property(i)) })
const create = (over: object = {}, of: Company = mine) =>
  m.products.service.create(of.ctx, { name: 'Tank', linkType: 'mqtt', ...over } as never)
const numbers = async (productId: string) =>
  (
    await m.db.superuser.query<{ identifier: string; num: number }>(
      'select identifier, pp.num from product_properties pp join products p on p.num = product_num where p.id = $1 order by pp.num',
      [productId],
    )
  ).rows

describe('a new product', () => {
  it('is published at once, with a key of 11 readable characters and its properties numbered', async () => {
    const product = await create({ thingModel: model('level', 'temperature'), category: 'tanks' })
    expect(product).toMatchObject({
      name: 'Tank',
      status: 'published',
      modelVersion: 1,
      modelChanged: false,
      nodeType: 'device',
      offlineDelaySeconds: 300,
      format: { kind: 'json' },
      deviceCount: 0,
      onlineCount: 0,
      version: 1,
    })
    expect(product.productKey).toMatch(/^[A-HJ-NP-Za-kmnp-z2-9]{11}$/)
    expect(product.thingModel).toEqual(product.publishedModel)
    expect((await numbers(product.id)).map(row => row.identifier)).toEqual(['level', 'temperature'])
  })

  it('stays a draft when asked, without numbers', async () => {
    const product = await create({ draft: true, thingModel: model('level') })
    expect(product).toMatchObject({ status: 'draft', modelVersion: 0, publishedModel: null, modelChanged: true })
    expect(await numbers(product.id)).toEqual([])
  })

  it('is refused for ways in that this version has not', async () => {
    const error = await refusal(create({ linkType: 'video' }))
    expect(error).toMatchObject({ code: 'product.link_type_unavailable', params: { linkType: 'video' } })
    expect((await create({ linkType: 'lorawan' })).linkType).toBe('lorawan')
    expect((await create({ linkType: 'http' })).linkType).toBe('http')
  })

  it('is refused with every problem of its model named', async () => {
    const thingModel = { properties: [property('ok'), property('ok'), { ...property('x'), dataType: { type: 'no' } }] }
    const error = await refusal(create({ thingModel }))
    expect(error).toMatchObject({ code: 'product.model_invalid', params: { count: 2 } })
    expect(error.fields).toMatchObject({
      'thingModel.properties[1].identifier': { code: 'model.identifier_duplicate' },
      'thingModel.properties[2].dataType.type': { code: 'model.type_unknown' },
    })
  })

  it('keeps only the clean part of its icon', async () => {
    const icon = '<svg viewBox="0 0 1 1" onload="alert(1)"><script>alert(1)</script><path d="M0 0"/></svg>'
    const product = await create({ icon })
    expect(product.icon).toBe('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0"/></svg>')
    expect((await refusal(create({ icon: '<img src=x onerror=alert(1)>' }))).code).toBe('product.icon_invalid')
  })
})

describe('the thing model', () => {
  it('is edited as a draft that devices do not see until it is published', async () => {
    const product = await create({ thingModel: model('a', 'b') })
    const edited = await m.products.service.setThingModel(mine.ctx, product.id, {
      version: 1,
      properties: [property('a'), { ...property('b'), dataType: { type: 'int32' } }, property('c')],
    })
    expect(edited).toMatchObject({ modelChanged: true, modelVersion: 1, version: 2, status: 'published' })
    expect(edited.publishedModel).toEqual(product.publishedModel)
    expect(m.gateway.take()).toContain(await forgetNote(product.id))

    const { changes, deviceCount } = await m.products.service.modelDiff(mine.ctx, product.id)
    expect(changes).toEqual([
      {
        kind: 'changed',
        of: 'property',
        identifier: 'b',
        breaking: true,
        detail: { attributes: ['dataType'], breaking: ['type_changed'] },
      },
      { kind: 'added', of: 'property', identifier: 'c', breaking: false, detail: { attributes: [], breaking: [] } },
    ])
    expect(deviceCount).toBe(0)

    const published = await m.products.service.publish(mine.ctx, product.id)
    expect(published).toMatchObject({ modelChanged: false, modelVersion: 2, version: 3 })
    expect(published.publishedModel).toEqual(edited.thingModel)
    expect((await refusal(m.products.service.publish(mine.ctx, product.id))).code).toBe('product.model_unchanged')
  })

  it('keeps the number of a property for ever, and uses up none', async () => {
    const product = await create({ thingModel: model('a', 'b') })
    const first = await numbers(product.id)
    for (const identifiers of [['b'], ['b', 'a'], ['b', 'a', 'c']]) {
      await m.products.service.setThingModel(mine.ctx, product.id, model(...identifiers))
      await m.products.service.publish(mine.ctx, product.id)
    }
    const last = await numbers(product.id)
    expect(last.slice(0, 2)).toEqual(first)
    expect(last.map(row => row.num)).toEqual([first[0]!.num, first[0]!.num + 1, first[0]!.num + 2])
  })

  it('is refused with its problems, as the editor names them', async () => {
    const product = await create()
    const bad = m.products.service.setThingModel(mine.ctx, product.id, { properties: [property('1 bad')] })
    const error = await refusal(bad)
    expect(error.code).toBe('product.model_invalid')
    expect(Object.keys(error.fields ?? {})).toEqual(['properties[0].identifier'])
  })

  it('of 500 properties is taken, of 501 refused', async () => {
    const many = (n: number) => model(...Array.from({ length: n }, (_, i) => `p${i}`))
    const product = await create({ thingModel: many(500) })
    expect(await numbers(product.id)).toHaveLength(500)
    expect((await refusal(create({ thingModel: many(501) }))).code).toBe('product.model_invalid')
  })
})

describe('publishing', () => {
  it('is taken back: the sessions of the product end, after the gateway was told', async () => {
    const product = await create()
    const [online, offline] = [await device(product.id), await device(product.id)]
    await seen(m.db, online.num)
    await seen(m.db, offline.num, { link: 'offline' })
    m.gateway.take()
    expect((await m.products.service.unpublish(mine.ctx, product.id)).status).toBe('draft')
    const notes = m.gateway.take()
    expect(notes.slice(0, 2)).toEqual([await forgetNote(product.id), `kick ${online.num}`])
    expect(notes).not.toContain(`kick ${offline.num}`)
    expect((await refusal(m.products.service.unpublish(mine.ctx, product.id))).code).toBe('product.not_published')
    const add = m.devices.service.create(mine.ctx, { name: 'late', productId: product.id })
    expect((await refusal(add)).code).toBe('product.not_published')
    // Nothing changed in the model, so its version stays.
    const again = await m.products.service.publish(mine.ctx, product.id)
    expect(again).toMatchObject({ status: 'published', modelVersion: 1 })
  })
})

describe('a product', () => {
  it('is updated with a version; null clears, what is not named stays', async () => {
    const group = await m.groups.service.create(mine.ctx, { kind: 'product', name: 'family' })
    const product = await create({ groupId: group.id, description: 'old' })
    const renamed = await m.products.service.update(mine.ctx, product.id, { version: 1, name: 'New 名' })
    expect(renamed).toMatchObject({ name: 'New 名', description: 'old', groupId: group.id, version: 2 })
    const cleared = await m.products.service.update(mine.ctx, product.id, {
      version: 2,
      groupId: null,
      description: '',
    })
    expect(cleared).toMatchObject({ groupId: null, description: '' })
    const error = await refusal(m.products.service.update(mine.ctx, product.id, { version: 1, name: 'lost' }))
    expect(error.code).toBe('version.conflict')
    expect(error.params.current).toMatchObject({ name: 'New 名', version: 3 })
  })

  it('takes nothing that is not its basic data', async () => {
    const product = await create()
    const sneaky = { version: 1, name: 'ok', tenantId: theirs.id, status: 'draft', productKey: 'x', modelVersion: 9 }
    const after = await m.products.service.update(mine.ctx, product.id, sneaky as never)
    expect(after).toMatchObject({ name: 'ok', status: 'published', productKey: product.productKey, modelVersion: 1 })
    await create({ tenantId: theirs.id, id: newId(), num: 7, version: 9, name: 'mass' })
    expect((await m.products.service.list(theirs.ctx, { q: 'mass' })).items).toEqual([])
  })

  it('with devices is not deleted, those in the recycle bin included', async () => {
    const product = await create()
    const { id } = await device(product.id)
    const error = await refusal(m.products.service.remove(mine.ctx, product.id))
    expect(error).toMatchObject({ code: 'product.has_devices', params: { count: 1, recycled: 0 } })
    await m.devices.lifecycle.remove(mine.ctx, id)
    const binned = await refusal(m.products.service.remove(mine.ctx, product.id))
    expect(binned.params).toEqual({ count: 0, recycled: 1 })
    await m.devices.lifecycle.remove(mine.ctx, id)
    expect(await m.products.service.remove(mine.ctx, product.id)).toEqual({ ok: true })
    expect((await refusal(m.products.service.get(mine.ctx, product.id))).code).toBe('product.not_found')
    const rows = await m.db.superuser.query('select deleted_at is not null as kept from products where id = $1', [
      product.id,
    ])
    expect(rows.rows).toEqual([{ kept: true }])
  })

  it('stands in its category, which is offered as long as a product at work has it', async () => {
    const own = await company(m.db)
    const make = (name: string, category: string) =>
      m.products.service.create(own.ctx, { name, linkType: 'mqtt', category })
    const gauge = await make('gauge', ' 水务 ')
    const meter = await make('meter', '能源')
    await make('plain', '')
    await create({ category: 'of mine' })
    const offered = async () => (await m.products.service.categories(own.ctx)).items
    const named = async (category: string) =>
      (await m.products.service.list(own.ctx, { category, total: '1' })).items.map(({ name }) => name)
    expect((await offered()).toSorted()).toEqual(['水务', '能源'].toSorted())
    expect(await named('水务')).toEqual(['gauge'])
    expect((await m.products.service.list(own.ctx, { q: '水' })).items.map(({ name }) => name)).toEqual(['gauge'])
    expect((await m.products.service.list(own.ctx, { category: '能源', total: '1' })).total).toBe(1)
    await m.products.service.update(own.ctx, meter.id, { version: 1, category: '水务' })
    expect(await named('水务')).toEqual(['meter', 'gauge'])
    expect(await offered()).toEqual(['水务'])
    await m.products.service.remove(own.ctx, meter.id)
    await m.products.service.remove(own.ctx, gauge.id)
    expect(await offered()).toEqual([])
  })

  it('lies in the recycle bin once it is deleted and comes back unpublished, with its port where that is free', async () => {
    const [kept, lost] = [
      await create({ name: 'bin kept', linkType: 'tcp' }),
      await create({ name: 'bin lost', linkType: 'tcp' }),
    ]
    const own = (id: string, number: number) => m.products.link.set(mine.ctx, id, { port: { mode: 'own', number } })
    await own(kept.id, 6171)
    await own(lost.id, 6172)
    const names = async (query: object) =>
      (await m.products.service.list(mine.ctx, { q: 'bin ', total: '1', sort: 'name', ...query })).items.map(
        ({ name, deletedAt }) => [name, deletedAt !== null],
      )
    for (const { id } of [kept, lost]) await m.products.service.remove(mine.ctx, id)
    expect(await names({})).toEqual([])
    expect(await names({ recycled: '1' })).toEqual([
      ['bin kept', true],
      ['bin lost', true],
    ])
    expect((await m.products.service.list(mine.ctx, { q: 'bin ', recycled: '1', total: '1' })).total).toBe(2)
    expect((await m.products.service.list(theirs.ctx, { recycled: '1' })).items).toEqual([])
    expect((await refusal(m.products.service.restore(theirs.ctx, kept.id))).code).toBe('product.not_found')
    const other = await create({ name: 'other', linkType: 'tcp' })
    await own(other.id, 6172)

    const back = await m.products.service.restore(mine.ctx, kept.id)
    expect(back).toMatchObject({ id: kept.id, status: 'draft', deletedAt: null, modelVersion: 1 })
    await m.products.service.restore(mine.ctx, lost.id)
    expect(await names({ recycled: '1' })).toEqual([])
    expect((await m.products.link.get(mine.ctx, kept.id)).port.number).toBe(6171)
    expect((await m.products.link.get(mine.ctx, lost.id)).port).toMatchObject({ state: 'shared', number: null })
    expect((await refusal(m.products.service.restore(mine.ctx, kept.id))).code).toBe('product.not_recycled')
    await m.products.service.publish(mine.ctx, kept.id)
    await m.devices.service.create(mine.ctx, { name: 'again', productId: kept.id })
    const { items } = await m.audit.service.list(mine.ctx, { action: 'product.restore' })
    expect(items.map(({ objectName }) => objectName)).toEqual(['bin lost', 'bin kept'])
  })

  it('is either deleted or gets the device, when both come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const product = await create()
      const [add, remove] = await Promise.allSettled([
        m.devices.service.create(mine.ctx, { name: 'racer', productId: product.id }),
        m.products.service.remove(mine.ctx, product.id),
      ])
      expect([add.status, remove.status].sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('counts its devices', async () => {
    const product = await create({ name: 'counted' })
    const devices = [await device(product.id), await device(product.id), await device(product.id)]
    await seen(m.db, devices[0]!.num)
    await seen(m.db, devices[1]!.num, { link: 'offline' })
    await m.devices.lifecycle.remove(mine.ctx, devices[2]!.id)
    const { items } = await m.products.service.list(mine.ctx, { q: 'counted' })
    expect(items).toMatchObject([{ id: product.id, deviceCount: 2, onlineCount: 1 }])
    expect(await m.products.service.get(mine.ctx, product.id)).toMatchObject({ deviceCount: 2, onlineCount: 1 })
  })

  it('of another company does not exist', async () => {
    const product = await create({}, theirs)
    const { service, format } = m.products
    for (const attempt of [
      () => service.get(mine.ctx, product.id),
      () => service.update(mine.ctx, product.id, { version: 1, name: 'mine' }),
      () => service.remove(mine.ctx, product.id),
      () => service.setThingModel(mine.ctx, product.id, { properties: [] }),
      () => service.modelDiff(mine.ctx, product.id),
      () => service.publish(mine.ctx, product.id),
      () => service.unpublish(mine.ctx, product.id),
      () => service.setFormat(mine.ctx, product.id, { kind: 'json' }),
      () => format.tryFormat(mine.ctx, product.id, { channel: 'property', payload: '{}' }),
      () => format.refusedFrames(mine.ctx, product.id),
      () => m.devices.service.create(mine.ctx, { name: 'spy', productId: product.id }),
    ]) {
      expect((await refusal(attempt())).code).toBe('product.not_found')
    }
    expect(await service.get(theirs.ctx, product.id)).toMatchObject({ version: 1, status: 'published' })
    await expect(
      m.database.withTenant(mine.ctx, scope => raw(scope, "select ensure_product_properties($1, '{x}')", [product.id])),
    ).rejects.toThrow('not a product of this company')
  })
})

describe('the list of products', () => {
  it('filters, searches in both languages, sorts and pages', async () => {
    const own = await company(m.db)
    const parent = await m.groups.service.create(own.ctx, { kind: 'product', name: 'parent' })
    const child = await m.groups.service.create(own.ctx, { kind: 'product', name: 'child', parentId: parent.id })
    await create({ name: '温湿度传感器', groupId: child.id }, own)
    await create({ name: 'Boiler Ｘ1', linkType: 'http', groupId: parent.id }, own)
    await create({ name: 'Gateway 100%', nodeType: 'gateway', draft: true }, own)
    const list = async (query: object) =>
      (await m.products.service.list(own.ctx, query as never)).items.map(({ name }) => name)
    expect(await list({})).toEqual(['Gateway 100%', 'Boiler Ｘ1', '温湿度传感器'])
    expect(await list({ sort: 'name' })).toEqual(['Boiler Ｘ1', 'Gateway 100%', '温湿度传感器'])
    expect(await list({ q: '湿度' })).toEqual(['温湿度传感器'])
    expect(await list({ q: 'boiler x1' })).toEqual(['Boiler Ｘ1'])
    expect(await list({ q: '%' })).toEqual(['Gateway 100%'])
    expect(await list({ q: '_' })).toEqual([])
    expect(await list({ status: 'draft' })).toEqual(['Gateway 100%'])
    expect(await list({ linkType: 'http' })).toEqual(['Boiler Ｘ1'])
    expect(await list({ nodeType: 'gateway' })).toEqual(['Gateway 100%'])
    expect(await list({ groupId: parent.id })).toEqual(['Boiler Ｘ1', '温湿度传感器'])
    expect(await list({ groupId: child.id })).toEqual(['温湿度传感器'])
    expect(await list({ groupId: newId() })).toEqual([])
    const first = await m.products.service.list(own.ctx, { limit: 2, sort: 'name', total: '1' })
    expect(first.total).toBe(3)
    const next = await m.products.service.list(own.ctx, { limit: 2, sort: 'name', cursor: first.nextCursor! })
    expect(next.items.map(({ name }) => name)).toEqual(['温湿度传感器'])
    expect(next).toMatchObject({ nextCursor: null })
    expect(next).not.toHaveProperty('total')
    const foreign = m.products.service.list(own.ctx, { limit: 2, cursor: first.nextCursor! })
    expect((await refusal(foreign)).code).toBe('request.cursor_invalid')
    expect((await refusal(m.products.service.list(own.ctx, { sort: 'secret' }))).code).toBe('request.sort_invalid')
  })
})

describe('the format', () => {
  it('is tried on the published model, or on the draft when asked', async () => {
    const product = await create({ thingModel: model('a') })
    const input = { channel: 'property', payload: '{"a":1}' } as const
    const result = await m.products.format.tryFormat(mine.ctx, product.id, input)
    expect(result).toMatchObject({ ok: true, rows: [{ quality: 'good', values: { a: 1 } }] })
    const event = m.products.format.tryFormat(mine.ctx, product.id, { channel: 'event', payload: '{}' })
    expect((await refusal(event)).fields).toHaveProperty('identifier')
  })

  it('shows refused messages with their bytes and devices', async () => {
    const product = await create()
    const own = await device(product.id)
    const { num } = (
      await m.db.superuser.query<{ num: number }>('select num from products where id = $1', [product.id])
    ).rows[0]!
    const at = new Date('2026-01-02T03:04:05.678Z')
    const frame = { at, reason: 'json_invalid', detail: { path: '' } }
    m.frames.set(num, [
      { id: 2, device: own.num, bytes: Buffer.from('{"温度":'), ...frame },
      { id: 1, device: 999_999, bytes: Buffer.from([0xff, 0x00]), ...frame },
    ])
    expect((await m.products.format.refusedFrames(mine.ctx, product.id)).items).toEqual([
      {
        id: '2',
        deviceId: own.id,
        deviceNo: own.deviceNo,
        at: '2026-01-02T03:04:05.678Z',
        reason: 'json_invalid',
        detail: { path: '' },
        hex: Buffer.from('{"温度":').toString('hex'),
        text: '{"温度":',
      },
      expect.objectContaining({ id: '1', deviceId: null, deviceNo: null, hex: 'ff00', text: null }),
    ])
  })
})

describe('the operation log', () => {
  it('has before and after of every change, models as what changed in them', async () => {
    const product = await create({ thingModel: model('a') })
    await m.products.service.update(mine.ctx, product.id, { version: 1, name: 'Renamed' })
    await m.products.service.setThingModel(mine.ctx, product.id, model('b'))
    await m.products.service.publish(mine.ctx, product.id)
    await m.products.service.setFormat(mine.ctx, product.id, { kind: 'json' })
    await m.products.service.unpublish(mine.ctx, product.id)
    await m.products.service.remove(mine.ctx, product.id)
    const { items } = await m.audit.service.list(mine.ctx, { objectId: product.id })
    expect(items.map(item => item.action)).toEqual([
      'product.remove',
      'product.unpublish',
      'product.format',
      'product.publish',
      'product.thing_model',
      'product.update',
      'product.create',
    ])
    expect(items[5]).toMatchObject({ before: { name: 'Tank' }, after: { name: 'Renamed' }, objectName: 'Renamed' })
    expect(items[4]?.after?.model).toEqual({ added: ['property b'], removed: ['property a'], changed: [] })
    expect(items[3]).toMatchObject({ before: { modelVersion: 1 }, after: { modelVersion: 2 } })
  })
})

async function device(productId: string): Promise<{ id: string; num: number; deviceNo: string }> {
  const { id, deviceNo } = await m.devices.service.create(mine.ctx, { name: 'device', productId })
  const { rows } = await m.db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])
  return { id, num: rows[0]!.num, deviceNo }
}

async function forgetNote(productId: string): Promise<string> {
  const { rows } = await m.db.superuser.query<{ num: number }>('select num from products where id = $1', [productId])
  return `forget product ${rows[0]!.num}`
}
