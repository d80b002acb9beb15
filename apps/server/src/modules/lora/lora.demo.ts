import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { DemoNetworks } from '../../lib/demo-networks.ts'
import type { DevicesModule } from '../devices/index.ts'
import type { ProductsModule } from '../products/index.ts'
import type { Clients } from './clients.ts'
import * as connections from './connections.repo.ts'
import type { ConnectionsService } from './connections.service.ts'
import type { LinksService } from './links.service.ts'
import texts from './lora-demo.json' with { type: 'json' }
import type { ProfilesService } from './profiles.service.ts'

export interface LoraDemoDeps {
  database: Database
  clients: Clients
  connections: ConnectionsService
  profiles: ProfilesService
  links: LinksService
  products: Pick<ProductsModule, 'service'>
  devices: Pick<DevicesModule, 'service'>
}

/** Connects the demo company to its simulated ChirpStack: once with a product and two devices, then where it listens now. */
export async function connectLoraDemo(deps: LoraDemoDeps, ctx: Ctx, demo: DemoNetworks): Promise<void> {
  const { url, tenantId: remoteTenantId, apiKey, email, password } = demo.chirpstack
  if (demo.isFirst && !(await simulated(deps, ctx))) {
    const { name } = texts.connection
    await deps.connections.create(ctx, { name, url, remoteTenantId, apiKey, email, password }, true)
  }
  const found = await simulated(deps, ctx)
  // It was removed: it is not made again.
  if (!found) return
  await deps.database.withSystemScope('lora', scope => connections.moveSimulated(scope, ctx.tenantId, url))
  deps.clients.forget(found.id)
  const { path, header, value } = await deps.connections.callback(ctx, found.id)
  demo.integrate(path, { [header]: value })
  await deps.connections.sync(ctx, found.id)
  if (demo.isFirst) await furnish(deps, ctx, found.id)
}

async function simulated({ connections: service }: LoraDemoDeps, ctx: Ctx) {
  return (await service.list(ctx)).items.find(connection => connection.simulated)
}

/** A product whose devices are made there, and two of them with keys. */
async function furnish(deps: LoraDemoDeps, ctx: Ctx, connectionId: string): Promise<void> {
  const { products, devices, links, profiles } = deps
  const { name, description, category, thingModel } = texts.product
  const product =
    (await products.service.list(ctx, { q: name, limit: 10 })).items.find(item => item.name === name) ??
    (await products.service.create(ctx, { name, description, category, linkType: 'lorawan', thingModel }))
  const [application] = (await links.applications(ctx, connectionId)).items
  const [profile] = (await profiles.list(ctx, { connectionId, limit: 1 })).items
  if (!application || !profile) return
  await links.setProduct(ctx, product.id, { connectionId, applicationId: application.id, profileId: profile.id })
  const there = (await devices.service.list(ctx, { productId: product.id, limit: 10 })).items
  for (const { deviceNo, appKey, location, ...device } of texts.devices) {
    const { id } =
      there.find(one => one.deviceNo === deviceNo) ??
      (await devices.service.create(ctx, { productId: product.id, deviceNo, name: device.name, location }))
    await links.setDevice(ctx, id, { appKey })
  }
}
