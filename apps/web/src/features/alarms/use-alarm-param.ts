import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { useCallback } from 'react'
import { useLocation, useSearchParams } from 'react-router'

/** The alarm whose drawer is open: it stands in the address, beside the list's filters. */
export function useAlarmParam() {
  const [params, setParams] = useSearchParams()
  const { pathname } = useLocation()
  const shown = params.get('alarm') ?? ''
  const hrefOf = useCallback(
    (row: Pick<AlarmView, 'id'>) => {
      const next = new URLSearchParams(params)
      next.set('alarm', row.id)
      return `${pathname}?${next}`
    },
    [params, pathname],
  )
  const close = useCallback(
    () =>
      setParams(
        before => {
          const next = new URLSearchParams(before)
          next.delete('alarm')
          return next
        },
        { preventScrollReset: true },
      ),
    [setParams],
  )
  return { shown, hrefOf, close }
}
