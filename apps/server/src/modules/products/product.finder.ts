import { type ProductView, productsContract } from '@thingwright/contracts/products.contract'
import { isUuid } from '../../lib/ids.ts'
import { pages, spokenForms } from '../../lib/tools/thing-kit.ts'
import { bestOf } from '../../lib/tools/tool-kit.ts'
import type { CallApi, EntityFinder, Mention } from '../../lib/tools/tools.ts'

/** A product that was spoken of. */
export function productMention({ id, name }: Pick<ProductView, 'id' | 'name'>): Mention {
  return { kind: 'product', id, name, link: pages.product(id) }
}

/** Products by name, key or id; without a text the newest. @param limit at most so many */
export async function findProducts(call: CallApi, text: string, limit: number): Promise<ProductView[]> {
  if (isUuid(text)) {
    const product = await call(productsContract.get, { params: { id: text } }).catch(() => null)
    return product ? [product] : []
  }
  if (text.trim() === '') return (await call(productsContract.list, { query: { limit } })).items
  for (const q of spokenForms(text)) {
    const { items } = await call(productsContract.list, { query: { q, limit: 100, sort: 'name' } })
    if (items.length > 0) return bestOf(items, q, limit, product => [product.name, product.productKey])
  }
  return []
}

export const productFinder: EntityFinder = {
  kind: 'product',
  async find(call, text, limit) {
    const found = await findProducts(call, text, limit)
    const twice = (name: string) => found.filter(product => product.name === name).length > 1
    return found.map(product => ({
      ...productMention(product),
      ...(twice(product.name) ? { name: `${product.name} (${product.productKey})` } : {}),
    }))
  },
}
