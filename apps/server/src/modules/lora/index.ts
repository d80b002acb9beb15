export { loraModule } from './lora.module.ts'
