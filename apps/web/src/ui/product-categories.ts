import { useMay } from '../lib/permissions.ts'
import { useRead } from '../lib/server-state/use-read.ts'

/** Categories that the company's products have, to choose from; empty for those who may not see them. */
export function useCategories(): readonly string[] {
  const allowed = useMay('products.categories')
  const { data } = useRead('products.categories', {}, { enabled: allowed, staleTime: 30_000 })
  return data?.items ?? NONE
}

const NONE: readonly string[] = []
