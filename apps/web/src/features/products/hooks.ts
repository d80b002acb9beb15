import type { QueryOf } from '@thingwright/contracts'
import type { ProductDetail, ProductView, productsContract } from '@thingwright/contracts/products.contract'
import { emptyModel, type ThingModel } from '@thingwright/thing-model/model'
import { useCallback } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '../../lib/api-client.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { groupsOf } from '../../ui/group-tree/use-groups.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchProducts: FetchPage<ProductView> = ({ filters, ...input }, signal) =>
  call('products.list', { query: { ...input, ...filters } as QueryOf<(typeof productsContract)['list']>, signal })

export const fetchRecycledProducts: FetchPage<ProductView> = ({ filters, ...input }, signal) =>
  call('products.list', {
    query: { ...input, ...filters, recycled: '1' } as QueryOf<(typeof productsContract)['list']>,
    signal,
  })

/** The product that the page's `?id=` names. */
export function useProductId(): string {
  return useSearchParams()[0].get('id') ?? ''
}

export function useProduct(id: string) {
  return useRead('products.get', { params: { id } }, { enabled: id !== '' })
}

/** Takes over a product as the server returned it. */
export function useProductChanged(): (product: ProductDetail) => void {
  const cache = useCache()
  return useCallback(product => cache.put('products.get', { params: { id: product.id } }, product), [cache])
}

/** What shows many products. */
export const PRODUCT_LISTS = ['products.list', 'products.categories', groupsOf('product')] as const

/** The server hands out parsed models only; what is missing in an old one is empty. */
export function modelOf(value: Record<string, unknown> | null): ThingModel {
  return { ...emptyModel(), ...(value as Partial<ThingModel> | null) }
}
