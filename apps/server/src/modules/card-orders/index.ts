export { cardOrdersModule } from './card-orders.module.ts'
