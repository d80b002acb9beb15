import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryOf } from '@thingwright/contracts'
import type { ProductDetail, ProductView, productsContract } from '@thingwright/contracts/products.contract'
import { emptyModel, type ThingModel } from '@thingwright/thing-model/model'
import { useCallback } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '../../lib/api-client.ts'
import { groupsKey } from '../../ui/group-tree/use-groups.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const PRODUCTS = ['products'] as const
export const productKey = (id: string) => ['products', 'get', id] as const
export const versionsKey = (id: string) => ['products', 'versions', id] as const

export const fetchProducts: FetchPage<ProductView> = ({ filters, ...input }, signal) =>
  call('products.list', { query: { ...input, ...filters } as QueryOf<(typeof productsContract)['list']>, signal })

/** The product that the page's `?id=` names. */
export function useProductId(): string {
  return useSearchParams()[0].get('id') ?? ''
}

export function useProduct(id: string) {
  return useQuery({
    queryKey: productKey(id),
    enabled: id !== '',
    queryFn: ({ signal }) => call('products.get', { params: { id }, signal }),
  })
}

/** Takes over a product as the server returned it, and lets lists and group counts be read anew. */
export function useProductChanged(): (product?: ProductDetail) => void {
  const client = useQueryClient()
  return useCallback(
    product => {
      if (product) client.setQueryData(productKey(product.id), product)
      void client.invalidateQueries({ queryKey: listKey(PRODUCTS) })
      void client.invalidateQueries({ queryKey: groupsKey('product') })
    },
    [client],
  )
}

/** The server hands out parsed models only; what is missing in an old one is empty. */
export function modelOf(value: Record<string, unknown> | null): ThingModel {
  return { ...emptyModel(), ...(value as Partial<ThingModel> | null) }
}
