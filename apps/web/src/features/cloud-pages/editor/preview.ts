import type { Reply } from '../../../lib/api-client.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Values of the draft as it is kept, read again every second while the page is looked at. */
export function useDraftValues(id: string): Reply<'cloudPages.values'>['values'] | undefined {
  return useRead('cloudPages.values', { params: { id } }, { refetchInterval: 1000 }).data?.values
}
