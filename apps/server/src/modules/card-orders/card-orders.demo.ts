import { systemContext } from '../../lib/context.ts'
import type { CardDesk } from './card-desk.service.ts'
import demo from './card-orders.demo.json' with { type: 'json' }
import type { CardOrdersService } from './card-orders.service.ts'

/** Twenty digits: issuer and a running number. */
const iccidOf = (prefix: string, n: number) => `${prefix}${String(n).padStart(20 - prefix.length, '0')}`

/** Sources and stock of the operator, and an order that waits for shipping. */
export async function seedCardOrders(
  tenantId: string,
  { service, desk, pay }: { service: CardOrdersService; desk: CardDesk; pay(orderId: string): Promise<void> },
): Promise<void> {
  const ctx = systemContext(tenantId, 'demo')
  const known = new Set((await desk.sources(ctx)).items.map(({ name }) => name))
  for (const { prefix, stock, ...source } of demo.sources) {
    if (known.has(source.name)) continue
    const { id } = await desk.createSource(ctx, { ...source, kind: source.kind as 'onelink' }, true)
    for (const { form, use, from, count } of stock)
      await desk.addStock(ctx, {
        sourceId: id,
        form: form as '2ff',
        use: use as 'single',
        cards: Array.from({ length: count }, (_, at) => ({ iccid: iccidOf(prefix, from + at) })),
      })
  }
  if ((await service.list(ctx, { limit: 1 })).items.length > 0) return
  for (const order of demo.orders) {
    const { id } = await service.create(ctx, { ...order, form: order.form as '2ff' })
    await pay(id)
  }
}
