export { createProductLibraryModule, type ProductLibraryModule } from './product-library.module.ts'
export { productLibraryTools } from './product-library.tools.ts'
