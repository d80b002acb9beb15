import { dialectsContract } from '@thingwright/contracts/dialects.contract'
import { linksContract } from '@thingwright/contracts/links.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { unknownKeysContract } from '@thingwright/contracts/unknown-keys.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { ownedProducts } from './product-owner.repo.ts'
import {
  createProductDialectsService,
  type ProductDialectsDeps,
  type ProductDialectsService,
} from './products.dialects.ts'
import { createProductFormatService, type ProductFormatDeps, type ProductFormatService } from './products.format.ts'
import { createProductLinkService, type ProductLinkDeps, type ProductLinkService } from './products.link.ts'
import { productsRoutes } from './products.routes.ts'
import { productsFound } from './products.search.ts'
import { createProductsService, type ProductsService, type ProductsServiceDeps } from './products.service.ts'
import { createThingModelsService, type ThingModelsDeps, type ThingModelsService } from './thing-models.service.ts'
import { createUnknownKeysService, type UnknownKeysService } from './unknown-keys.service.ts'

export type ProductsDeps = ProductsServiceDeps &
  ProductFormatDeps &
  ProductLinkDeps &
  ThingModelsDeps &
  ProductDialectsDeps

export interface ProductsModule extends ModuleParts {
  service: ProductsService
  format: ProductFormatService
  link: ProductLinkService
  models: ThingModelsService
  dialects: ProductDialectsService
  routes: BoundRoute[]
}

export function createProductsModule(deps: ProductsDeps): ProductsModule {
  const service = createProductsService(deps)
  const format = createProductFormatService(deps, service)
  const link = createProductLinkService(deps)
  const models = createThingModelsService(deps)
  const dialects = createProductDialectsService(deps)
  return {
    service,
    format,
    link,
    models,
    dialects,
    search: [productsFound(service)],
    owned: [ownedProducts],
    routes: [
      ...productsRoutes(service, format, deps.database),
      ...linkRoutes(link),
      ...modelRoutes(service, models),
      ...dialectRoutes(dialects),
      ...unknownKeyRoutes(createUnknownKeysService(deps)),
    ],
  }
}

function dialectRoutes(dialects: ProductDialectsService): BoundRoute[] {
  return [
    bind(dialectsContract.get, (ctx, { params }) => dialects.get(ctx, params.id)),
    bind(dialectsContract.set, (ctx, { params, body }) => dialects.set(ctx, params.id, body)),
    bind(dialectsContract.subDevices, (ctx, { params }) => dialects.subDevices(ctx, params.id)),
    bind(dialectsContract.setSubDevices, (ctx, { params, body }) => dialects.setSubDevices(ctx, params.id, body)),
  ]
}

function unknownKeyRoutes(keys: UnknownKeysService): BoundRoute[] {
  return [
    bind(unknownKeysContract.list, (ctx, { params }) => keys.list(ctx, params.id)),
    bind(unknownKeysContract.clear, (ctx, { params }) => keys.clear(ctx, params.id)),
  ]
}

function linkRoutes(links: ProductLinkService): BoundRoute[] {
  return [
    bind(linksContract.get, (ctx, { params }) => links.get(ctx, params.id)),
    bind(linksContract.set, (ctx, { params, body }) => links.set(ctx, params.id, body)),
    bind(linksContract.try, (ctx, { params, body }) => links.try(ctx, params.id, body)),
  ]
}

function modelRoutes(products: ProductsService, models: ThingModelsService): BoundRoute[] {
  const { versions, version, compare, impact, publish, rollBack, previewImport } = thingModelsContract
  return [
    bind(versions, (ctx, { params, query }) => models.versions(ctx, params.id, query)),
    bind(version, (ctx, { params }) => models.version(ctx, params.id, params.number)),
    bind(compare, (ctx, { params, query }) => models.compare(ctx, params.id, query)),
    bind(impact, (ctx, { params, query }) => models.impact(ctx, params.id, query.to)),
    bind(publish, (ctx, { params, body }) => products.publish(ctx, params.id, body)),
    bind(rollBack, (ctx, { params, body }) => products.rollBack(ctx, params.id, params.number, body)),
    bind(previewImport, (ctx, { params, body }) => models.previewImport(ctx, params.id, body)),
    bind(thingModelsContract.export, (ctx, { params, query }) => models.exportFile(ctx, params.id, query)),
  ]
}
