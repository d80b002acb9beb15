import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ThingHouse, thingHouse } from '../../app/testing/thing-house.ts'
import { ToolProblem, ToolQuestion } from '../../lib/tools/tools.ts'

let house: ThingHouse
beforeAll(async () => {
  house = await thingHouse()
})
afterAll(() => house?.close())

const failure = async (promise: Promise<unknown>): Promise<{ text?: string; code?: string; options?: unknown[] }> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    error => error,
  )
interface Product {
  id: string
  name: string
  status: string
  modelVersion: number
  modelChanged: boolean
  description: string
  publishedModel: { properties: { identifier: string; unit?: string }[] }
  thingModel: { properties: { identifier: string }[] }
}
const productNow = (id: string) =>
  house.call(house.owner, 'GET /api/v1/products/{id}', { params: { id } }) as Promise<Product>

describe('asking about products', () => {
  it('lists them, shows one, and tells its model', async () => {
    await house.device('冷库1号')
    const list = await house.read(house.owner, 'list_products')
    expect(list.data).toMatchObject({ total: 1, products: [{ name: '冷库温控器', deviceCount: 1 }] })
    expect((await house.read(house.en, 'list_products', { link: 'http' })).data).toMatchObject({ total: 0 })
    const detail = await house.read(house.en, 'product_detail', { product: '冷库温控器' })
    expect(detail.text).toContain('6 properties, 1 events, 2 services')
    const model = await house.read(house.en, 'product_model', {}, detail.mentions)
    expect(model.data).toMatchObject({
      properties: expect.arrayContaining([
        expect.objectContaining({ identifier: 'target_temperature', access: 'rw', unit: '℃' }),
      ]),
      services: [{ identifier: 'defrost' }, { identifier: 'restart' }],
    })
    expect(await failure(house.read(house.owner, 'product_model', { product: '没有的' }))).toBeInstanceOf(ToolProblem)
    const nobody = await house.person('nobody')
    expect((await failure(house.read(nobody, 'list_products'))).code).toBe('permission.denied')
  })
})

describe('changing products', () => {
  it('makes one out of a sentence, and takes it back', async () => {
    const made = await house.make(house.owner, 'create_product', {
      name: '土壤站',
      properties: '温度（℃）、湿度（%）和开关',
    })
    expect(made.prepared.effects.join('\n')).toContain('temperature')
    const { id } = made.results[0] as Product
    expect(await productNow(id)).toMatchObject({
      status: 'published',
      publishedModel: {
        properties: [{ identifier: 'temperature', unit: '℃' }, { identifier: 'humidity' }, { identifier: 'switch' }],
      },
    })
    await house.undo(house.owner, made)
    expect((await failure(productNow(id))).code).toBe('product.not_found')
    const video = house.prepare(house.en, 'create_product', { name: 'V', link: 'video' })
    expect((await failure(video)).text).toContain('not have this way')
    expect((await failure(house.prepare(house.en, 'create_product', {}))).text).toContain('Name')
    expect((await failure(house.make(house.reader, 'create_product', { name: 'X' }))).code).toBe('permission.denied')
  })

  it('renames and describes, each taken back', async () => {
    const made = await house.make(house.owner, 'create_product', { name: 'Pump Controller' })
    const { id } = made.results[0] as Product
    const renamed = await house.make(house.en, 'rename_product', { product: 'Pump Controller', name: 'Pump 2' })
    expect(await productNow(id)).toMatchObject({ name: 'Pump 2' })
    await house.undo(house.owner, renamed)
    const described = await house.make(house.en, 'describe_product', {
      product: 'Pump Controller',
      description: 'For site A',
    })
    expect(await productNow(id)).toMatchObject({ name: 'Pump Controller', description: 'For site A' })
    await house.undo(house.owner, described)
    expect(await productNow(id)).toMatchObject({ description: '' })
    expect(
      (
        await failure(
          house.prepare(house.en, 'rename_product', { product: 'Pump Controller', name: 'Pump Controller' }),
        )
      ).text,
    ).toContain('nothing to change')
  })

  it('adds a property and publishes; taking it back restores the model before', async () => {
    const { id } = (await house.make(house.owner, 'create_product', { name: 'Meter', properties: 'flow' }))
      .results[0] as Product
    const made = await house.make(house.en, 'add_property', { product: 'Meter', name: 'Inlet pressure', unit: 'bar' })
    expect(made.prepared.calls.map(({ route }) => route)).toEqual([
      'PUT /api/v1/products/{id}/thing-model',
      'POST /api/v1/products/{id}/model-versions',
    ])
    expect(await productNow(id)).toMatchObject({
      modelVersion: 2,
      modelChanged: false,
      publishedModel: { properties: [{ identifier: 'flow' }, { identifier: 'inlet_pressure', unit: 'bar' }] },
    })
    await house.undo(house.owner, made)
    const after = await productNow(id)
    expect(after.publishedModel.properties.map(({ identifier }) => identifier)).toEqual(['flow'])
    expect(after.thingModel.properties.map(({ identifier }) => identifier)).toEqual(['flow'])
    expect((await failure(house.prepare(house.en, 'add_property', { product: 'Meter', name: 'flow' }))).text).toContain(
      'already',
    )
    const bad = house.prepare(house.en, 'add_property', { product: 'Meter', name: 'x', identifier: '1 bad' })
    expect((await failure(bad)).text).toContain('cannot be used')
  })

  it('leaves other changes of the draft unpublished', async () => {
    const { id } = (await house.make(house.owner, 'create_product', { name: 'Drafty', properties: 'flow' }))
      .results[0] as Product
    await house.call(house.owner, 'PUT /api/v1/products/{id}/thing-model', { params: { id }, body: { properties: [] } })
    const made = await house.make(house.en, 'add_property', { product: 'Drafty', name: 'level' })
    expect(made.prepared.calls).toHaveLength(1)
    expect(await productNow(id)).toMatchObject({
      modelVersion: 1,
      publishedModel: { properties: [{ identifier: 'flow' }] },
      thingModel: { properties: [{ identifier: 'level' }] },
    })
    await house.undo(house.owner, made)
    expect((await productNow(id)).thingModel.properties).toEqual([])
  })

  it('deletes one without devices only, into the recycle bin, and takes it out again', async () => {
    await house.make(house.owner, 'create_product', { name: 'Empty' })
    expect((await failure(house.prepare(house.en, 'delete_product', { product: '冷库温控器' }))).text).toContain(
      'cannot be deleted',
    )
    const made = await house.make(house.en, 'delete_product', { product: 'Empty' })
    expect(made.prepared.effects.join()).toContain('to the recycle bin')
    expect(await failure(house.read(house.en, 'product_detail', { product: 'Empty' }))).toBeInstanceOf(ToolProblem)
    await house.undo(house.owner, made)
    expect((await house.read(house.en, 'product_detail', { product: 'Empty' })).mentions).toMatchObject([
      { name: 'Empty' },
    ])
  })

  it('finds whole names first and asks back for parts of one', async () => {
    await house.make(house.owner, 'create_product', { name: 'Valve' })
    await house.make(house.owner, 'create_product', { name: 'Valve XL' })
    expect((await house.read(house.en, 'product_detail', { product: 'valve' })).mentions).toMatchObject([
      { name: 'Valve' },
    ])
    expect((await failure(house.read(house.en, 'product_detail', { product: 'alv' }))).options).toHaveLength(2)
    expect(await failure(house.read(house.en, 'product_detail', { product: 'alv' }))).toBeInstanceOf(ToolQuestion)
  })
})

