import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { SavedView } from '@thingwright/contracts/saved-views.contract'
import { type Body, call } from '../../lib/api-client.ts'

const keyOf = (list: string) => ['saved-views', list] as const

/** Own views of a list and those shared in the company. */
export function useSavedViews(list: string, enabled = true) {
  return useQuery({
    queryKey: keyOf(list),
    queryFn: async ({ signal }) => (await call('savedViews.list', { query: { list }, signal })).items,
    staleTime: 300_000,
    enabled,
    meta: { ownError: true },
  })
}

export type ViewChange =
  | { kind: 'create'; body: Body<'savedViews.create'> }
  | { kind: 'update'; view: SavedView; body: Omit<Body<'savedViews.update'>, 'version'> }
  | { kind: 'remove'; view: SavedView }
  | { kind: 'default'; viewId: string | null }

/** One way for every change; the views are read again after it, whatever came of it. */
export function useChangeView(list: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (change: ViewChange): Promise<void> => {
      if (change.kind === 'create') await call('savedViews.create', { body: change.body })
      else if (change.kind === 'update')
        await call('savedViews.update', {
          params: { id: change.view.id },
          body: { ...change.body, version: change.view.version },
        })
      else if (change.kind === 'remove') await call('savedViews.remove', { params: { id: change.view.id } })
      else await call('savedViews.setDefault', { body: { list, viewId: change.viewId } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(list) }),
  })
}
