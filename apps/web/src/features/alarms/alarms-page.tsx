import { Button } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { NoPermissionState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import css from './alarms.module.css'
import { useAlarmCounts, useAlarmsLive } from './hooks.ts'
import { AlarmList } from './list/alarm-list.tsx'
import { LastDay } from './list/last-day.tsx'
import { useAlarmParam } from './use-alarm-param.ts'

const AlarmDrawer = lazy(async () => ({ default: (await import('./drawer/alarm-drawer.tsx')).AlarmDrawer }))
const WallTab = lazy(async () => ({ default: (await import('./wall/wall-tab.tsx')).WallTab }))
const StatisticsTab = lazy(async () => ({
  default: (await import('./statistics/statistics-tab.tsx')).StatisticsTab,
}))
const LevelsDrawer = lazy(async () => ({ default: (await import('./levels/levels-drawer.tsx')).LevelsDrawer }))

const TABS = ['active', 'ended', 'wall', 'statistics'] as const

/** Alarms of the whole company: those that last, those that are over, the wall, the figures. */
export function AlarmsPage() {
  const { t } = useTranslation('alarms')
  const allowed = useMay('alarms.list')
  const [tab, open] = useListTab(TABS)
  const { shown, close } = useAlarmParam()
  const [levels, setLevels] = useState(false)
  const counts = useAlarmCounts()
  useAlarmsLive()
  const active = counts.data?.active
  const tabs = useMemo(
    () => ({
      items: TABS.map(key => ({
        key,
        label:
          key === 'active' && active !== undefined ? (
            <>
              {t('tab.active')} <span className={css.tabCount}>{formatNumber(active)}</span>
            </>
          ) : (
            t(`tab.${key}`)
          ),
      })),
      active: tab,
      onChange: open,
    }),
    [t, tab, open, active],
  )
  const actions = useMay('alarms.setLevels') ? (
    <Button onClick={() => setLevels(true)}>{t('levels.title')}</Button>
  ) : null
  const head = { title: t('title'), description: t('lead'), actions }
  return (
    <>
      {tab === 'active' || tab === 'ended' ? (
        <AlarmList
          key={tab}
          ended={tab === 'ended'}
          head={head}
          tabs={tabs}
          {...(tab === 'active' && allowed ? { summary: <LastDay /> } : {})}
        />
      ) : (
        <div className={css.page}>
          <PageHeader {...head} />
          <div className={css.tabs}>
            <TabBar label={t('title')} {...tabs} />
          </div>
          {allowed ? (
            <Suspense fallback={<FrameSkeleton />}>
              <div role="tabpanel" aria-label={t(`tab.${tab as 'wall' | 'statistics'}`)}>
                {tab === 'wall' ? <WallTab /> : <StatisticsTab />}
              </div>
            </Suspense>
          ) : (
            <NoPermissionState of="alarms.list" />
          )}
        </div>
      )}
      <Suspense>
        {shown !== '' && <AlarmDrawer key={shown} id={shown} onClose={close} />}
        {levels && <LevelsDrawer onClose={() => setLevels(false)} />}
      </Suspense>
    </>
  )
}
