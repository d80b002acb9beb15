import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'

/** A background task, read again every second until it has ended. */
export function useTask(id: string | null) {
  return useQuery({
    queryKey: ['tasks', 'get', id],
    enabled: id !== null,
    queryFn: ({ signal }) => call('tasks.get', { params: { id: id ?? '' }, signal }),
    refetchInterval: query => every(query.state.data?.endedAt ? false : 1000)(query),
  })
}

/** The first parts of a task that failed, with their reasons. */
export function useTaskFailures(id: string | null, failed: number) {
  return useQuery({
    queryKey: ['tasks', 'failures', id, failed],
    enabled: id !== null && failed > 0,
    queryFn: ({ signal }) => call('tasks.failures', { params: { id: id ?? '' }, query: { limit: 100 }, signal }),
    placeholderData: before => before,
  })
}
