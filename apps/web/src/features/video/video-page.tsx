import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useListTab } from '../../ui/list-page/use-list-tab.ts'
import { CameraList } from './camera-list.tsx'
import { CameraWall } from './camera-wall.tsx'

const TABS = ['cameras', 'wall'] as const

/** The tabs of the page, as its parts show them. */
export interface VideoTabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}

/** Cameras of EZVIZ accounts and of addresses: the list, and several live pictures beside each other. */
export function VideoPage() {
  const { t } = useTranslation('video')
  const [tab, open] = useListTab(TABS)
  const tabs = useMemo<VideoTabs>(
    () => ({ items: TABS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange: open }),
    [t, tab, open],
  )
  return tab === 'wall' ? <CameraWall tabs={tabs} /> : <CameraList tabs={tabs} />
}
