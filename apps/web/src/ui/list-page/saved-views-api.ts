import type { SavedView } from '@thingwright/contracts/saved-views.contract'
import { type Body, call } from '../../lib/api-client.ts'
import { useMay } from '../../lib/permissions.ts'
import { only } from '../../lib/server-state/keys.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useWork, type Work } from '../../lib/server-state/use-work.ts'

/** Own views of a list and those shared in the company. */
export function useSavedViews(list: string, enabled = true) {
  // End users have none: views that are shared in the company are not for them.
  const may = useMay('savedViews.list')
  return useRead(
    'savedViews.list',
    { query: { list } },
    { staleTime: 300_000, enabled: enabled && may, meta: { ownError: true }, select: reply => reply.items },
  )
}

export type ViewChange =
  | { kind: 'create'; body: Body<'savedViews.create'> }
  | { kind: 'update'; view: SavedView; body: Omit<Body<'savedViews.update'>, 'version'> }
  | { kind: 'remove'; view: SavedView }
  | { kind: 'default'; viewId: string | null }

/** One way for every change; the views are read again after it, whatever came of it. */
export function useChangeView(list: string): Pick<Work, 'pending'> & { run: (change: ViewChange) => Promise<boolean> } {
  const work = useWork({ touches: [only('savedViews.list', { query: { list } })], always: true })
  return {
    pending: work.pending,
    run: async change =>
      (await work.attempt(async () => {
        await changed(change, list)
        return true
      })) ?? false,
  }
}

function changed(change: ViewChange, list: string): Promise<unknown> {
  switch (change.kind) {
    case 'create':
      return call('savedViews.create', { body: change.body })
    case 'update': {
      const { id, version } = change.view
      return call('savedViews.update', { params: { id }, body: { ...change.body, version } })
    }
    case 'remove':
      return call('savedViews.remove', { params: { id: change.view.id } })
    case 'default':
      return call('savedViews.setDefault', { body: { list, viewId: change.viewId } })
  }
}
