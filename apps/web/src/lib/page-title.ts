import { useEffect } from 'react'
import { create } from 'zustand'

/** What the open page calls itself; null: what the menu calls it. */
const usePageName = create<{ name: string | null }>(() => ({ name: null }))

/** Says what the open page is called: its title, or the name of the thing it shows. */
export function usePageTitle(name: string | null): void {
  useEffect(() => {
    if (name === null) return
    usePageName.setState({ name })
    return () => {
      // The next page may have said its name already.
      if (usePageName.getState().name === name) usePageName.setState({ name: null })
    }
  }, [name])
}

/** Title of the browser's tab: the page before the product, so that tabs side by side can be told apart. */
export function tabTitle(page: string | null, product: string): string {
  const name = page?.trim() ?? ''
  return name === '' || name === product ? product : `${name} · ${product}`
}

export { usePageName }
