import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

/** Opens what makes a new one when the address asks for it (`?create=1`); the wish is then taken out of the address. */
export function useAskedCreate(allowed: boolean, open: () => void): void {
  const [params, setParams] = useSearchParams()
  const asked = params.get('create') === '1'
  useEffect(() => {
    if (!asked) return
    if (allowed) open()
    setParams(
      before => {
        const next = new URLSearchParams(before)
        next.delete('create')
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }, [asked, allowed, open, setParams])
}
