import { REPORT_LISTS } from '@thingwright/contracts/reports.words'
import { lazy, Suspense, useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { askedList } from './draft.ts'
import { ReportList } from './report-list.tsx'
import { RunList } from './run-list.tsx'

const ReportDrawer = lazy(async () => ({ default: (await import('./report-drawer.tsx')).ReportDrawer }))

const TABS = ['reports', 'runs'] as const

/** Reports and what they did; `?report=` opens one, `?new=` a new one, with a list as it was filtered. */
export function ReportsPage() {
  const { t } = useTranslation('reports')
  const [params, setParams] = useSearchParams()
  const mayWrite = useMay('reports.create')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  const change = useCallback(
    (name: 'new' | null) =>
      setParams(
        before => {
          const next = new URLSearchParams(before)
          next.delete('report')
          next.delete('new')
          if (name !== null) next.set(name, '1')
          return next
        },
        { preventScrollReset: true },
      ),
    [setParams],
  )
  const onAdd = useCallback(() => change('new'), [change])
  const report = params.get('report')
  const made = params.get('new')
  return (
    <>
      {tab === 'runs' ? <RunList tabs={tabs} /> : <ReportList tabs={tabs} onAdd={onAdd} />}
      {mayWrite && (report !== null || made !== null) && (
        <Suspense>
          <ReportDrawer
            key={report ?? made ?? ''}
            id={report}
            asked={askedList(made, REPORT_LISTS)}
            onClose={() => change(null)}
          />
        </Suspense>
      )}
    </>
  )
}
