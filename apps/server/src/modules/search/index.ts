export { createSearchModule, type SearchModule } from './search.module.ts'
