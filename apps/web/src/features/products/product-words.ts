export { LINKS_OFFERED, NODE_TYPES } from '@thingwright/contracts/products.words'

import type { ProductView } from '@thingwright/contracts/products.contract'

export type ProductStatusKind = 'published' | 'changed' | 'draft' | 'stopped'

/** What a product's state is called: a draft never published, published, published with changes waiting, taken back. */
export function statusOf(product: Pick<ProductView, 'status' | 'modelChanged' | 'modelVersion'>): ProductStatusKind {
  if (product.status === 'published') return product.modelChanged ? 'changed' : 'published'
  return product.modelVersion === 0 ? 'draft' : 'stopped'
}
