import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { DemoNetworks } from '../../lib/demo-networks.ts'
import type { DevicesModule } from '../devices/index.ts'
import type { ProductsModule } from '../products/index.ts'
import * as repo from './keys.repo.ts'
import type { KeysService } from './keys.service.ts'
import type { LinksService } from './links.service.ts'
import texts from './telecom-demo.json' with { type: 'json' }

export interface TelecomDemoDeps {
  database: Database
  keys: KeysService
  links: LinksService
  products: Pick<ProductsModule, 'service'>
  devices: Pick<DevicesModule, 'service'>
}

type Platform = 'ctwing' | 'onenet'

/** Connects the demo company to its simulated CTWing and OneNET: once with a product of two devices each, then where they listen now. */
export async function connectTelecomDemo(deps: TelecomDemoDeps, ctx: Ctx, demo: DemoNetworks): Promise<void> {
  for (const platform of ['ctwing', 'onenet'] as const) await connect(deps, ctx, platform, demo)
}

async function connect(deps: TelecomDemoDeps, ctx: Ctx, platform: Platform, demo: DemoNetworks): Promise<void> {
  const { database, keys } = deps
  const { url: baseUrl, account, appSecret, token, product } = demo.telecom[platform]
  const find = async () =>
    (await keys.list(ctx, { limit: 100 })).items.find(key => key.simulated && key.platform === platform)
  let isNew = false
  if (demo.isFirstOf.telecom && !(await find())) {
    const more = platform === 'onenet' ? { token, verifyProduct: product } : {}
    await keys.create(ctx, { name: texts[platform].key, platform, baseUrl, account, appSecret, ...more }, true)
    isNew = true
  }
  const key = await find()
  // It was taken away: it stays so.
  if (!key) return
  await database.withSystemScope('telecom', scope => repo.moveSimulated(scope, key.id, baseUrl))
  if (key.callbackUrl) demo.reports(platform, new URL(key.callbackUrl).pathname)
  await keys.verify(ctx, key.id)
  if (isNew) await furnish(deps, ctx, platform, key.id, demo)
}

/** A product whose devices are made there, and two of them. */
async function furnish(
  { products, devices, links }: TelecomDemoDeps,
  ctx: Ctx,
  platform: Platform,
  keyId: string,
  demo: DemoNetworks,
): Promise<void> {
  const { product: wanted, devices: all } = texts[platform]
  const { product: platformProduct, masterKey } = demo.telecom[platform]
  const { name, description, category, thingModel } = wanted
  const product =
    (await products.service.list(ctx, { q: name, limit: 10 })).items.find(item => item.name === name) ??
    (await products.service.create(ctx, { name, description, category, linkType: 'nbiot', thingModel }))
  await links.setProduct(ctx, product.id, { keyId, platformProduct, ...(masterKey ? { masterKey } : {}) })
  const there = (await devices.service.list(ctx, { productId: product.id, limit: 10 })).items
  for (const { deviceNo, name: deviceName, imei, location } of all) {
    const { id } =
      there.find(one => one.deviceNo === deviceNo) ??
      (await devices.service.create(ctx, { productId: product.id, deviceNo, name: deviceName, location }))
    await links.setDevice(ctx, id, { imei, imsi: null, sn: null })
  }
}
