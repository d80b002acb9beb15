import type { SearchSource } from '../../lib/found.ts'
import type { ProductsService } from './products.service.ts'

export const productsFound = (products: Pick<ProductsService, 'list'>): SearchSource => ({
  kind: 'product',
  permission: 'product:read',
  find: async (ctx, q, limit) =>
    (await products.list(ctx, { q, limit })).items.map(product => ({
      id: product.id,
      title: product.name,
      subtitle: product.productKey,
      link: `/manage/product/ProductSet/ProductSetInfo?id=${product.id}`,
    })),
})
