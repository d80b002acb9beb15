import { sceneSignals } from '@thingwright/scene'
import { beforeAll, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { DEMO_PRODUCTS } from '../../db/seeds/demo/catalogue.ts'
import wanted from '../../db/seeds/demo/pages.json' with { type: 'json' }
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { systemContext } from '../../lib/context.ts'
import { type DemoPage, seedDemoPages } from './cloud-pages.demo.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'

let db: TestDatabase
let tenant: TenantFixture
let pages: CloudPagesService
const deviceIds = new Map<string, string>()
const ctx = () => systemContext(tenant.id, 'demo')
const seed = () => seedDemoPages(ctx(), pages, wanted as DemoPage[], deviceIds)

beforeAll(async () => {
  db = await testDatabase()
  pages = createCloudPagesService({ database: db.database })
  tenant = await insertTenant(db.superuser)
  for (const { thingModel, devices } of DEMO_PRODUCTS) {
    const product = await insertProduct(db.superuser, tenant, { model: thingModel })
    for (const { deviceNo } of devices) deviceIds.set(deviceNo, (await insertDevice(db.superuser, product)).id)
  }
})

it('publishes a page of every template once, and leaves alone what was changed since', async () => {
  await seed()
  const { items } = await pages.list(ctx(), { sort: 'name' })
  expect(items.map(({ suffix, state, visibility }) => [suffix, state, visibility]).sort()).toEqual(
    wanted.map(({ suffix }) => [suffix, 'published', 'public']).sort(),
  )
  expect(items.every(({ cover }) => cover?.includes('<svg'))).toBe(true)
  const first = items[0]!
  await pages.withdraw(ctx(), first.id)
  await seed()
  const again = (await pages.list(ctx(), { sort: 'name' })).items
  expect(again.map(({ id }) => id)).toEqual(items.map(({ id }) => id))
  expect(again[0]).toMatchObject({ id: first.id, state: 'withdrawn' })
})

it('asks only for what the devices of its roles have', async () => {
  const ofDevice = new Map(DEMO_PRODUCTS.flatMap(product => product.devices.map(({ deviceNo }) => [deviceNo, product])))
  const byId = new Map([...deviceIds].map(([number, id]) => [id, number]))
  for (const { id, name } of (await pages.list(ctx(), {})).items) {
    const scene = await pages.draft(ctx(), id)
    for (const { key, deviceId, choices } of scene.roles)
      for (const device of [deviceId!, ...choices]) {
        const { properties } = ofDevice.get(byId.get(device)!)!.thingModel as { properties: { identifier: string }[] }
        const asked = [...sceneSignals(scene).values()].flatMap(signal =>
          'point' in signal && signal.role === key ? [signal.point] : [],
        )
        expect(
          properties.map(({ identifier }) => identifier),
          `${name} ${key}`,
        ).toEqual(expect.arrayContaining(asked))
      }
  }
})
