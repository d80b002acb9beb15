import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { CalendarList } from './calendars/calendar-list.tsx'
import { RunList } from './list/run-list.tsx'
import { TaskList } from './list/task-list.tsx'
import { SceneList } from './scenes/scene-list.tsx'

const TaskEditor = lazy(async () => ({ default: (await import('./editor/task-editor.tsx')).TaskEditor }))

const LISTS = { tasks: TaskList, scenes: SceneList, calendars: CalendarList, runs: RunList }
const TABS = Object.keys(LISTS) as (keyof typeof LISTS)[]

/** What is done by the clock: tasks, scenes, calendars, what came of it; `?task=` is the editor. */
export function TimedTasksPage() {
  const { t } = useTranslation('timed-tasks')
  const [params] = useSearchParams()
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  const task = params.get('task')
  if (task !== null)
    return (
      <Suspense fallback={<FrameSkeleton />}>
        <TaskEditor key={task} id={task === 'new' ? null : task} />
      </Suspense>
    )
  const List = LISTS[tab as keyof typeof LISTS]
  return <List tabs={tabs} />
}
