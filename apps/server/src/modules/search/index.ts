export { createSearchModule, type SearchModule } from './search.module.ts'
export type { SearchSource } from './search.service.ts'
