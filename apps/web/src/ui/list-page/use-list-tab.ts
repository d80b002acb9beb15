import { useCallback, useEffect } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { session } from '../../lib/storage.ts'

/** The stored tab when it was left on this page, else null. */
export function storedTab(stored: string | null, pathname: string, tabs: readonly string[]): string | null {
  const [path, tab] = (stored ?? '').split('?tab=')
  return path === pathname && tab !== undefined && tabs.includes(tab) ? tab : null
}

/**
 * The open tab of a list page: in the address, and remembered for the session as `part.route`, so that coming back
 * from a detail finds the same tab (a click in the menu forgets it). The first tab stands without a parameter.
 */
export function useListTab(tabs: readonly string[]): [string, (tab: string) => void] {
  const { pathname } = useLocation()
  const [params, setParams] = useSearchParams()
  const first = tabs[0]!
  const asked = params.get('tab')
  const tab = asked !== null && tabs.includes(asked) ? asked : first
  // An address that says what it wants (a product's devices) is not turned into something else.
  const remembered = params.size === 0 ? storedTab(session.get('part.route'), pathname, tabs) : null
  const open = useCallback(
    (next: string) => {
      session.set('part.route', `${pathname}?tab=${next}`)
      // Another tab is another list: its filters are its own.
      setParams(next === first ? {} : { tab: next })
    },
    [pathname, setParams, first],
  )
  useEffect(() => {
    if (remembered !== null && remembered !== first) setParams({ tab: remembered }, { replace: true })
  }, [remembered, first, setParams])
  useEffect(() => {
    if (asked !== null) session.set('part.route', `${pathname}?tab=${tab}`)
  }, [asked, pathname, tab])
  return [tab, open]
}
