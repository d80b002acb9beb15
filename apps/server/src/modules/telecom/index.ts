export { type TelecomModule, telecomModule } from './telecom.module.ts'
