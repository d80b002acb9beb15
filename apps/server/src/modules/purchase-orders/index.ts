export { bothLogs } from './both-logs.ts'
export { capitalAmount } from './capital-amount.ts'
export { bySku as catalogueItem } from './catalogue.repo.ts'
export { recordCharge } from './fulfilment.ts'
export { createMessageUnits } from './message-units.ts'
export { advance } from './order-events.ts'
export { orderStateText } from './order-export.ts'
export { openOrder } from './order-open.ts'
export { viewOrder } from './order-views.ts'
export { payFromBalance } from './orders.demo.ts'
export { hold as holdOrder, type OrderRow } from './orders.repo.ts'
export {
  NoticeError,
  type PaymentClient,
  type PaymentClientFactory,
  PaymentError,
  type RawNotice,
  type Trade,
} from './payment.port.ts'
export { paidOf } from './payments.service.ts'
export { addMonths } from './pricing.ts'
export { accessOf, checkedAccess, forgetsTest, providerView } from './provider-access.ts'
export type { ProviderRow, ProviderValues } from './providers.repo.ts'
export {
  createPurchaseOrdersModule,
  type PurchaseOrdersModule,
  purchaseOrdersModule,
} from './purchase-orders.module.ts'
