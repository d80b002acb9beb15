import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

/** Which one is open beside the list: in the address as `?id=`. */
export function useOpen(): [id: string | null, open: (id: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  const open = useCallback(
    (next: string | null) =>
      setSearch(now => {
        const params = new URLSearchParams(now)
        if (next === null) params.delete('id')
        else params.set('id', next)
        return params
      }),
    [setSearch],
  )
  return [search.get('id'), open]
}
