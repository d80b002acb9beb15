import { every } from '../../../lib/every.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** A background task, read again every second until it has ended. */
export function useTask(id: string | null) {
  return useRead(
    'tasks.get',
    { params: { id: id ?? '' } },
    { enabled: id !== null, refetchInterval: query => every(query.state.data?.endedAt ? false : 1000)(query) },
  )
}

/** The first parts of a task that failed, with their reasons. */
export function useTaskFailures(id: string | null, failed: number) {
  return useRead(
    'tasks.failures',
    { params: { id: id ?? '' }, query: { limit: 100 } },
    { about: failed, enabled: id !== null && failed > 0, keep: true },
  )
}
