export { tariffsModule } from './tariffs.module.ts'
