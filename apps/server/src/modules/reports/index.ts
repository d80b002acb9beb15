export { reportsModule } from './reports.module.ts'
