import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { type ComponentType, lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../devices.module.css'
import { useDevice, useDeviceId } from '../hooks.ts'

type Tab = ComponentType<{ device: DeviceView }>

const PAGES: Record<string, Tab> = {
  live: lazy(async () => ({ default: (await import('../live/live-tab.tsx')).LiveTab })),
  history: lazy(async () => ({ default: (await import('../history/history-tab.tsx')).HistoryTab })),
  commands: lazy(async () => ({ default: (await import('../commands/commands-tab.tsx')).CommandsTab })),
  events: lazy(async () => ({ default: (await import('../log/events-tab.tsx')).EventsTab })),
  connections: lazy(async () => ({ default: (await import('../log/connections-tab.tsx')).ConnectionsTab })),
  messages: lazy(async () => ({ default: (await import('../log/messages-tab.tsx')).MessagesTab })),
}
const KEYS = Object.keys(PAGES)

/** What a device does and did: live values, history, commands, events, connections, messages. The tab is in the address. */
export function DeviceCenterPage() {
  const { t } = useTranslation('devices')
  const id = useDeviceId()
  const { data: device } = useDevice(id)
  const [params, setParams] = useSearchParams()
  const asked = params.get('tab') ?? ''
  const tab = KEYS.includes(asked) ? asked : 'live'
  if (!device) return null
  const Page = PAGES[tab]!
  return (
    <div className={css.center}>
      <TabBar
        label={t('tabCenter')}
        active={tab}
        // Another tab has settings of its own.
        onChange={key => setParams(key === 'live' ? { id } : { id, tab: key }, { preventScrollReset: true })}
        items={KEYS.map(key => ({ key, label: t(`tabs.${key}`) }))}
      />
      <div className={css.centerBody} role="tabpanel" aria-label={t(`tabs.${tab}`)}>
        <Suspense fallback={<div className={css.tabBone} />}>
          <Page key={id} device={device} />
        </Suspense>
      </div>
    </div>
  )
}
