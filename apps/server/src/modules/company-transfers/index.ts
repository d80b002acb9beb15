export { companyTransfersModule } from './company-transfers.module.ts'
