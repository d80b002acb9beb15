import type { FenceShape } from '@thingwright/contracts/geofences.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { createGeofencesService } from './geofences.service.ts'

interface DemoFence {
  name: string
  shape: FenceShape
  colour: string
  remark: string
  /** Kind of the product that it is for. */
  product: string
}

/** Fences of the demo company; one that is there already stays as it is. */
export async function seedDemoFences(
  ctx: Ctx,
  database: Database,
  wanted: readonly DemoFence[],
  productIds: ReadonlyMap<string, string>,
): Promise<void> {
  const service = createGeofencesService({ database })
  const known = await demoFenceIds(ctx, database)
  for (const { product, ...fence } of wanted) {
    const productId = productIds.get(product)
    if (known.has(fence.name) || productId === undefined) continue
    await service.create(ctx, { ...fence, scope: { productIds: [productId] } })
  }
}

/** Ids of the company's fences by name. */
export async function demoFenceIds(ctx: Ctx, database: Database): Promise<Map<string, string>> {
  const { items } = await createGeofencesService({ database }).list(ctx, { limit: 100 })
  return new Map(items.map(({ id, name }) => [name, id]))
}
