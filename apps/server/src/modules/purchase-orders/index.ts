export { purchaseOrdersModule } from './purchase-orders.module.ts'
