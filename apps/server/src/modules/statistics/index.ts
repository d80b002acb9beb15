export { statisticsModule } from './statistics.module.ts'
