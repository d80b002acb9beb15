export { createMessageUnits } from './message-units.ts'
export { purchaseOrdersModule } from './purchase-orders.module.ts'
