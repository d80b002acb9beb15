export { createTransferModule, type TransferModule } from './transfer.module.ts'
