import { productLibraryContract } from '@thingwright/contracts/product-library.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import {
  createProductLibraryService,
  type ProductLibraryDeps,
  type ProductLibraryService,
} from './product-library.service.ts'

export interface ProductLibraryModule {
  service: ProductLibraryService
  routes: BoundRoute[]
}

/** Ready-made products, and whole products as files. */
export function createProductLibraryModule(deps: ProductLibraryDeps): ProductLibraryModule {
  const service = createProductLibraryService(deps)
  const { list, get, install, file, importFile, copy } = productLibraryContract
  return {
    service,
    routes: [
      bind(list, (ctx, { query }) => service.list(ctx, query)),
      bind(get, (_ctx, { params }) => service.get(params.key)),
      bind(install, (ctx, { params, body }) => service.install(ctx, params.key, body)),
      bind(file, (ctx, { params }) => service.file(ctx, params.id)),
      bind(importFile, (ctx, { body }) => service.importFile(ctx, body)),
      bind(copy, (ctx, { params, body }) => service.copy(ctx, params.id, body)),
    ],
  }
}
