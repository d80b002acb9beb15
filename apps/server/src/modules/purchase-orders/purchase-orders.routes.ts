import { Readable } from 'node:stream'
import { catalogueContract } from '@thingwright/contracts/catalogue.contract'
import {
  paymentNoticesContract,
  paymentProvidersContract as providersContract,
} from '@thingwright/contracts/payment-providers.contract'
import { purchaseOrdersContract as contract, moneyDeskContract } from '@thingwright/contracts/purchase-orders.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind, StreamReply } from '../../lib/http.ts'
import type { AssetsService } from './assets.service.ts'
import type { CatalogueService } from './catalogue.service.ts'
import type { MoneyDesk } from './desk.service.ts'
import type { OnlinePayments } from './online.service.ts'
import type { OrderExports } from './order-export.ts'
import type { OrdersService } from './orders.service.ts'
import type { ProvidersService } from './providers.service.ts'
import { orderReceipt } from './receipt.ts'
import type { VoucherFiles } from './voucher-files.ts'

export function purchaseOrdersRoutes(parts: {
  database: Database
  orders: OrdersService
  exports: OrderExports
  assets: AssetsService
  catalogue: CatalogueService
  desk: MoneyDesk
  vouchers: VoucherFiles
  providers: ProvidersService
  online: OnlinePayments
}): BoundRoute[] {
  const { database, orders, exports, assets, catalogue, desk, vouchers, providers, online } = parts
  return [
    bind(contract.assets, ctx => assets.get(ctx)),
    bind(contract.list, (ctx, { query }) => orders.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => exports.orders(ctx, query)),
    bind(contract.quote, (ctx, { body }) => orders.quote(ctx, body)),
    bind(contract.create, (ctx, { body }) => orders.create(ctx, body)),
    bind(contract.addVoucherFile, (ctx, _, { file }) => vouchers.add(ctx, file)),
    bind(contract.voucherFile, (ctx, { params }) => vouchers.file(ctx, params.id)),
    bind(contract.get, (ctx, { params }) => orders.get(ctx, params.id)),
    bind(contract.receipt, (ctx, { params }) => orderReceipt(database, ctx, params.id)),
    bind(contract.pay, (ctx, { params, body }) => orders.pay(ctx, params.id, body)),
    bind(contract.cancel, (ctx, { params }) => orders.cancel(ctx, params.id)),
    bind(contract.refund, (ctx, { params, body }) => orders.refund(ctx, params.id, body)),
    bind(contract.refunds, (ctx, { query }) => orders.refunds(ctx, query)),
    bind(contract.payment, (ctx, { params }) => orders.payment(ctx, params.id)),
    bind(contract.simulate, (ctx, { params, body }) => orders.simulate(ctx, params.id, body.outcome)),
    bind(contract.recharge, (ctx, { body }) => orders.recharge(ctx, body.amountFen)),
    bind(contract.recharges, (ctx, { query }) => orders.recharges(ctx, query)),
    bind(contract.exportRecharges, (ctx, { query }) => exports.recharges(ctx, query)),
    bind(contract.cancelDowngrade, (ctx, { query }) => assets.keepPlan(ctx, query.version)),
    bind(catalogueContract.published, () => catalogue.published()),
    bind(catalogueContract.list, ctx => catalogue.list(ctx)),
    bind(catalogueContract.create, (ctx, { body }) => catalogue.create(ctx, body)),
    bind(catalogueContract.update, (ctx, { params, body }) => catalogue.update(ctx, params.id, body)),
    bind(catalogueContract.prices, (ctx, { params }) => catalogue.prices(ctx, params.id)),
    bind(moneyDeskContract.orders, (ctx, { query }) => desk.orders(ctx, query)),
    bind(moneyDeskContract.retry, (ctx, { params }) => desk.retry(ctx, params.id)),
    bind(moneyDeskContract.wallet, (ctx, { params }) => desk.wallet(ctx, params.id)),
    bind(moneyDeskContract.credit, (ctx, { params, body }) => desk.credit(ctx, params.id, body)),
    bind(providersContract.list, ctx => providers.list(ctx)),
    bind(providersContract.set, (ctx, { params, body }) => providers.set(ctx, params.kind, body)),
    bind(providersContract.test, (ctx, { params }) => providers.test(ctx, params.kind)),
    bind(providersContract.remove, (ctx, { params }) => providers.remove(ctx, params.kind)),
    bind(paymentNoticesContract.wechat, async (_, { body }, { headers }) => {
      await online.take('wechat', { headers, body })
      return plain('')
    }),
    bind(paymentNoticesContract.alipay, async (_, { body }, { headers }) => {
      await online.take('alipay', { headers, body })
      return plain('success')
    }),
    bind(moneyDeskContract.reconciliation, ctx => desk.reconciliation(ctx.now)),
  ]
}

const plain = (text: string) => new StreamReply(Readable.from([Buffer.from(text)]), 'text/plain; charset=utf-8')
