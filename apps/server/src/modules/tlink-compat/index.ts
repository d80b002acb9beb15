export { createTlinkCompatModule, type TlinkCompatModuleDeps } from './tlink-compat.module.ts'
export { sensorIdOf, sensorTypeOf, timeText, userNumber } from './tlink-words.ts'
