import { useCallback } from 'react'
import { call, type Reply } from '../../../lib/api-client.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { type Past, type PastValues, usePast } from '../../../ui/scene/use-past.ts'

/** Values of the draft as it is kept, read again every second while the page is looked at. */
export function useDraftValues(id: string): Reply<'cloudPages.values'>['values'] | undefined {
  return useRead('cloudPages.values', { params: { id } }, { refetchInterval: 1000 }).data?.values
}

/** The draft as it would have been shown at a moment in the past. */
export function useDraftPast(id: string): Past {
  return usePast(
    useCallback(
      async ts => (await call('cloudPages.past', { params: { id }, query: { ts: Math.round(ts) } })) as PastValues,
      [id],
    ),
  )
}
