import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { type ComponentType, lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Operation } from '../../../lib/api-client.ts'
import { deviceTabs } from '../../../lib/device-tabs.ts'
import { loadTexts } from '../../../lib/i18n.ts'
import { may } from '../../../lib/permissions.ts'
import { useSession } from '../../../lib/session.ts'
import { CommandAskHost } from '../../../ui/command-kit/command-ask.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../devices.module.css'
import { withDiagnosis } from '../diagnose/load.ts'
import { useDevice, useDeviceId } from '../hooks.ts'
import { useNodeType } from '../sub-devices/use-sub-devices.ts'

type Tab = ComponentType<{ device: DeviceView }>

const PAGES: Record<string, Tab> = {
  live: lazy(async () => ({ default: (await import('../live/live-tab.tsx')).LiveTab })),
  history: lazy(async () => ({ default: (await import('../history/history-tab.tsx')).HistoryTab })),
  commands: lazy(async () => ({ default: (await import('../commands/commands-tab.tsx')).CommandsTab })),
  subDevices: lazy(async () => {
    const [tab] = await Promise.all([import('../sub-devices/sub-devices-tab.tsx'), loadTexts('sub-devices')])
    return { default: tab.SubDevicesTab }
  }),
  events: lazy(async () => ({ default: (await import('../log/events-tab.tsx')).EventsTab })),
  connections: lazy(async () => ({
    default: (await withDiagnosis(import('../log/connections-tab.tsx'))).ConnectionsTab,
  })),
  messages: lazy(async () => ({ default: (await withDiagnosis(import('../log/messages-tab.tsx'))).MessagesTab })),
  model: lazy(async () => ({ default: (await import('../model/model-tab.tsx')).ModelTab })),
  diagnose: lazy(async () => ({ default: (await withDiagnosis(import('../diagnose/diagnose-tab.tsx'))).DiagnoseTab })),
}
const KEYS = Object.keys(PAGES)
/** What a tab cannot be without, beyond the device itself. */
const NEEDS: Readonly<Record<string, Operation>> = {
  diagnose: 'diagnosis.device',
  model: 'thingModels.deviceModel',
  messages: 'telemetry.messages',
  events: 'telemetry.events',
}

/** Tabs of other areas, downloaded when first opened; the page stays the same component from one drawing to the next. */
const brought = new Map<string, Tab>()
function broughtPage(key: string): Tab | undefined {
  const tab = deviceTabs().find(each => each.key === key)
  if (!tab || brought.has(key)) return brought.get(key)
  const Page = lazy(async () => ({ default: (await tab.load()).Component }))
  brought.set(key, ({ device }) => <Page deviceId={device.id} />)
  return brought.get(key)
}

/** What a device does and did: live values, history, commands, events, connections, messages. The tab is in the address. */
export function DeviceCenterPage() {
  const { t } = useTranslation('devices')
  const id = useDeviceId()
  const { data: device } = useDevice(id)
  const nodeType = useNodeType(device?.productId)
  const [params, setParams] = useSearchParams()
  const rights = useSession(s => s.me?.permissions)
  const others = deviceTabs().filter(
    each =>
      (may(rights, each.of) || (each.or !== undefined && may(rights, each.or))) &&
      (each.linkType === undefined || each.linkType === device?.linkType),
  )
  const asked = params.get('tab') ?? ''
  const tab = KEYS.includes(asked) || others.some(each => each.key === asked) ? asked : 'live'
  if (!device) return null
  const Page = PAGES[tab] ?? broughtPage(tab)!
  const word = (key: string) => (key in PAGES ? t(`tabs.${key}`) : t(`shell:deviceTab.${key}`))
  const own = KEYS.filter(
    key =>
      (NEEDS[key] === undefined || may(rights, NEEDS[key])) &&
      (key !== 'subDevices' || key === tab || (nodeType ?? 'device') !== 'device'),
  )
  // Looking for what is wrong stays last.
  const keys = [...own.slice(0, -1), ...others.map(each => each.key), ...own.slice(-1)]
  return (
    <div className={css.center}>
      <TabBar
        label={t('tabCenter')}
        active={tab}
        // Another tab has settings of its own.
        onChange={key => setParams(key === 'live' ? { id } : { id, tab: key }, { preventScrollReset: true })}
        items={keys.map(key => ({ key, label: word(key) }))}
      />
      <CommandAskHost />
      <div className={css.centerBody} role="tabpanel" aria-label={word(tab)}>
        <Suspense fallback={<div className={css.tabBone} />}>
          <Page key={id} device={device} />
        </Suspense>
      </div>
    </div>
  )
}
