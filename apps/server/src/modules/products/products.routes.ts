import { productsContract } from '@thingwright/contracts/products.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ProductFormatService } from './products.format.ts'
import type { ProductsService } from './products.service.ts'

export function productsRoutes(products: ProductsService, format: ProductFormatService): BoundRoute[] {
  return [
    bind(productsContract.list, (ctx, { query }) => products.list(ctx, query)),
    bind(productsContract.create, (ctx, { body }) => products.create(ctx, body)),
    bind(productsContract.get, (ctx, { params }) => products.get(ctx, params.id)),
    bind(productsContract.update, (ctx, { params, body }) => products.update(ctx, params.id, body)),
    bind(productsContract.remove, (ctx, { params }) => products.remove(ctx, params.id)),
    bind(productsContract.setThingModel, (ctx, { params, body }) => products.setThingModel(ctx, params.id, body)),
    bind(productsContract.modelDiff, (ctx, { params }) => products.modelDiff(ctx, params.id)),
    bind(productsContract.publish, (ctx, { params }) => products.publish(ctx, params.id)),
    bind(productsContract.unpublish, (ctx, { params }) => products.unpublish(ctx, params.id)),
    bind(productsContract.setFormat, (ctx, { params, body }) => products.setFormat(ctx, params.id, body)),
    bind(productsContract.tryFormat, (ctx, { params, body }) => format.tryFormat(ctx, params.id, body)),
    bind(productsContract.refusedFrames, (ctx, { params }) => format.refusedFrames(ctx, params.id)),
  ]
}
