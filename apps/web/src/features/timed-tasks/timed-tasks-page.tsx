import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { RunList } from './list/run-list.tsx'
import { TaskList } from './list/task-list.tsx'

const TABS = ['tasks', 'runs'] as const

/** What is done by the clock, and what came of it. */
export function TimedTasksPage() {
  const { t } = useTranslation('timed-tasks')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  return tab === 'runs' ? <RunList tabs={tabs} /> : <TaskList tabs={tabs} />
}
