import { useCallback } from 'react'
import { useLocation } from 'react-router'

/** The address of this page with one parameter more: what opens over a list leaves its search and filters alone. */
export function useWithParam(name: string): (value: string) => string {
  const { pathname, search } = useLocation()
  return useCallback(
    value => {
      const params = new URLSearchParams(search)
      params.set(name, value)
      return `${pathname}?${params}`
    },
    [pathname, search, name],
  )
}
