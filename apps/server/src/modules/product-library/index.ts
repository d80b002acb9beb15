export { createProductLibraryModule, type ProductLibraryModule } from './product-library.module.ts'