describe('the library', () => {
  it('is searched and installed from', async () => {
    const found = await house.read(house.owner, 'search_library', { text: '水表' })
    expect((found.data as { key: string }[]).map(({ key }) => key)).toContain('cjt188-water')
    expect((await house.read(house.en, 'search_library', { text: 'a flying carpet' })).data).toEqual({ templates: [] })
    expect((await house.read(house.en, 'search_library')).data).toHaveLength(20)
    const made = await house.make(house.en, 'install_library_product', {
      template: 'cjt188-water',
      name: 'Water meters',
    })
    expect(made.results[0]).toMatchObject({ name: 'Water meters', status: 'published' })
    await house.undo(house.owner, made)
    expect(
      (await failure(house.prepare(house.en, 'install_library_product', { template: 'flying carpet' }))).text,
    ).toContain('nothing that matches')
    const many = await failure(house.prepare(house.en, 'install_library_product', { template: 'dragino' }))
    expect(many.options).toHaveLength(3)
  })
})

describe('groups', () => {
  it('are listed as a tree, added, renamed, and removed when they are empty', async () => {
    const plant = await house.make(house.owner, 'create_group', { name: '一号厂房' })
    const line = await house.make(house.owner, 'create_group', { name: '包装线', group: '一号厂房' })
    expect(line.prepared.calls[0]!.body).toMatchObject({
      kind: 'device',
      parentId: (plant.results[0] as { id: string }).id,
    })
    const tree = await house.read(house.owner, 'list_groups')
    expect((tree.data as { path: string }[]).map(({ path }) => path)).toEqual(['一号厂房', '一号厂房 / 包装线'])
    expect((await failure(house.prepare(house.en, 'create_group', { name: '一号厂房' }))).text).toContain('already')
    const renamed = await house.make(house.owner, 'rename_group', { group: '包装线', name: '灌装线' })
    await house.undo(house.owner, renamed)
    expect((await failure(house.prepare(house.en, 'delete_group', { group: '一号厂房' }))).text).toContain(
      'once it is empty',
    )
    await house.make(house.owner, 'delete_group', { group: '一号厂房 / 包装线' })
    await house.undo(house.owner, plant)
    expect((await house.read(house.owner, 'list_groups')).data).toEqual({ groups: [] })
    expect((await failure(house.make(house.reader, 'create_group', { name: 'X' }))).code).toBe('permission.denied')
  })

  it('of products are told apart from those of devices', async () => {
    await house.make(house.owner, 'create_group', { name: '传感器', kind: 'product' })
    expect((await house.read(house.en, 'list_groups', { kind: 'product' })).data).toHaveLength(1)
    expect((await house.read(house.en, 'list_groups')).data).toEqual({ groups: [] })
  })
})
