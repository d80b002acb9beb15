import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'
import { useCallback } from 'react'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

/** The installation's whole menu. */
export function useMenu() {
  return useRead('menuEditor.list')
}

/** Takes over the menu as the server returned it, or lets it be read anew. */
export function useMenuChanged(): (items?: MenuEntry[]) => Promise<void> {
  const cache = useCache()
  return useCallback(
    async items => {
      if (items) cache.put('menuEditor.list', {}, { items })
      else await cache.touch('menuEditor.list')
    },
    [cache],
  )
}
