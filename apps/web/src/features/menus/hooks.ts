import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'

const MENU = ['menu-editor'] as const

/** The installation's whole menu. */
export function useMenu() {
  return useQuery({ queryKey: MENU, queryFn: ({ signal }) => call('menuEditor.list', { signal }) })
}

/** Takes over the menu as the server returned it, or lets it be read anew. */
export function useMenuChanged(): (items?: MenuEntry[]) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    async items => {
      if (items) client.setQueryData(MENU, { items })
      else await client.invalidateQueries({ queryKey: MENU })
    },
    [client],
  )
}
