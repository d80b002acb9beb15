import type { SceneView, TimedRunView, TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import { call, type Query } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchTasks: FetchPage<TimedTaskView> = ({ filters, ...input }, signal) =>
  call('timedTasks.list', { query: { ...input, ...filters } as Query<'timedTasks.list'>, signal })

export const fetchRuns: FetchPage<TimedRunView> = ({ filters, ...input }, signal) =>
  call('timedTasks.allRuns', {
    query: {
      limit: input.limit,
      ...(input.cursor ? { cursor: input.cursor } : {}),
      ...filters,
    } as Query<'timedTasks.allRuns'>,
    signal,
  })

export const fetchScenes: FetchPage<SceneView> = ({ filters, ...input }, signal) =>
  call('scenes.list', { query: { ...input, ...filters } as Query<'scenes.list'>, signal })

/** The tabs of the page, as its lists show them. */
export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}
