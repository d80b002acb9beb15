import type { BoundRoute } from '../../lib/http.ts'
import { createProductFormatService, type ProductFormatDeps, type ProductFormatService } from './products.format.ts'
import { productsRoutes } from './products.routes.ts'
import { createProductsService, type ProductsService, type ProductsServiceDeps } from './products.service.ts'

export type ProductsDeps = ProductsServiceDeps & ProductFormatDeps

export interface ProductsModule {
  service: ProductsService
  format: ProductFormatService
  routes: BoundRoute[]
}

export function createProductsModule(deps: ProductsDeps): ProductsModule {
  const service = createProductsService(deps)
  const format = createProductFormatService(deps)
  return { service, format, routes: productsRoutes(service, format) }
}
