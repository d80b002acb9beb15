import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { TriggersModule, TriggerTransfer } from '../triggers/index.ts'
import * as repo from './company-transfers.repo.ts'

export interface AlongDeps {
  database: Database
  triggers: Pick<TriggersModule, 'transfer'>
}

type Packed = Parameters<TriggerTransfer['bring']>[2]

/** Keeps the triggers that watch devices of the transfer and name no other, before the first of them stops. */
export async function packTriggers({ database, triggers }: AlongDeps, transfer: repo.TransferRow): Promise<void> {
  await database.withTenant({ tenantId: transfer.tenantId }, async scope => {
    const going = new Set((await repo.places(scope, transfer.id)).map(({ deviceId }) => deviceId))
    const lines: Packed[] = []
    for await (const line of triggers.transfer.pack(scope)) {
      const { deviceIds } = (line.document.scope ?? {}) as { deviceIds?: string[] }
      if (!deviceIds?.length || !deviceIds.every(id => going.has(id))) continue
      if (line.devices.every(({ id }) => going.has(id))) lines.push(line)
    }
    await repo.setTriggers(scope, transfer.id, lines)
  })
}

/** Makes them in the company that took the devices. What they name and is not here leaves them disabled with the reason. */
export async function bringTriggers(
  { database, triggers }: AlongDeps,
  ctx: Ctx,
  transfer: repo.TransferRow,
): Promise<void> {
  const lines = (transfer.triggers ?? []) as unknown as Packed[]
  if (lines.length === 0) return
  const products = new Map(transfer.products.map(({ id, to }) => [id, to]))
  const keyOf = (productId: string, deviceNo: string) => `${productId} ${deviceNo}`
  await database.withTenant(ctx, async scope => {
    const moved = new Map(
      (await repo.places(scope, transfer.id)).map(each => [keyOf(each.productId, each.deviceNo), each.newId]),
    )
    const here = {
      product: (id: string) => products.get(id) ?? undefined,
      group: () => undefined,
      page: () => undefined,
      fence: () => undefined,
      device: async (productId: string, deviceNo: string) => moved.get(keyOf(productId, deviceNo)) ?? undefined,
    }
    // One whose devices stayed behind has nothing to watch.
    const own = lines.filter(line => line.devices.every(each => moved.get(keyOf(each.productId, each.deviceNo))))
    const places = await triggers.transfer.places(scope, own, here)
    for (const line of own)
      await triggers.transfer.bring(scope, ctx, line, { here, places, existing: 'keep' }).catch((error: unknown) => {
        // A rule that its new product has no place for stays with the company that made it.
        if (!isAppError(error)) throw error
      })
  })
}
