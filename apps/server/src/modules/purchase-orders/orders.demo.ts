import type { CatalogueItem } from '@thingwright/contracts/catalogue.contract'
import type { ChargeItem } from '@thingwright/contracts/money.words'
import { type Actor, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { insertConsumption, move } from '../wallets/index.ts'
import * as catalogue from './catalogue.repo.ts'
import demo from './demo-catalogue.json' with { type: 'json' }
import type { MoneyDesk } from './desk.service.ts'
import { NO_ONLINE } from './online.service.ts'
import { createOrdersService, type OrdersService } from './orders.service.ts'
import { createPaymentsService } from './payments.service.ts'

const DAY_MS = 86_400_000

/** A catalogue, a company that bought of it, and three months of top-ups and charges. */
export async function seedMoney(
  database: Database,
  tenantId: string,
  { orders, desk }: { orders: OrdersService; desk: MoneyDesk },
): Promise<void> {
  const now = Date.now()
  const ctx = systemContext(tenantId, 'demo', now)
  const fresh = await database.withSystemScope('seed', async scope => {
    const made: CatalogueItem[] = []
    for (const [position, item] of demo.items.entries()) {
      const row = await catalogue.insert(scope, {
        ...item,
        spec: item.spec as CatalogueItem['spec'],
        id: newId(now),
        state: 'published',
        position,
      })
      if (row) {
        made.push(row)
        await catalogue.insertPrice(scope, newId(now), row.id, row.priceFen, 'demo')
      }
    }
    return made.length === demo.items.length
  })
  if (!fresh) return
  await database.withTenant(ctx, scope => seedPast(scope, tenantId, ctx.actor, now))
  await desk.credit(ctx, tenantId, { giftFen: 200_000, reason: demo.welcome })
  const pay = async (id: string) => {
    const { payments } = await orders.pay(ctx, id, { provider: 'simulated' })
    await orders.simulate(ctx, payments[0]!.id, 'paid')
  }
  for (const fen of demo.recharges) await pay((await orders.recharge(ctx, fen)).id)
  for (const sku of demo.bought) await pay((await orders.create(ctx, { items: [{ sku }] })).id)
}

/** Three months of money: a bank transfer a month, and what was charged day by day, each a movement of the balance. */
async function seedPast(scope: TenantScope, tenantId: string, actor: Actor, now: number): Promise<void> {
  for (let day = demo.days; day > 0; day--) {
    const at = new Date(now - day * DAY_MS)
    if (day % demo.topUp.every === 0)
      await move(scope, {
        tenantId,
        kind: 'top_up',
        key: `demo:top_up:${day}`,
        cause: { kind: 'demo', id: `top_up-${day}` },
        actor,
        remark: demo.topUp.name,
        at,
        entries: { payments: -demo.topUp.fen, available: demo.topUp.fen },
      })
    for (const { item, every, fen, name } of demo.charges) {
      if (day % every !== 0) continue
      // Amounts go up and down a little, the same at every start.
      const amountFen = fen + ((day * 37) % Math.max(1, Math.floor(fen / 4)))
      const moved = await move(scope, {
        tenantId,
        kind: 'charge',
        key: `demo:${item}:${day}`,
        cause: { kind: 'demo', id: `${item}-${day}` },
        actor,
        remark: name,
        at,
        entries: { available: -amountFen, income: amountFen },
      })
      await insertConsumption(scope, {
        id: newId(at.getTime()),
        tenantId,
        at,
        item: item as ChargeItem,
        quantity: 1,
        unit: '',
        unitPriceFen: amountFen,
        amountFen,
        balanceAfterFen: moved.availableFen,
        objectKind: '',
        objectId: item,
        objectName: name,
        periodFrom: null,
        periodTo: null,
        orderId: null,
        orderNo: '',
        transactionId: moved.id,
      })
    }
  }
}

/** Pays an order of the demo company from its balance. */
export async function payFromBalance(database: Database, tenantId: string, orderId: string): Promise<void> {
  const payments = createPaymentsService({ database, logger: silentLogger, now: Date.now })
  const orders = createOrdersService({ database, payments, online: NO_ONLINE })
  await orders.pay(systemContext(tenantId, 'demo'), orderId, { provider: 'balance' })
}
