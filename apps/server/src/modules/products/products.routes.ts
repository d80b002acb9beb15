import { formatsContract } from '@thingwright/contracts/formats.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { exportProducts } from './product-export.ts'
import type { ProductFormatService } from './products.format.ts'
import type { ProductsService } from './products.service.ts'

export function productsRoutes(
  products: ProductsService,
  format: ProductFormatService,
  database: Database,
): BoundRoute[] {
  return [
    bind(productsContract.list, (ctx, { query }) => products.list(ctx, query)),
    bind(productsContract.export, (ctx, { query }) => exportProducts(database, products, ctx, query)),
    bind(productsContract.catalogue, (ctx, { query }) => products.catalogue(ctx, query.q)),
    bind(productsContract.categories, ctx => products.categories(ctx)),
    bind(productsContract.create, (ctx, { body }) => products.create(ctx, body)),
    bind(productsContract.get, (ctx, { params }) => products.get(ctx, params.id)),
    bind(productsContract.update, (ctx, { params, body }) => products.update(ctx, params.id, body)),
    bind(productsContract.remove, (ctx, { params }) => products.remove(ctx, params.id)),
    bind(productsContract.restore, (ctx, { params }) => products.restore(ctx, params.id)),
    bind(productsContract.setThingModel, (ctx, { params, body }) => products.setThingModel(ctx, params.id, body)),
    bind(productsContract.modelDiff, (ctx, { params }) => products.modelDiff(ctx, params.id)),
    bind(productsContract.publish, (ctx, { params }) => products.publish(ctx, params.id)),
    bind(productsContract.unpublish, (ctx, { params }) => products.unpublish(ctx, params.id)),
    bind(formatsContract.setFormat, (ctx, { params, body }) => format.setFormat(ctx, params.id, body)),
    bind(formatsContract.tryFormat, (ctx, { params, body }) => format.tryFormat(ctx, params.id, body)),
    bind(formatsContract.detectFormat, (ctx, { params, body }) => format.detectFormat(ctx, params.id, body)),
    bind(formatsContract.samples, (ctx, { params }) => format.samples(ctx, params.id)),
    bind(formatsContract.setSamples, (ctx, { params, body }) => format.setSamples(ctx, params.id, body)),
    bind(formatsContract.runSamples, (ctx, { params, body }) => format.runSamples(ctx, params.id, body)),
    bind(formatsContract.refusedFrames, (ctx, { params }) => format.refusedFrames(ctx, params.id)),
  ]
}
