import { readScene } from '@thingwright/scene'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ctx } from '../lib/context.ts'
import { ToolQuestion } from '../lib/tools/tools.ts'
import { type ToolHouse, toolHouse } from './testing/tool-house.ts'

/** Cloud pages in the assistant's words. */
describe('tools of cloud pages', () => {
  let house: ToolHouse
  let english: Ctx
  let device: { id: string }

  beforeAll(async () => {
    house = await toolHouse()
    english = { ...house.owner, locale: 'en' }
    const product = (await house.call(english, 'POST /api/v1/products', {
      body: {
        name: 'Cold room',
        linkType: 'mqtt',
        thingModel: {
          properties: [
            { identifier: 'temperature', name: 'Temperature', unit: '°C', dataType: { type: 'double' }, access: 'r' },
            { identifier: 'door', name: 'Door', dataType: { type: 'bool' }, access: 'r' },
            { identifier: 'lamp', name: 'Lamp', dataType: { type: 'bool' }, access: 'rw' },
          ],
        },
      },
    })) as { id: string }
    device = (await house.call(english, 'POST /api/v1/devices', {
      body: { productId: product.id, name: 'Cold room 1' },
    })) as typeof device
    await house.call(english, 'POST /api/v1/products', { body: { name: 'Bare', linkType: 'mqtt' } })
  })
  afterAll(() => house.close())

  it('prepare a first page of a product for approval, and take it back', async () => {
    const prepared = await house.prepare(english, 'create_page', { product: 'Cold room' })
    expect(prepared.calls).toMatchObject([{ route: 'POST /api/v1/pages', body: { name: 'Cold room page' } }])
    const { scene } = readScene((prepared.calls[0]!.body as { scene: unknown }).scene)
    expect(scene?.roles).toMatchObject([{ key: 'device', deviceId: device.id }])
    expect(scene?.nodes.flatMap(({ events }) => events)).toMatchObject([{ do: 'set', point: 'lamp' }])
    // Nothing is there before it was approved.
    expect((await house.read(english, 'list_pages')).data).toMatchObject({ total: 0 })
    const made = await house.make(english, 'create_page', { product: 'Cold room', name: 'Our room' })
    expect(made.result.text).toContain('Our room')
    expect((await house.read(english, 'list_pages', { state: 'draft' })).data).toMatchObject({
      total: 1,
      items: [{ name: 'Our room', state: 'draft' }],
    })
    const read = await house.read(english, 'read_page', { page: 'our room' })
    expect(read.data).toMatchObject({ state: 'draft', roles: [{ key: 'device' }], elements: { switch: 1, alarms: 1 } })
    await house.undo(english, made)
    expect((await house.read(english, 'list_pages')).data).toMatchObject({ total: 0 })
  })

  it('say what cannot be drawn, and ask which page is meant', async () => {
    const bare = await house.prepare(english, 'create_page', { product: 'Bare' }).catch(error => error)
    expect(bare.text).toContain('no property')
    for (const name of ['Station A', 'Station B'])
      await house.make(english, 'create_page', { product: 'Cold room', name })
    expect(await house.read(english, 'read_page', { page: 'Station' }).catch(error => error)).toBeInstanceOf(
      ToolQuestion,
    )
  })
})
